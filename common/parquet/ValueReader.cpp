// The values of a page.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parquet/ValueReader.h"

#include <cstring>

namespace mlc::common::parquet {

/// Bytes of a value, 0 where they vary, and of bools, which are bits.
static size_t widthOf(const Column &column) {
  switch (column.physical) {
  case Physical::Int32:
  case Physical::Float:
    return 4;
  case Physical::Int64:
  case Physical::Double:
    return 8;
  case Physical::FixedByteArray:
    return static_cast<size_t>(column.width);
  default:
    return 0;
  }
}

/// Whether values may be stored so.
static bool fits(Physical type, Encoding encoding) {
  const bool isInteger = type == Physical::Int32 || type == Physical::Int64;
  switch (encoding) {
  case Encoding::Plain:
    return true;
  case Encoding::Rle:
    return type == Physical::Boolean;
  case Encoding::DeltaBinaryPacked:
    return isInteger;
  case Encoding::DeltaLengthByteArray:
    return type == Physical::ByteArray;
  case Encoding::DeltaByteArray:
    return type == Physical::ByteArray || type == Physical::FixedByteArray;
  case Encoding::ByteStreamSplit:
    return type != Physical::Boolean && type != Physical::ByteArray;
  default:
    return false;
  }
}

/// Takes lengths off the front of `bytes`, of which the rest is left.
static bool takeLengths(std::string_view &bytes, uint64_t most, DeltaReader &lengths) {
  DeltaReader all(bytes);
  lengths = all;
  int64_t length = 0;
  if (!all.isGood() || all.size() > most)
    return false;
  while (all.next(length))
    continue;
  bytes = all.rest();
  return all.isGood();
}

ValueReader::ValueReader(const Column &column, Encoding encoding, std::string_view bytes, uint64_t most,
                         std::string &why)
    : physical_(column.physical), encoding_(encoding), bytes_(bytes), width_(widthOf(column)) {
  if (!fits(physical_, encoding_)) {
    why = "its values are of encoding " + encodingName(encoding_) + ", which " + std::string(physicalName(physical_)) +
          " is not read from";
    return;
  }
  bool good = true;
  switch (encoding_) {
  case Encoding::Rle: {
    uint32_t size = 0;
    good = bytes_.size() >= sizeof(size);
    if (good)
      std::memcpy(&size, bytes_.data(), sizeof(size));
    good = good && size <= bytes_.size() - sizeof(size);
    if (good)
      runs_ = RunReader(bytes_.substr(sizeof(size), size), 1);
    break;
  }
  case Encoding::DeltaBinaryPacked:
    deltas_ = DeltaReader(bytes_);
    good = deltas_.isGood();
    break;
  case Encoding::DeltaByteArray:
    good = takeLengths(bytes_, most, deltas_) && takeLengths(bytes_, most, lengths_);
    break;
  case Encoding::DeltaLengthByteArray:
    good = takeLengths(bytes_, most, deltas_);
    break;
  case Encoding::ByteStreamSplit:
    good = width_ > 0 && bytes_.size() % width_ == 0;
    break;
  default:
    break;
  }
  if (!good)
    why = "its values (" + encodingName(encoding_) + ") are damaged";
}

/// A value of a fixed size.
void ValueReader::store(const char *bytes, Value &value) const {
  int32_t narrow = 0;
  switch (physical_) {
  case Physical::Int32:
    std::memcpy(&narrow, bytes, sizeof(narrow));
    value.integer = narrow;
    break;
  case Physical::Int64:
    std::memcpy(&value.integer, bytes, sizeof(value.integer));
    break;
  case Physical::Float:
    std::memcpy(&value.single, bytes, sizeof(value.single));
    break;
  case Physical::Double:
    std::memcpy(&value.real, bytes, sizeof(value.real));
    break;
  default:
    value.bytes = {bytes, width_};
    break;
  }
}

bool ValueReader::nextPlain(Value &value) {
  if (physical_ == Physical::Boolean) {
    if (number_ / 8 >= bytes_.size())
      return false;
    value.integer = static_cast<uint8_t>(bytes_[number_ / 8]) >> number_ % 8 & 1;
    ++number_;
    return true;
  }
  if (width_ > 0) {
    if (bytes_.size() < width_)
      return false;
    store(bytes_.data(), value);
    bytes_.remove_prefix(width_);
    return true;
  }
  uint32_t size = 0;
  if (bytes_.size() < sizeof(size))
    return false;
  std::memcpy(&size, bytes_.data(), sizeof(size));
  bytes_.remove_prefix(sizeof(size));
  if (size > bytes_.size())
    return false;
  value.bytes = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return true;
}

/// Bytes whose length comes from `lengths`.
bool ValueReader::nextLength(DeltaReader &lengths, std::string_view &value) {
  int64_t size = 0;
  if (!lengths.next(size) || size < 0 || static_cast<uint64_t>(size) > bytes_.size())
    return false;
  value = bytes_.substr(0, static_cast<size_t>(size));
  bytes_.remove_prefix(static_cast<size_t>(size));
  return true;
}

/// A value that begins as the one before.
bool ValueReader::nextFront(Value &value) {
  int64_t shared = 0;
  std::string_view rest;
  if (!deltas_.next(shared) || shared < 0 || static_cast<uint64_t>(shared) > last_.size() ||
      !nextLength(lengths_, rest))
    return false;
  last_.resize(static_cast<size_t>(shared));
  last_.append(rest);
  value.bytes = last_;
  return width_ == 0 || last_.size() == width_;
}

/// A value whose bytes lie apart: all first ones, then all second ones.
bool ValueReader::nextSplit(Value &value) {
  const size_t count = bytes_.size() / width_;
  if (number_ >= count)
    return false;
  last_.resize(width_);
  for (size_t i = 0; i < width_; ++i)
    last_[i] = bytes_[i * count + number_];
  ++number_;
  store(last_.data(), value);
  return true;
}

bool ValueReader::next(Value &value) {
  uint32_t bit = 0;
  switch (encoding_) {
  case Encoding::Rle:
    if (!runs_.next(bit))
      return false;
    value.integer = bit;
    return true;
  case Encoding::DeltaBinaryPacked:
    if (!deltas_.next(value.integer))
      return false;
    if (physical_ == Physical::Int32)
      value.integer = static_cast<int32_t>(value.integer); // differences are modulo 2^32
    return true;
  case Encoding::DeltaLengthByteArray:
    return nextLength(deltas_, value.bytes);
  case Encoding::DeltaByteArray:
    return nextFront(value);
  case Encoding::ByteStreamSplit:
    return nextSplit(value);
  default:
    return nextPlain(value);
  }
}

} // namespace mlc::common::parquet
