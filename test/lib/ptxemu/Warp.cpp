// How the lanes of a warp go through a program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Warp.h"
#include "test/lib/ptxemu/Block.h"

#include <algorithm>

namespace ptxemu {

Warp::Warp(Block &block, uint32_t index) : block_(block), index_(index) {
  const uint32_t lanes = std::min(32u, block.threads - index * 32);
  live_ = lanes == 32 ? ~0u : (1u << lanes) - 1;
  const Kernel &kernel = block.kernel;
  registers_.reset(new uint8_t[kernel.registerBytes + 64]);
  memset(registers_.get(), 0xbd, kernel.registerBytes + 64);
  defined_.assign(kernel.registerCount, 0);
  for (const Kernel::Constant &constant : kernel.constants) {
    if (constant.size == 0)
      predicate(constant.at) = static_cast<uint32_t>(constant.bits);
    else if (constant.size == 4)
      std::fill_n(this->lanes<uint32_t>(constant.at), 32, static_cast<uint32_t>(constant.bits));
    else
      std::fill_n(this->lanes<uint64_t>(constant.at), 32, constant.bits);
  }
  fillSpecials();
  groups_.push_back({WarpGroup::Ready, 0, live_});
}

void Warp::fillSpecials() {
  const LaunchShape &shape = block_.grid.shape;
  const unsigned *block = shape.block, *grid = shape.grid, *cluster = shape.cluster;
  auto clusterIndex = [&](unsigned i) { return block_.index[i] / cluster[i]; };
  auto inCluster = [&](unsigned i) { return block_.index[i] % cluster[i]; };
  for (const Kernel::SpecialPlace &place : block_.kernel.specials) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t thread = first() + lane;
      uint64_t value = 0;
      switch (place.which) {
      case Special::TidX:
        value = thread % block[0];
        break;
      case Special::TidY:
        value = thread / block[0] % block[1];
        break;
      case Special::TidZ:
        value = thread / block[0] / block[1];
        break;
      case Special::NtidX:
      case Special::NtidY:
      case Special::NtidZ:
        value = block[static_cast<int>(place.which) - static_cast<int>(Special::NtidX)];
        break;
      case Special::CtaidX:
      case Special::CtaidY:
      case Special::CtaidZ:
        value = block_.index[static_cast<int>(place.which) - static_cast<int>(Special::CtaidX)];
        break;
      case Special::NctaidX:
      case Special::NctaidY:
      case Special::NctaidZ:
        value = grid[static_cast<int>(place.which) - static_cast<int>(Special::NctaidX)];
        break;
      case Special::LaneId:
        value = lane;
        break;
      case Special::WarpId:
        value = index_;
        break;
      case Special::NwarpId:
        value = (block_.threads + 31) / 32;
        break;
      case Special::SmId:
        value = block_.number % block_.grid.options.processors;
        break;
      case Special::NsmId:
        value = block_.grid.options.processors;
        break;
      case Special::GridId:
        value = block_.grid.generation;
        break;
      case Special::LaneMaskEq:
        value = 1u << lane;
        break;
      case Special::LaneMaskLe:
        value = (2ull << lane) - 1;
        break;
      case Special::LaneMaskLt:
        value = (1ull << lane) - 1;
        break;
      case Special::LaneMaskGe:
        value = static_cast<uint32_t>(~((1ull << lane) - 1));
        break;
      case Special::LaneMaskGt:
        value = static_cast<uint32_t>(~((2ull << lane) - 1));
        break;
      case Special::DynamicSharedSize:
        value = shape.dynamicShared;
        break;
      case Special::TotalSharedSize:
        value = block_.shared.size();
        break;
      case Special::ClusterCtaRank:
        value = inCluster(0) + cluster[0] * (inCluster(1) + cluster[1] * inCluster(2));
        break;
      case Special::ClusterNctaRank:
        value = cluster[0] * cluster[1] * cluster[2];
        break;
      case Special::ClusterCtaidX:
      case Special::ClusterCtaidY:
      case Special::ClusterCtaidZ:
        value = inCluster(static_cast<int>(place.which) - static_cast<int>(Special::ClusterCtaidX));
        break;
      case Special::ClusterNctaidX:
      case Special::ClusterNctaidY:
      case Special::ClusterNctaidZ:
        value = cluster[static_cast<int>(place.which) - static_cast<int>(Special::ClusterNctaidX)];
        break;
      case Special::ClusterIdX:
      case Special::ClusterIdY:
      case Special::ClusterIdZ:
        value = clusterIndex(static_cast<int>(place.which) - static_cast<int>(Special::ClusterIdX));
        break;
      case Special::NclusterIdX:
      case Special::NclusterIdY:
      case Special::NclusterIdZ: {
        const int i = static_cast<int>(place.which) - static_cast<int>(Special::NclusterIdX);
        value = grid[i] / cluster[i];
        break;
      }
      case Special::IsExplicitCluster:
      case Special::Zero:
        break;
      }
      if (place.size == 8)
        lanes<uint64_t>(place.at)[lane] = value;
      else if (place.size == 4)
        lanes<uint32_t>(place.at)[lane] = static_cast<uint32_t>(value);
      else
        predicate(place.at) = value ? ~0u : 0;
    }
  }
}

bool Warp::report(Mistake mistake, const Inst &inst, unsigned lane, const std::string &what, bool fatal) {
  Finding finding;
  finding.mistake = mistake;
  finding.what = what;
  finding.line = inst.line;
  block_.fillFinding(finding, first() + lane);
  return block_.grid.report(std::move(finding), fatal);
}

bool Warp::waits() const {
  for (const WarpGroup &group : groups_)
    if (group.state == WarpGroup::Ready)
      return false;
  return true;
}

void Warp::wake() {
  for (WarpGroup &group : groups_)
    if (group.state == WarpGroup::Polled)
      group.state = WarpGroup::Ready;
}

void Warp::release(uint32_t lanes) {
  for (WarpGroup &group : groups_)
    if (group.state == WarpGroup::Blocked && (group.lanes & lanes)) {
      group.state = WarpGroup::Ready;
      ++group.pc;
    }
}

/// The group that runs next: the one that is least far, so that lanes meet again after a branch; with the random order
/// now and then another.
size_t Warp::pick() {
  size_t best = groups_.size(), ready = 0;
  for (size_t i = 0; i < groups_.size(); ++i)
    if (groups_[i].state == WarpGroup::Ready) {
      ++ready;
      if (best == groups_.size() || groups_[i].pc < groups_[best].pc)
        best = i;
    }
  if (ready > 1 && block_.grid.options.order == Order::Random && block_.grid.random() % 4 == 0) {
    size_t skip = block_.grid.random() % ready;
    for (size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].state == WarpGroup::Ready && skip-- == 0)
        return i;
  }
  return best;
}

/// Ready groups at the same instruction become one.
void Warp::merge() {
  for (size_t i = 0; i < groups_.size(); ++i)
    for (size_t k = i + 1; k < groups_.size();)
      if (groups_[i].state == WarpGroup::Ready && groups_[k].state == WarpGroup::Ready &&
          groups_[i].pc == groups_[k].pc) {
        groups_[i].lanes |= groups_[k].lanes;
        groups_.erase(groups_.begin() + static_cast<long>(k));
      } else {
        ++k;
      }
}

bool Warp::checkUses(const Inst &inst, uint32_t active) {
  const Kernel &kernel = block_.kernel;
  const uint32_t *numbers = kernel.numbers.data() + inst.uses + inst.guarded;
  for (unsigned i = 0; i < inst.numUses; ++i)
    if (const uint32_t missing = active & ~defined_[numbers[i]]) {
      defined_[numbers[i]] |= missing; // told once
      if (!report(Mistake::Undefined, inst, static_cast<unsigned>(__builtin_ctz(missing)),
                  "register '" + kernel.registerNames[numbers[i]] + "' is read, which nothing wrote", false))
        return false;
    }
  return true;
}

uint32_t Warp::carriedLanes(const Inst &inst, unsigned which) const {
  return defined_[block_.kernel.numbers[inst.uses + inst.guarded + inst.numUses + which]];
}

void Warp::noteDefinitions(const Inst &inst, uint32_t active) {
  uint32_t good = active, first = active;
  if (inst.ownCarry) { // what else such an instruction defines is defined in any case
    first &= ~poison;
    poison = 0;
  } else {
    for (unsigned i = 0; i < inst.numCarried; ++i)
      good &= carriedLanes(inst, i);
    first = good;
  }
  const uint32_t *numbers = block_.kernel.numbers.data() + inst.defs;
  for (unsigned i = 0; i < inst.numDefs; ++i)
    defined_[numbers[i]] = (defined_[numbers[i]] & ~active) | (i == 0 ? first : good);
}

bool Warp::run(uint64_t quantum) {
  const Kernel &kernel = block_.kernel;
  const bool findUndefined = block_.grid.options.findUndefined;
  Counters &counters = block_.grid.result.counters;
  uint64_t done = 0, threads = 0;
  bool good = true;
  while (good && done < quantum && !groups_.empty()) {
    if (groups_.size() > 1)
      merge();
    size_t at = pick();
    if (at == groups_.size())
      break;
    // Until it meets or overtakes another group that is ready.
    uint32_t stop = ~0u;
    for (const WarpGroup &other : groups_)
      if (&other != &groups_[at] && other.state == WarpGroup::Ready && other.pc > groups_[at].pc)
        stop = std::min(stop, other.pc);
    WarpGroup *group = &groups_[at];
    while (done < quantum) {
      const Inst &inst = kernel.code[group->pc];
      uint32_t active = group->lanes;
      ++done;
      if (inst.guarded) {
        if (const uint32_t missing = active & ~defined_[kernel.numbers[inst.uses]]; missing && findUndefined) {
          const uint32_t number = kernel.numbers[inst.uses];
          defined_[number] |= missing;
          good = report(Mistake::Undefined, inst, static_cast<unsigned>(__builtin_ctz(missing)),
                        "predicate '" + kernel.registerNames[number] + "' is read, which nothing wrote", false);
          if (!good)
            break;
        }
        active &= inst.guardNegated ? ~predicate(inst.guard) : predicate(inst.guard);
      }
      threads += static_cast<unsigned>(__builtin_popcount(active));
      if (active && inst.numUses && findUndefined && !checkUses(inst, active)) {
        good = false;
        break;
      }
      if (inst.control == Control::Plain) {
        if (active) {
          if (!inst.run(*this, inst, active)) {
            good = false;
            break;
          }
          if (inst.numDefs)
            noteDefinitions(inst, active);
        }
        ++group->pc;
      } else {
        if (!control(at, inst, active)) {
          good = false;
          break;
        }
        // What splits or waits ends the turn; a branch that all take does not.
        if (groups_.size() != 1 || at != 0 || groups_[0].state != WarpGroup::Ready || inst.control == Control::Yield)
          break;
        group = &groups_[at];
      }
      if (group->pc >= stop)
        break;
    }
  }
  counters.warpInstructions += done;
  counters.longestWarp = std::max(counters.longestWarp, instructions_ += done);
  counters.instructions += threads;
  block_.budget -= std::min(block_.budget, done);
  return good;
}

/// An instruction that is not plain, of the group at `at`; `at` becomes past the end if the group is gone.
bool Warp::control(size_t &at, const Inst &inst, uint32_t active) {
  WarpGroup &group = groups_[at];
  const uint32_t idle = group.lanes & ~active;
  auto split = [&](uint32_t lanes, uint32_t pc) {
    if (lanes)
      groups_.push_back({WarpGroup::Ready, pc, lanes});
  };
  switch (inst.control) {
  case Control::Branch:
    if (!active) {
      ++group.pc;
    } else if (!idle) {
      group.pc = inst.target;
    } else {
      ++block_.grid.result.counters.divergentBranches;
      group.lanes = active;
      const uint32_t next = group.pc + 1;
      group.pc = inst.target;
      split(idle, next);
      at = groups_.size();
    }
    return true;
  case Control::BranchIndexed:
  case Control::Return: {
    // Lanes go to several places.
    const uint32_t next = group.pc + 1;
    const uint32_t *values = lanes<uint32_t>(inst.a);
    groups_.erase(groups_.begin() + static_cast<long>(at));
    at = groups_.size() + 64;
    split(idle, next);
    unsigned places = 0;
    for (uint32_t rest = active; rest; ++places) {
      const uint32_t value = values[__builtin_ctz(rest)];
      uint32_t same = 0;
      for (uint32_t left = rest; left; left &= left - 1)
        if (const unsigned lane = static_cast<unsigned>(__builtin_ctz(left)); values[lane] == value)
          same |= 1u << lane;
      rest &= ~same;
      if (inst.control == Control::Return) {
        split(same, value);
      } else if (value >= inst.target) {
        return report(Mistake::Invalid, inst, static_cast<unsigned>(__builtin_ctz(same)),
                      "branch index " + std::to_string(value) + ", expected below " + std::to_string(inst.target));
      } else {
        split(same, block_.kernel.operands[inst.first + value]);
      }
    }
    block_.grid.result.counters.divergentBranches += inst.control == Control::BranchIndexed && places > 1;
    return true;
  }
  case Control::Call:
    if (!active) {
      ++group.pc;
      return true;
    }
    for (uint32_t rest = active; rest; rest &= rest - 1)
      lanes<uint32_t>(inst.b)[__builtin_ctz(rest)] = group.pc + 1;
    group.lanes = active;
    split(idle, group.pc + 1);
    groups_[at].pc = inst.target;
    return true;
  case Control::Exit: {
    live_ &= ~active;
    if (idle) {
      group.lanes = idle;
      ++group.pc;
    } else {
      groups_.erase(groups_.begin() + static_cast<long>(at));
      at = groups_.size() + 64;
    }
    for (WarpGroup &other : groups_)
      if (other.state == WarpGroup::Syncing)
        other.state = WarpGroup::Ready; // to look again
    if (active)
      block_.exited(*this, active);
    return !block_.grid.stopped;
  }
  case Control::WarpSync:
    if (!active) {
      ++group.pc;
      return true;
    }
    return sync(at, inst, active);
  case Control::WarpBarrier:
    if (!active) {
      ++group.pc;
      return true;
    }
    return warpBarrier(at, inst, active);
  case Control::Barrier: {
    if (!active) {
      ++group.pc;
      return true;
    }
    const uint32_t next = group.pc + 1;
    group.lanes = active;
    const bool good = block_.arrive(*this, group, inst, active);
    split(idle, next);
    return good;
  }
  case Control::Poll: {
    if (active) {
      if (!inst.run(*this, inst, active))
        return false;
      noteDefinitions(inst, active);
    }
    ++group.pc;
    // Lanes with a false result wait for a turn of the others; they are told by the predicate.
    if (active && (predicate(inst.dst) & active) != active)
      group.state = WarpGroup::Polled;
    return true;
  }
  case Control::Yield:
    if (active && inst.run && !inst.run(*this, inst, active))
      return false;
    if (retry)
      group.state = WarpGroup::Polled;
    else
      ++group.pc;
    retry = false;
    return true;
  case Control::Plain:
    break;
  }
  return true;
}

bool Warp::sync(size_t &at, const Inst &inst, uint32_t active) {
  const uint32_t pc = groups_[at].pc, idle = groups_[at].lanes & ~active;
  uint32_t waiting = active;
  groups_.erase(groups_.begin() + static_cast<long>(at));
  for (size_t i = 0; i < groups_.size();)
    if (groups_[i].state == WarpGroup::Syncing && groups_[i].pc == pc) {
      waiting |= groups_[i].lanes;
      groups_.erase(groups_.begin() + static_cast<long>(i));
    } else {
      ++i;
    }
  at = groups_.size() + 64;
  const uint32_t *masks = lanes<uint32_t>(inst.d);
  uint32_t done = 0;
  for (uint32_t rest = waiting; rest;) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const uint32_t mask = masks[lane];
    uint32_t same = 0;
    for (uint32_t left = rest; left; left &= left - 1)
      if (const unsigned other = static_cast<unsigned>(__builtin_ctz(left)); masks[other] == mask)
        same |= 1u << other;
    rest &= ~same;
    if (const uint32_t outside = same & ~mask)
      return report(Mistake::Invalid, inst, static_cast<unsigned>(__builtin_ctz(outside)),
                    "a lane that its own member mask does not name");
    if ((mask & live_) & ~same)
      continue;
    if (!inst.run(*this, inst, same))
      return false;
    noteDefinitions(inst, same);
    done |= same;
  }
  if (done | idle)
    groups_.push_back({WarpGroup::Ready, pc + 1, done | idle});
  if (waiting & ~done)
    groups_.push_back({WarpGroup::Syncing, pc, waiting & ~done});
  return true;
}

bool Warp::warpBarrier(size_t &at, const Inst &inst, uint32_t active) {
  const uint32_t pc = groups_[at].pc, idle = groups_[at].lanes & ~active;
  groups_[at] = {WarpGroup::Syncing, pc, active};
  if (idle)
    groups_.push_back({WarpGroup::Ready, pc + 1, idle});
  at = groups_.size() + 64;
  // Groups of equal masks meet, wherever they wait. Lanes of one group with several masks become several groups.
  for (size_t i = 0; i < groups_.size(); ++i) {
    WarpGroup &group = groups_[i];
    if (group.state != WarpGroup::Syncing || block_.kernel.code[group.pc].control != Control::WarpBarrier)
      continue;
    const uint32_t *masks = lanes<uint32_t>(block_.kernel.code[group.pc].d);
    const uint32_t mask = masks[__builtin_ctz(group.lanes)];
    uint32_t others = 0;
    for (uint32_t left = group.lanes; left; left &= left - 1)
      if (const unsigned lane = static_cast<unsigned>(__builtin_ctz(left)); masks[lane] != mask)
        others |= 1u << lane;
    group.lanes &= ~others;
    if (const uint32_t outside = group.lanes & ~mask)
      return report(Mistake::Invalid, inst, static_cast<unsigned>(__builtin_ctz(outside)),
                    "a lane that its own member mask does not name");
    if (others)
      groups_.push_back({WarpGroup::Syncing, groups_[i].pc, others});
  }
  auto maskOf = [&](const WarpGroup &group) {
    return lanes<uint32_t>(block_.kernel.code[group.pc].d)[__builtin_ctz(group.lanes)];
  };
  auto waitsHere = [&](const WarpGroup &group) {
    return group.state == WarpGroup::Syncing && block_.kernel.code[group.pc].control == Control::WarpBarrier;
  };
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (!waitsHere(groups_[i]))
      continue;
    const uint32_t mask = maskOf(groups_[i]);
    uint32_t there = 0;
    for (const WarpGroup &group : groups_)
      if (waitsHere(group) && maskOf(group) == mask)
        there |= group.lanes;
    if ((mask & live_) & ~there)
      continue;
    block_.clocks.meet(first(), there);
    for (WarpGroup &group : groups_)
      if (waitsHere(group) && (group.lanes & there)) {
        group.state = WarpGroup::Ready;
        ++group.pc;
      }
  }
  return true;
}

} // namespace ptxemu
