//===- RowPulls.cpp - The rows of tables that a step's gradients need -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/RowPulls.h"

#include <algorithm>

namespace mlcrt {

RowPulls::RowPulls(const Artifact &artifact, mlcrt_role role) : variables_(artifact.table().num_variables) {
  const mlcrt_artifact &table = artifact.table();
  std::vector<int> uses; // by intermediate: groups that it names rows of
  for (int64_t p = 0; p < table.num_pulls;) {
    const int32_t variable = table.pulls[p].variable, entry = table.pulls[p].entry;
    std::vector<int32_t> intermediates;
    bool namesRows = true;
    for (; p < table.num_pulls && table.pulls[p].variable == variable && table.pulls[p].entry == entry; ++p) {
      intermediates.push_back(table.pulls[p].intermediate);
      namesRows &= (table.pulls[p].flags & MLCRT_PULL_NAMES_ROWS) != 0;
    }
    if (table.entries[entry].role != role)
      continue;
    std::sort(intermediates.begin(), intermediates.end());
    const int64_t rows = table.variables[variable].value.dims[0];
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group &other) {
      return other.intermediates == intermediates && other.set.rows() == rows;
    });
    if (group == groups_.end()) {
      uses.resize(static_cast<size_t>(table.entries[entry].num_intermediates));
      for (int32_t index : intermediates)
        ++uses[index];
      group = groups_.insert(groups_.end(), {std::move(intermediates), RowSet(rows), true, 0, {}});
    }
    group->isNumbered &= namesRows;
    tables_.push_back({variable, static_cast<size_t>(group - groups_.begin())});
  }
  for (Group &group : groups_)
    for (int32_t index : group.intermediates)
      group.isNumbered &= uses[index] == 1;
}

std::vector<bool> RowPulls::areByRows() const {
  std::vector<bool> result(variables_);
  for (const Table &table : tables_)
    result[table.variable] = true;
  return result;
}

void RowPulls::Group::find(const std::vector<const FeatureSlot *> &slots) {
  auto forEach = [&](auto visit) {
    for (const FeatureSlot *slot : slots)
      for (int32_t index : intermediates) {
        const TensorView &buffer = slot->intermediate(index);
        visit(static_cast<const int64_t *>(buffer.data), elementCount(buffer));
      }
  };
  ids = 0;
  forEach([&](const int64_t *values, int64_t count) {
    set.add(values, static_cast<size_t>(count));
    ids += count;
  });
  set.take();
  if (isNumbered) { // at once, while the set is in the cache
    places.resize(static_cast<size_t>(ids));
    int64_t *out = places.data();
    forEach([&](const int64_t *values, int64_t count) {
      set.number(values, static_cast<size_t>(count), out);
      out += count;
    });
  }
  set.clear();
}

void RowPulls::find(ThreadPool &pool) {
  auto run = [](void *self, int64_t first, int64_t last, int64_t) -> int32_t {
    auto &of = *static_cast<RowPulls *>(self);
    for (int64_t g = first; g < last; ++g)
      of.groups_[static_cast<size_t>(g)].find(of.slots_);
    return MLCRT_OK;
  };
  // To wake a thread takes longer than a few ids.
  constexpr int64_t kLeastIds = 1 << 14;
  int64_t ids = 0;
  for (const Group &group : groups_)
    for (const FeatureSlot *slot : slots_)
      for (int32_t index : group.intermediates)
        ids += elementCount(slot->intermediate(index));
  const auto count = static_cast<int64_t>(groups_.size());
  if (ids < kLeastIds)
    (void)run(this, 0, count, 0);
  else
    pool.parallelFor(run, this, count);
}

void RowPulls::find(const TrainSlots &slots, ThreadPool &pool) {
  slots_.clear();
  slots.forEachFilled([&](const FeatureSlot &slot) { slots_.push_back(&slot); });
  find(pool);
}

void RowPulls::find(const FeatureSlot &slot, ThreadPool &pool) {
  slots_ = {&slot};
  find(pool);
}

const int64_t *RowPulls::Group::number(FeatureSlot &slot, const int64_t *next) const {
  for (int32_t index : intermediates) {
    const TensorView &numbers = slot.intermediate(index);
    std::copy_n(next, elementCount(numbers), static_cast<int64_t *>(numbers.data));
    next += elementCount(numbers);
  }
  return next;
}

void RowPulls::number(TrainSlots &slots) {
  for (const Group &group : groups_)
    if (const int64_t *next = group.places.data(); group.isNumbered)
      slots.forEachFilled([&](FeatureSlot &slot) { next = group.number(slot, next); });
}

void RowPulls::number(FeatureSlot &slot) {
  for (const Group &group : groups_)
    if (group.isNumbered)
      group.number(slot, group.places.data());
}

} // namespace mlcrt
