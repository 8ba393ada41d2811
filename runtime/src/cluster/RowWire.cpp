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
    TensorView buffer = {nullptr, value.dtype, {value.dims, value.dims + value.rank}};
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
    const int64_t rowBytes = tables_[t].rowBytes;
    rows[t].reserve(static_cast<int64_t>(ids[t].size()) * rowBytes);
    if (first < last)
      spans.push_back({static_cast<char *>(rows[t].data()) + static_cast<int64_t>(first) * rowBytes,
                       static_cast<int64_t>(last - first) * rowBytes});
  }
}

absl::Status RowWire::writeRows(size_t table, const TableIds &ids, const std::vector<AlignedBytes> &rows,
                                State &state) const {
  // Nothing else writes the variable, and what reads it comes after this.
  state.changed(tables_[table].variable);
  return scatterRows({state.storage(tables_[table].variable), 0}, ids[table].data(),
                     static_cast<int64_t>(ids[table].size()), rows[table].data());
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

std::shared_ptr<void> RowWire::takeSpare(int64_t bytes) const {
  AlignedBytes buffer;
  {
    std::lock_guard<std::mutex> lock(spare_->mutex);
    if (!spare_->buffers.empty()) {
      buffer = std::move(spare_->buffers.back());
      spare_->buffers.pop_back();
    }
  }
  if (buffer.size() < bytes)
    buffer.reserve(bytes + bytes / 4); // batches differ a little
  auto *taken = new AlignedBytes(std::move(buffer));
  return std::shared_ptr<void>(taken->data(), [taken, spare = spare_](void *) {
    constexpr size_t kMost = 4;
    std::unique_ptr<AlignedBytes> gone(taken);
    std::lock_guard<std::mutex> lock(spare->mutex);
    if (spare->buffers.size() < kMost)
      spare->buffers.push_back(std::move(*gone));
  });
}

void RowWire::sendRows(const TableIds &ids, State &state, ThreadPool &pool, OutgoingMessage &message) const {
  /// Some rows of a table.
  struct Piece {
    HeldRows held;
    const int64_t *ids;
    int64_t count;
    char *to;
  };
  constexpr int64_t kMostRows = 512;
  int64_t bytes = 0;
  for (size_t t = 0; t < tables_.size() && t < ids.size(); ++t)
    bytes += static_cast<int64_t>(ids[t].size()) * tables_[t].rowBytes;
  if (bytes == 0)
    return;
  std::shared_ptr<void> rows = takeSpare(bytes);
  char *to = static_cast<char *>(rows.get());
  std::vector<Piece> pieces;
  for (size_t t = 0; t < tables_.size() && t < ids.size(); ++t) {
    const HeldRows held = {state.storage(tables_[t].variable), tables_[t].rows.begin};
    const auto total = static_cast<int64_t>(ids[t].size());
    for (int64_t first = 0; first < total; first += kMostRows) {
      pieces.push_back({held, ids[t].data() + first, std::min(kMostRows, total - first), to});
      to += pieces.back().count * tables_[t].rowBytes;
    }
  }
  auto gather = [](void *list, int64_t first, int64_t last, int64_t) -> int32_t {
    for (const Piece *piece = static_cast<Piece *>(list) + first; first < last; ++first, ++piece)
      (void)gatherRows(piece->held, piece->ids, piece->count, piece->to); // receiveIds saw to the range
    return MLCRT_OK;
  };
  // To wake a thread takes longer than a few rows.
  constexpr int64_t kLeastBytes = 1 << 18;
  const auto count = static_cast<int64_t>(pieces.size());
  if (bytes < kLeastBytes)
    (void)gather(pieces.data(), 0, count, 0);
  else
    pool.parallelFor(gather, pieces.data(), count);
  message.payload.push_back({rows.get(), bytes, rows});
}

} // namespace mlcrt
