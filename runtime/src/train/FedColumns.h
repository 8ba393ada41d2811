// Columns that a run is given in the place of those of its input, a batch at a time. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_FEDCOLUMNS_H
#define MLCRT_TRAIN_FEDCOLUMNS_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/input/Dataset.h"

#include <functional>
#include <memory>

namespace mlcrt {

/// Puts arrays in the place of features of a batch, whatever its source: what a step computes is what it computes of an
/// input that has these values there. Who uses it asks for a batch when it is wanted, and reads none ahead.
class FedColumns {
public:
  /// The arrays of the next batch, as those of a shard of an ArrayTable; null: it stays as it is.
  using Feeder = std::function<absl::StatusOr<std::shared_ptr<const MemoryArrays>>()>;

  /// The artifact and `format`, which may be null (as of ArrayTable::bind), outlive this.
  FedColumns(const Artifact &artifact, const InputFormat *format, Feeder feeder)
      : artifact_(artifact), format_(format), feeder_(std::move(feeder)) {}

  /// Asks for the arrays of the next batch and points features of `view` to them, until the next call. Those that
  /// `view` does not have, as the entry reads them not, are passed over. kDataLoss: an array of another dtype, shape or
  /// number of rows than the feature in this batch, or of no feature; errors of the feeder.
  absl::Status apply(BatchView &view);

private:
  absl::Status replace(BatchView &view);

  const Artifact &artifact_;
  const InputFormat *format_;
  const Feeder feeder_;
  // What the view points to.
  std::shared_ptr<const MemoryArrays> arrays_;
  std::unique_ptr<Dataset> dataset_;
  std::unique_ptr<Batch> batch_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_FEDCOLUMNS_H
