// Tables of a checkpoint that stay on the disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/CheckpointRows.h"

#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

namespace mlcrt {

/// Tables that take less memory together are read whole.
static constexpr double kLeastOnDisk = 16 << 20;

std::vector<bool> CheckpointRows::variablesInState(const Artifact &artifact) {
  const ReadKinds kinds(artifact);
  double byRows = 0; // sizes that no integer holds, too
  for (size_t i = 0; i < kinds.isByRows.size(); ++i)
    if (const mlcrt_value &value = artifact.table().variables[i].value; kinds.isByRows[i])
      byRows += std::accumulate(value.dims, value.dims + value.rank, static_cast<double>(dtypeSize(value.dtype)),
                                std::multiplies<>());
  std::vector<bool> inState = kinds.isRead;
  for (size_t i = 0; i < inState.size(); ++i)
    inState[i] = kinds.isRead[i] && (!kinds.isByRows[i] || byRows < kLeastOnDisk);
  return inState;
}

absl::StatusOr<std::unique_ptr<CheckpointRows>> CheckpointRows::restore(const std::string &directory,
                                                                        const CheckpointManifest &manifest,
                                                                        const Artifact &artifact, State &state) {
  if (absl::Status status = checkVariables(directory, manifest, artifact); !status.ok())
    return status;
  absl::StatusOr<CheckpointReader> reader = CheckpointReader::open(directory, manifest);
  if (!reader.ok())
    return reader.status();
  std::unique_ptr<CheckpointRows> rows(new CheckpointRows(*std::move(reader)));
  rows->tables_.resize(static_cast<size_t>(state.size()));
  const ReadKinds kinds(artifact);
  const std::vector<bool> inState = variablesInState(artifact);
  for (const VariableRecord &record : manifest.variables) {
    const int32_t index = artifact.tensors().find(record.name);
    if (index < 0)
      continue; // of a part of the state that this model has not
    const StateTensor &tensor = artifact.tensors()[index];
    absl::Status status;
    if (inState[tensor.variable]) {
      status = state.fillRows(tensor.variable, tensor.rows,
                              [&](void *to, int64_t) { return rows->reader_.readRows(record, allRows(record), to); });
    } else {
      status = rows->reader_.prove(record, allRows(record));
      if (kinds.isRead[tensor.variable]) {
        Table &table = rows->tables_[static_cast<size_t>(tensor.variable)];
        table.rowBytes = tensor.rowBytes();
        for (SliceRecord part : record.parts()) {
          part.begin += tensor.rows.begin;
          part.end += tensor.rows.begin;
          table.parts.push_back(part);
        }
      }
    }
    if (!status.ok())
      return status;
  }
  for (Table &table : rows->tables_)
    std::sort(table.parts.begin(), table.parts.end(),
              [](const SliceRecord &a, const SliceRecord &b) { return a.begin < b.begin; });
  return rows;
}

absl::Status CheckpointRows::readRows(int32_t variable, const std::vector<int64_t> &rows, char *to) {
  // A call of the system costs as much as some bytes that nobody asked for. Not a mapping: its pages stay, and around
  // each row that is touched there come more of them.
  constexpr int64_t kMostGap = 4096, kWindow = 1 << 16;
  const auto &[parts, rowBytes] = tables_[static_cast<size_t>(variable)];
  for (size_t i = 0; i < rows.size();) {
    bool hasGaps = false;
    size_t end = i + 1;
    for (; end < rows.size(); ++end) {
      const int64_t gap = (rows[end] - rows[end - 1] - 1) * rowBytes, span = (rows[end] + 1 - rows[i]) * rowBytes;
      if (gap > kMostGap || ((hasGaps || gap > 0) && span > kWindow))
        break;
      hasGaps = hasGaps || gap > 0;
    }
    const int64_t offset = rows[i] * rowBytes, span = (rows[end - 1] + 1) * rowBytes - offset;
    if (hasGaps)
      window_.resize(kWindow);
    if (absl::Status status = reader_.readBytes(parts, offset, span, hasGaps ? window_.data() : to); !status.ok())
      return status;
    for (size_t k = i; hasGaps && k < end; ++k)
      std::memcpy(to + static_cast<int64_t>(k - i) * rowBytes, window_.data() + (rows[k] * rowBytes - offset),
                  static_cast<size_t>(rowBytes));
    to += static_cast<int64_t>(end - i) * rowBytes;
    i = end;
  }
  return absl::OkStatus();
}

} // namespace mlcrt
