//===- StateTensors.cpp - The tensors of the state, as names and files know them ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/StateTensors.h"

namespace mlcrt {

RowRange allRows(const mlcrt_variable &variable) { return {0, variable.value.rank ? variable.value.dims[0] : 1}; }

int64_t rowBytesOf(const mlcrt_value &value) { return elementsOfRow(value) * dtypeSize(value.dtype); }

StateTensors::StateTensors(const mlcrt_artifact &table) {
  int64_t next = 0; // of the table's named rows
  for (int32_t v = 0; v < table.num_variables; ++v) {
    const mlcrt_variable &variable = table.variables[v];
    first_.push_back(size());
    StateTensor tensor;
    tensor.value = variable.value;
    tensor.variable = v;
    tensor.rows = allRows(variable);
    tensor.flags = variable.flags;
    tensor.slot = variable.slot;
    if (next == table.num_named_rows || table.named_rows[next].variable != v) {
      tensors_.push_back(tensor);
      continue;
    }
    for (int64_t row = 0; next < table.num_named_rows && table.named_rows[next].variable == v; ++next) {
      const mlcrt_named_rows &named = table.named_rows[next];
      tensor.value.name = named.name;
      tensor.value.dims[0] = named.rows;
      tensor.rows = {row, row += named.rows};
      tensors_.push_back(tensor);
    }
  }
  first_.push_back(size());
  for (int32_t t = 0; t < size(); ++t) {
    StateTensor &tensor = tensors_[static_cast<size_t>(t)];
    byName_.emplace(tensor.value.name, t);
    if (const int32_t of = table.variables[tensor.variable].slot_of; of >= 0)
      tensor.slotOf = firstOf(of) + (t - firstOf(tensor.variable));
  }
}

int32_t StateTensors::find(std::string_view name) const {
  auto it = byName_.find(absl::string_view(name.data(), name.size()));
  return it == byName_.end() ? -1 : it->second;
}

} // namespace mlcrt
