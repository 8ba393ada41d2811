// Synchronous steps of a task where others may stand in for it. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_BACKUPSTEPPER_H
#define MLCRT_CLUSTER_BACKUPSTEPPER_H

#include "runtime/src/cluster/BackupServer.h"
#include "runtime/src/cluster/RemoteStepper.h"

#include <functional>

namespace mlcrt {

/// A task of servers with backup workers (BackupServer). It may be late: after a call of `run` the variables are those
/// of `version()`, which may be steps ahead, and the batches of the steps between are nobody's here. Redundant: when
/// its shards are pushed it recomputes those of others that are late.
class BackupStepper : public SyncStepper {
public:
  /// Computes the features of virtual shards of a batch that are another task's: see TrainFeatures::runShards.
  using PrepareShards = std::function<absl::Status(const BatchView &batch, TrainSlots &slots,
                                                   const CallContext &context, ShardRange shards)>;

  /// All references outlive this. Errors as ShardStep::create.
  static absl::StatusOr<std::unique_ptr<BackupStepper>>
  create(Program &program, ThreadPool &pool, const ServerLinks &servers, int64_t virtualShards, ShardRange shards,
         BackupOptions::Policy policy, PrepareShards prepare, std::chrono::milliseconds timeout);

  absl::Status run(const BatchView &batch, TrainSlots &slots, const CallContext &context) override;
  int64_t stepsDone() const override { return version_; }
  /// The variables of `step`, or of a later one if that is over.
  absl::Status pull(int64_t step) override { return takeAlike("pull", step, &ServerTensors::read); }
  absl::Status fetch(int64_t step) override { return takeAlike("fetch", step, &ServerTensors::all); }

  /// Steps that were done without this task.
  int64_t missed() const { return missed_; }
  /// Shards of others that it pushed.
  int64_t recomputed() const { return recomputed_; }

private:
  class Calls;

  BackupStepper(Program &program, const ServerLinks &servers, int64_t virtualShards, ShardRange shards,
                BackupOptions::Policy policy, PrepareShards prepare, std::chrono::milliseconds timeout)
      : SyncStepper(program, servers, shards, timeout, /*pullsRows=*/false, OverlapOptions()),
        virtualShards_(virtualShards), policy_(policy), prepare_(std::move(prepare)) {}

  /// Servers go on while they answer: asks until all answers are of one step.
  absl::Status takeAlike(const char *method, int64_t step, VariableWire ServerTensors::*variables);
  /// Sums of shards, and what each server gets of them: slices of memory of the step that has begun.
  struct Push {
    cluster::StepRequest request;
    std::vector<OutgoingMessage> payloads;
  };
  absl::StatusOr<std::shared_ptr<const Push>> sumShards(ShardRange shards, bool isBackup, const CallContext &context);
  void startStep(const std::shared_ptr<const Push> &push, const std::shared_ptr<Calls> &calls);
  void startStep(const std::shared_ptr<const Push> &push, size_t server, const std::shared_ptr<Calls> &calls);
  /// Waits under the lock; pushes whose connection breaks meanwhile go again, or fail.
  void await(std::unique_lock<std::mutex> &lock, CallRetry &retry, const std::shared_ptr<Calls> &calls,
             const std::function<bool()> &isDone);
  /// Recomputes late shards until the step is over.
  absl::Status help(const BatchView &batch, TrainSlots &slots, const CallContext &context, CallRetry &retry,
                    const std::shared_ptr<Calls> &calls);

  const int64_t virtualShards_;
  const BackupOptions::Policy policy_;
  const PrepareShards prepare_;
  int64_t missed_ = 0, recomputed_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_BACKUPSTEPPER_H
