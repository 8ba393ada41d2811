// The features of a serialized tf.Example.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/TfExample.h"

#include "runtime/src/core/ProtoWire.h"

#include <algorithm>

namespace mlcrt {

std::string_view kindName(ExampleFeature::Kind kind) {
  static constexpr std::string_view names[] = {"nothing", "bytes list", "float list", "int64 list"};
  return names[kind];
}

//===-- Names -----------------------------------------------------------------------------------------------------===//

size_t ExampleNames::hash(std::string_view name) {
  // The first and the last eight bytes tell most names apart; find() compares anyway.
  uint64_t first = 0, last = 0;
  const size_t size = name.size();
  if (size >= 8) {
    std::memcpy(&first, name.data(), 8);
    std::memcpy(&last, name.data() + size - 8, 8);
  } else {
    for (const char c : name)
      first = first << 8 | static_cast<uint8_t>(c);
  }
  const uint64_t mixed = ((first * 0x9e3779b97f4a7c15u) ^ last ^ size) * 0xc2b2ae3d27d4eb4fu;
  return static_cast<size_t>(mixed >> 32);
}

int ExampleNames::add(const std::string &name) {
  if (const int index = find(name); index >= 0)
    return index;
  names_.push_back(name);
  size_t slots = 4;
  while (slots < 2 * names_.size())
    slots *= 2;
  slots_.assign(slots, -1);
  for (size_t i = 0; i < names_.size(); ++i) {
    size_t slot = hash(names_[i]) & (slots - 1);
    while (slots_[slot] >= 0)
      slot = (slot + 1) & (slots - 1);
    slots_[slot] = static_cast<int>(i);
  }
  return size() - 1;
}

//===-- Messages --------------------------------------------------------------------------------------------------===//

static bool readFeature(std::string_view message, ExampleFeature &feature) {
  feature = {};
  for (FieldReader field(message); !field.done();) {
    if (!field.next())
      return false;
    if (field.tag >= tagOf(ExampleFeature::Bytes, kLength) && field.tag <= tagOf(ExampleFeature::Ints, kLength) &&
        (field.tag & 7) == kLength)
      feature = {static_cast<ExampleFeature::Kind>(field.tag >> 3), field.bytes};
  }
  return true;
}

bool splitExample(std::string_view record, const ExampleNames &names, ExampleFeature *found, int64_t &position) {
  std::fill(found, found + names.size(), ExampleFeature());
  const auto fail = [&](const char *at) {
    position = at - record.data();
    return false;
  };
  for (FieldReader example(record); !example.done();) {
    const char *begin = example.at;
    if (!example.next())
      return fail(begin);
    if (example.tag != tagOf(1, kLength))
      continue;
    for (FieldReader features(example.bytes); !features.done();) {
      begin = features.at;
      if (!features.next())
        return fail(begin);
      if (features.tag != tagOf(1, kLength))
        continue;
      std::string_view name, value;
      for (FieldReader entry(features.bytes); !entry.done();) {
        begin = entry.at;
        if (!entry.next())
          return fail(begin);
        if (entry.tag == tagOf(1, kLength))
          name = entry.bytes;
        else if (entry.tag == tagOf(2, kLength))
          value = entry.bytes;
      }
      if (const int index = names.find(name); index >= 0 && !readFeature(value, found[index]))
        return fail(value.data());
    }
  }
  return true;
}

//===-- Lists -----------------------------------------------------------------------------------------------------===//

bool ExampleCursor::enter(uint64_t packedTag, uint64_t singleTag, Step &step) {
  step = Step::Damaged;
  while (true) {
    if (at_ == end_) {
      step = Step::End;
      return false;
    }
    uint64_t tag = 0, size = 0;
    if (!readVarint(at_, end_, tag))
      return false;
    if (tag == singleTag) {
      single_ = true;
      run_ = end_;
      return true;
    }
    if (tag != packedTag || !readVarint(at_, end_, size) || size > static_cast<uint64_t>(end_ - at_))
      return false;
    if (size == 0)
      continue;
    single_ = false;
    run_ = at_ + size;
    return true;
  }
}

ExampleCursor::Step ExampleCursor::next(std::string_view &value) {
  if (at_ == end_)
    return Step::End;
  uint64_t tag = 0, size = 0;
  if (!readVarint(at_, end_, tag) || tag != tagOf(1, kLength) || !readVarint(at_, end_, size) ||
      size > static_cast<uint64_t>(end_ - at_))
    return Step::Damaged;
  value = {at_, static_cast<size_t>(size)};
  at_ += size;
  return Step::Value;
}

ExampleCursor::Step ExampleCursor::next(float &value) {
  Step step;
  if ((!run_ || single_ || at_ == run_) && !enter(tagOf(1, kLength), tagOf(1, kFixed32), step))
    return step;
  if (run_ - at_ < 4)
    return Step::Damaged;
  std::memcpy(&value, at_, 4);
  at_ += 4;
  return Step::Value;
}

ExampleCursor::Step ExampleCursor::next(int64_t &value) {
  Step step;
  if ((!run_ || single_ || at_ == run_) && !enter(tagOf(1, kLength), tagOf(1, kVarint), step))
    return step;
  uint64_t bits = 0;
  if (!readVarint(at_, run_, bits))
    return Step::Damaged;
  value = static_cast<int64_t>(bits);
  return Step::Value;
}

} // namespace mlcrt
