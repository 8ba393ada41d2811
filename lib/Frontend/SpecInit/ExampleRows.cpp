//===- ExampleRows.cpp - Records of tf.Example, for a look at data -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/ExampleRows.h"
#include "common/checkpoint/Crc32c.h"
#include "lib/Frontend/SpecInit/PackedFile.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"

#include <charconv>
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

/// The shortest digits that read back to the same bits.
static void giveFloat(StringRef bytes, llvm::function_ref<void(StringRef)> value) {
  char text[32];
  float number = llvm::bit_cast<float>(llvm::support::endian::read32le(bytes.data()));
  value(StringRef(text, std::to_chars(text, text + sizeof(text), number).ptr - text));
}

static void giveInt(uint64_t number, llvm::function_ref<void(StringRef)> value) {
  char text[32];
  value(StringRef(text, std::to_chars(text, text + sizeof(text), static_cast<int64_t>(number)).ptr - text));
}

/// Field 1 of BytesList, FloatList or Int64List; numbers packed or not.
static bool readValues(const WireField &field, FeatureTexts::Kind kind, llvm::function_ref<void(StringRef)> value) {
  if (field.number != 1)
    return true;
  const bool packed = field.type == WireField::Length;
  if (kind == FeatureTexts::Bytes) {
    value(field.bytes);
    return packed;
  }
  StringRef rest = field.bytes;
  if (kind == FeatureTexts::Floats) {
    if ((!packed && field.type != WireField::Fixed32) || rest.size() % 4 != 0)
      return false;
    for (; !rest.empty(); rest = rest.drop_front(4))
      giveFloat(rest, value);
    return true;
  }
  if (!packed) {
    giveInt(field.value, value);
    return field.type == WireField::Varint;
  }
  while (!rest.empty()) {
    std::optional<uint64_t> number = takeVarint(rest);
    if (!number)
      return false;
    giveInt(*number, value);
  }
  return true;
}

bool mlc::frontend::forEachText(FeatureTexts::Kind kind, StringRef list, llvm::function_ref<void(StringRef)> value) {
  return forEachField(list, [&](const WireField &field) { return readValues(field, kind, value); });
}

bool mlc::frontend::forEachFeature(StringRef record,
                                   llvm::function_ref<bool(StringRef, FeatureTexts::Kind, StringRef)> feature) {
  // One entry of the map: key 1, Feature 2 with a list of a kind.
  auto readEntry = [&](const WireField &entry) {
    StringRef name, value;
    bool good = forEachField(entry.bytes, [&](const WireField &field) {
      (field.number == 1 ? name : value) = field.bytes;
      return field.type == WireField::Length;
    });
    return good && forEachField(value, [&](const WireField &list) {
             if (list.number < 1 || list.number > 3)
               return true;
             return list.type == WireField::Length &&
                    feature(name, static_cast<FeatureTexts::Kind>(list.number), list.bytes);
           });
  };
  return forEachField(record, [&](const WireField &example) {
    if (example.number != 1)
      return true;
    return example.type == WireField::Length && forEachField(example.bytes, [&](const WireField &entry) {
             return entry.number != 1 || (entry.type == WireField::Length && readEntry(entry));
           });
  });
}

static bool readExample(StringRef record, llvm::StringMap<FeatureTexts> &features) {
  return forEachFeature(record, [&](StringRef name, FeatureTexts::Kind kind, StringRef list) {
    FeatureTexts &feature = features[name];
    feature = {kind, {}};
    return forEachText(kind, list, [&](StringRef text) { feature.values.push_back(text.str()); });
  });
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static constexpr size_t kCrcBytes = 4;

/// Whether the checksum after `bytes` is theirs, masked as records have it.
static bool isProven(StringRef bytes) {
  uint32_t crc = common::crc32c(bytes.data(), bytes.size());
  return llvm::support::endian::read32le(bytes.end()) == ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

bool mlc::frontend::startsWithRecord(StringRef start) {
  return start.size() >= kRecordHeadBytes && isProven(start.take_front(8));
}

std::optional<uint64_t> mlc::frontend::recordSize(StringRef text) {
  if (!startsWithRecord(text))
    return std::nullopt;
  const uint64_t size = llvm::support::endian::read64le(text.data());
  return size > INT32_MAX ? std::nullopt : std::optional(kRecordHeadBytes + size + kCrcBytes);
}

bool mlc::frontend::takeRecord(StringRef &text, StringRef &record, std::string &what) {
  if (text.size() < kRecordHeadBytes) {
    what = "ends within its length";
  } else if (!startsWithRecord(text)) {
    what = "is damaged: the checksum of its length does not fit";
  } else if (std::optional<uint64_t> size = recordSize(text); !size) {
    what = "has more than 2 GiB";
  } else if (*size > text.size()) {
    what = "ends within its data";
  } else {
    record = text.slice(kRecordHeadBytes, *size - kCrcBytes);
    if (isProven(record)) {
      text = text.drop_front(*size);
      return true;
    }
    what = "is damaged: the checksum of its data does not fit";
  }
  return false;
}

std::string mlc::frontend::readExamples(const std::string &path,
                                        llvm::function_ref<bool(const llvm::StringMap<FeatureTexts> &)> row) {
  PackedFile file(path, startsWithRecord);
  std::string pending;
  int64_t number = 0;
  for (bool isLast = false; !isLast;) {
    StringRef bytes = file.next();
    isLast = bytes.empty();
    pending += bytes;
    if (!file.problem().empty())
      return file.problem();
    StringRef rest = pending, record;
    while (!rest.empty()) {
      std::optional<uint64_t> size = recordSize(rest);
      if (!isLast && (size ? *size > rest.size() : rest.size() < kRecordHeadBytes))
        break; // the rest of it comes
      if (++number == 1 && !startsWithRecord(rest) && rest.size() >= kRecordHeadBytes)
        return "record 1 has no length with a checksum: this is no TFRecord file";
      std::string what;
      if (!takeRecord(rest, record, what))
        return "record " + std::to_string(number) + " " + what;
      llvm::StringMap<FeatureTexts> features;
      if (!readExample(record, features))
        return "record " + std::to_string(number) + " is no tf.Example";
      if (!row(features))
        return {};
    }
    pending.erase(0, pending.size() - rest.size());
  }
  return {};
}
