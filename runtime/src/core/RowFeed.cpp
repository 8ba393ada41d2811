//===- RowFeed.cpp - Tables of which a runner gets the rows of a batch -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/RowFeed.h"

#include <algorithm>
#include <cstring>

namespace mlcrt {

ReadKinds::ReadKinds(const Artifact &artifact)
    : isRead(artifact.table().num_variables), isByRows(artifact.table().num_variables) {
  const mlcrt_artifact &table = artifact.table();
  std::vector<bool> isWhole(isRead.size());
  for (mlcrt_role role : {MLCRT_ROLE_EVAL_RESET, MLCRT_ROLE_EVAL_UPDATE, MLCRT_ROLE_EVAL_RESULT, MLCRT_ROLE_PREDICT}) {
    const mlcrt_entry *entry = artifact.entry(role);
    const std::vector<bool> byRows = RowPulls(artifact, role).areByRows();
    for (int32_t s = 0; entry && s < entry->num_segments; ++s)
      for (int32_t i = 0; i < entry->segments[s].num_operands; ++i)
        if (const mlcrt_operand &operand = entry->segments[s].operands[i]; operand.source == MLCRT_SOURCE_VARIABLE) {
          isRead[operand.index] = true;
          isWhole[operand.index] = isWhole[operand.index] || !byRows[operand.index];
        }
  }
  // The parts of entries on several devices read what they have, whole.
  if (table.num_parts > 0)
    isRead = isWhole = std::vector<bool>(isRead.size(), true);
  for (size_t i = 0; i < isRead.size(); ++i) {
    if (table.variables[i].flags & MLCRT_VARIABLE_EVAL)
      isRead[i] = false;
    isByRows[i] = isRead[i] && !isWhole[i];
  }
}

bool RowFeed::isNeeded() const {
  for (size_t t = 0; source_ && t < pulls_.size(); ++t)
    if (source_->has(pulls_.variable(t)))
      return true;
  return false;
}

absl::Status RowFeed::take(FeatureSlot &slot) {
  if (!isNeeded())
    return absl::OkStatus();
  // Pages of rows that were written to their places in the state stay in memory until then.
  constexpr int64_t kMostWritten = int64_t{64} << 20;
  if (written_ > kMostWritten) {
    for (size_t t = 0; t < pulls_.size(); ++t)
      if (source_->has(pulls_.variable(t)))
        program_.state().releaseRows(pulls_.variable(t));
    written_ = 0;
  }
  pulls_.find(slot, pool_);
  bool isAll = true;
  for (size_t t = 0; t < pulls_.size(); ++t)
    isAll = isAll && source_->has(pulls_.variable(t));
  for (size_t t = 0; t < pulls_.size(); ++t) {
    const int32_t variable = pulls_.variable(t);
    if (!source_->has(variable))
      continue;
    const std::vector<int64_t> &rows = pulls_.rows(t);
    const int64_t rowBytes = bytesOfRow(program_.state().storage(variable));
    rows_[t].reserve(static_cast<int64_t>(rows.size()) * rowBytes);
    if (absl::Status status = source_->readRows(variable, rows, static_cast<char *>(rows_[t].data())); !status.ok())
      return status;
    // Tables that share the numbers of rows have the same rows, or none has other numbers.
    if (isAll && pulls_.isNumbered(t))
      runner_.placeVariable(variable, rows_[t].data());
    else if (absl::Status status = scatter(t); !status.ok())
      return status;
  }
  if (isAll)
    pulls_.number(slot);
  return absl::OkStatus();
}

/// Puts rows into their places in the state.
absl::Status RowFeed::scatter(size_t table) {
  const int32_t variable = pulls_.variable(table);
  const std::vector<int64_t> &rows = pulls_.rows(table);
  const int64_t rowBytes = bytesOfRow(program_.state().storage(variable));
  const char *from = static_cast<const char *>(rows_[table].data());
  absl::Status status = program_.state().fill(variable, [&](void *to, int64_t) {
    for (size_t i = 0; i < rows.size(); ++i)
      std::memcpy(static_cast<char *>(to) + rows[i] * rowBytes, from + static_cast<int64_t>(i) * rowBytes,
                  static_cast<size_t>(rowBytes));
    return absl::OkStatus();
  });
  constexpr int64_t kPage = 4096; // at least one for each row
  written_ += static_cast<int64_t>(rows.size()) * std::max(rowBytes, kPage);
  return status;
}

} // namespace mlcrt
