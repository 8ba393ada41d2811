//===- RowSet.cpp - The distinct rows that ids name -------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/RowSet.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mlcrt {

static constexpr int kDigitBits = 11;
static constexpr size_t kDigits = size_t{1} << kDigitBits;

RowSet::RowSet(int64_t rows) : rows_(rows) {}

void RowSet::add(const int64_t *ids, size_t count) {
  const auto rows = static_cast<uint64_t>(rows_);
  if (!isMarked()) {
    for (size_t i = 0; i < count; ++i)
      if (static_cast<uint64_t>(ids[i]) < rows)
        added_.push_back(ids[i]);
    return;
  }
  if (marks_.empty()) {
    marks_.resize((rows + 63) / 64);
    groups_.resize((marks_.size() + 63) / 64);
  }
  clear();
  Marks *marks = marks_.data();
  uint64_t *groups = groups_.data();
  // Of large tables no cache holds all marks.
  constexpr size_t kAhead = 24;
  for (size_t i = 0; i < count; ++i) {
    if (i + kAhead < count)
      if (const auto later = static_cast<uint64_t>(ids[i + kAhead]); later < rows)
        __builtin_prefetch(&marks[later >> 6], /*rw=*/1);
    const auto id = static_cast<uint64_t>(ids[i]);
    if (id >= rows)
      continue;
    marks[id >> 6].bits |= uint64_t{1} << (id & 63);
    groups[id >> 12] |= uint64_t{1} << (id >> 6 & 63);
  }
}

/// Sorts by digits, the least first, as many as the number of rows has.
void RowSet::sortAdded() {
  if (added_.size() < kDigits / 2) {
    std::sort(added_.begin(), added_.end());
    return;
  }
  spare_.resize(added_.size());
  for (int shift = 0; shift < 63 && (rows_ - 1) >> shift; shift += kDigitBits) {
    std::array<size_t, kDigits> place = {};
    for (int64_t id : added_)
      ++place[id >> shift & (kDigits - 1)];
    size_t before = 0;
    for (size_t &next : place)
      before += std::exchange(next, before);
    for (int64_t id : added_)
      spare_[place[id >> shift & (kDigits - 1)]++] = id;
    std::swap(added_, spare_);
  }
}

void RowSet::clear() {
  if (!std::exchange(isTaken_, false))
    return;
  for (int64_t id : found_) {
    marks_[static_cast<size_t>(id) >> 6].bits = 0;
    groups_[static_cast<size_t>(id) >> 12] = 0;
  }
}

const std::vector<int64_t> &RowSet::take() {
  if (!isMarked()) {
    sortAdded();
    added_.erase(std::unique(added_.begin(), added_.end()), added_.end());
    std::swap(added_, found_);
    added_.clear();
    return found_;
  }
  clear();
  found_.clear();
  for (size_t g = 0; g < groups_.size(); ++g)
    for (uint64_t group = groups_[g]; group; group &= group - 1) {
      const size_t at = g * 64 + static_cast<size_t>(__builtin_ctzll(group));
      marks_[at].before = static_cast<int64_t>(found_.size());
      for (uint64_t bits = marks_[at].bits; bits; bits &= bits - 1)
        found_.push_back(static_cast<int64_t>(at * 64) + __builtin_ctzll(bits));
    }
  isTaken_ = true;
  return found_;
}

/// Where the search for an id begins; neighbours are far from each other.
static size_t hashOf(int64_t id) { return (static_cast<uint64_t>(id) * UINT64_C(0x9E3779B97F4A7C15)) >> 32; }

void RowSet::hashFound() {
  size_t size = 16;
  while (size < 2 * found_.size())
    size *= 2;
  places_.assign(size, 0);
  for (size_t i = 0; i < found_.size(); ++i) {
    size_t at = hashOf(found_[i]) & (size - 1);
    while (places_[at])
      at = (at + 1) & (size - 1);
    places_[at] = static_cast<uint32_t>(i + 1);
  }
}

void RowSet::number(const int64_t *ids, size_t count, int64_t *places) {
  const auto rows = static_cast<uint64_t>(rows_);
  if (isMarked()) {
    const Marks *marks = marks_.data();
    for (size_t i = 0; i < count; ++i) {
      const auto id = static_cast<uint64_t>(ids[i]);
      places[i] = ids[i];
      if (id < rows)
        places[i] =
            marks[id >> 6].before + __builtin_popcountll(marks[id >> 6].bits & ((uint64_t{1} << (id & 63)) - 1));
    }
    return;
  }
  hashFound();
  for (size_t i = 0; i < count; ++i) {
    places[i] = ids[i];
    if (static_cast<uint64_t>(ids[i]) >= rows)
      continue;
    size_t at = hashOf(ids[i]) & (places_.size() - 1);
    while (found_[places_[at] - 1] != ids[i])
      at = (at + 1) & (places_.size() - 1);
    places[i] = places_[at] - 1;
  }
}

} // namespace mlcrt
