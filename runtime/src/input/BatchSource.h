// Where the examples of a run come from. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_BATCHSOURCE_H
#define MLCRT_INPUT_BATCHSOURCE_H

#include "runtime/src/input/ArrayFile.h"
#include "runtime/src/input/RowSelection.h"

#include <memory>
#include <string>
#include <vector>

namespace mlcrt {

/// Arrays in memory that somebody else made: one for each feature, named for it, all with as many examples. They do not
/// change as long as a run reads them.
struct MemoryArrays {
  /// What messages and records call them.
  std::string name;
  std::vector<StoredArray> arrays;
  /// Keeps what `arrays` point to.
  std::shared_ptr<const void> owner;
};

/// Files, or arrays in memory.
struct BatchSource {
  /// The setting that stands for it, for messages: "train.files".
  std::string what;
  std::vector<std::string> globs;
  /// Set: in the place of files.
  std::shared_ptr<const MemoryArrays> arrays = nullptr;
  /// What of the rows of files.
  RowPart rows = RowPart::All;

  bool empty() const { return !arrays && globs.empty(); }
};

} // namespace mlcrt

#endif // MLCRT_INPUT_BATCHSOURCE_H
