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

/// Offsets and lines of the records of one file. With a header its record is not among them. In a TFRecord file the
/// text of a record is its data, and its line is its number from 1.
class RecordIndex {
public:
  /// One pass over `text`, the unpacked bytes of the file `path` (for messages). Data errors: a quote that is not
  /// closed, a NUL byte, a header that is asked for and missing; a damaged TFRecord file.
  static absl::StatusOr<RecordIndex> build(std::string_view path, std::string_view text, const RecordFormat &format);

  int64_t size() const { return static_cast<int64_t>(begins_.size()); }
  /// The text of record `i` of `text`, without its line end.
  std::string_view record(std::string_view text, int64_t i) const;
  /// The line of the file on which record `i` begins.
  int64_t line(int64_t i) const;
  /// The text of the header record, empty without one.
  std::string_view header(std::string_view text) const;
  int64_t headerLine() const { return headerLine_; }

  /// The index as bytes, for a cache entry: magic, `key`, arrays (little-endian), CRC-32C of all before.
  std::string serialize(std::string_view key) const;
  /// Reads what serialize(key) wrote for a text of `textSize` bytes. NotFound: an entry of another key (the file
  /// changed). DataLoss: damaged (wrong magic, size or checksum; offsets that do not ascend or lie outside the text).
  static absl::StatusOr<RecordIndex> deserialize(std::string_view bytes, std::string_view key, int64_t textSize);

  friend bool operator==(const RecordIndex &a, const RecordIndex &b);

private:
  static absl::StatusOr<RecordIndex> buildCsv(std::string_view path, std::string_view text, const CsvFormat &format);
  static absl::StatusOr<RecordIndex> buildTfRecord(std::string_view path, std::string_view text);

  /// From record `record` on, line = record + delta.
  struct LineJump {
    int64_t record;
    int64_t delta;

    friend bool operator==(const LineJump &a, const LineJump &b) { return a.record == b.record && a.delta == b.delta; }
  };

  std::vector<int64_t> begins_;
  std::vector<int32_t> lengths_;
  std::vector<LineJump> jumps_;
  int64_t headerBegin_ = 0, headerLength_ = 0, headerLine_ = 0;
};

/// The directory of cached indexes: $XDG_CACHE_HOME/mlc, or ~/.cache/mlc, or empty (no cache) if neither is set.
std::string defaultCacheDir();

/// Texts from this size on have a cache entry; a smaller one is scanned faster than an entry is read.
inline constexpr int64_t kCachedIndexBytes = int64_t{1} << 20;

/// The index of `file`, whose unpacked bytes are `text`: from `cacheDir` if it holds a valid entry, else built and,
/// from kCachedIndexBytes on, stored there. An entry belongs to a path and the options of `format` that move records;
/// it is valid for one size, mtime and crc of the file. One process builds (flock), others wait for it. A damaged entry
/// is rebuilt with a note. A cache that cannot be written costs a note and nothing else. Empty `cacheDir`: always
/// built.
absl::StatusOr<RecordIndex> loadRecordIndex(const DataFile &file, std::string_view text, const RecordFormat &format,
                                            const std::string &cacheDir, const NoteSink &note);

/// The path of the cache entry that loadRecordIndex uses.
std::string recordIndexPath(const DataFile &file, const RecordFormat &format, const std::string &cacheDir);

} // namespace mlcrt

#endif // MLCRT_INPUT_RECORDINDEX_H
