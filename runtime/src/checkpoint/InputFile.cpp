// Reading of files at any place.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/InputFile.h"

#include "runtime/src/checkpoint/StatusMessage.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace mlcrt {

static absl::Status fault(const std::string &path, std::string what,
                          absl::StatusCode code = absl::StatusCode::kDataLoss) {
  return fileError(code, "E0403", path, std::move(what));
}

absl::StatusOr<InputFile> InputFile::open(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return fault(path, std::string("cannot open the file: ") + std::strerror(errno),
                 errno == ENOENT ? absl::StatusCode::kNotFound : absl::StatusCode::kDataLoss);
  struct stat info;
  bool isFile = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  return InputFile(path, descriptor, isFile ? info.st_size : 0);
}

InputFile::InputFile(InputFile &&other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

absl::Status InputFile::read(int64_t offset, void *out, int64_t bytes) const {
  char *to = static_cast<char *>(out);
  while (bytes > 0) {
    ssize_t got = ::pread(descriptor_, to, std::min<int64_t>(bytes, 1 << 30), offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fault(path_, std::string("cannot read: ") + std::strerror(errno));
    if (got == 0)
      return fault(path_, "is truncated");
    to += got;
    offset += got;
    bytes -= got;
  }
  return absl::OkStatus();
}

} // namespace mlcrt
