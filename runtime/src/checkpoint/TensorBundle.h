// TensorFlow's checkpoint files: tensors by name in data files, and an index of them. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PREFIX.index is a sorted table. Its empty key has a BundleHeaderProto (number of data files, byte order, version);
// all others have a BundleEntryProto: dtype, shape, data file, place, size and masked CRC-32C of a tensor's bytes. One
// that was partitioned has slices instead, each with a key of its own (sliceKey). PREFIX.data-KKKKK-of-NNNNN has the
// bytes.
#ifndef MLCRT_CHECKPOINT_TENSORBUNDLE_H
#define MLCRT_CHECKPOINT_TENSORBUNDLE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/checkpoint/InputFile.h"
#include "runtime/src/checkpoint/Safetensors.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// The bytes of a part of a tensor, row-major, which lie in one piece of a data file.
struct BundlePart {
  std::vector<int64_t> starts, sizes; ///< in each dimension of the tensor
  int32_t shard = 0;                  ///< number of the data file
  int64_t offset = 0, bytes = 0;      ///< in the data file
  uint32_t crc = 0;                   ///< masked CRC-32C of the bytes
};

/// A tensor of numbers; its parts have each element once.
struct BundleTensor {
  std::string name;
  mlcrt_dtype dtype = MLCRT_F32; ///< any but MLCRT_STRING
  std::vector<int64_t> shape;
  int64_t bytes = 0;
  std::vector<BundlePart> parts;
};

/// A tensor whose elements are no numbers that we have.
struct BundleOther {
  std::string name, dtype; ///< "string", "complex64", ...
  BundlePart place;        ///< without starts and sizes
  int64_t elements = 0;    ///< -1: several parts
};

/// Reads a checkpoint in this format; nothing in it is trusted.
class TensorBundleReader {
public:
  /// Reads all of the index: dtypes, shapes, that the places of tensors lie in their data files and share no bytes,
  /// that slices have each element once. kNotFound: no index; kDataLoss names file, byte or tensor, what was found and
  /// expected. What the index makes up in memory is bound by the sizes of the files.
  static absl::StatusOr<TensorBundleReader> open(const std::string &prefix);

  const std::string &prefix() const { return prefix_; }
  const std::vector<BundleTensor> &tensors() const { return tensors_; }
  const std::vector<BundleOther> &others() const { return others_; }
  /// Of the index and of the data files that have tensors.
  std::vector<std::string> paths() const;
  /// The text of a scalar of dtype string, proven; none if there is no such tensor.
  absl::StatusOr<std::optional<std::string>> readString(std::string_view name) const;

  /// Proves the tensor's bytes. kDataLoss names file, tensor and bytes.
  absl::Status prove(const BundleTensor &tensor) const;
  /// Reads bytes of the tensor, row-major, from `offset` on, which are there.
  absl::Status read(const BundleTensor &tensor, int64_t offset, int64_t bytes, void *to) const;

private:
  class Index;
  explicit TensorBundleReader(std::string prefix) : prefix_(std::move(prefix)) {}
  absl::Status checkPlaces();

  std::string prefix_;
  std::map<int32_t, InputFile> files_; ///< by shard, those that have tensors
  std::vector<BundleTensor> tensors_;
  std::vector<BundleOther> others_;
};

/// The name of a data file.
std::string bundleDataPath(const std::string &prefix, int32_t shard, int32_t shards);

/// The key of a slice in the index. A dimension that it has all of is of size -1.
std::string sliceKey(std::string_view tensor, const std::vector<int64_t> &starts, const std::vector<int64_t> &sizes);

/// Writes tensors as one data file and an index, each atomically, the index last; one of that prefix is replaced.
/// kInvalidArgument: two tensors of one name, a string tensor; else as AtomicFile.
absl::Status writeTensorBundle(const std::string &prefix, const std::vector<TensorInfo> &tensors,
                               const TensorSource &source);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_TENSORBUNDLE_H
