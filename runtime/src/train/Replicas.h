// Training on several GPUs of one process. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_REPLICAS_H
#define MLCRT_TRAIN_REPLICAS_H

#include "runtime/src/core/DeviceCollective.h"
#include "runtime/src/core/ReplicatedStep.h"
#include "runtime/src/train/TrainRun.h"

#include <memory>

namespace mlcrt {

/// Programs on the GPUs after the first one, as many as --gpus says, and a line that tells of them; none for one GPU.
/// `first` is that on the first one, `shards` the virtual shards that they share. What --gpu_sums asks for connects
/// them. kInvalidArgument (E0203): there are fewer shards than GPUs, or kernels of one GPU add in another order than
/// those of the first one (Device::sums); kFailedPrecondition (E0505): there is no NCCL.
absl::StatusOr<OtherDevices> otherDevices(const RunContext &context, Program &first, int64_t shards);

/// Whether sums of several GPUs are added in an order that is not the program's (--gpu_sums allreduce).
bool isAllReduce(const RunOptions &options);

/// Programs on further GPUs, and the steps of all.
class Replicas {
public:
  /// `first` has the state that training begins with; it, `pool` and the context outlive this. Errors as
  /// otherDevices, and as ReplicatedStep::create; E0203: a sum of the model that all-reduce cannot add.
  static absl::StatusOr<std::unique_ptr<Replicas>> create(const RunContext &context, Program &first, ThreadPool &pool,
                                                          TrainMode mode);

  Stepper *stepper() { return step_.get(); }

private:
  OtherDevices others_;
  std::unique_ptr<ReplicatedStep> step_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_REPLICAS_H
