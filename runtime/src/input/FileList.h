// The list of data files that globs stand for. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_FILELIST_H
#define MLCRT_INPUT_FILELIST_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlcrt {

/// A data file as it was when the list was made.
struct DataFile {
  std::string path;
  /// Bytes as stored.
  int64_t size = 0;
  /// Time of the last change, nanoseconds since 1970.
  int64_t mtimeNs = 0;
  /// CRC-32C of the bytes as stored.
  uint32_t crc = 0;

  friend bool operator==(const DataFile &a, const DataFile &b) {
    return a.path == b.path && a.size == b.size && a.mtimeNs == b.mtimeNs && a.crc == b.crc;
  }
};

/// The paths that match `globs`, sorted; not opened yet. A data error for a glob without a match, which names the
/// directory and the file nearest in name.
absl::StatusOr<std::vector<std::string>> matchFiles(const std::vector<std::string> &globs);

/// The files that match `globs`, sorted by path (bytes); a file that several globs or spellings name is there once.
/// Errors: a glob without a match as matchFiles, a directory, an unreadable file: all data errors.
absl::StatusOr<std::vector<DataFile>> resolveFiles(const std::vector<std::string> &globs);

} // namespace mlcrt

#endif // MLCRT_INPUT_FILELIST_H
