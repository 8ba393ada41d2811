// What checkpoints hold, whether they are whole, and how two of them differ. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_INSPECT_H
#define MLCRT_CHECKPOINT_INSPECT_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/WeightSource.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlcrt {

/// Of the elements of a tensor that are numbers; NaN where there is none.
struct TensorStatistics {
  double min = 0, max = 0, mean = 0;
  int64_t nans = 0;
};
TensorStatistics statisticsOf(const TensorView &tensor);

/// What verifyCheckpoint found.
struct CheckpointProof {
  int64_t files = 0, variables = 0, bytes = 0; ///< that were looked at
  std::vector<absl::Status> faults;            ///< kDataLoss each; of one file or tensor
};
/// Checks the manifest, size and checksum of every file, its header, and every tensor; finds all faults, not the first.
CheckpointProof verifyCheckpoint(const std::string &directory);
/// The same for one of TensorFlow: the index, then the checksum of every tensor of numbers.
CheckpointProof verifyTensorFlowCheckpoint(const std::string &prefix);

/// How a variable differs between two checkpoints.
struct VariableDifference {
  enum Kind { Added, Removed, Retyped, Changed };
  Kind kind = Changed;
  std::string name, before, after; ///< types as typeText; empty where the variable is not
  int64_t elements = 0;            ///< Changed: how many differ in a bit
  double largest = 0;              ///< Changed: of |a - b|; NaN if one of the two is not a number
};
/// The variables that differ from `a` to `b`, by name. Errors as WeightSource::read.
absl::StatusOr<std::vector<VariableDifference>> diffCheckpoints(const WeightSource &a, const WeightSource &b);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_INSPECT_H
