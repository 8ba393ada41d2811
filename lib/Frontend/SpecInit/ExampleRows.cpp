//===- ExampleRows.cpp - Records of tf.Example, for a look at data -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/ExampleRows.h"
#include "common/Crc32c.h"
#include "lib/Frontend/SpecInit/PackedFile.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"

#include <cstdio>
#include <optional>
#include <utility>

using namespace mlc;
using namespace mlc::frontend;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Wire format
//===----------------------------------------------------------------------===//

namespace {
/// A field of a serialized message: its number, and the bytes of its value (of a varint: the value).
struct WireField {
  enum Type : unsigned { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };
  uint64_t number = 0;
  unsigned type = Varint;
  uint64_t value = 0;
  StringRef bytes;
};
} // namespace

static std::optional<uint64_t> takeVarint(StringRef &rest) {
  unsigned size = 0;
  const char *error = nullptr;
  uint64_t value = llvm::decodeULEB128(rest.bytes_begin(), &size, rest.bytes_end(), &error);
  if (error)
    return std::nullopt;
  rest = rest.drop_front(size);
  return value;
}

/// Takes the first field off a message. Nothing if it is damaged.
static std::optional<WireField> takeField(StringRef &rest) {
  std::optional<uint64_t> tag = takeVarint(rest);
  if (!tag || *tag >> 3 == 0)
    return std::nullopt;
  WireField field;
  field.number = *tag >> 3;
  field.type = *tag & 7;
  size_t size = 0;
  switch (field.type) {
  case WireField::Varint:
  case WireField::Length: {
    std::optional<uint64_t> value = takeVarint(rest);
    if (!value)
      return std::nullopt;
    field.value = *value;
    if (field.type == WireField::Varint)
      return field;
    size = *value;
    break;
  }
  case WireField::Fixed64:
    size = 8;
    break;
  case WireField::Fixed32:
    size = 4;
    break;
  default:
    return std::nullopt;
  }
  if (size > rest.size())
    return std::nullopt;
  field.bytes = rest.take_front(size);
  rest = rest.drop_front(size);
  return field;
}

/// Calls `take` with each field of a message; false if that is damaged or `take` says so.
static bool forEachField(StringRef message, llvm::function_ref<bool(const WireField &)> take) {
  while (!message.empty()) {
    std::optional<WireField> field = takeField(message);
    if (!field || !take(*field))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// tf.Example
//===----------------------------------------------------------------------===//

StringRef mlc::frontend::kindName(FeatureTexts::Kind kind) {
  return kind == FeatureTexts::Bytes ? "bytes list" : kind == FeatureTexts::Floats ? "float list" : "int64 list";
}

static void addFloat(StringRef bytes, std::vector<std::string> &values) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", llvm::bit_cast<float>(llvm::support::endian::read32le(bytes.data())));
  values.emplace_back(text);
}

/// Field 1 of BytesList, FloatList or Int64List; numbers packed or not.
static bool readValues(const WireField &field, FeatureTexts &feature) {
  if (field.number != 1)
    return true;
  const bool packed = field.type == WireField::Length;
  auto addInt = [&](uint64_t value) { feature.values.push_back(std::to_string(static_cast<int64_t>(value))); };
  if (feature.kind == FeatureTexts::Bytes) {
    feature.values.push_back(field.bytes.str());
    return packed;
  }
  StringRef rest = field.bytes;
  if (feature.kind == FeatureTexts::Floats) {
    if ((!packed && field.type != WireField::Fixed32) || rest.size() % 4 != 0)
      return false;
    for (; !rest.empty(); rest = rest.drop_front(4))
      addFloat(rest, feature.values);
    return true;
  }
  if (!packed) {
    addInt(field.value);
    return field.type == WireField::Varint;
  }
  while (!rest.empty()) {
    std::optional<uint64_t> value = takeVarint(rest);
    if (!value)
      return false;
    addInt(*value);
  }
  return true;
}

/// One entry of the map: key 1, Feature 2 with a list of a kind.
static bool readEntry(const WireField &entry, llvm::StringMap<FeatureTexts> &features) {
  StringRef name, value;
  bool good = forEachField(entry.bytes, [&](const WireField &field) {
    (field.number == 1 ? name : value) = field.bytes;
    return field.type == WireField::Length;
  });
  if (!good)
    return false;
  return forEachField(value, [&](const WireField &list) {
    if (list.number < 1 || list.number > 3)
      return true;
    FeatureTexts &feature = features[name];
    feature = {static_cast<FeatureTexts::Kind>(list.number), {}};
    return list.type == WireField::Length &&
           forEachField(list.bytes, [&](const WireField &field) { return readValues(field, feature); });
  });
}

static bool readExample(StringRef record, llvm::StringMap<FeatureTexts> &features) {
  return forEachField(record, [&](const WireField &example) {
    if (example.number != 1)
      return true;
    return example.type == WireField::Length && forEachField(example.bytes, [&](const WireField &entry) {
             return entry.number != 1 || (entry.type == WireField::Length && readEntry(entry, features));
           });
  });
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static constexpr size_t kHeadBytes = 12, kCrcBytes = 4;

/// Whether the checksum behind `bytes` is theirs, masked as records have it.
static bool isProven(StringRef bytes) {
  uint32_t crc = common::crc32c(bytes.data(), bytes.size());
  return llvm::support::endian::read32le(bytes.end()) == ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

static bool startsWithRecord(StringRef start) { return start.size() >= kHeadBytes && isProven(start.take_front(8)); }

std::string mlc::frontend::readExamples(const std::string &path,
                                        llvm::function_ref<bool(const llvm::StringMap<FeatureTexts> &)> row) {
  PackedFile file(path, startsWithRecord);
  std::string pending;
  size_t at = 0;
  int64_t number = 1;
  // Makes `size` bytes of `pending` there from `at` on.
  auto have = [&](size_t size) {
    while (pending.size() - at < size) {
      StringRef bytes = file.next();
      if (bytes.empty())
        return false;
      pending.erase(0, std::exchange(at, 0));
      pending += bytes;
    }
    return true;
  };
  auto wrong = [&](const char *what) {
    return file.problem().empty() ? "record " + std::to_string(number) + " " + what : file.problem();
  };
  for (; have(1); ++number) {
    if (!have(kHeadBytes))
      return wrong("ends within its length");
    if (!startsWithRecord(StringRef(pending).substr(at, kHeadBytes)))
      return wrong(number == 1 ? "has no length with a checksum: this is no TFRecord file"
                               : "is damaged: the checksum of its length does not fit");
    uint64_t size = llvm::support::endian::read64le(pending.data() + at);
    if (size > INT32_MAX)
      return wrong("has more than 2 GiB");
    if (!have(kHeadBytes + size + kCrcBytes))
      return wrong("ends within its data");
    StringRef data = StringRef(pending).substr(at + kHeadBytes, size);
    llvm::StringMap<FeatureTexts> features;
    if (!isProven(data))
      return wrong("is damaged: the checksum of its data does not fit");
    if (!readExample(data, features))
      return wrong("is no tf.Example");
    at += kHeadBytes + size + kCrcBytes;
    if (!row(features))
      return {};
  }
  return file.problem();
}
