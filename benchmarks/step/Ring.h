// Batches that a benchmark steps through in a circle. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_BENCHMARKS_STEP_RING_H
#define MLC_BENCHMARKS_STEP_RING_H

#include "absl/status/statusor.h"
#include "runtime/src/core/EntryRunner.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlcbench {

/// The batches of a safetensors file: a tensor for each feature under its name, of shape [batches, rows, ...].
class Ring {
public:
  /// Reads the features that `entry` uses. kInvalidArgument: a feature is missing or its dtype or shape do not fit.
  static absl::StatusOr<Ring> open(const std::string &path, const mlcrt::Artifact &artifact, const mlcrt_entry &entry);

  int64_t size() const { return static_cast<int64_t>(views_.size()); }
  const mlcrt::BatchView &batch(int64_t step) const { return views_[step % size()]; }

private:
  std::vector<mlcrt::AlignedBytes> memory_;
  std::vector<mlcrt::BatchView> views_;
};

} // namespace mlcbench

#endif // MLC_BENCHMARKS_STEP_RING_H
