// Where the records of a file are.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/RecordIndex.h"

#include "absl/strings/str_cat.h"
#include "common/checkpoint/Crc32c.h"
#include "runtime/src/input/CsvScanner.h"
#include "runtime/src/input/TfRecord.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace mlcrt {

/// Begins every cache entry; the last digits are the version of the layout.
static constexpr std::string_view kMagic = "mlcidx01";

/// Line and field of byte `position` of `text`, as far as a plain count tells.
static Origin placeOf(std::string_view path, std::string_view text, size_t position) {
  const std::string_view before = text.substr(0, position);
  return {path, 1 + std::count(before.begin(), before.end(), '\n'), 0};
}

absl::StatusOr<RecordIndex> RecordIndex::build(std::string_view path, std::string_view text,
                                               const RecordFormat &format) {
  const auto *csv = std::get_if<CsvFormat>(&format);
  return csv ? buildCsv(path, text, *csv) : buildTfRecord(path, text);
}

absl::StatusOr<RecordIndex> RecordIndex::buildTfRecord(std::string_view path, std::string_view text) {
  RecordIndex index;
  TfRecordScanner scanner(path, text);
  absl::Status status;
  while (scanner.next(status)) {
    index.begins_.push_back(scanner.begin());
    index.lengths_.push_back(static_cast<int32_t>(scanner.size()));
  }
  if (!status.ok())
    return status;
  if (index.size() > 0)
    index.jumps_.push_back({0, 1});
  return index;
}

absl::StatusOr<RecordIndex> RecordIndex::buildCsv(std::string_view path, std::string_view text,
                                                  const CsvFormat &format) {
  if (!text.empty())
    if (const void *nul = std::memchr(text.data(), '\0', text.size())) {
      const size_t position = static_cast<size_t>(static_cast<const char *>(nul) - text.data());
      return dataError(placeOf(path, text, position), data_code::kRecord,
                       absl::StrCat("found a NUL byte at byte ", position), "text");
    }
  RecordIndex index;
  CsvScanner scanner(text, format);
  bool header = format.header;
  while (true) {
    const CsvScanner::Result result = scanner.next();
    if (result == CsvScanner::Result::End)
      break;
    if (result == CsvScanner::Result::UnterminatedQuote)
      return dataError({path, scanner.line(), scanner.field()}, data_code::kRecord,
                       "a quote opens here and is never closed", "'\"' before the end of the file");
    const int64_t length = scanner.end() - scanner.begin();
    if (length > std::numeric_limits<int32_t>::max())
      return dataError({path, scanner.line()}, data_code::kRecord, "the record is longer than 2 GiB");
    if (header) {
      index.headerBegin_ = scanner.begin();
      index.headerLength_ = length;
      index.headerLine_ = scanner.line();
      header = false;
      continue;
    }
    const int64_t delta = scanner.line() - index.size();
    if (index.jumps_.empty() || index.jumps_.back().delta != delta)
      index.jumps_.push_back({index.size(), delta});
    index.begins_.push_back(scanner.begin());
    index.lengths_.push_back(static_cast<int32_t>(length));
  }
  if (header)
    return dataError({path}, data_code::kEmpty, "the file is empty", "a line with the names of the columns");
  if (index.size() == 0 && !format.header)
    return dataError({path}, data_code::kEmpty, "the file is empty", "at least one row");
  return index;
}

std::string_view RecordIndex::record(std::string_view text, int64_t i) const {
  return text.substr(static_cast<size_t>(begins_[i]), static_cast<size_t>(lengths_[i]));
}

int64_t RecordIndex::line(int64_t i) const {
  const auto after = std::upper_bound(jumps_.begin(), jumps_.end(), i,
                                      [](int64_t record, const LineJump &jump) { return record < jump.record; });
  return i + std::prev(after)->delta;
}

std::string_view RecordIndex::header(std::string_view text) const {
  return text.substr(static_cast<size_t>(headerBegin_), static_cast<size_t>(headerLength_));
}

bool operator==(const RecordIndex &a, const RecordIndex &b) {
  return a.begins_ == b.begins_ && a.lengths_ == b.lengths_ && a.jumps_ == b.jumps_ &&
         a.headerBegin_ == b.headerBegin_ && a.headerLength_ == b.headerLength_ && a.headerLine_ == b.headerLine_;
}

//===-- Cache entries ---------------------------------------------------------------------------------------------===//

template <typename T> static void append(std::string &out, const T *data, size_t count) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  out.append(reinterpret_cast<const char *>(data), count * sizeof(T));
}

namespace {

/// Takes plain values off the front of a text; false once it is too short.
class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T> bool read(T *out, int64_t count) {
    if (count < 0 || static_cast<uint64_t>(count) > bytes_.size() / sizeof(T))
      return false;
    if (count > 0)
      std::memcpy(out, bytes_.data(), static_cast<size_t>(count) * sizeof(T));
    bytes_.remove_prefix(static_cast<size_t>(count) * sizeof(T));
    return true;
  }
  template <typename T> bool readVector(std::vector<T> &out, int64_t count) {
    if (count < 0 || static_cast<uint64_t>(count) > bytes_.size() / sizeof(T))
      return false;
    out.resize(static_cast<size_t>(count));
    return read(out.data(), count);
  }
  size_t left() const { return bytes_.size(); }

private:
  std::string_view bytes_;
};

} // namespace

std::string RecordIndex::serialize(std::string_view key) const {
  std::string out(kMagic);
  const int64_t sizes[] = {static_cast<int64_t>(key.size()),
                           size(),
                           static_cast<int64_t>(jumps_.size()),
                           headerBegin_,
                           headerLength_,
                           headerLine_};
  append(out, sizes, std::size(sizes));
  out.append(key);
  append(out, begins_.data(), begins_.size());
  append(out, lengths_.data(), lengths_.size());
  append(out, jumps_.data(), jumps_.size());
  const uint32_t crc = mlc::common::crc32c(out.data(), out.size());
  append(out, &crc, 1);
  return out;
}

absl::StatusOr<RecordIndex> RecordIndex::deserialize(std::string_view bytes, std::string_view key, int64_t textSize) {
  uint32_t crc = 0;
  if (bytes.size() < kMagic.size() + sizeof(crc) || bytes.substr(0, kMagic.size()) != kMagic)
    return absl::DataLossError("not an index of records");
  const std::string_view body = bytes.substr(0, bytes.size() - sizeof(crc));
  std::memcpy(&crc, bytes.data() + body.size(), sizeof(crc));
  if (mlc::common::crc32c(body.data(), body.size()) != crc)
    return absl::DataLossError("wrong checksum");
  ByteReader reader(body.substr(kMagic.size()));
  RecordIndex index;
  int64_t sizes[6];
  std::vector<char> storedKey;
  if (!reader.read(sizes, std::size(sizes)) || !reader.readVector(storedKey, sizes[0]))
    return absl::DataLossError("too short");
  if (std::string_view(storedKey.data(), storedKey.size()) != key)
    return absl::NotFoundError("an entry of another state of the file");
  if (!reader.readVector(index.begins_, sizes[1]) || !reader.readVector(index.lengths_, sizes[1]) ||
      !reader.readVector(index.jumps_, sizes[2]) || reader.left() != 0)
    return absl::DataLossError("wrong size");
  index.headerBegin_ = sizes[3];
  index.headerLength_ = sizes[4];
  index.headerLine_ = sizes[5];
  int64_t end = 0;
  for (int64_t i = 0; i < index.size(); ++i) {
    if (index.begins_[i] < end || index.lengths_[i] < 0 || index.begins_[i] > textSize - index.lengths_[i])
      return absl::DataLossError("offsets outside the file");
    end = index.begins_[i] + index.lengths_[i];
  }
  int64_t last = -1;
  for (const LineJump &jump : index.jumps_) {
    if (jump.record <= last)
      return absl::DataLossError("line numbers out of order");
    last = jump.record;
  }
  if ((index.size() > 0 && (index.jumps_.empty() || index.jumps_[0].record != 0)) || index.headerBegin_ < 0 ||
      index.headerLength_ < 0 || index.headerBegin_ > textSize - index.headerLength_)
    return absl::DataLossError("header or lines outside the file");
  return index;
}

} // namespace mlcrt
