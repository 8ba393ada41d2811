//===- ExampleRows.h - Records of tf.Example, for a look at data -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_EXAMPLEROWS_H
#define LIB_FRONTEND_SPECINIT_EXAMPLEROWS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <optional>
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

/// Calls `feature` with name, kind and serialized list of each feature of a tf.Example that has a kind, until it
/// returns false; false then, and if the record is damaged.
bool forEachFeature(
    llvm::StringRef record,
    llvm::function_ref<bool(llvm::StringRef name, FeatureTexts::Kind kind, llvm::StringRef list)> feature);
/// Calls `value` with each value of a list as text; false if the list is damaged.
bool forEachText(FeatureTexts::Kind kind, llvm::StringRef list, llvm::function_ref<void(llvm::StringRef)> value);

/// Bytes in front of a record's data: its size and their checksum.
inline constexpr size_t kRecordHeadBytes = 12;
/// Whether the first bytes of a file are those of a TFRecord file: a size with its checksum.
bool startsWithRecord(llvm::StringRef start);
/// Bytes of the record that `text` begins with, head and checksums included; none if that is no record.
std::optional<uint64_t> recordSize(llvm::StringRef text);
/// Takes the first record off `text`, which has all of it: its data. False, and what is wrong, if it is damaged.
bool takeRecord(llvm::StringRef &text, llvm::StringRef &record, std::string &what);

/// Calls `row` with the features of each record of a TFRecord file (plain, gzip or zstd) until it returns false; those
/// without a kind are left out. Returns what is wrong with the file, else the empty text.
///
/// The trainer's reader makes batches of typed columns and belongs to the runtime.
std::string readExamples(const std::string &path, llvm::function_ref<bool(const llvm::StringMap<FeatureTexts> &)> row);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_EXAMPLEROWS_H
