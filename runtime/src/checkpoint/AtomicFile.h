// Files that are either whole or not there. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_ATOMICFILE_H
#define MLCRT_CHECKPOINT_ATOMICFILE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mlcrt {

/// Writes `path` as "path.tmp" and renames it on commit: at any instant, power loss included, `path` is the old file or
/// the whole new one. Without commit the temporary file is removed. A symbolic link stays one: what it names is
/// written. What is there and no file (a device, a pipe) is written to as it is. Errors as writeError.
class AtomicFile {
public:
  static absl::StatusOr<AtomicFile> create(const std::string &path);
  AtomicFile(AtomicFile &&other) noexcept;
  ~AtomicFile();

  /// Appends bytes.
  absl::Status write(const void *data, int64_t size);
  /// Bytes written and their CRC-32C.
  int64_t size() const { return size_; }
  uint32_t crc() const { return crc_; }
  /// fsync, rename, fsync of the directory.
  absl::Status commit();

private:
  AtomicFile(std::string path, int descriptor, bool direct)
      : path_(std::move(path)), descriptor_(descriptor), direct_(direct) {}

  std::string path_;
  int descriptor_ = -1;
  bool direct_ = false; ///< no temporary file
  int64_t size_ = 0;
  uint32_t crc_ = 0;
};

/// The whole of it for a text.
absl::Status writeFileAtomically(const std::string &path, std::string_view text);

/// Makes the entries of a directory durable.
absl::Status syncDirectory(const std::string &path);

/// Makes a directory and those above it that there are not, and their entries durable. Errors as writeError.
absl::Status makeDirectories(const std::string &path);

/// The bytes of a file of at most `limit` bytes. kNotFound: there is none; kDataLoss: unreadable or too large.
absl::StatusOr<std::string> readWholeFile(const std::string &path, int64_t limit);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_ATOMICFILE_H
