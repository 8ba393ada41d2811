// Blocks: turns of warps, barriers, deadlocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Block.h"

#include <algorithm>

namespace ptxemu {

bool Grid::report(Finding finding, bool fatal) {
  finding.kernel = kernel.name;
  if (told.emplace(finding.line, static_cast<int>(finding.mistake)).second && result.findings.size() < 32)
    result.findings.push_back(std::move(finding));
  if (fatal)
    stopped = true;
  return !fatal;
}

Block::Block(Grid &grid, uint32_t number)
    : grid(grid), kernel(grid.kernel), number(number),
      index{number % grid.shape.grid[0], number / grid.shape.grid[0] % grid.shape.grid[1],
            number / grid.shape.grid[0] / grid.shape.grid[1]},
      threads(grid.shape.block[0] * grid.shape.block[1] * grid.shape.block[2]), live(threads), clocks(number, threads),
      shared(grid.shape.dynamicShared ? grid.kernel.dynamicOffset + grid.shape.dynamicShared : grid.kernel.staticShared,
             0xcd),
      sharedInit(shared.size()), sharedShadow(shared.size()), local(kernel.localBytes * threads, 0xcd),
      localInit(local.size()) {
  for (uint32_t i = 0; i < (threads + 31) / 32; ++i)
    warps.push_back(std::make_unique<Warp>(*this, i));
}

Block::~Block() = default;

void Block::fillFinding(Finding &finding, uint32_t thread) const {
  const unsigned *shape = grid.shape.block;
  for (unsigned i = 0; i < 3; ++i)
    finding.block[i] = index[i];
  finding.thread[0] = thread % shape[0];
  finding.thread[1] = thread / shape[0] % shape[1];
  finding.thread[2] = thread / shape[0] / shape[1];
}

Block::Status Block::run(uint64_t turns) {
  budget = turns;
  const Order order = grid.options.order;
  std::vector<size_t> sequence(warps.size());
  for (size_t i = 0; i < sequence.size(); ++i)
    sequence[i] = order == Order::Reverse ? sequence.size() - 1 - i : i;
  while (live) {
    if (order == Order::Random)
      std::shuffle(sequence.begin(), sequence.end(), grid.random);
    const uint64_t before = effects;
    bool ran = false, waits = true;
    for (size_t i : sequence) {
      Warp &warp = *warps[i];
      if (warp.finished())
        continue;
      warp.wake();
      if (!warp.waits()) {
        ran = true;
        if (!warp.run(order == Order::Random ? 1 + grid.random() % 64 : 4096))
          return Status::Failed;
      }
      waits &= warp.finished() || warp.waits();
    }
    if (grid.stopped)
      return Status::Failed;
    if (!live)
      break;
    // What is asynchronous happens when nobody can go on without it: who has polled in vain polls once more before, as
    // who does not look at the result would go on. In the random order it happens earlier, too.
    stalledRounds_ = waits && effects == before ? stalledRounds_ + 1 : 0;
    if (!async.landings.empty() &&
        (!ran || stalledRounds_ > 1 || (order == Order::Random && grid.random() % 16 == 0))) {
      const size_t which = order == Order::Random ? grid.random() % async.landings.size() : 0;
      AsyncState::Landing landing = std::move(async.landings[which]);
      async.landings.erase(async.landings.begin() + static_cast<long>(which));
      if (!landing())
        return Status::Failed;
      ++effects;
      stalledRounds_ = 0;
      continue;
    }
    if (!ran || stalledRounds_ > 3) {
      reportDeadlock();
      return Status::Failed;
    }
    if (budget == 0)
      return Status::Running;
  }
  // What lands after the last thread is done reaches nobody, except in global memory.
  for (auto &[thread, stores] : async.stores) {
    for (std::vector<AsyncState::Landing> &group : stores.groups)
      for (AsyncState::Landing &landing : group)
        if (!landing())
          return Status::Failed;
    for (AsyncState::Landing &landing : stores.open)
      if (!landing())
        return Status::Failed;
  }
  return Status::Done;
}

void Block::reportDeadlock() {
  std::string where;
  const Inst *firstInst = nullptr;
  Warp *firstWarp = nullptr;
  uint32_t firstLanes = 0;
  std::map<std::pair<int, int>, uint32_t> waiting; // line and state
  for (std::unique_ptr<Warp> &warp : warps)
    for (const WarpGroup &group : warp->groups()) {
      // What has polled stands after its instruction.
      const Inst &inst = kernel.code[group.state == WarpGroup::Polled && group.pc ? group.pc - 1 : group.pc];
      if (!firstInst) {
        firstInst = &inst;
        firstWarp = warp.get();
        firstLanes = group.lanes;
      }
      waiting[{inst.line, group.state}] += static_cast<uint32_t>(__builtin_popcount(group.lanes));
    }
  for (const auto &[at, count] : waiting) {
    static const char *kinds[] = {"run", "poll an mbarrier", "wait for lanes of their warp", "wait at a barrier"};
    where += (where.empty() ? "" : ", ") + std::to_string(count) + " threads " + kinds[at.second] + " at line " +
             std::to_string(at.first);
  }
  if (firstInst)
    firstWarp->report(Mistake::Deadlock, *firstInst, static_cast<unsigned>(__builtin_ctz(firstLanes)),
                      "no thread can go on: " + where +
                          (live < threads ? ", " + std::to_string(threads - live) + " threads have ended" : ""));
}

bool Block::arrive(Warp &warp, WarpGroup &group, const Inst &inst, uint32_t active) {
  const unsigned lane = static_cast<unsigned>(__builtin_ctz(active));
  const uint32_t id = warp.lanes<uint32_t>(inst.a)[lane];
  for (uint32_t rest = active; rest; rest &= rest - 1)
    if (warp.lanes<uint32_t>(inst.a)[__builtin_ctz(rest)] != id)
      return warp.report(Mistake::Invalid, inst, lane, "lanes of a warp name several barriers");
  if (id >= 16)
    return warp.report(Mistake::Invalid, inst, lane, "barrier " + std::to_string(id) + ", expected one of 0 to 15");
  BlockBarrier &barrier = barriers[id];
  uint32_t expected = 0;
  if (inst.flag) {
    expected = warp.lanes<uint32_t>(inst.b)[lane];
    if (expected == 0 || expected % 32 || expected > ((threads + 31) / 32) * 32)
      return warp.report(Mistake::Barrier, inst, lane,
                         "barrier of " + std::to_string(expected) + " threads, expected a multiple of 32 up to " +
                             std::to_string((threads + 31) / 32 * 32));
  }
  if (barrier.arrived && barrier.expected != expected)
    return warp.report(Mistake::Barrier, inst, lane,
                       "barrier " + std::to_string(id) + " of " + (expected ? std::to_string(expected) : "all") +
                           " threads, where others came for one of " +
                           (barrier.expected ? std::to_string(barrier.expected) : "all"));
  if (inst.flag2) // all lanes of a warp must come to the same instruction
    for (const BlockBarrier::Waiter &waiter : barrier.waiters)
      if (waiter.warp == &warp && waiter.pc != group.pc)
        return warp.report(Mistake::Barrier, inst, lane,
                           "lanes of one warp wait at barrier " + std::to_string(id) + " at line " +
                               std::to_string(kernel.code[waiter.pc].line) + " and at this line");
  barrier.expected = expected;
  for (uint32_t rest = active; rest; rest &= rest - 1)
    clocks.release(warp.first() + static_cast<uint32_t>(__builtin_ctz(rest)), barrier.point);
  // A barrier with a count counts warps: what of one has ended or never was comes with the last lanes of it.
  barrier.arrived += static_cast<uint32_t>(__builtin_popcount(active));
  if (expected)
    barrier.arrived += static_cast<uint32_t>(__builtin_popcount(~warp.live())) * (active == warp.live());
  ++effects;
  if (inst.mode >= 2) {
    uint32_t votes = warp.predicate(inst.c);
    if (inst.negate)
      votes = ~votes;
    barrier.trueCount += static_cast<uint32_t>(__builtin_popcount(votes & active));
    barrier.votes += static_cast<uint32_t>(__builtin_popcount(active));
  }
  if (inst.mode == 1) {
    ++group.pc;
  } else {
    group.state = WarpGroup::Blocked;
    barrier.waiters.push_back({&warp, active, group.pc});
  }
  return complete(barrier);
}

/// Lets go on who waits, if all have come. False if the launch ends.
bool Block::complete(BlockBarrier &barrier) {
  const uint32_t expected = barrier.expected ? barrier.expected : live;
  if (barrier.arrived < expected || barrier.arrived == 0)
    return true;
  ++grid.result.counters.barriers;
  std::vector<uint32_t> members;
  for (const BlockBarrier::Waiter &waiter : barrier.waiters)
    for (uint32_t rest = waiter.lanes; rest; rest &= rest - 1)
      members.push_back(waiter.warp->first() + static_cast<uint32_t>(__builtin_ctz(rest)));
  clocks.acquireAll(members, barrier.point);
  for (const BlockBarrier::Waiter &waiter : barrier.waiters) {
    const Inst &inst = kernel.code[waiter.pc];
    if (inst.mode >= 2) {
      const bool result = inst.mode == 3 ? barrier.trueCount == barrier.votes : barrier.trueCount > 0;
      for (uint32_t rest = waiter.lanes; rest; rest &= rest - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
        if (inst.mode == 2)
          waiter.warp->lanes<uint32_t>(inst.dst)[lane] = barrier.trueCount;
        else if (result)
          waiter.warp->predicate(inst.dst) |= 1u << lane;
        else
          waiter.warp->predicate(inst.dst) &= ~(1u << lane);
      }
      for (unsigned i = 0; i < inst.numDefs; ++i)
        waiter.warp->setDefined(kernel.numbers[inst.defs + i], waiter.lanes, true);
    }
    waiter.warp->release(waiter.lanes);
  }
  barrier = BlockBarrier();
  ++effects;
  return true;
}

void Block::exited(Warp &warp, uint32_t lanes) {
  live -= static_cast<uint32_t>(__builtin_popcount(lanes));
  ++effects;
  for (BlockBarrier &barrier : barriers)
    if (barrier.arrived && !barrier.expected)
      complete(barrier);
}

void Block::update(MemoryBarrier &barrier) {
  ++effects;
  if (barrier.pending || barrier.bytes)
    return;
  ++barrier.phase;
  barrier.pending = barrier.count;
  barrier.done = barrier.arriving;
  barrier.arriving.clear();
}

} // namespace ptxemu
