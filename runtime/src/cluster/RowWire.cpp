// Rows of tables by their ids, in payloads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/RowWire.h"

#include "runtime/src/core/Rows.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace mlcrt {

RowWire::RowWire(const Artifact &artifact, const ShardPlan &plan, int server, bool pullsRows) {
  const RowPulls pulls(artifact);
  for (size_t t = 0; pullsRows && t < pulls.size(); ++t) {
    const int32_t variable = pulls.variable(t);
    const mlcrt_value &value = artifact.table().variables[variable].value;
    mlcrt_buffer buffer = {nullptr, value.dtype, value.rank, {}};
    std::copy(value.dims, value.dims + value.rank, buffer.dims);
    tables_.push_back({variable, plan.rows(variable, server), bytesOfRow(buffer)});
  }
}

std::pair<size_t, size_t> RowWire::rangeOf(const Table &table, const std::vector<int64_t> &ids) const {
  const auto first = std::lower_bound(ids.begin(), ids.end(), table.rows.begin);
  const auto last = std::lower_bound(first, ids.end(), table.rows.end);
  return {first - ids.begin(), last - ids.begin()};
}

void RowWire::sendIds(const TableIds &ids, OutgoingMessage &message) const {
  if (tables_.empty())
    return;
  auto counts = std::make_shared<std::vector<int64_t>>(tables_.size());
  message.payload.push_back({counts->data(), static_cast<int64_t>(counts->size() * sizeof(int64_t)), counts});
  for (size_t t = 0; t < tables_.size() && t < ids.size(); ++t) {
    const auto [first, last] = rangeOf(tables_[t], ids[t]);
    (*counts)[t] = static_cast<int64_t>(last - first);
    if (first < last)
      message.payload.push_back({ids[t].data() + first, (*counts)[t] * int64_t{sizeof(int64_t)}, nullptr});
  }
}

void RowWire::place(const TableIds &ids, std::vector<AlignedBytes> &rows, std::vector<Placement::Span> &spans) const {
  rows.resize(tables_.size());
  for (size_t t = 0; t < tables_.size() && t < ids.size(); ++t) {
    const auto [first, last] = rangeOf(tables_[t], ids[t]);
    const int64_t bytes = static_cast<int64_t>(last - first) * tables_[t].rowBytes;
    rows[t].reserve(bytes);
    if (bytes > 0)
      spans.push_back({rows[t].data(), bytes});
  }
}

absl::Status RowWire::writeRows(const TableIds &ids, const std::vector<AlignedBytes> &rows, State &state) const {
  for (size_t t = 0; t < tables_.size() && t < ids.size(); ++t) {
    const Table &table = tables_[t];
    const auto [first, last] = rangeOf(table, ids[t]);
    // Nothing else writes the variable, and what reads it comes behind this.
    if (absl::Status status = scatterRows({state.storage(table.variable), 0}, ids[t].data() + first,
                                          static_cast<int64_t>(last - first), rows[t].data());
        !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<TableIds> RowWire::receiveIds(IncomingMessage &message) const {
  TableIds ids(tables_.size());
  std::vector<int64_t> counts(tables_.size());
  if (absl::Status status = message.read(counts.data(), static_cast<int64_t>(counts.size() * sizeof(int64_t)));
      !status.ok())
    return status;
  for (size_t t = 0; t < tables_.size(); ++t) {
    const Table &table = tables_[t];
    if (counts[t] < 0 || counts[t] > table.rows.size())
      return absl::InvalidArgumentError(
          absl::StrCat("a pull of ", counts[t], " rows of a table of which ", table.rows.size(), " are here"));
    ids[t].resize(counts[t]);
    if (absl::Status status = message.read(ids[t].data(), counts[t] * int64_t{sizeof(int64_t)}); !status.ok())
      return status;
    for (int64_t i = 0; i < counts[t]; ++i)
      if (ids[t][i] < table.rows.begin || ids[t][i] >= table.rows.end || (i && ids[t][i] <= ids[t][i - 1]))
        return absl::InvalidArgumentError(absl::StrCat("a pull of row ", ids[t][i], ": rows must ascend within [",
                                                       table.rows.begin, ", ", table.rows.end, ")"));
  }
  return ids;
}

void RowWire::sendRows(const TableIds &ids, State &state, OutgoingMessage &message) const {
  for (size_t t = 0; t < tables_.size() && t < ids.size(); ++t) {
    if (ids[t].empty())
      continue;
    const Table &table = tables_[t];
    const auto count = static_cast<int64_t>(ids[t].size());
    // Overwritten at once: no zeros are needed.
    std::shared_ptr<char[]> rows(new char[count * table.rowBytes]);
    (void)gatherRows({state.storage(table.variable), table.rows.begin}, ids[t].data(), count, rows.get());
    message.payload.push_back({rows.get(), count * table.rowBytes, rows});
  }
}

} // namespace mlcrt
