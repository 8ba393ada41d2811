// The list of data files that globs stand for. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_FILELIST_H
#define MLCRT_INPUT_FILELIST_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlcrt {

/// What comes over a pipe, kept in a file without a name.
class SpooledStream {
public:
  /// Takes the open file.
  explicit SpooledStream(int descriptor) : descriptor_(descriptor) {}
  ~SpooledStream();
  SpooledStream(const SpooledStream &) = delete;
  SpooledStream &operator=(const SpooledStream &) = delete;
  /// A path that opens the file.
  std::string path() const;

private:
  int descriptor_;
};

/// A data file as it was when the list was made.
struct DataFile {
  /// For messages and records; of a stream what the user called it.
  std::string path;
  /// Set if it is no file that can be read twice: where it was copied to.
  std::shared_ptr<const SpooledStream> spooled = nullptr;
  /// Bytes as stored.
  int64_t size = 0;
  /// Time of the last change, nanoseconds since 1970.
  int64_t mtimeNs = 0;
  /// CRC-32C of the bytes as stored.
  uint32_t crc = 0;

  /// What opens it.
  std::string toOpen() const { return spooled ? spooled->path() : path; }

  friend bool operator==(const DataFile &a, const DataFile &b) {
    return a.path == b.path && a.size == b.size && a.mtimeNs == b.mtimeNs && a.crc == b.crc;
  }
};

/// The name of standard input among globs.
inline constexpr const char *kStandardInput = "-";

/// The paths that match `globs`, sorted; not opened yet. "-" is standard input. A data error for a glob without a
/// match, which names the directory and the file nearest in name.
absl::StatusOr<std::vector<std::string>> matchFiles(const std::vector<std::string> &globs);

/// The files that match `globs`, sorted by path (bytes); a file that several globs or spellings name is there once.
/// What comes over a pipe, or from standard input, is read to its end and kept in the directory for temporary files.
/// Errors: a glob without a match as matchFiles, a directory, an unreadable file: all data errors.
absl::StatusOr<std::vector<DataFile>> resolveFiles(const std::vector<std::string> &globs);

} // namespace mlcrt

#endif // MLCRT_INPUT_FILELIST_H
