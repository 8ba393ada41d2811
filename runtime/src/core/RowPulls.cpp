//===- RowPulls.cpp - The rows of tables that a step's gradients need -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/RowPulls.h"

namespace mlcrt {

RowPulls::RowPulls(const Artifact &artifact, mlcrt_role role) : variables_(artifact.table().num_variables) {
  const mlcrt_artifact &table = artifact.table();
  for (int64_t p = 0; p < table.num_pulls; ++p) {
    const mlcrt_pull &pull = table.pulls[p];
    if (table.entries[pull.entry].role != role)
      continue;
    if (tables_.empty() || tables_.back().variable != pull.variable)
      tables_.push_back({pull.variable, {}, RowSet(table.variables[pull.variable].value.dims[0])});
    tables_.back().intermediates.push_back(pull.intermediate);
  }
}

std::vector<bool> RowPulls::areByRows() const {
  std::vector<bool> result(variables_);
  for (const Table &table : tables_)
    result[table.variable] = true;
  return result;
}

void RowPulls::add(Table &of, const FeatureSlot &slot) {
  for (int32_t index : of.intermediates) {
    const mlcrt_buffer &ids = slot.intermediate(index);
    const int64_t count = elementCount(ids);
    of.set.add(static_cast<const int64_t *>(ids.data), static_cast<size_t>(count));
    of.ids += count;
  }
}

const std::vector<int64_t> &RowPulls::rows(size_t table, const TrainSlots &slots) {
  Table &of = tables_[table];
  of.ids = 0;
  slots.forEachFilled([&](const FeatureSlot &slot) { add(of, slot); });
  return of.set.take();
}

const std::vector<int64_t> &RowPulls::rows(size_t table, const FeatureSlot &slot) {
  Table &of = tables_[table];
  of.ids = 0;
  add(of, slot);
  return of.set.take();
}

} // namespace mlcrt
