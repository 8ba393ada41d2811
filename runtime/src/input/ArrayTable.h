// Examples that lie in arrays: file, shard and row of each. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shard has one array for each feature, all with as many examples. A .npz or .safetensors file is a shard. Of .npy
// files those of one directory are a shard, named for their features; files none of which has the name of the only
// feature that is wanted are shards of it. Arrays in memory are one shard. Shards follow one another in the order of
// their paths.
#ifndef MLCRT_INPUT_ARRAYTABLE_H
#define MLCRT_INPUT_ARRAYTABLE_H

#include "absl/status/statusor.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/input/ArrayFile.h"
#include "runtime/src/input/Batch.h"
#include "runtime/src/input/BatchSource.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/input/InputFormat.h"
#include "runtime/src/input/ValueList.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// How a feature is made of arrays. A multi-valued one, "tags" with "tags.ends" and perhaps "tags.weight", is made of
/// an array "tags" of as many cells for each example, in which -1, of integers, and '', of texts, are no value, and one
/// "tags.weight" of the same shape.
struct ArrayPart {
  enum class Kind { Cells, Values, Ends, Weights } kind = Kind::Cells;
  int64_t ends = -1, weights = -1; ///< of Values: indices of the features that are these, -1: not requested
};

/// The parts that features are. Usage errors: ends or weights without their values; a feature that is not of the rows
/// of the batch.
absl::StatusOr<std::vector<ArrayPart>> arrayParts(const std::vector<TensorSpec> &features);

/// The arrays of a list of files, as rows of the requested features. Immutable and thread-safe once bound.
class ArrayTable {
public:
  /// Opens `files`, which hold arrays (holdArrays). kDataLoss as ArrayFile::open.
  static absl::StatusOr<ArrayTable> open(std::vector<DataFile> files, const FileDataOptions &options);

  /// Whether arrays in memory get a checksum of their bytes, by which a resumed run knows them again.
  enum class Checksum { OfBytes, None };
  /// Arrays in memory: a shard that is no file.
  static ArrayTable ofMemory(const MemoryArrays &arrays, Checksum checksum = Checksum::OfBytes);

  const std::vector<DataFile> &list() const { return list_; }
  /// The first array of that name, or null.
  const StoredArray *find(std::string_view name) const;

  /// Finds `features` (as Dataset::open has them) in every shard. Data errors name file and array, what was found and
  /// what was expected: no such array (E0317), another dtype or shape (E0319), another number of examples than the
  /// shard's first array (E0314), no example at all (E0312). A dimension symbol after the examples has one size in all
  /// arrays that have it (else E0319, naming both). Usage errors as arrayParts. A column of `format`, which may be
  /// null, tells which numbers of the feature of its name are refused.
  absl::Status bind(const std::vector<TensorSpec> &features, const InputFormat *format = nullptr);
  /// The features bound, with the sizes that the arrays have in the place of symbols after the examples.
  const std::vector<TensorSpec> &features() const { return features_; }
  /// Names of arrays that no feature is, each once.
  std::vector<std::string> unread() const;

  /// Number of examples.
  int64_t rows() const { return rows_; }
  /// Copies examples `records` of feature `feature` to `out`; texts go to `arena`. kDataLoss: a text with a character
  /// that is none; a number that the feature's column refuses; a file that changed since it was opened.
  absl::Status gather(size_t feature, const std::vector<int64_t> &records, char *out, StringArena &arena) const;
  /// Appends the values of examples `records` of a multi-valued feature to `values`, and writes where each example's
  /// end. Errors as gather.
  absl::Status gatherList(size_t feature, const std::vector<int64_t> &records, ValueList &values, int64_t *ends,
                          StringArena &arena) const;
  const std::vector<ArrayPart> &parts() const { return parts_; }
  /// File and number of an example in it.
  Origin where(int64_t record) const;

private:
  struct Shard {
    int64_t firstRow = 0;
    std::vector<size_t> files;                 ///< for each feature
    std::vector<const StoredArray *> features; ///< for each feature; null for ends
    int64_t rows = 0;
  };

  absl::Status addShard(const std::vector<size_t> &files, const std::vector<TensorSpec> &features, bool byName);
  absl::Status addSizes(const StoredArray &array, size_t file, const TensorSpec &value);
  absl::Status checkWeights(const Shard &shard, size_t feature) const;
  absl::Status checkNumbers(size_t feature, const std::vector<int64_t> &records, const char *values) const;
  const Shard &shardOf(int64_t record) const;
  absl::Status gatherTexts(const Shard &shard, size_t feature, int64_t row, mlcrt_string &out,
                           StringArena &arena) const;

  std::vector<DataFile> list_;
  std::vector<ArrayFile> files_;
  std::vector<Shard> shards_;
  std::vector<TensorSpec> features_;
  std::vector<ArrayPart> parts_;
  /// For each feature: which of its numbers are refused.
  struct Numbers {
    bool finite = false, isWeight = false;
  };
  std::vector<Numbers> numbers_;
  /// By dimension symbol: its size, and the array and file that has it.
  struct Size {
    int64_t size;
    std::string array;
    size_t file;
  };
  std::map<int64_t, Size> sizes_;
  int64_t rows_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_ARRAYTABLE_H
