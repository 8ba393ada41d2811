// Protocol buffers as they are written: fields, one after the other. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_PROTOWIRE_H
#define MLCRT_CORE_PROTOWIRE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace mlcrt {

/// Reads a varint and moves `at` after it. False if it does not end before `end` or has more than 10 bytes.
inline bool readVarint(const char *&at, const char *end, uint64_t &value) {
  if (at != end && static_cast<uint8_t>(*at) < 0x80) {
    value = static_cast<uint8_t>(*at++);
    return true;
  }
  value = 0;
  for (int shift = 0; at != end && shift < 70; shift += 7) {
    const auto byte = static_cast<uint8_t>(*at++);
    value |= static_cast<uint64_t>(byte & 0x7f) << (shift < 64 ? shift : 63);
    if (byte < 0x80)
      return true;
  }
  return false;
}

/// Appends a varint.
inline void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 128; value >>= 7)
    out.push_back(static_cast<char>(value | 128));
  out.push_back(static_cast<char>(value));
}

/// How the value of a field is written.
enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

/// What a field begins with.
constexpr uint64_t tagOf(uint64_t field, WireType type) { return field << 3 | type; }

/// Reads the fields of a message one after the other.
struct FieldReader {
  const char *at, *end;
  uint64_t tag = 0;
  uint64_t number = 0;    ///< of a varint
  std::string_view bytes; ///< of a field with a length, or of a fixed one

  explicit FieldReader(std::string_view message) : at(message.data()), end(at + message.size()) {}

  bool done() const { return at == end; }
  /// Goes to the next field; false if it is damaged.
  bool next() {
    uint64_t size = 0;
    if (!readVarint(at, end, tag))
      return false;
    switch (tag & 7) {
    case kVarint:
      return readVarint(at, end, number);
    case kFixed64:
      size = 8;
      break;
    case kFixed32:
      size = 4;
      break;
    case kLength:
      if (!readVarint(at, end, size))
        return false;
      break;
    default: // groups, which no known message has
      return false;
    }
    if (size > static_cast<uint64_t>(end - at))
      return false;
    bytes = {at, static_cast<size_t>(size)};
    at += size;
    return true;
  }
};

/// Appends the fields of a message.
class FieldWriter {
public:
  explicit FieldWriter(std::string &out) : out_(out) {}

  FieldWriter &integer(uint64_t field, int64_t value) {
    appendVarint(out_, tagOf(field, kVarint));
    appendVarint(out_, static_cast<uint64_t>(value));
    return *this;
  }
  FieldWriter &number(uint64_t field, double value) { return fixed(tagOf(field, kFixed64), value); }
  FieldWriter &number(uint64_t field, float value) { return fixed(tagOf(field, kFixed32), value); }
  FieldWriter &fixed32(uint64_t field, uint32_t value) { return fixed(tagOf(field, kFixed32), value); }
  FieldWriter &bytes(uint64_t field, std::string_view value) {
    appendVarint(out_, tagOf(field, kLength));
    appendVarint(out_, value.size());
    out_.append(value);
    return *this;
  }

private:
  /// Little-endian, as this machine.
  template <typename T> FieldWriter &fixed(uint64_t tag, T value) {
    appendVarint(out_, tag);
    out_.append(reinterpret_cast<const char *>(&value), sizeof(value));
    return *this;
  }

  std::string &out_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_PROTOWIRE_H
