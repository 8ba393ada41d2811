// Any bytes as a Parquet file: an error or a text, in little memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first byte says what follows: a file; or the pages of a column of a kind, which the footer of a file is made for,
// as a fuzzer does not find one whose places are right.
#include "MemoryBound.h"
#include "common/parquet/ParquetText.h"

#include <cstring>
#include <string>

using namespace mlc::common::parquet;

/// Numbers and texts in Thrift's compact protocol.
static std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
static std::string zigzag(int64_t value) {
  return varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

/// A file of one column of physical type `type`, a list if `repetition` is 2, of `rows` values in `pages`.
static std::string fileOf(int type, int repetition, int codec, int64_t rows, std::string_view pages) {
  const std::string root = "\x48\x01r\x15\x02" + std::string(1, '\0');
  const std::string leaf =
      "\x15" + zigzag(type) + "\x15" + zigzag(4) + "\x15" + zigzag(repetition) + "\x18\x01x" + std::string(1, '\0');
  const std::string chunk = "\x3c\x15" + zigzag(type) + "\x35" + zigzag(codec) + "\x16" + zigzag(rows) + "\x26" +
                            zigzag(static_cast<int64_t>(pages.size())) + "\x26" + zigzag(4) + std::string(2, '\0');
  const std::string group = "\x19\x1c" + chunk + "\x26" + zigzag(rows) + std::string(1, '\0');
  std::string footer = "\x29\x2c" + root + leaf + "\x16" + zigzag(rows) + "\x19\x1c" + group + std::string(1, '\0');
  const auto size = static_cast<uint32_t>(footer.size());
  footer.append(reinterpret_cast<const char *>(&size), sizeof(size));
  return "PAR1" + std::string(pages) + footer + "PAR1";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3)
    return 0;
  std::string file(reinterpret_cast<const char *>(data) + 1, size - 1);
  if (data[0] & 1) {
    static constexpr int kCodecs[] = {0, 1, 2, 6};
    const auto bits = static_cast<uint8_t>(file[0]);
    file = fileOf(data[0] >> 1 & 7, data[0] >> 4 & 3, kCodecs[data[0] >> 6], 1 + (bits & 63),
                  std::string_view(file).substr(1));
  }
  const MemoryBound bound(size_t{64} << 20);
  Problem problem;
  const std::unique_ptr<ParquetText> text = ParquetText::open(file, {}, problem);
  // A run of one value makes a text of any length.
  static constexpr size_t kEnough = size_t{8} << 20;
  for (size_t length = 0; text && length < kEnough;) {
    const std::string_view piece = text->next(problem);
    if (piece.empty())
      break;
    length += piece.size();
  }
  return 0;
}
