// Structs in Thrift's compact protocol.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parquet/ThriftReader.h"

#include <limits>

namespace mlc::common::parquet {

bool ThriftReader::readByte(uint8_t &value) {
  if (isDamaged_ || at_ == end_)
    return fail();
  value = static_cast<uint8_t>(*at_++);
  return true;
}

bool ThriftReader::readUnsigned(uint64_t &value) {
  value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    uint8_t byte = 0;
    if (!readByte(byte))
      return false;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return fail();
}

bool ThriftReader::readSigned(int64_t &value) {
  uint64_t bits = 0;
  if (!readUnsigned(bits))
    return false;
  value = static_cast<int64_t>(bits >> 1 ^ (~(bits & 1) + 1));
  return true;
}

bool ThriftReader::readListHead(Type &type, uint64_t &size) {
  uint8_t head = 0;
  if (!readByte(head))
    return false;
  type = static_cast<Type>(head & 15);
  size = head >> 4;
  if (size == 15 && !readUnsigned(size))
    return false;
  // An element takes one byte at least.
  return size <= static_cast<uint64_t>(end_ - at_) || fail();
}

bool ThriftReader::read(Type type, bool &value) {
  value = type == Type::True;
  return value || type == Type::False || fail();
}

bool ThriftReader::read(Type type, int64_t &value) {
  if (type == Type::I8) {
    uint8_t byte = 0;
    const bool good = readByte(byte);
    value = static_cast<int8_t>(byte);
    return good;
  }
  return (type == Type::I16 || type == Type::I32 || type == Type::I64) ? readSigned(value) : fail();
}

bool ThriftReader::read(Type type, int32_t &value) {
  int64_t wide = 0;
  if (!read(type, wide) || wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max())
    return fail();
  value = static_cast<int32_t>(wide);
  return true;
}

bool ThriftReader::read(Type type, std::string_view &value) {
  uint64_t size = 0;
  if (type != Type::Binary || !readUnsigned(size) || size > static_cast<uint64_t>(end_ - at_))
    return fail();
  value = {at_, static_cast<size_t>(size)};
  at_ += size;
  return true;
}

bool ThriftReader::skipElements(Type type, uint64_t count) {
  for (; count > 0; --count) {
    uint8_t byte = 0;
    // A bool is a byte in a list, and the type in a struct.
    if (!(type == Type::True || type == Type::False ? readByte(byte) : skip(type)))
      return false;
  }
  return true;
}

bool ThriftReader::skip(Type type) {
  uint64_t size = 0;
  Type of = Type::Stop;
  std::string_view text;
  int64_t number = 0;
  uint8_t types = 0;
  switch (type) {
  case Type::True:
  case Type::False:
    return !isDamaged_;
  case Type::I8:
  case Type::I16:
  case Type::I32:
  case Type::I64:
    return read(type, number);
  case Type::Double:
  case Type::Uuid:
    size = type == Type::Double ? 8 : 16;
    if (size > static_cast<uint64_t>(end_ - at_))
      return fail();
    at_ += size;
    return true;
  case Type::Binary:
    return read(type, text);
  case Type::List:
  case Type::Set: {
    if (++depth_ > kMostDepth || !readListHead(of, size) || !skipElements(of, size))
      return fail();
    --depth_;
    return true;
  }
  case Type::Map: {
    if (++depth_ > kMostDepth || !readUnsigned(size) || size > static_cast<uint64_t>(end_ - at_))
      return fail();
    if (size > 0 && !readByte(types))
      return false;
    for (; size > 0; --size)
      if (!skipElements(static_cast<Type>(types >> 4), 1) || !skipElements(static_cast<Type>(types & 15), 1))
        return fail();
    --depth_;
    return true;
  }
  case Type::Struct:
    return readStruct([this](int64_t, Type field) { return skip(field); });
  default:
    return fail();
  }
}

} // namespace mlc::common::parquet
