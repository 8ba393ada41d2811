// Training on several GPUs of one process. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_REPLICAS_H
#define MLCRT_TRAIN_REPLICAS_H

#include "runtime/src/core/ReplicatedStep.h"
#include "runtime/src/train/TrainRun.h"

#include <memory>
#include <string>
#include <vector>

namespace mlcrt {

/// Programs on the GPUs after the first one, as many as --gpus says, and a line that tells of them; none for one GPU.
/// `first` is that on the first one, `shards` the virtual shards that they share. kInvalidArgument (E0203): there are
/// fewer of these than GPUs, or kernels of one GPU add in another order than those of the first one (Device::sums).
absl::StatusOr<std::vector<std::unique_ptr<Program>>> otherPrograms(const RunContext &context, Program &first,
                                                                    int64_t shards);

/// Programs on further GPUs, and the steps of all.
class Replicas {
public:
  /// `first` has the state that training begins with; it, `pool` and the context outlive this. Errors as
  /// otherPrograms, and as ReplicatedStep::create.
  static absl::StatusOr<std::unique_ptr<Replicas>> create(const RunContext &context, Program &first, ThreadPool &pool,
                                                          TrainMode mode);

  Stepper *stepper() { return step_.get(); }

private:
  std::vector<std::unique_ptr<Program>> programs_;
  std::unique_ptr<ReplicatedStep> step_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_REPLICAS_H
