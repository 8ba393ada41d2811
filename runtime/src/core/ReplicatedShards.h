//===- ReplicatedShards.h - Gradients on several devices of one process -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_REPLICATEDSHARDS_H
#define MLCRT_CORE_REPLICATEDSHARDS_H

#include "runtime/src/core/DeviceCollective.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/core/SumTree.h"
#include "runtime/src/core/ThreadPool.h"
#include "runtime/src/core/TrainStep.h"

#include <functional>
#include <memory>
#include <vector>

namespace mlcrt {

/// Computes the gradients of virtual shards on several devices of one kind, each with all variables. Every device has
/// shards that follow one another, and adds them as far as the tree of all shards has them in one node; the first one
/// adds what is above, in the order of the tree. So the bits are those of one device with the same number of virtual
/// shards. Sums go from device to device where they are peers (Device::peerGroup), else by host memory. A collective
/// that adds them does without the tree, and the bits are its own.
class ReplicatedShards {
public:
  /// A program for each device: `first`, and `others` of the same artifact and settings, whose devices are others
  /// (Program::create). They outlive this. `pool` is for the host's part of the first one's work. The shards are those
  /// of `mode`. A collective is one of the devices, in the order of the programs, and outlives this. Errors as
  /// ShardStep::create; kInvalidArgument: there are more programs than shards; kUnimplemented: a sum that the
  /// collective is to add, and cannot.
  static absl::StatusOr<std::unique_ptr<ReplicatedShards>> create(Program &first, const std::vector<Program *> &others,
                                                                  ThreadPool &pool, TrainMode mode,
                                                                  SumExchange exchange = {});

  int size() const { return static_cast<int>(members_.size()); }
  Program &program(int member) { return *members_[static_cast<size_t>(member)]->program; }
  /// The program that computes the gradient of a virtual shard; null: it is none of these shards.
  Program *programOf(int64_t shard) const;
  /// For the host's part of a member's work.
  ThreadPool &pool(int member) { return *members_[static_cast<size_t>(member)]->pool; }

  /// Gives variables of all other programs the values of the first one.
  absl::Status copyVariables(const std::vector<int32_t> &variables);
  /// As ShardStep, of all devices.
  void placeVariable(int32_t variable, void *data);

  /// Computes the sums of a step, each device those of its shards; arguments as of ShardStep::begin. `launchedSlots`:
  /// of each device, as of ShardStep::launchWith; empty: all is waited for.
  absl::Status compute(const BatchView &batch, TrainSlots &slots, const CallContext &context,
                       const std::vector<void *> &launchedSlots = {});
  /// As of ShardStep, of all devices, which copy from each other.
  bool canLaunch();
  bool hasLaunchedSlot() const { return members_.front()->shards->hasLaunchedSlot(); }
  /// Gives all slots, one on each device, the least of them.
  absl::Status shareSlots(const std::vector<void *> &slots);
  /// The sum of a node of the shards that were computed, where the first program has it; null if none of them has rows.
  /// Valid until the next step.
  absl::StatusOr<SumSet *> sum(SumNode node);
  /// Where the collective adds: the sum of all shards that were computed, on each member's device; empty if none of
  /// them has rows. Valid until the next step.
  absl::StatusOr<std::vector<SumSet *>> reduce();
  bool isAllReduce() const { return exchange_.isAllReduce; }
  /// Symbols of the batch.
  const Symbols &global() const { return members_.front()->shards->global(); }

  /// Calls `part` with the number of each member, all at once; the error of the first one that has one.
  absl::Status forEach(const std::function<absl::Status(int member)> &part);
  /// Gives targets[m] of each member m but the first one what that one's `source` has, which stays. Those that are in
  /// host memory alone are there.
  absl::Status carryToAll(SumSet &source, const std::vector<SumSet *> &targets);
  /// An error of the exchange between devices until now.
  absl::Status check() { return exchange_.collective ? exchange_.collective->check() : absl::OkStatus(); }
  /// Whether all devices copy from each other: what they have of sums need not come to host memory.
  bool arePeers() const { return arePeers_; }

private:
  /// A device's part.
  struct Member {
    Program *program = nullptr;
    ThreadPool *pool = nullptr;
    std::unique_ptr<ThreadPool> ownPool; ///< null: the pool that create() was given
    std::unique_ptr<ShardStep> shards;
    int64_t firstShard = 0, lastShard = 0; ///< [firstShard, lastShard) are its virtual shards
    std::vector<SumNode> nodes;            ///< of these, in their order
    std::vector<SumSet *> sums;            ///< of the nodes; null where none of the shards has rows
    SumSet whole[2];     ///< where the collective adds: sums of several nodes, zeros of a member without rows
    absl::Status status; ///< of what it did last
  };

  ReplicatedShards(TrainMode mode, int members, SumExchange exchange);
  absl::Status computeSums(Member &member, const BatchView &batch, TrainSlots &slots, const CallContext &context,
                           void *launchedSlot);
  /// As carryTo, from any program; `isTaken`: the source is of no more use.
  absl::Status carry(Program &from, SumSet &source, Program &to, SumSet &target, bool isTaken);
  /// Calls `copies`, and has the collective, if there is one, do at once what it asks for.
  absl::Status together(const std::function<absl::Status()> &copies);
  /// The sum of all of a member's nodes; null if none of its shards has rows.
  absl::StatusOr<SumSet *> wholeOf(Member &member);
  /// Zeros in the shapes of sums.
  SumSet *zerosOf(Member &member);
  /// The sum of a node where a member has it.
  absl::StatusOr<SumTree::Found> find(SumNode node, SumSet &sums);

  const SumExchange exchange_;
  bool arePeers_ = true;
  ThreadPool threads_;
  std::vector<std::unique_ptr<Member>> members_;
  SumTree tree_;           ///< above the members' nodes
  DeviceBytes otherSlots_; ///< on the first device, those of the others
};

/// Brings all sums of a set to host memory.
absl::Status fetchSums(Program &program, const SumSet &sums);

} // namespace mlcrt

#endif // MLCRT_CORE_REPLICATEDSHARDS_H
