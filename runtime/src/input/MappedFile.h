// A file mapped for reading that may shrink without harm. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who truncates a mapped file makes the next read of the lost pages a SIGBUS. A handler for that signal puts pages of
// zeros there instead, so that the reader goes on and finds out by asking for the file's size (FileData::check).
#ifndef MLCRT_INPUT_MAPPEDFILE_H
#define MLCRT_INPUT_MAPPEDFILE_H

#include <cstdint>
#include <string_view>
#include <utility>

namespace mlcrt {

/// Unmaps when it goes. The first one installs the handler, which passes on every SIGBUS of another address.
class MappedFile {
public:
  /// No bytes.
  MappedFile() = default;
  /// Maps the first `size` bytes of `fd`, which may be closed then; !*this with errno set if that fails.
  MappedFile(int fd, int64_t size);
  MappedFile(MappedFile &&other) noexcept { swap(other); }
  MappedFile &operator=(MappedFile &&other) noexcept {
    swap(other);
    return *this;
  }
  ~MappedFile();

  explicit operator bool() const { return data_ != nullptr; }
  /// What the file lost since it was mapped reads as zeros.
  std::string_view bytes() const { return {data_, static_cast<size_t>(size_)}; }

private:
  void swap(MappedFile &other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(range_, other.range_);
  }

  struct Range;
  friend struct MappedRanges;

  char *data_ = nullptr;
  int64_t size_ = 0;
  Range *range_ = nullptr;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_MAPPEDFILE_H
