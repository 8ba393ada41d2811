//===- ReplicatedShards.cpp - Gradients on several devices of one process -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ReplicatedShards.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/core/ShardPlan.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mlcrt {

/// The space of devices that values are added in: artifacts for several devices have one.
static constexpr int32_t kCollectiveSpace = 1;

ReplicatedShards::ReplicatedShards(TrainMode mode, int members, SumExchange exchange)
    : exchange_(exchange), threads_(members),
      tree_(mode.virtualShards, [this](const SumSet &a, const SumSet &b, SumSet &out) {
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

/// Whether a collective can add all sums of an artifact.
static absl::Status checkAddable(const mlcrt_artifact &table, const DeviceCollective &collective) {
  if (const std::vector<int32_t> sparse = findSparseSums(table); !sparse.empty())
    return absl::UnimplementedError(absl::StrCat("sum '", table.sums[sparse.front()].name,
                                                 "' is of the ids of a batch, which all-reduce cannot merge; expected: "
                                                 "dense sums alone"));
  for (int32_t i = 0; i < table.num_sums; ++i)
    if (!collective.canAdd(table.sums[i].dtype))
      return absl::UnimplementedError(absl::StrCat("sum '", table.sums[i].name, "' is of ",
                                                   dtypeName(table.sums[i].dtype), ", which all-reduce cannot add"));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ReplicatedShards>> ReplicatedShards::create(Program &first,
                                                                           const std::vector<Program *> &others,
                                                                           ThreadPool &pool, TrainMode mode,
                                                                           SumExchange exchange) {
  const auto count = static_cast<int64_t>(others.size()) + 1;
  const int64_t begin = mode.firstShard, end = mode.lastShard < 0 ? mode.virtualShards : mode.lastShard;
  if (end - begin < count)
    return absl::InvalidArgumentError(
        absl::StrCat(count, " devices for ", end - begin, " virtual shards; expected: one for each at least"));
  if (exchange.isAllReduce)
    if (absl::Status status = checkAddable(first.artifact().table(), *exchange.collective); !status.ok())
      return status;
  mode.split = true;
  std::unique_ptr<ReplicatedShards> all(new ReplicatedShards(mode, static_cast<int>(count), exchange));
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
    member->firstShard = begin + (end - begin) * m / count;
    member->lastShard = begin + (end - begin) * (m + 1) / count;
    member->nodes = coveringNodes(member->firstShard, member->lastShard);
    all->members_.push_back(std::move(member));
  }
  return all;
}

Program *ReplicatedShards::programOf(int64_t shard) const {
  for (const std::unique_ptr<Member> &member : members_)
    if (shard >= member->firstShard && shard < member->lastShard)
      return member->program;
  return nullptr;
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
        for (int64_t m = first; m < last; ++m) {
          absl::Status &status = asked.all->members_[static_cast<size_t>(m)]->status;
          status = (*asked.part)(static_cast<int>(m));
          // Others may wait for what this one's device was to send.
          if (!status.ok() && asked.all->exchange_.collective)
            asked.all->exchange_.collective->giveUp();
        }
        return 0;
      },
      &task, static_cast<int64_t>(members_.size()));
  absl::Status first;
  for (const std::unique_ptr<Member> &member : members_)
    // What fails because another one's device is lost is no cause.
    if (first.ok() || (!isDeviceLost(first) && isDeviceLost(member->status)))
      first = member->status;
  return first;
}

absl::Status fetchSums(Program &program, const SumSet &sums) {
  for (int32_t i = 0; i < sums.size(); ++i)
    if (absl::Status status = sums.onDevice(i).fetch(program.devices(), sums.sum(i).buffer()); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status ReplicatedShards::computeSums(Member &member, const BatchView &batch, TrainSlots &slots,
                                           const CallContext &context, void *launchedSlot) {
  if (absl::Status status = member.shards->begin(batch, slots, context); !status.ok())
    return status;
  member.shards->launchWith(launchedSlot);
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

absl::Status ReplicatedShards::compute(const BatchView &batch, TrainSlots &slots, const CallContext &context,
                                       const std::vector<void *> &launchedSlots) {
  tree_.begin();
  return forEach([&](int m) {
    const auto member = static_cast<size_t>(m);
    return computeSums(*members_[member], batch, slots, context,
                       launchedSlots.empty() ? nullptr : launchedSlots[member]);
  });
}

bool ReplicatedShards::canLaunch() {
  return arePeers_ && std::all_of(members_.begin(), members_.end(),
                                  [](const std::unique_ptr<Member> &member) { return member->shards->canLaunch(); });
}

absl::Status ReplicatedShards::shareSlots(const std::vector<void *> &slots) {
  std::vector<Device *> devices;
  for (int m = 0; m < size(); ++m) {
    absl::StatusOr<Device *> device = program(m).devices().ofSpace(kCollectiveSpace);
    if (!device.ok())
      return device.status();
    devices.push_back(*device);
  }
  Device &first = *devices.front();
  if (absl::Status status =
          otherSlots_.reserve(first, static_cast<int64_t>(slots.size() * sizeof(uint64_t)), alignof(uint64_t));
      !status.ok())
    return status;
  auto *const others = static_cast<uint64_t *>(otherSlots_.data());
  absl::Status status = together([&] {
    absl::Status gathered;
    for (size_t m = 1; m < slots.size() && gathered.ok(); ++m)
      gathered = first.copyFrom(*devices[m], slots[m], others + m, sizeof(uint64_t));
    return gathered;
  });
  for (size_t m = 1; m < slots.size() && status.ok(); ++m)
    status = first.lower(slots.front(), others + m);
  if (!status.ok())
    return status;
  return together([&] {
    absl::Status given;
    for (size_t m = 1; m < slots.size() && given.ok(); ++m)
      given = devices[m]->copyFrom(first, slots.front(), slots[m], sizeof(uint64_t));
    return given;
  });
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
    else if (absl::Status status =
                 together([&] { return carry(*member->program, *found, first, sums, /*isTaken=*/true); });
             !status.ok())
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

absl::Status ReplicatedShards::together(const std::function<absl::Status()> &copies) {
  DeviceCollective *const collective = exchange_.collective;
  if (!collective)
    return copies();
  if (absl::Status status = collective->beginCopies(); !status.ok())
    return status;
  absl::Status status = copies();
  if (!status.ok()) // some copies may have one end alone
    collective->giveUp();
  const absl::Status ended = collective->endCopies();
  return status.ok() ? ended : status;
}

absl::Status ReplicatedShards::carryToAll(SumSet &source, const std::vector<SumSet *> &targets) {
  auto carryTo = [&](int m) {
    return m == 0 ? absl::OkStatus()
                  : carry(program(0), source, program(m), *targets[static_cast<size_t>(m)], /*isTaken=*/false);
  };
  if (!exchange_.collective)
    return forEach(carryTo);
  return together([&] {
    for (int m = 1; m < size(); ++m)
      if (absl::Status status = carryTo(m); !status.ok())
        return status;
    return absl::OkStatus();
  });
}

//===----------------------------------------------------------------------===//
// Sums that a collective adds
//===----------------------------------------------------------------------===//

absl::StatusOr<SumSet *> ReplicatedShards::wholeOf(Member &member) {
  SumSet *whole = nullptr;
  int used = 0;
  for (SumSet *sums : member.sums) {
    if (!whole || !sums) {
      whole = whole ? whole : sums;
      continue;
    }
    SumSet &added = member.whole[used];
    if (absl::Status status = member.shards->combine(*whole, *sums, added); !status.ok())
      return status;
    whole = &added;
    used = 1 - used;
  }
  return whole;
}

SumSet *ReplicatedShards::zerosOf(Member &member) {
  SumSet &zeros = member.whole[0];
  zeros.shape(member.program->artifact(), global());
  for (int32_t i = 0; i < zeros.size(); ++i) {
    if (const int64_t bytes = byteCount(zeros.sum(i).buffer()))
      std::memset(zeros.sum(i).data(), 0, static_cast<size_t>(bytes));
    zeros.onDevice(i).forget();
  }
  return &zeros;
}

absl::StatusOr<std::vector<SumSet *>> ReplicatedShards::reduce() {
  std::vector<SumSet *> wholes(members_.size());
  if (absl::Status status = forEach([&](int m) {
        absl::StatusOr<SumSet *> whole = wholeOf(*members_[static_cast<size_t>(m)]);
        if (whole.ok())
          wholes[static_cast<size_t>(m)] = *whole;
        return whole.status();
      });
      !status.ok())
    return status;
  if (std::all_of(wholes.begin(), wholes.end(), [](const SumSet *whole) { return !whole; }))
    return std::vector<SumSet *>();
  for (size_t m = 0; m < wholes.size(); ++m)
    if (!wholes[m])
      wholes[m] = zerosOf(*members_[m]);
  std::vector<CollectiveSum> sums;
  for (int32_t i = 0; i < wholes.front()->size(); ++i) {
    const TensorView &value = wholes.front()->sum(i).buffer();
    CollectiveSum sum = {value.dtype, elementCount(value), {}};
    for (size_t m = 0; m < wholes.size(); ++m) {
      absl::StatusOr<void *> place = wholes[m]->onDevice(i).bring(members_[m]->program->devices(), kCollectiveSpace,
                                                                  wholes[m]->sum(i).buffer(), /*isRead=*/true);
      if (!place.ok())
        return place.status();
      sum.values.push_back(*place);
    }
    if (sum.count > 0)
      sums.push_back(std::move(sum));
  }
  if (absl::Status status = exchange_.collective->add(sums); !status.ok())
    return status;
  for (SumSet *whole : wholes)
    for (int32_t i = 0; i < whole->size(); ++i)
      whole->onDevice(i).isWritten();
  return wholes;
}

} // namespace mlcrt
