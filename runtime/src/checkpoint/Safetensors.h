// The safetensors format: named tensors in one file, written and read strictly. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8 bytes little-endian header length, a JSON header {"name": {"dtype", "shape", "data_offsets": [begin, end]}}, padded
// with blanks so that the data begins at a multiple of 64 bytes, then the tensors without holes, row-major,
// little-endian.
#ifndef MLCRT_CHECKPOINT_SAFETENSORS_H
#define MLCRT_CHECKPOINT_SAFETENSORS_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/checkpoint/InputFile.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// A header may have at most this many bytes, as in the reference implementation.
inline constexpr int64_t kMaxSafetensorsHeader = 100'000'000;

/// A tensor in a file.
struct TensorInfo {
  std::string name;
  mlcrt_dtype dtype = MLCRT_F32; ///< any but MLCRT_STRING
  std::vector<int64_t> shape;
  /// For the writer: tensors of one such text lie one after another as they are listed, where one of that name would
  /// lie.
  std::string run = {};
  /// Of its first byte, from the start of the file.
  int64_t offset = 0;
  int64_t bytes = 0;
  /// CRC-32C of its bytes; set by the writer, 0 from the reader.
  uint32_t crc = 0;
};

/// A file that was written.
struct SafetensorsFile {
  int64_t size = 0;
  uint32_t crc = 0; ///< CRC-32C of all bytes
  std::vector<TensorInfo> tensors;
};

/// Gives the bytes of the tensor of index `i` (of the list handed to the writer); valid until the next call.
using TensorSource = std::function<absl::StatusOr<const void *>(size_t i)>;

/// Hands the bytes of the tensor of index `i` to `write`, one piece after the other.
using TensorPieces =
    std::function<absl::Status(size_t i, const std::function<absl::Status(const void *, int64_t)> &write)>;

/// Writes `path` atomically. Tensors lie in the order of (element size descending, name), so that each is aligned to
/// its elements and equal tensors give equal files; result.tensors has the order of `tensors`. Only name, dtype, shape
/// and run of `tensors` are read. kInvalidArgument: two tensors of one name, a string tensor; else as AtomicFile.
absl::StatusOr<SafetensorsFile> writeSafetensors(const std::string &path, const std::vector<TensorInfo> &tensors,
                                                 const TensorSource &source);
/// The same for tensors that are nowhere whole. kInternal: pieces are not as many bytes as the tensor.
absl::StatusOr<SafetensorsFile>
writeSafetensorsByPieces(const std::string &path, const std::vector<TensorInfo> &tensors, const TensorPieces &pieces);

/// Reads one file; nothing in it is trusted.
class SafetensorsReader {
public:
  /// Reads and checks the header: its length, JSON, dtypes, shapes, that offsets cover the data without overlap or
  /// hole. kNotFound: no file; kDataLoss names file and tensor.
  static absl::StatusOr<SafetensorsReader> open(const std::string &path);

  const std::string &path() const { return file_.path(); }
  int64_t size() const { return file_.size(); }
  /// In the order of their offsets.
  const std::vector<TensorInfo> &tensors() const { return tensors_; }
  /// The tensor of that name, or null.
  const TensorInfo *find(std::string_view name) const;
  /// Reads the tensor's bytes to `out`. kDataLoss if the file is too short by now or unreadable.
  absl::Status read(const TensorInfo &tensor, void *out) const { return read(tensor, 0, tensor.bytes, out); }
  /// Reads `bytes` of the tensor's bytes from `offset` on, which are there; errors as above.
  absl::Status read(const TensorInfo &tensor, int64_t offset, int64_t bytes, void *out) const {
    return readBytes(tensor.offset + offset, out, bytes);
  }
  /// Reads bytes of the file, which are there.
  absl::Status readBytes(int64_t offset, void *out, int64_t bytes) const { return file_.read(offset, out, bytes); }

private:
  explicit SafetensorsReader(InputFile file) : file_(std::move(file)) {}
  absl::Status readHeader();

  InputFile file_;
  std::vector<TensorInfo> tensors_;
};

/// "F32", "I64", ...: the format's name of a dtype; empty for MLCRT_STRING.
std::string_view safetensorsDtype(int32_t dtype);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_SAFETENSORS_H
