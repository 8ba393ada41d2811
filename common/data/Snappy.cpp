// Unpacking of Snappy's raw format.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/data/Snappy.h"

#include <cstdint>

namespace mlc::common {

/// A copy of three bytes gives 64: no element gives more for its size.
static constexpr uint64_t kMostPerByte = 22;

/// Reads a little-endian number of `count` bytes and moves `at` after it; false if they are not there.
static bool readNumber(const char *&at, const char *end, int count, uint64_t &value) {
  if (end - at < count)
    return false;
  value = 0;
  for (int i = 0; i < count; ++i)
    value |= static_cast<uint64_t>(static_cast<uint8_t>(*at++)) << (8 * i);
  return true;
}

/// Reads a number of at most 32 bits, seven a byte, and moves `at` after it; false if it does not end.
static bool readSize(const char *&at, const char *end, uint64_t &value) {
  value = 0;
  for (int shift = 0; at != end && shift < 35; shift += 7) {
    const auto byte = static_cast<uint8_t>(*at++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

bool unpackSnappy(std::string_view packed, std::string &bytes, std::string &problem) {
  const char *at = packed.data(), *const end = at + packed.size(), *element = at;
  const auto fail = [&](const std::string &what) {
    problem = "packed byte " + std::to_string(element - packed.data()) + ": " + what;
    return false;
  };
  uint64_t size = 0;
  if (!readSize(at, end, size))
    return fail("the unpacked size does not end");
  if (size > kMostPerByte * packed.size())
    return fail("an unpacked size of " + std::to_string(size) + ", which " + std::to_string(packed.size()) +
                " packed bytes cannot give");
  bytes.clear();
  bytes.reserve(size);
  while (at != end) {
    element = at;
    const auto tag = static_cast<uint8_t>(*at++);
    const int kind = tag & 3;
    uint64_t length = 1 + (tag >> 2), offset = 0;
    bool isWhole = true;
    if (kind == 0 && length > 60) {
      isWhole = readNumber(at, end, static_cast<int>(length - 60), length);
      ++length;
    } else if (kind == 1) {
      isWhole = readNumber(at, end, 1, offset);
      offset |= static_cast<uint64_t>(tag >> 5) << 8;
      length = 4 + ((tag >> 2) & 7);
    } else if (kind != 0) {
      isWhole = readNumber(at, end, kind == 2 ? 2 : 4, offset);
    }
    if (!isWhole || (kind == 0 && length > static_cast<uint64_t>(end - at)))
      return fail("an element that does not end in the block");
    if (length > size - bytes.size())
      return fail("more bytes than the " + std::to_string(size) + " of the unpacked size");
    if (kind == 0) {
      bytes.append(at, length);
      at += length;
      continue;
    }
    if (offset == 0 || offset > bytes.size())
      return fail("a copy from " + std::to_string(offset) + " bytes before, of " + std::to_string(bytes.size()));
    // A copy may reach into what it makes.
    const size_t from = bytes.size() - offset;
    if (offset >= length)
      bytes.append(bytes, from, length);
    else
      for (uint64_t i = 0; i < length; ++i)
        bytes.push_back(bytes[from + i]);
  }
  element = end;
  if (bytes.size() != size)
    return fail("the block ends after " + std::to_string(bytes.size()) + " unpacked bytes of " + std::to_string(size));
  return true;
}

} // namespace mlc::common
