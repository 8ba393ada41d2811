//===- ReplicatedStep.cpp - Steps on several devices of one process -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ReplicatedStep.h"

#include <atomic>
#include <utility>

namespace mlcrt {

/// All variables that are trained.
static std::vector<int32_t> trainedVariables(const State &state) {
  std::vector<int32_t> variables;
  for (int32_t v = 0; v < state.size(); ++v)
    if (!(state.variable(v).flags & MLCRT_VARIABLE_EVAL))
      variables.push_back(v);
  return variables;
}

absl::StatusOr<std::unique_ptr<ReplicatedStep>> ReplicatedStep::create(Program &first,
                                                                       const std::vector<Program *> &others,
                                                                       ThreadPool &pool, TrainMode mode,
                                                                       SumExchange exchange) {
  mode.firstShard = 0;
  mode.lastShard = -1;
  absl::StatusOr<std::unique_ptr<ReplicatedShards>> shards =
      ReplicatedShards::create(first, others, pool, mode, exchange);
  if (!shards.ok())
    return shards.status();
  std::unique_ptr<ReplicatedStep> step(new ReplicatedStep(mode));
  step->shards_ = *std::move(shards);
  if (absl::Status status = step->shards_->copyVariables(trainedVariables(first.state())); !status.ok())
    return status;
  const mlcrt_entry &apply = *first.artifact().entry(MLCRT_ROLE_TRAIN_APPLY);
  for (int m = 0; m < step->shards_->size(); ++m)
    step->members_.push_back(
        {std::make_unique<EntryRunner>(step->shards_->program(m), apply, step->shards_->pool(m)), SumSet()});
  return step;
}

absl::StatusOr<std::vector<SumSet *>> ReplicatedStep::totals() {
  if (shards_->isAllReduce())
    return shards_->reduce();
  const absl::StatusOr<SumSet *> root = shards_->sum(root_);
  if (!root.ok())
    return root.status();
  std::vector<SumSet *> totals;
  if (!*root)
    return totals;
  if (!shards_->arePeers())
    if (absl::Status status = fetchSums(shards_->program(0), **root); !status.ok())
      return status;
  totals.push_back(*root);
  for (size_t m = 1; m < members_.size(); ++m)
    totals.push_back(&members_[m].total);
  // None applies it before all have it: that brings it to other places.
  if (absl::Status status = shards_->carryToAll(**root, totals); !status.ok())
    return status;
  return totals;
}

absl::StatusOr<std::vector<SumSet *>> ReplicatedStep::sum(const BatchView &batch, TrainSlots &slots,
                                                          const CallContext &context,
                                                          const std::vector<void *> &launchedSlots) {
  if (absl::Status status = shards_->compute(batch, slots, context, launchedSlots); !status.ok())
    return status;
  absl::StatusOr<std::vector<SumSet *>> sums = totals();
  if (sums.ok() && sums->empty())
    return absl::InvalidArgumentError("a training step needs a batch with rows");
  return sums;
}

absl::Status ReplicatedStep::run(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  const absl::StatusOr<std::vector<SumSet *>> sums = sum(batch, slots, context, /*launchedSlots=*/{});
  if (!sums.ok())
    return sums.status();
  absl::Status status = shards_->forEach([&](int m) {
    SumOperands operands;
    operands.a = (*sums)[static_cast<size_t>(m)];
    return members_[static_cast<size_t>(m)].apply->runSums(context, operands, shards_->global());
  });
  return status.ok() ? shards_->check() : status;
}

bool ReplicatedStep::canLaunch() {
  if (!shards_->canLaunch())
    return false;
  for (const Member &member : members_)
    if (!member.apply->canLaunch() || (shards_->hasLaunchedSlot() && !member.apply->hasLaunchedSlot()))
      return false;
  return true;
}

absl::StatusOr<std::vector<SumSet *>> ReplicatedStep::launchSum(const BatchView &batch, TrainSlots &slots,
                                                                const CallContext &context) {
  std::vector<void *> launchedSlots;
  for (const Member &member : members_) {
    const absl::StatusOr<void *> slot = member.apply->launchedSlot();
    if (!slot.ok())
      return slot.status();
    launchedSlots.push_back(*slot);
  }
  absl::StatusOr<std::vector<SumSet *>> sums = sum(batch, slots, context, launchedSlots);
  if (sums.ok() && shards_->hasLaunchedSlot())
    if (absl::Status status = shards_->shareSlots(launchedSlots); !status.ok())
      return status;
  return sums;
}

void ReplicatedStep::launchStep(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  launched_.push_back({&batch, &slots, context});
  const absl::StatusOr<std::vector<SumSet *>> sums = launchSum(batch, slots, context);
  static_cast<void>(shards_->forEach([&](int m) {
    SumOperands operands;
    operands.a = sums.ok() ? (*sums)[static_cast<size_t>(m)] : nullptr;
    members_[static_cast<size_t>(m)].apply->launchSums(
        context, sums.ok() ? absl::StatusOr<SumOperands>(operands) : sums.status(), shards_->global());
    return absl::OkStatus(); // settling the step tells
  }));
}

absl::Status ReplicatedStep::settleStep() {
  const LaunchedParts step = launched_.front();
  launched_.pop_front();
  std::atomic<bool> isDone = true;
  absl::Status status = shards_->forEach([&](int m) {
    const absl::StatusOr<bool> own = members_[static_cast<size_t>(m)].apply->settleSums();
    if (own.ok() && !*own)
      isDone = false;
    return own.status();
  });
  if (status.ok())
    status = shards_->check();
  if (status.ok() && isDone)
    return status;
  launched_.clear();
  return status.ok() ? errorOfLaunched(run(*step.batch, *step.slots, step.context)) : status;
}

} // namespace mlcrt
