//===- ReplicatedStep.h - Steps on several devices of one process -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_REPLICATEDSTEP_H
#define MLCRT_CORE_REPLICATEDSTEP_H

#include "runtime/src/core/Program.h"
#include "runtime/src/core/SumTree.h"
#include "runtime/src/core/ThreadPool.h"
#include "runtime/src/core/TrainStep.h"

#include <memory>
#include <vector>

namespace mlcrt {

/// Runs steps on several devices of one kind, each with all variables. Every device computes the gradients of virtual
/// shards that follow one another, and adds them as far as the tree of all shards has them in one node; the first one
/// adds what is above, in the order of the tree; each applies the sum. So the bits are those of one device with the
/// same number of virtual shards, and all devices have the same variables after a step. Sums go from device to device
/// where they are peers (Device::peerGroup), else by host memory.
class ReplicatedStep : public Stepper {
public:
  /// A program for each device: `first`, whose state counts, and `others` of the same artifact and settings, whose
  /// devices are others (Program::create), and whose trained variables get the values of the first one here. They
  /// outlive this. `pool` is for the host's part of the first one's steps. Errors as TrainFeatures::create;
  /// kInvalidArgument: there are more programs than virtual shards; errors of the state.
  static absl::StatusOr<std::unique_ptr<ReplicatedStep>> create(Program &first, const std::vector<Program *> &others,
                                                                ThreadPool &pool, TrainMode mode);

  absl::Status run(const BatchView &batch, TrainSlots &slots, const CallContext &context) override;
  const EntryOutputs &results() const override { return members_.front()->apply->outputs(); }

private:
  /// A device's part.
  struct Member {
    Program *program = nullptr;
    std::unique_ptr<ThreadPool> ownPool; ///< null: the pool that create() was given
    std::unique_ptr<ShardStep> shards;
    std::unique_ptr<EntryRunner> apply;
    std::vector<SumNode> nodes; ///< of its shards, in their order
    std::vector<SumSet *> sums; ///< of the nodes; null where none of the shards has rows
    SumSet total;               ///< the root's, of all members but the first
    absl::Status status;        ///< of what it did last
  };

  ReplicatedStep(Program &first, TrainMode mode, int members);
  /// Each member's part, all at once; the error of the first one that has one.
  absl::Status forEach(absl::Status (ReplicatedStep::*part)(Member &));
  absl::Status computeSums(Member &member);
  /// Gives a member's set the sums of another one, which is of no more use if `isTaken`. Those that are in host memory
  /// alone are there.
  absl::Status carry(Program &from, SumSet &source, Program &to, SumSet &target, bool isTaken);
  /// Gives a member the total; none applies it yet, which brings it to other places.
  absl::Status takeTotal(Member &member);
  absl::Status applyTotal(Member &member);
  /// The sum of a node where a member has it.
  absl::StatusOr<SumTree::Found> find(SumNode node, SumSet &sums);

  Program &first_;
  const int64_t shards_;
  bool arePeers_ = false; ///< all devices: what they have of sums need not come to host memory
  ThreadPool threads_;
  std::vector<std::unique_ptr<Member>> members_;
  SumTree tree_; ///< above the members' nodes
  // Of the step that runs.
  const BatchView *batch_ = nullptr;
  TrainSlots *slots_ = nullptr;
  CallContext context_;
  SumSet *root_ = nullptr;
};

} // namespace mlcrt

#endif // MLCRT_CORE_REPLICATEDSTEP_H
