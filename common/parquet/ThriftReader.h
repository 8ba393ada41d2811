// Structs in Thrift's compact protocol. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Parquet writes about itself. Nothing is trusted: depth is bounded, and no length is larger than what is left of
// the bytes, so that work and memory are bound by them.
#ifndef MLC_COMMON_PARQUET_THRIFTREADER_H
#define MLC_COMMON_PARQUET_THRIFTREADER_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mlc::common::parquet {

/// Takes values off the front of some bytes. After the first damage every read fails.
class ThriftReader {
public:
  enum class Type : uint8_t { Stop, True, False, I8, I16, I32, I64, Double, Binary, List, Set, Map, Struct, Uuid };

  explicit ThriftReader(std::string_view bytes) : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

  /// Bytes that were taken.
  size_t position() const { return static_cast<size_t>(at_ - begin_); }

  /// Calls `field(id, type)` for each field of a struct; it takes the value, by a read or by skip, and returns whether
  /// that went well. False: damaged.
  template <typename Field> bool readStruct(Field &&field) {
    if (++depth_ > kMostDepth)
      return fail();
    for (int64_t id = 0;;) {
      uint8_t head = 0;
      if (!readByte(head))
        return false;
      const auto type = static_cast<Type>(head & 15);
      if (type == Type::Stop)
        break;
      if (head >> 4)
        id += head >> 4;
      else if (!readSigned(id))
        return false;
      if (!field(id, type) || isDamaged_)
        return fail();
    }
    --depth_;
    return true;
  }
  /// The same for a field of type Struct.
  template <typename Field> bool readStruct(Type type, Field &&field) {
    return type == Type::Struct ? readStruct(field) : fail();
  }
  /// Calls `element(type)` for each element of a list; it takes it.
  template <typename Element> bool readList(Type type, Element &&element) {
    Type of;
    uint64_t size = 0;
    if (type != Type::List || !readListHead(of, size))
      return fail();
    for (; size > 0; --size)
      if (!element(of) || isDamaged_)
        return fail();
    return true;
  }

  /// Values of a field of type `type`; false for one of another kind, or out of the range of `value`.
  bool read(Type type, bool &value);
  bool read(Type type, int32_t &value);
  bool read(Type type, int64_t &value);
  bool read(Type type, std::string_view &value);
  /// Takes a value of any type.
  bool skip(Type type);

private:
  static constexpr int kMostDepth = 32;

  bool fail() {
    isDamaged_ = true;
    return false;
  }
  bool readByte(uint8_t &value);
  bool readUnsigned(uint64_t &value);
  bool readSigned(int64_t &value);
  bool readListHead(Type &type, uint64_t &size);
  bool skipElements(Type type, uint64_t count);

  const char *begin_, *at_, *end_;
  int depth_ = 0;
  bool isDamaged_ = false;
};

} // namespace mlc::common::parquet

#endif // MLC_COMMON_PARQUET_THRIFTREADER_H
