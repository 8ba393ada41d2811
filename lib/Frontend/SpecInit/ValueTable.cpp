//===- ValueTable.cpp - The different values of a column -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/ValueTable.h"

using namespace mlc::frontend;

static constexpr size_t kLeastSlots = 64;

/// Bits of a hash that are neither those of the slot nor the upper ones, which a bound makes alike.
static uint32_t tagOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 20); }

/// The slot of a hash, or the empty one where it belongs.
size_t ValueTable::slotOf(uint64_t hash) const {
  const uint32_t tag = tagOf(hash);
  const size_t mask = slots_.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot slot = slots_[at];
    if (slot.entry == 0)
      return at;
    if (slot.tag == tag && entries_[slot.entry - 1].value.hash == hash)
      return at;
  }
}

void ValueTable::rebuild(size_t slots) {
  slots_.assign(slots, Slot());
  for (size_t i = 0; i < entries_.size(); ++i) {
    const uint64_t hash = entries_[i].value.hash;
    size_t at = hash & (slots - 1);
    while (slots_[at].entry != 0)
      at = (at + 1) & (slots - 1);
    slots_[at] = {static_cast<uint32_t>(i + 1), tagOf(hash)};
  }
}

std::pair<ValueTable::Value &, bool> ValueTable::insert(llvm::StringRef text, uint64_t hash) {
  if (2 * (entries_.size() + 1) > slots_.size())
    rebuild(slots_.empty() ? kLeastSlots : 2 * slots_.size());
  Slot &slot = slots_[slotOf(hash)];
  if (slot.entry != 0)
    return {entries_[slot.entry - 1].value, false};
  Entry &entry = entries_.emplace_back();
  entry.begin = texts_.size();
  entry.size = static_cast<uint32_t>(text.size());
  entry.value.hash = hash;
  texts_.append(text.data(), text.size());
  slot = {static_cast<uint32_t>(entries_.size()), tagOf(hash)};
  return {entry.value, true};
}

const ValueTable::Value *ValueTable::find(uint64_t hash) const {
  if (slots_.empty())
    return nullptr;
  const Slot &slot = slots_[slotOf(hash)];
  return slot.entry == 0 ? nullptr : &entries_[slot.entry - 1].value;
}

void ValueTable::keepBelow(uint64_t bound) {
  std::string texts;
  size_t kept = 0;
  for (const Entry &entry : entries_) {
    if (entry.value.hash > bound)
      continue;
    const size_t begin = texts.size();
    texts.append(texts_, entry.begin, entry.size);
    entries_[kept] = entry;
    entries_[kept++].begin = begin;
  }
  if (kept == entries_.size())
    return;
  entries_.resize(kept);
  texts_ = std::move(texts);
  rebuild(slots_.size());
}
