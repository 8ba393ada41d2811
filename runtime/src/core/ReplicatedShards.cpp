//===- ReplicatedShards.cpp - Gradients on several devices of one process -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ReplicatedShards.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mlcrt {

ReplicatedShards::ReplicatedShards(TrainMode mode, int members)
    : threads_(members), tree_(mode.virtualShards, [this](const SumSet &a, const SumSet &b, SumSet &out) {
        return members_.front()->shards->combine(a, b, out);
      }) {}

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

absl::StatusOr<std::unique_ptr<ReplicatedShards>>
ReplicatedShards::create(Program &first, const std::vector<Program *> &others, ThreadPool &pool, TrainMode mode) {
  const auto count = static_cast<int64_t>(others.size()) + 1;
  const int64_t begin = mode.firstShard, end = mode.lastShard < 0 ? mode.virtualShards : mode.lastShard;
  if (end - begin < count)
    return absl::InvalidArgumentError(
        absl::StrCat(count, " devices for ", end - begin, " virtual shards; expected: one for each at least"));
  mode.split = true;
  std::unique_ptr<ReplicatedShards> all(new ReplicatedShards(mode, static_cast<int>(count)));
  for (Program *other : others) {
    absl::StatusOr<bool> peers = havePeers(first, *other);
    if (!peers.ok())
      return peers.status();
    all->arePeers_ &= *peers;
  }
  for (int64_t m = 0; m < count; ++m) {
    auto member = std::make_unique<Member>();
    member->program = m == 0 ? &first : others[static_cast<size_t>(m) - 1];
    if (m > 0)
      member->ownPool = std::make_unique<ThreadPool>(1);
    member->pool = member->ownPool ? member->ownPool.get() : &pool;
    absl::StatusOr<std::unique_ptr<ShardStep>> shards = ShardStep::create(*member->program, *member->pool, mode);
    if (!shards.ok())
      return shards.status();
    member->shards = *std::move(shards);
    member->nodes = coveringNodes(begin + (end - begin) * m / count, begin + (end - begin) * (m + 1) / count);
    all->members_.push_back(std::move(member));
  }
  return all;
}

absl::Status ReplicatedShards::copyVariables(const std::vector<int32_t> &variables) {
  State &from = members_.front()->program->state();
  Tensor value;
  for (int32_t v : variables) {
    if (absl::Status status = from.read(v, value); !status.ok())
      return status;
    for (size_t m = 1; m < members_.size(); ++m)
      if (absl::Status status = members_[m]->program->state().write(v, value.buffer()); !status.ok())
        return status;
  }
  return absl::OkStatus();
}

void ReplicatedShards::placeVariable(int32_t variable, void *data) {
  for (const std::unique_ptr<Member> &member : members_)
    member->shards->placeVariable(variable, data);
}

absl::Status ReplicatedShards::forEach(const std::function<absl::Status(int member)> &part) {
  struct Task {
    ReplicatedShards *all;
    const std::function<absl::Status(int)> *part;
  } task = {this, &part};
  threads_.parallelFor(
      [](void *args, int64_t first, int64_t last, int64_t) -> int32_t {
        const Task &asked = *static_cast<const Task *>(args);
        for (int64_t m = first; m < last; ++m)
          asked.all->members_[static_cast<size_t>(m)]->status = (*asked.part)(static_cast<int>(m));
        return 0;
      },
      &task, static_cast<int64_t>(members_.size()));
  for (const std::unique_ptr<Member> &member : members_)
    if (!member->status.ok())
      return member->status;
  return absl::OkStatus();
}

absl::Status fetchSums(Program &program, const SumSet &sums) {
  for (int32_t i = 0; i < sums.size(); ++i)
    if (absl::Status status = sums.onDevice(i).fetch(program.devices(), sums.sum(i).buffer()); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status ReplicatedShards::computeSums(Member &member, const BatchView &batch, TrainSlots &slots,
                                           const CallContext &context) {
  if (absl::Status status = member.shards->begin(batch, slots, context); !status.ok())
    return status;
  member.sums.clear();
  for (const SumNode &node : member.nodes) {
    absl::StatusOr<SumSet *> sums = member.shards->sum(node);
    if (!sums.ok())
      return sums.status();
    member.sums.push_back(*sums);
    if (*sums && &member != members_.front().get() && !arePeers_)
      if (absl::Status status = fetchSums(*member.program, **sums); !status.ok())
        return status;
  }
  return absl::OkStatus();
}

absl::Status ReplicatedShards::compute(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  tree_.begin();
  return forEach([&](int m) { return computeSums(*members_[static_cast<size_t>(m)], batch, slots, context); });
}

absl::StatusOr<SumTree::Found> ReplicatedShards::find(SumNode node, SumSet &sums) {
  Program &first = program(0);
  for (const std::unique_ptr<Member> &member : members_) {
    const auto at = std::find(member->nodes.begin(), member->nodes.end(), node);
    if (at == member->nodes.end())
      continue;
    SumSet *const found = member->sums[static_cast<size_t>(at - member->nodes.begin())];
    if (!found)
      return SumTree::Found::Absent;
    // Both sets are shaped anew before they are used again.
    if (member->program == &first)
      std::swap(sums, *found);
    else if (absl::Status status = carry(*member->program, *found, first, sums, /*isTaken=*/true); !status.ok())
      return status;
    return SumTree::Found::Here;
  }
  return SumTree::Found::Below;
}

absl::StatusOr<SumSet *> ReplicatedShards::sum(SumNode node) {
  return tree_.fold(node, [this](SumNode at, SumSet &sums) { return find(at, sums); });
}

absl::Status ReplicatedShards::carry(Program &from, SumSet &source, Program &to, SumSet &target, bool isTaken) {
  target.reserve(program(0).artifact());
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

absl::Status ReplicatedShards::carryTo(int member, SumSet &source, SumSet &target) {
  return carry(program(0), source, program(member), target, /*isTaken=*/false);
}

} // namespace mlcrt
