//===- ReplicatedStep.cpp - Steps on several devices of one process -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ReplicatedStep.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mlcrt {

ReplicatedStep::ReplicatedStep(Program &first, TrainMode mode, int members)
    : first_(first), shards_(mode.virtualShards), threads_(members),
      tree_(mode.virtualShards, [this](const SumSet &a, const SumSet &b, SumSet &out) {
        return members_.front()->shards->combine(a, b, out);
      }) {}

/// The trained variables of a program get the values of those of another one.
static absl::Status copyState(Program &from, Program &to) {
  Tensor value;
  for (int32_t v = 0; v < from.state().size(); ++v) {
    if (from.state().variable(v).flags & MLCRT_VARIABLE_EVAL)
      continue;
    if (absl::Status status = from.state().read(v, value); !status.ok())
      return status;
    if (absl::Status status = to.state().write(v, value.buffer()); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

/// Whether devices of the two programs copy from each other.
static absl::StatusOr<bool> havePeers(Program &first, Program &other) {
  const int64_t spaces = first.artifact().table().num_spaces;
  for (int32_t space = 1; space <= spaces; ++space) {
    absl::StatusOr<Device *> one = first.devices().ofSpace(space), two = other.devices().ofSpace(space);
    for (const absl::StatusOr<Device *> &device : {one, two})
      if (!device.ok())
        return device.status();
    if (!(*one)->peerGroup() || (*one)->peerGroup() != (*two)->peerGroup())
      return false;
  }
  return spaces > 0;
}

absl::StatusOr<std::unique_ptr<ReplicatedStep>>
ReplicatedStep::create(Program &first, const std::vector<Program *> &others, ThreadPool &pool, TrainMode mode) {
  const auto count = static_cast<int64_t>(others.size()) + 1;
  if (mode.virtualShards < count)
    return absl::InvalidArgumentError(
        absl::StrCat(count, " devices for ", mode.virtualShards, " virtual shards; expected: one for each at least"));
  mode.split = true;
  std::unique_ptr<ReplicatedStep> step(new ReplicatedStep(first, mode, static_cast<int>(count)));
  step->arePeers_ = true;
  for (Program *other : others) {
    absl::StatusOr<bool> peers = havePeers(first, *other);
    if (!peers.ok())
      return peers.status();
    step->arePeers_ &= *peers;
  }
  for (int64_t m = 0; m < count; ++m) {
    auto member = std::make_unique<Member>();
    member->program = m == 0 ? &first : others[static_cast<size_t>(m) - 1];
    if (m > 0) {
      member->ownPool = std::make_unique<ThreadPool>(1);
      if (absl::Status status = copyState(first, *member->program); !status.ok())
        return status;
    }
    ThreadPool &itsPool = member->ownPool ? *member->ownPool : pool;
    absl::StatusOr<std::unique_ptr<ShardStep>> shards = ShardStep::create(*member->program, itsPool, mode);
    if (!shards.ok())
      return shards.status();
    member->shards = *std::move(shards);
    member->apply = std::make_unique<EntryRunner>(*member->program,
                                                  *member->program->artifact().entry(MLCRT_ROLE_TRAIN_APPLY), itsPool);
    member->nodes = coveringNodes(mode.virtualShards * m / count, mode.virtualShards * (m + 1) / count);
    step->members_.push_back(std::move(member));
  }
  return step;
}

absl::Status ReplicatedStep::forEach(absl::Status (ReplicatedStep::*part)(Member &)) {
  struct Task {
    ReplicatedStep *step;
    absl::Status (ReplicatedStep::*part)(Member &);
  } task = {this, part};
  threads_.parallelFor(
      [](void *args, int64_t first, int64_t last, int64_t) -> int32_t {
        const Task &asked = *static_cast<const Task *>(args);
        for (int64_t m = first; m < last; ++m) {
          Member &member = *asked.step->members_[static_cast<size_t>(m)];
          member.status = (asked.step->*asked.part)(member);
        }
        return 0;
      },
      &task, static_cast<int64_t>(members_.size()));
  for (const std::unique_ptr<Member> &member : members_)
    if (!member->status.ok())
      return member->status;
  return absl::OkStatus();
}

/// Brings all sums of a set to host memory.
static absl::Status fetch(Program &program, const SumSet &sums) {
  for (int32_t i = 0; i < sums.size(); ++i)
    if (absl::Status status = sums.onDevice(i).fetch(program.devices(), sums.sum(i).buffer()); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status ReplicatedStep::computeSums(Member &member) {
  if (absl::Status status = member.shards->begin(*batch_, *slots_, context_); !status.ok())
    return status;
  member.sums.clear();
  for (const SumNode &node : member.nodes) {
    absl::StatusOr<SumSet *> sums = member.shards->sum(node);
    if (!sums.ok())
      return sums.status();
    member.sums.push_back(*sums);
    if (*sums && member.program != &first_ && !arePeers_)
      if (absl::Status status = fetch(*member.program, **sums); !status.ok())
        return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<SumTree::Found> ReplicatedStep::find(SumNode node, SumSet &sums) {
  for (const std::unique_ptr<Member> &member : members_) {
    const auto at = std::find(member->nodes.begin(), member->nodes.end(), node);
    if (at == member->nodes.end())
      continue;
    SumSet *const found = member->sums[static_cast<size_t>(at - member->nodes.begin())];
    if (!found)
      return SumTree::Found::Absent;
    // Both sets are shaped anew before they are used again.
    if (member->program == &first_)
      std::swap(sums, *found);
    else if (absl::Status status = carry(*member->program, *found, first_, sums, /*isTaken=*/true); !status.ok())
      return status;
    return SumTree::Found::Here;
  }
  return SumTree::Found::Below;
}

absl::Status ReplicatedStep::carry(Program &from, SumSet &source, Program &to, SumSet &target, bool isTaken) {
  target.reserve(first_.artifact());
  for (int32_t i = 0; i < source.size(); ++i) {
    const TensorView &value = source.sum(i).buffer();
    Tensor &place = target.sum(i);
    place.resize(value.dtype, value.dims);
    target.onDevice(i).forget();
    absl::StatusOr<bool> isThere =
        target.onDevice(i).copyFrom(to.devices(), place.buffer(), source.onDevice(i), from.devices());
    if (!isThere.ok())
      return isThere.status();
    if (*isThere)
      continue;
    if (isTaken)
      std::swap(place, source.sum(i));
    else if (const int64_t bytes = byteCount(value))
      std::memcpy(place.data(), value.data, static_cast<size_t>(bytes));
  }
  return absl::OkStatus();
}

absl::Status ReplicatedStep::takeTotal(Member &member) {
  if (member.program == &first_)
    return absl::OkStatus();
  return carry(first_, *root_, *member.program, member.total, /*isTaken=*/false);
}

absl::Status ReplicatedStep::applyTotal(Member &member) {
  SumOperands sums;
  sums.a = member.program == &first_ ? root_ : &member.total;
  return member.apply->runSums(context_, sums, member.shards->global());
}

absl::Status ReplicatedStep::run(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  batch_ = &batch;
  slots_ = &slots;
  context_ = context;
  if (absl::Status status = forEach(&ReplicatedStep::computeSums); !status.ok())
    return status;
  tree_.begin();
  absl::StatusOr<SumSet *> root =
      tree_.fold({rootLevel(shards_), 0}, [this](SumNode node, SumSet &sums) { return find(node, sums); });
  if (!root.ok())
    return root.status();
  if (!*root)
    return absl::InvalidArgumentError("a training step needs a batch with rows");
  root_ = *root;
  if (!arePeers_)
    if (absl::Status status = fetch(first_, *root_); !status.ok())
      return status;
  if (absl::Status status = forEach(&ReplicatedStep::takeTotal); !status.ok())
    return status;
  return forEach(&ReplicatedStep::applyTotal);
}

} // namespace mlcrt
