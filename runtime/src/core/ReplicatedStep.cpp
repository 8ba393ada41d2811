//===- ReplicatedStep.cpp - Steps on several devices of one process -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ReplicatedStep.h"

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

absl::Status ReplicatedStep::run(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  if (absl::Status status = shards_->compute(batch, slots, context); !status.ok())
    return status;
  const absl::StatusOr<std::vector<SumSet *>> sums = totals();
  if (!sums.ok())
    return sums.status();
  if (sums->empty())
    return absl::InvalidArgumentError("a training step needs a batch with rows");
  absl::Status status = shards_->forEach([&](int m) {
    SumOperands operands;
    operands.a = (*sums)[static_cast<size_t>(m)];
    return members_[static_cast<size_t>(m)].apply->runSums(context, operands, shards_->global());
  });
  return status.ok() ? shards_->check() : status;
}

} // namespace mlcrt
