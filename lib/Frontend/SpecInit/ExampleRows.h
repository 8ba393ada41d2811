//===- ExampleRows.h - Records of tf.Example, for a look at data -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_EXAMPLEROWS_H
#define LIB_FRONTEND_SPECINIT_EXAMPLEROWS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace mlc::frontend {

/// A feature of a tf.Example: its values as text, numbers in as many digits as read back to the same bits.
struct FeatureTexts {
  enum Kind { Bytes = 1, Floats = 2, Ints = 3 }; ///< the fields of tf.Feature
  Kind kind = Bytes;
  std::vector<std::string> values;
};
/// "bytes list", "float list" or "int64 list".
llvm::StringRef kindName(FeatureTexts::Kind kind);

/// Calls `row` with the features of each record of a TFRecord file (plain, gzip or zstd) until it returns false; those
/// without a kind are left out. Returns what is wrong with the file, else the empty text.
///
/// The trainer's reader makes batches of typed columns and belongs to the runtime.
std::string readExamples(const std::string &path, llvm::function_ref<bool(const llvm::StringMap<FeatureTexts> &)> row);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_EXAMPLEROWS_H
