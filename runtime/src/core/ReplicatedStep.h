//===- ReplicatedStep.h - Steps on several devices of one process -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_REPLICATEDSTEP_H
#define MLCRT_CORE_REPLICATEDSTEP_H

#include "runtime/src/core/ReplicatedShards.h"

#include <deque>
#include <memory>
#include <vector>

namespace mlcrt {

/// Runs steps on several devices of one kind, each with all variables: their gradients are those of ReplicatedShards,
/// and each applies the sum. So the bits are those of one device with the same number of virtual shards, unless a
/// collective adds the sums, and all devices have the same variables after a step.
class ReplicatedStep : public Stepper {
public:
  /// As ReplicatedShards::create, of all virtual shards. `first` has the state that counts; the trained variables of
  /// `others` get its values here. Errors of the state, too.
  static absl::StatusOr<std::unique_ptr<ReplicatedStep>> create(Program &first, const std::vector<Program *> &others,
                                                                ThreadPool &pool, TrainMode mode,
                                                                SumExchange exchange = {});

  absl::Status run(const BatchView &batch, TrainSlots &slots, const CallContext &context) override;
  /// As of TrainStep; all devices hold their updates back where a part of one fails.
  bool canLaunch() override;
  void launchStep(const BatchView &batch, TrainSlots &slots, const CallContext &context) override;
  absl::Status settleStep() override;
  Program *programOf(int64_t shard) const override { return shards_->programOf(shard); }
  const EntryOutputs &results() const override { return members_.front().apply->outputs(); }

private:
  /// A device's part.
  struct Member {
    std::unique_ptr<EntryRunner> apply;
    SumSet total; ///< the root's, of all members but the first
  };

  explicit ReplicatedStep(TrainMode mode) : root_{rootLevel(mode.virtualShards), 0} {}
  /// The sum of all shards, as each member has it; empty if none of them has rows.
  absl::StatusOr<std::vector<SumSet *>> totals();
  /// Computes that. `launchedSlots`: as of ReplicatedShards::compute.
  absl::StatusOr<std::vector<SumSet *>> sum(const BatchView &batch, TrainSlots &slots, const CallContext &context,
                                            const std::vector<void *> &launchedSlots);
  /// The same of a step that is launched.
  absl::StatusOr<std::vector<SumSet *>> launchSum(const BatchView &batch, TrainSlots &slots,
                                                  const CallContext &context);

  const SumNode root_;
  std::unique_ptr<ReplicatedShards> shards_;
  std::vector<Member> members_;
  std::deque<LaunchedParts> launched_; ///< not settled
};

} // namespace mlcrt

#endif // MLCRT_CORE_REPLICATEDSTEP_H
