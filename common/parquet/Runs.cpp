// Integers as Parquet packs them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parquet/Runs.h"

#include <algorithm>
#include <cstring>

namespace mlc::common::parquet {

/// Values of a block of differences at most; writers make blocks of 128 or 256. A block of equal ones takes a byte for
/// each miniblock, whatever its size.
static constexpr uint64_t kMostBlockValues = 65536;

bool takeVarint(std::string_view &bytes, uint64_t &value) {
  value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

/// `width` bits (at most 64) from bit `bit` on; the lowest of each byte come first, and those after the end are 0.
static uint64_t bitsAt(std::string_view bytes, uint64_t bit, int width) {
  if (width == 0)
    return 0;
  const size_t at = bit / 8, shift = bit % 8;
  uint64_t low = 0;
  if (at < bytes.size())
    std::memcpy(&low, bytes.data() + at, std::min<size_t>(8, bytes.size() - at));
  uint64_t value = low >> shift;
  if (shift + static_cast<size_t>(width) > 64 && at + 8 < bytes.size())
    value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[at + 8])) << (64 - shift);
  return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
}

//===-- Runs ------------------------------------------------------------------------------------------------------===//

bool RunReader::begin() {
  while (left_ == 0) {
    uint64_t head = 0;
    if (!takeVarint(bytes_, head))
      return false;
    isPacked_ = head & 1;
    if (!isPacked_) {
      const size_t size = static_cast<size_t>(width_ + 7) / 8;
      if (size > bytes_.size())
        return false;
      repeated_ = static_cast<uint32_t>(bitsAt(bytes_.substr(0, size), 0, width_));
      bytes_.remove_prefix(size);
      left_ = head >> 1;
      continue;
    }
    // Groups of eight; the last one may end before the eighth value does.
    const uint64_t groups = std::min<uint64_t>(head >> 1, uint64_t{1} << 32);
    const size_t size = static_cast<size_t>(std::min<uint64_t>(groups * static_cast<uint64_t>(width_), bytes_.size()));
    packed_ = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    bit_ = 0;
    left_ = width_ == 0 ? 8 * groups : std::min<uint64_t>(8 * groups, 8 * size / static_cast<uint64_t>(width_));
  }
  return true;
}

uint32_t RunReader::takeBits() {
  const auto value = static_cast<uint32_t>(bitsAt(packed_, bit_, width_));
  bit_ += static_cast<uint64_t>(width_);
  return value;
}

//===-- Levels ----------------------------------------------------------------------------------------------------===//

int levelWidth(int most) {
  int width = 0;
  for (; most > 0; most >>= 1)
    ++width;
  return width;
}

LevelReader::LevelReader(std::string_view bytes, int most, bool areRuns)
    : most_(most), width_(levelWidth(most)), areRuns_(areRuns), runs_(bytes, width_), bits_(bytes) {}

bool LevelReader::next(int &level) {
  level = 0;
  if (most_ == 0)
    return true;
  uint32_t value = 0;
  if (areRuns_) {
    if (!runs_.next(value))
      return false;
  } else {
    if (bit_ + static_cast<uint64_t>(width_) > 8 * bits_.size())
      return false;
    for (int i = 0; i < width_; ++i, ++bit_)
      value = value << 1 | (static_cast<uint8_t>(bits_[bit_ / 8]) >> (7 - bit_ % 8) & 1);
  }
  level = static_cast<int>(value);
  return value <= static_cast<uint32_t>(most_);
}

//===-- Differences -----------------------------------------------------------------------------------------------===//

static uint64_t fromZigzag(uint64_t bits) { return bits >> 1 ^ (~(bits & 1) + 1); }

DeltaReader::DeltaReader(std::string_view bytes) : bytes_(bytes) {
  uint64_t block = 0, first = 0;
  if (!takeVarint(bytes_, block) || !takeVarint(bytes_, miniblocks_) || !takeVarint(bytes_, size_) ||
      !takeVarint(bytes_, first))
    return;
  if (block == 0 || block > kMostBlockValues || miniblocks_ == 0 || miniblocks_ > block || block % miniblocks_ != 0)
    return;
  miniblockValues_ = block / miniblocks_;
  value_ = fromZigzag(first);
  isGood_ = miniblockValues_ % 8 == 0;
}

bool DeltaReader::beginMiniblock() {
  if (widths_.empty()) {
    uint64_t least = 0;
    if (!takeVarint(bytes_, least) || bytes_.size() < miniblocks_)
      return false;
    least_ = fromZigzag(least);
    widths_ = bytes_.substr(0, miniblocks_);
    bytes_.remove_prefix(miniblocks_);
  }
  width_ = static_cast<uint8_t>(widths_.front());
  widths_.remove_prefix(1);
  const uint64_t size = miniblockValues_ / 8 * static_cast<uint64_t>(width_);
  if (width_ > 64 || size > bytes_.size())
    return false;
  packed_ = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  left_ = miniblockValues_;
  bit_ = 0;
  return true;
}

bool DeltaReader::next(int64_t &value) {
  if (!isGood_ || taken_ == size_)
    return false;
  if (taken_++ > 0) {
    if (left_ == 0 && !beginMiniblock()) {
      isGood_ = false;
      return false;
    }
    --left_;
    value_ += least_ + bitsAt(packed_, bit_, width_);
    bit_ += static_cast<uint64_t>(width_);
  }
  value = static_cast<int64_t>(value_);
  return true;
}

} // namespace mlc::common::parquet
