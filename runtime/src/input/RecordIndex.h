// Where the records of a file are: built in one pass, kept in a cache on disk. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_RECORDINDEX_H
#define MLCRT_INPUT_RECORDINDEX_H

#include "absl/status/statusor.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/input/FileList.h"
#include "runtime/src/input/InputFormat.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Offsets and lines of the records of one file. With a header its record is not among them.
class RecordIndex {
public:
  /// One pass over `text`, the unpacked bytes of the file `path` (for messages). Data errors: a quote that is not
  /// closed, a NUL byte, a header that is asked for and missing.
  static absl::StatusOr<RecordIndex> build(std::string_view path, std::string_view text, const CsvFormat &format);

  int64_t size() const { return static_cast<int64_t>(begins_.size()); }
  /// The text of record `i` of `text`, without its line end.
  std::string_view record(std::string_view text, int64_t i) const;
  /// The line of the file on which record `i` begins.
  int64_t line(int64_t i) const;
  /// The text of the header record, empty without one.
  std::string_view header(std::string_view text) const;
  int64_t headerLine() const { return headerLine_; }

  /// The bytes of the index for a file: little-endian, closed by a CRC-32C.
  std::string serialize() const;
  /// Reads what `serialize` wrote for a text of `textSize` bytes. Anything that does not fit is an error: wrong size,
  /// wrong checksum, offsets that do not ascend or lie outside.
  static absl::StatusOr<RecordIndex> deserialize(std::string_view bytes, int64_t textSize);

  friend bool operator==(const RecordIndex &a, const RecordIndex &b);

private:
  /// From record `record` on, line = record + delta.
  struct LineJump {
    int64_t record;
    int64_t delta;
  };

  std::vector<int64_t> begins_;
  std::vector<int32_t> lengths_;
  std::vector<LineJump> jumps_;
  int64_t headerBegin_ = 0, headerLength_ = 0, headerLine_ = 0;
};

/// The directory of cached indexes: $XDG_CACHE_HOME/mlc, or ~/.cache/mlc, or empty (no cache) if neither is set.
std::string defaultCacheDir();

/// The index of `file`, whose unpacked bytes are `text`: from `cacheDir` if it holds a valid one, else built and stored
/// there. The key is size, mtime, crc of the file, size of the text and the options of `format` that move records. One
/// process builds (flock), others wait for it. A damaged entry is rebuilt with a note. A cache that cannot be written
/// costs a note and nothing else. Empty `cacheDir`: always built.
absl::StatusOr<RecordIndex> loadRecordIndex(const DataFile &file, std::string_view text, const CsvFormat &format,
                                            const std::string &cacheDir, const NoteSink &note);

} // namespace mlcrt

#endif // MLCRT_INPUT_RECORDINDEX_H
