// Files of arrays: .npy, .npz and .safetensors, told by their first bytes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_ARRAYFILE_H
#define MLCRT_INPUT_ARRAYFILE_H

#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/input/FileData.h"
#include "runtime/src/input/FileList.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// An array in a file. Its first dimension counts examples.
struct StoredArray {
  std::string name; ///< of a .npy file: its name without the ending
  mlcrt_dtype dtype = MLCRT_F32;
  std::vector<int64_t> shape;
  int64_t elementBytes = 0;
  bool isWide = false;                 ///< texts are UTF-32
  std::string_view bytes;              ///< row-major, little-endian
  const mlcrt_string *texts = nullptr; ///< of an array in memory: texts of any length, row-major, in the place of bytes

  /// Examples, 0 of a scalar.
  int64_t rows() const { return shape.empty() ? 0 : shape[0]; }
  /// Elements of one example, and their bytes in the file.
  int64_t rowElements() const;
  int64_t rowBytes() const { return rowElements() * elementBytes; }
  /// "f32[60000, 784]".
  std::string typeText() const;
};

/// Whether all files hold arrays, or none does. kDataLoss (E0311): some do, naming one of each kind; a file that cannot
/// be read.
absl::StatusOr<bool> holdArrays(const std::vector<DataFile> &files);

/// The arrays of one file.
class ArrayFile {
public:
  /// Reads or maps the file, unpacks what is deflated, checks headers and checksums. kDataLoss names file, array, what
  /// is wrong and what was expected.
  static absl::StatusOr<ArrayFile> open(const DataFile &file, const FileDataOptions &options);

  /// Arrays in memory, which `owner` keeps.
  static ArrayFile ofMemory(std::vector<StoredArray> arrays, std::shared_ptr<const void> owner);

  const std::vector<StoredArray> &arrays() const { return arrays_; }
  const StoredArray *find(std::string_view name) const;
  /// Whether it is a .npy file: one array, named by the file.
  bool isSingle() const { return isSingle_; }
  /// Bytes held in memory.
  int64_t memory() const;
  /// As FileData::check.
  absl::Status check() const { return data_.check(); }

private:
  absl::Status readZip(const std::string &path, const FileDataOptions &options);
  absl::Status readSafetensors(const std::string &path);

  FileData data_;
  std::vector<FileData> unpacked_;
  std::vector<StoredArray> arrays_;
  bool isSingle_ = false;
  std::shared_ptr<const void> owner_;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_ARRAYFILE_H
