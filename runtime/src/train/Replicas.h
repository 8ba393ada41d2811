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

/// Programs on further GPUs, and the steps of all.
class Replicas {
public:
  /// `first` has the state that training begins with; it, `pool` and the context outlive this. kInvalidArgument
  /// (E0203): there are fewer virtual shards than GPUs, or kernels of one GPU add in another order than those of the
  /// first one, which does so as `sums` says (Device::sums).
  static absl::StatusOr<std::unique_ptr<Replicas>> create(const RunContext &context, Program &first, ThreadPool &pool,
                                                          TrainMode mode, const std::string &sums);

  Stepper *stepper() { return step_.get(); }

private:
  std::vector<std::unique_ptr<Program>> programs_;
  std::unique_ptr<ReplicatedStep> step_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_REPLICAS_H
