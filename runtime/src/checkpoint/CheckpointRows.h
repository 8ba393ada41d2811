// Tables of a checkpoint that stay on the disk. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_CHECKPOINTROWS_H
#define MLCRT_CHECKPOINT_CHECKPOINTROWS_H

#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/core/RowFeed.h"

#include <memory>
#include <string>
#include <vector>

namespace mlcrt {

/// The variables of a checkpoint whose rows are read when they are needed. Retention may remove the checkpoint
/// meanwhile.
class CheckpointRows : public TableSource {
public:
  /// Gives `state` the variables of variablesInState; of other tables that entries which evaluate or predict read the
  /// rows stay where they are. All of the checkpoint is proven by its checksums. Errors as restoreState. `manifest` is
  /// that of `directory`.
  static absl::StatusOr<std::unique_ptr<CheckpointRows>>
  restore(const std::string &directory, const CheckpointManifest &manifest, const Artifact &artifact, State &state);

  /// Which variables restore() gives the state: those that are read whole, and tables that are read by rows if all of
  /// these are small.
  static std::vector<bool> variablesInState(const Artifact &artifact);

  bool has(int32_t variable) const override { return !tables_[static_cast<size_t>(variable)].parts.empty(); }
  absl::Status readRows(int32_t variable, const std::vector<int64_t> &rows, char *to) override;
  absl::Status readBytes(int32_t variable, int64_t offset, int64_t bytes, void *to) const override {
    return reader_.readBytes(tables_[static_cast<size_t>(variable)].parts, offset, bytes, to);
  }

private:
  struct Table {
    std::vector<SliceRecord> parts; ///< rows of the variable; none: it is in the state, or nobody reads it
    int64_t rowBytes = 0;
  };
  explicit CheckpointRows(CheckpointReader reader) : reader_(std::move(reader)) {}

  CheckpointReader reader_;
  std::vector<Table> tables_; ///< by variable
  std::vector<char> window_;  ///< of rows that do not lie one after the other
};

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_CHECKPOINTROWS_H
