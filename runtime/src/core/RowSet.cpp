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
  uint64_t *marks = marks_.data(), *groups = groups_.data();
  for (size_t i = 0; i < count; ++i) {
    const auto id = static_cast<uint64_t>(ids[i]);
    if (id >= rows)
      continue;
    marks[id >> 6] |= uint64_t{1} << (id & 63);
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

const std::vector<int64_t> &RowSet::take() {
  if (!isMarked()) {
    sortAdded();
    added_.erase(std::unique(added_.begin(), added_.end()), added_.end());
    std::swap(added_, found_);
    added_.clear();
    return found_;
  }
  found_.clear();
  for (size_t g = 0; g < groups_.size(); ++g)
    for (uint64_t group = std::exchange(groups_[g], 0); group; group &= group - 1) {
      const size_t at = g * 64 + static_cast<size_t>(__builtin_ctzll(group));
      for (uint64_t mark = std::exchange(marks_[at], 0); mark; mark &= mark - 1)
        found_.push_back(static_cast<int64_t>(at * 64) + __builtin_ctzll(mark));
    }
  return found_;
}

} // namespace mlcrt
