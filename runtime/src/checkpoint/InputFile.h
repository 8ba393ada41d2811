// A file that is read at any place. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_INPUTFILE_H
#define MLCRT_CHECKPOINT_INPUTFILE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstdint>
#include <string>

namespace mlcrt {

/// Open for reading until it goes. What is no regular file has no bytes.
class InputFile {
public:
  /// kNotFound: there is none; kDataLoss: it cannot be opened.
  static absl::StatusOr<InputFile> open(const std::string &path);
  InputFile(InputFile &&other) noexcept;
  ~InputFile();

  const std::string &path() const { return path_; }
  /// When it was opened.
  int64_t size() const { return size_; }
  /// Reads bytes from `offset` on. kDataLoss if the file is too short by now or unreadable.
  absl::Status read(int64_t offset, void *out, int64_t bytes) const;

private:
  InputFile(std::string path, int descriptor, int64_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

  std::string path_;
  int descriptor_ = -1;
  int64_t size_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_INPUTFILE_H
