// Accesses of lanes to memory, with all that can be wrong about them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Block.h"

#include <algorithm>

namespace ptxemu {

static std::string hex(uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

static const char *verb(Use use) { return use == Use::Load ? "reads " : use == Use::Store ? "writes " : "updates "; }

static std::string describe(Use use, unsigned size, Space space, uint64_t address) {
  return verb(use) + std::to_string(size) + " bytes of " + std::string(nameOf(space)) + " memory at " + hex(address);
}

static std::string describeConflict(const Access &access, const Conflict &conflict, const Block &block) {
  const uint32_t number = conflict.thread / block.threads;
  const std::string thread = (number == block.number ? "thread " : "block " + std::to_string(number) + ", thread ") +
                             std::to_string(conflict.thread % block.threads);
  std::string text = std::string(", which ") + thread + (conflict.write ? " wrote" : " read") + " at line " +
                     std::to_string(conflict.line);
  if (conflict.readOnly)
    return text + (conflict.write ? " in the same kernel, but ld.global.nc may read only what the kernel does not write"
                                  : " through ld.global.nc in the same kernel");
  return text + ", and nothing orders the two";
}

uint8_t *Warp::access(const Inst &inst, unsigned lane, Space space, uint64_t address, unsigned size, unsigned align,
                      Use use, bool strong, bool readOnly) {
  if (space == Space::Generic) {
    space = spaceOf(address);
    address -= windowOf(space);
  }
  if (address & (align - 1)) {
    report(Mistake::Misaligned, inst, lane,
           describe(use, size, space, address) + ", expected a multiple of " + std::to_string(align));
    return nullptr;
  }
  switch (space) {
  case Space::Shared:
    return sharedBytes(inst, lane, address, size, use, strong);
  case Space::Local: {
    const uint64_t perThread = block_.kernel.localBytes;
    if (address > perThread || size > perThread - address) {
      report(Mistake::OutOfBounds, inst, lane,
             describe(use, size, space, address) + ", of which a thread has " + std::to_string(perThread));
      return nullptr;
    }
    const uint64_t offset = (first() + lane) * perThread + address;
    if (use != Use::Load)
      block_.localInit.set(offset, size);
    else if (block_.grid.options.findUninitialized && !block_.localInit.test(offset, size)) {
      block_.localInit.set(offset, size);
      report(Mistake::Uninitialized, inst, lane, describe(use, size, space, address) + ", which nothing wrote", false);
    }
    return block_.local.data() + offset;
  }
  case Space::Param: {
    const std::vector<uint8_t> &parameters = block_.grid.parameters;
    if (use != Use::Load || address > parameters.size() || size > parameters.size() - address) {
      report(Mistake::OutOfBounds, inst, lane,
             describe(use, size, space, address) + ", of which the kernel has " + std::to_string(parameters.size()));
      return nullptr;
    }
    return const_cast<uint8_t *>(parameters.data()) + address;
  }
  default:
    return globalBytes(inst, lane, address, size, use, strong, readOnly || space == Space::Const);
  }
}

uint8_t *Warp::sharedBytes(const Inst &inst, unsigned lane, uint64_t address, unsigned size, Use use, bool strong) {
  Block &block = block_;
  if (address > block.shared.size() || size > block.shared.size() - address) {
    report(Mistake::OutOfBounds, inst, lane,
           describe(use, size, Space::Shared, address) + ", of which the block has " +
               std::to_string(block.shared.size()));
    return nullptr;
  }
  if (block.async.writesTotal && block.async.isWritten(address, size)) {
    report(Mistake::InFlight, inst, lane,
           describe(use, size, Space::Shared, address) + ", which a copy that is not waited for writes", false);
  }
  if (use != Use::Load && block.async.readsTotal && block.async.isRead(address, size))
    report(Mistake::InFlight, inst, lane,
           describe(use, size, Space::Shared, address) + ", which a wgmma that is not waited for reads", false);
  if (use != Use::Load)
    ++block.effects;
  const RunOptions &options = block.grid.options;
  if (use != Use::Store && options.findUninitialized && !block.sharedInit.test(address, size)) {
    block.sharedInit.set(address, size);
    report(Mistake::Uninitialized, inst, lane, describe(use, size, Space::Shared, address) + ", which nothing wrote",
           false);
  }
  if (use != Use::Load)
    block.sharedInit.set(address, size);
  if (options.findRaces) {
    const uint32_t thread = first() + lane, base = block.number * block.threads;
    Access access;
    access.thread = base + thread;
    access.clock = block.clocks.now(thread);
    access.line = inst.line;
    access.write = use != Use::Load;
    access.strong = strong;
    Conflict conflict;
    auto ordered = [&](uint32_t other, uint32_t clock) { return block.clocks.ordered(thread, other, clock); };
    if (block.sharedShadow.note(1, access, address, size, ordered, conflict))
      report(Mistake::Race, inst, lane,
             describe(use, size, Space::Shared, address) + describeConflict(access, conflict, block), false);
    if (access.write)
      block.async.generic.note(block.shared.size(), address, size, {thread, access.clock, inst.line});
    if (strong) {
      if (use != Use::Store)
        block.clocks.strongRead(thread, address, inst.mode2 & 1, block.words);
      if (use != Use::Load)
        block.clocks.strongWrite(thread, address, inst.mode2 & 2, block.words);
    }
  }
  return block.shared.data() + address;
}

void Warp::crossProxies(const Inst &inst, unsigned lane, uint64_t address, unsigned size) {
  Block &block = block_;
  const std::vector<GenericWrites::Write> &words = block.async.generic.words;
  if (!block.grid.options.findRaces || words.empty())
    return;
  for (uint64_t i = address / 4; i <= (address + size - 1) / 4; ++i) {
    const GenericWrites::Write &write = words[i];
    if (write.thread == ~0u || block.clocks.crossesProxies(first() + lane, write.thread, write.clock))
      continue;
    report(Mistake::Race, inst, lane,
           describe(Use::Load, size, Space::Shared, address) + " by the async proxy, which thread " +
               std::to_string(write.thread) + " wrote at line " + std::to_string(write.line) +
               " without a fence.proxy.async after it",
           false);
    return;
  }
}

bool Warp::glance(const Inst &inst, unsigned lane, uint64_t address, unsigned size) {
  Block &block = block_;
  auto what = [&] { return describe(Use::Load, size, Space::Shared, address); };
  if (address > block.shared.size() || size > block.shared.size() - address)
    return report(Mistake::OutOfBounds, inst, lane,
                  what() + ", of which the block has " + std::to_string(block.shared.size()));
  if (block.async.writesTotal && block.async.isWritten(address, size))
    report(Mistake::InFlight, inst, lane, what() + ", which a copy that is not waited for writes", false);
  if (block.grid.options.findUninitialized && !block.sharedInit.test(address, size)) {
    block.sharedInit.set(address, size);
    report(Mistake::Uninitialized, inst, lane, what() + ", which nothing wrote", false);
  }
  if (block.grid.options.findRaces) {
    const uint32_t thread = first() + lane;
    Access access;
    access.thread = block.number * block.threads + thread;
    access.clock = block.clocks.now(thread);
    access.line = inst.line;
    access.noted = false;
    Conflict conflict;
    auto ordered = [&](uint32_t other, uint32_t clock) { return block.clocks.ordered(thread, other, clock); };
    if (block.sharedShadow.note(1, access, address, size, ordered, conflict))
      report(Mistake::Race, inst, lane, what() + describeConflict(access, conflict, block), false);
  }
  crossProxies(inst, lane, address, size);
  return true;
}

uint8_t *Warp::globalBytes(const Inst &inst, unsigned lane, uint64_t address, unsigned size, Use use, bool strong,
                           bool readOnly) {
  Block &block = block_;
  DeviceMemory &memory = block.grid.memory;
  if (!last_ || !last_->contains(address, size)) {
    last_ = memory.holding(address, size);
    if (!last_) {
      Allocation *found = memory.find(address);
      const bool freed = found && found->freed && found->contains(address, size);
      report(freed ? Mistake::UseAfterFree : Mistake::OutOfBounds, inst, lane,
             describe(use, size, Space::Global, address) + ": " + memory.explain(address, size));
      return nullptr;
    }
  }
  Allocation &allocation = *last_;
  const uint64_t offset = address - allocation.base;
  if (use != Use::Load) {
    ++block.effects;
    if (allocation.readOnly) {
      report(Mistake::OutOfBounds, inst, lane,
             describe(use, size, Space::Global, address) + " in constant " + allocation.describe());
      return nullptr;
    }
  }
  const RunOptions &options = block.grid.options;
  if (use != Use::Store && options.findUninitialized && !allocation.init.test(offset, size)) {
    allocation.init.set(offset, size);
    report(Mistake::Uninitialized, inst, lane,
           describe(use, size, Space::Global, address) + ", which nothing wrote: " + std::to_string(offset) +
               " bytes after the begin of " + allocation.describe(),
           false);
  }
  if (use != Use::Load)
    allocation.init.set(offset, size);
  if (options.findRaces && !allocation.readOnly) {
    if (!allocation.shadow)
      allocation.shadow = std::make_unique<Shadow>(allocation.size);
    const uint32_t thread = first() + lane;
    Access access;
    access.thread = block.number * block.threads + thread;
    access.clock = block.clocks.now(thread);
    access.line = inst.line;
    access.write = use != Use::Load;
    access.strong = strong;
    access.readOnly = readOnly;
    Conflict conflict;
    auto ordered = [&](uint32_t other, uint32_t clock) { return block.clocks.ordered(thread, other, clock); };
    if (allocation.shadow->note(block.grid.generation, access, offset, size, ordered, conflict))
      report(Mistake::Race, inst, lane,
             describe(use, size, Space::Global, address) + describeConflict(access, conflict, block) + " (" +
                 allocation.describe() + ")",
             false);
    if (strong) {
      if (use != Use::Store)
        block.clocks.strongRead(thread, address, inst.mode2 & 1, block.grid.words);
      if (use != Use::Load)
        block.clocks.strongWrite(thread, address, inst.mode2 & 2, block.grid.words);
    }
  }
  return allocation.data + offset;
}

void Warp::countGlobal(const uint64_t *addresses, uint32_t active, unsigned size) {
  // Sectors of 32 bytes: neighbours mostly share them.
  uint64_t sectors[32 * 2];
  unsigned count = 0;
  uint64_t bytes = 0, before = ~0ull;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const uint64_t address = addresses[__builtin_ctz(rest)];
    if (address != before)
      bytes += size;
    before = address;
    for (uint64_t sector = address / 32; sector <= (address + size - 1) / 32; ++sector) {
      unsigned i = count;
      while (i > 0 && sectors[i - 1] != sector)
        --i;
      if (i == 0 && count < 64)
        sectors[count++] = sector;
    }
  }
  Counters &counters = block_.grid.result.counters;
  ++counters.globalRequests;
  counters.globalSectors += count;
  counters.idealSectors += std::min<uint64_t>(count, (bytes + 31) / 32);
}

void Warp::countShared(const uint64_t *addresses, uint32_t active, unsigned size) {
  Counters &counters = block_.grid.result.counters;
  ++counters.sharedRequests;
  // Wider accesses go by halves or quarters of a warp.
  const unsigned lanesAtOnce = size <= 4 ? 32 : size == 8 ? 16 : 8, words = size <= 4 ? 1 : size / 4;
  for (unsigned begin = 0; begin < 32; begin += lanesAtOnce) {
    uint64_t seen[32][32];
    uint8_t depth[32] = {};
    unsigned most = 0;
    for (unsigned lane = begin; lane < begin + lanesAtOnce; ++lane) {
      if (!(active >> lane & 1))
        continue;
      for (unsigned k = 0; k < words; ++k) {
        const uint64_t word = addresses[lane] / 4 + k;
        const unsigned bank = word % 32;
        unsigned i = 0;
        while (i < depth[bank] && seen[bank][i] != word)
          ++i;
        if (i == depth[bank]) {
          seen[bank][i] = word;
          most = std::max<unsigned>(most, ++depth[bank]);
        }
      }
    }
    if (most > 1)
      counters.bankConflicts += most - 1;
  }
}

} // namespace ptxemu
