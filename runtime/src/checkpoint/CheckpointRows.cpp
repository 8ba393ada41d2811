// Tables of a checkpoint that stay on the disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/CheckpointRows.h"

#include "runtime/src/checkpoint/CheckpointStore.h"

namespace mlcrt {

/// Tables that take less memory together are read whole.
static constexpr int64_t kLeastOnDisk = int64_t{16} << 20;

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
  int64_t byRows = 0;
  for (const VariableRecord &record : manifest.variables)
    if (kinds.isByRows[artifact.variableIndex(record.name)])
      byRows += record.bytes;
  for (const VariableRecord &record : manifest.variables) {
    const int32_t index = artifact.variableIndex(record.name);
    absl::Status status;
    if (kinds.isRead[index] && (!kinds.isByRows[index] || byRows < kLeastOnDisk)) {
      status =
          state.fill(index, [&](void *to, int64_t) { return rows->reader_.readRows(record, allRows(record), to); });
    } else {
      status = rows->reader_.prove(record, allRows(record));
      if (kinds.isRead[index])
        rows->tables_[static_cast<size_t>(index)] = {record.parts(), record.bytes / allRows(record).size()};
    }
    if (!status.ok())
      return status;
  }
  rows->reader_.map();
  return rows;
}

absl::Status CheckpointRows::readRows(int32_t variable, const std::vector<int64_t> &rows, char *to) {
  const auto &[parts, rowBytes] = tables_[static_cast<size_t>(variable)];
  for (size_t i = 0; i < rows.size();) {
    size_t end = i + 1; // rows that lie one behind the other
    while (end < rows.size() && rows[end] == rows[end - 1] + 1)
      ++end;
    const int64_t bytes = static_cast<int64_t>(end - i) * rowBytes;
    if (absl::Status status = reader_.readBytes(parts, rows[i] * rowBytes, bytes, to); !status.ok())
      return status;
    to += bytes;
    i = end;
  }
  return absl::OkStatus();
}

} // namespace mlcrt
