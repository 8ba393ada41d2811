//===- DataFacts.h - What a spec says of its data -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_FRONTEND_ESTIMATORSPEC_DATAFACTS_H
#define MLC_FRONTEND_ESTIMATORSPEC_DATAFACTS_H

#include "common/cli/Message.h"
#include "common/data/ColumnCheck.h"
#include "mlc/Frontend/EstimatorSpec/SpecChange.h"

#include <string>
#include <vector>

namespace mlc::frontend {

/// Files that a spec names together.
struct DataSet {
  /// "train", "eval" or "eval <name>".
  std::string name;
  /// Paths and globs, absolute.
  std::vector<std::string> files;
};

/// What a spec says of its data.
struct DataFacts {
  /// The manifest's "input" (docs/manifest.md).
  std::string input;
  std::vector<DataSet> sets;
  /// At least one for each column in use.
  std::vector<common::ColumnCheck> checks;
};

/// Reads, merges, changes and checks the spec in a file, as checkSpec, and tells what it says of its data. An error if
/// it names no files.
bool dataFacts(const std::string &path, const std::vector<SpecChange> &changes, common::MessageList &messages,
               DataFacts &facts);

} // namespace mlc::frontend

#endif // MLC_FRONTEND_ESTIMATORSPEC_DATAFACTS_H
