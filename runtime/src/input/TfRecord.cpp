// Framing of TFRecord files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/TfRecord.h"

#include "absl/strings/str_cat.h"
#include "common/checkpoint/Crc32c.h"
#include "runtime/src/input/DataError.h"

#include <cstring>
#include <limits>

namespace mlcrt {

static constexpr size_t kCrcBytes = sizeof(uint32_t), kHeadBytes = sizeof(uint64_t) + kCrcBytes;

template <typename T> static T load(const char *data) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

static uint32_t maskedCrcOf(const char *data, size_t size) {
  return mlc::common::maskedCrc32c(mlc::common::crc32c(data, size));
}

bool startsWithRecord(std::string_view start) {
  return start.size() >= kHeadBytes &&
         load<uint32_t>(start.data() + sizeof(uint64_t)) == maskedCrcOf(start.data(), sizeof(uint64_t));
}

absl::Status TfRecordScanner::damaged(std::string_view what, std::string_view expected) const {
  return dataError({path_, 0, 0, number_}, data_code::kRecord,
                   absl::StrCat(absl::string_view(what.data(), what.size()), " (it begins at byte ", position_, ")"),
                   expected);
}

bool TfRecordScanner::next(absl::Status &status) {
  if (position_ == text_.size())
    return false;
  ++number_;
  const std::string_view rest = text_.substr(position_);
  if (rest.size() < kHeadBytes) {
    status = damaged("the file ends within the record's length", "8 bytes and their checksum");
    return false;
  }
  if (!startsWithRecord(rest)) {
    status = damaged("the checksum of the record's length is wrong", "a TFRecord file");
    return false;
  }
  const uint64_t size = load<uint64_t>(rest.data());
  if (size > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    status = damaged(absl::StrCat("the record has ", size, " bytes"), "at most 2 GiB");
    return false;
  }
  if (rest.size() - kHeadBytes < size + kCrcBytes) {
    status = damaged(absl::StrCat("the file ends within the record: ", rest.size() - kHeadBytes, " bytes are left"),
                     absl::StrCat(size + kCrcBytes));
    return false;
  }
  const char *data = rest.data() + kHeadBytes;
  if (load<uint32_t>(data + size) != maskedCrcOf(data, size)) {
    status = damaged("the checksum of the record's data is wrong", "undamaged bytes");
    return false;
  }
  begin_ = static_cast<int64_t>(position_ + kHeadBytes);
  size_ = static_cast<int64_t>(size);
  position_ += kHeadBytes + size + kCrcBytes;
  return true;
}

std::string frameRecord(std::string_view data) {
  std::string result;
  const auto append = [&](auto value) { result.append(reinterpret_cast<const char *>(&value), sizeof(value)); };
  append(static_cast<uint64_t>(data.size()));
  append(maskedCrcOf(result.data(), result.size()));
  result.append(data);
  append(maskedCrcOf(data.data(), data.size()));
  return result;
}

} // namespace mlcrt
