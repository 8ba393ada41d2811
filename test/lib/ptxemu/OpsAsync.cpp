// Copies that a thread waits for by groups (cp.async), and mbarriers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Block.h"
#include "test/lib/ptxemu/Lanes.h"
#include "test/lib/ptxemu/OpsBulk.h"

namespace ptxemu {

static bool landPiece(Warp &warp, unsigned lane, const CopyPiece &piece) {
  Block &block = warp.block();
  block.async.removeWrites(piece.to, piece.bytes);
  uint8_t data[16] = {};
  if (piece.fromBytes) {
    const uint8_t *from = warp.access(*piece.inst, lane, Space::Global, piece.from, piece.fromBytes, 1, Use::Load);
    if (!from)
      return false;
    memcpy(data, from, piece.fromBytes);
  }
  uint8_t *to = warp.access(*piece.inst, lane, Space::Shared, piece.to, piece.bytes, piece.bytes, Use::Store);
  if (!to)
    return false;
  memcpy(to, data, piece.bytes);
  return true;
}

bool landCopies(Warp &warp, const Inst &, unsigned lane, size_t keep, bool openToo) {
  auto at = warp.block().async.copies.find(warp.first() + lane);
  if (at == warp.block().async.copies.end())
    return true;
  AsyncState::Copies &copies = at->second;
  while (copies.groups.size() > keep) {
    const std::vector<CopyPiece> group = std::move(copies.groups.front());
    copies.groups.pop_front();
    for (const CopyPiece &piece : group)
      if (!landPiece(warp, lane, piece))
        return false;
  }
  if (!openToo)
    return true;
  const std::vector<CopyPiece> open = std::move(copies.open);
  copies.open.clear();
  for (const CopyPiece &piece : open)
    if (!landPiece(warp, lane, piece))
      return false;
  return true;
}

uint64_t sharedAddress(Warp &warp, const Inst &, Space space, uint32_t place, int64_t offset, unsigned lane) {
  const uint64_t address = warp.addressAt(place, lane) + static_cast<uint64_t>(offset);
  return space == Space::Generic || address >= kSharedWindow ? address - kSharedWindow : address;
}

MemoryBarrier *barrierAt(Warp &warp, const Inst &inst, unsigned lane, uint64_t address) {
  auto at = warp.block().memoryBarriers.find(static_cast<uint32_t>(address));
  if (at != warp.block().memoryBarriers.end() && address >> 32 == 0)
    return &at->second;
  warp.report(Mistake::Invalid, inst, lane, "no mbarrier is initialized at " + std::to_string(address));
  return nullptr;
}

namespace {

/// Inst::count bytes, of which `c` (with flag2) are read.
bool copyAsync(Warp &warp, const Inst &inst, uint32_t active) {
  Block &block = warp.block();
  uint64_t addresses[32], targets[32];
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    CopyPiece piece;
    piece.inst = &inst;
    piece.bytes = inst.count;
    piece.fromBytes = inst.count;
    const uint64_t to = sharedAddress(warp, inst, Space::Shared, inst.a, inst.offset, lane);
    piece.from = warp.addressAt(inst.b, lane) + inst.imm;
    if (inst.flag2)
      piece.fromBytes = warp.lanes<uint32_t>(inst.c)[lane];
    if (inst.flag && warp.predicate(inst.c) >> lane & 1) // ignore-src
      piece.fromBytes = 0;
    addresses[lane] = piece.from;
    targets[lane] = to;
    if (piece.fromBytes > inst.count)
      return warp.report(Mistake::Invalid, inst, lane,
                         "source of " + std::to_string(piece.fromBytes) + " bytes, expected at most " +
                             std::to_string(inst.count));
    if (piece.from % inst.count)
      return warp.report(Mistake::Misaligned, inst, lane,
                         "a copy of " + std::to_string(inst.count) +
                             " bytes from an address that is no multiple of it");
    if (piece.fromBytes && !block.grid.memory.holding(piece.from, piece.fromBytes))
      return warp.access(inst, lane, Space::Global, piece.from, piece.fromBytes, 1, Use::Load) != nullptr;
    // From now on until it has landed the bytes belong to the copy: nobody before may still use them, nobody may yet.
    if (!warp.access(inst, lane, Space::Shared, to, inst.count, inst.count, Use::Store))
      return false;
    piece.to = static_cast<uint32_t>(to);
    block.async.addWrites(block.shared.size(), piece.to, piece.bytes);
    block.async.copies[warp.first() + lane].open.push_back(piece);
    ++block.grid.result.counters.asyncCopies;
  }
  if (block.grid.options.countAccesses) {
    warp.countGlobal(addresses, active, inst.count);
    warp.countShared(targets, active, inst.count);
  }
  return true;
}

bool commitCopies(Warp &warp, const Inst &, uint32_t active) {
  forLanes(active, [&](unsigned lane) {
    AsyncState::Copies &copies = warp.block().async.copies[warp.first() + lane];
    copies.groups.push_back(std::move(copies.open));
    copies.open.clear();
  });
  return true;
}

/// At most Inst::imm groups stay in flight; flag: not even what is in no group.
bool waitCopies(Warp &warp, const Inst &inst, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1)
    if (!landCopies(warp, inst, static_cast<unsigned>(__builtin_ctz(rest)), inst.imm, inst.flag))
      return false;
  return true;
}

/// An arrival that happens when the copies of the thread so far have landed. flag: it is not counted beforehand.
bool arriveAfterCopies(Warp &warp, const Inst &inst, uint32_t active) {
  Block &block = warp.block();
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const uint64_t address = sharedAddress(warp, inst, inst.space, inst.a, inst.offset, lane);
    MemoryBarrier *barrier = barrierAt(warp, inst, lane, address);
    if (!barrier)
      return false;
    if (!inst.flag)
      ++barrier->pending;
    // What is open now is a group that this arrival waits for.
    AsyncState::Copies &copies = block.async.copies[warp.first() + lane];
    auto pieces = std::make_shared<std::vector<CopyPiece>>(std::move(copies.open));
    copies.open.clear();
    for (std::vector<CopyPiece> &group : copies.groups) {
      pieces->insert(pieces->end(), group.begin(), group.end());
      group.clear();
    }
    block.async.landings.push_back([&warp, &inst, lane, address, pieces] {
      for (const CopyPiece &piece : *pieces)
        if (!landPiece(warp, lane, piece))
          return false;
      MemoryBarrier *barrier = barrierAt(warp, inst, lane, address);
      if (!barrier || !barrier->pending)
        return barrier && warp.report(Mistake::Barrier, inst, lane, "more arrivals than the mbarrier expects");
      --barrier->pending;
      warp.block().clocks.release(warp.first() + lane, barrier->arriving);
      warp.block().update(*barrier);
      return true;
    });
  }
  return true;
}

bool initBarrier(Warp &warp, const Inst &inst, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const uint64_t address = sharedAddress(warp, inst, inst.space, inst.a, inst.offset, lane);
    const uint32_t count = warp.lanes<uint32_t>(inst.b)[lane];
    if (count == 0 || count >= 1u << 20)
      return warp.report(Mistake::Invalid, inst, lane, "an mbarrier of " + std::to_string(count) + " arrivals");
    if (!warp.access(inst, lane, Space::Shared, address, 8, 8, Use::Store))
      return false;
    if (warp.block().memoryBarriers.count(static_cast<uint32_t>(address)))
      return warp.report(Mistake::Invalid, inst, lane, "an mbarrier stands there, which was not invalidated");
    MemoryBarrier barrier;
    barrier.count = barrier.pending = count;
    warp.block().memoryBarriers[static_cast<uint32_t>(address)] = barrier;
  }
  return true;
}

bool invalidateBarrier(Warp &warp, const Inst &inst, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const uint64_t address = sharedAddress(warp, inst, inst.space, inst.a, inst.offset, lane);
    if (!barrierAt(warp, inst, lane, address))
      return false;
    warp.block().memoryBarriers.erase(static_cast<uint32_t>(address));
  }
  return true;
}

/// Inst::mode: 1 arrives, 2 expects bytes, 3 both, 4 bytes have come, 5 arrives and leaves for good. b is the count of
/// arrivals or bytes; the state goes to dst, unless flag.
bool arriveBarrier(Warp &warp, const Inst &inst, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const uint64_t address = sharedAddress(warp, inst, inst.space, inst.a, inst.offset, lane);
    MemoryBarrier *barrier = barrierAt(warp, inst, lane, address);
    if (!barrier || !warp.access(inst, lane, Space::Shared, address, 8, 8, Use::Atomic, true))
      return false;
    const uint32_t operand = warp.lanes<uint32_t>(inst.b)[lane];
    if (!inst.flag)
      warp.lanes<uint64_t>(inst.dst)[lane] = barrier->phase | static_cast<uint64_t>(barrier->pending) << 32;
    if (inst.mode == 2 || inst.mode == 3)
      barrier->bytes += operand;
    if (inst.mode == 4)
      barrier->bytes -= operand;
    if (inst.mode & 1) {
      const uint32_t arrivals = inst.mode == 3 ? 1 : operand;
      if (arrivals == 0 || arrivals > barrier->pending)
        return warp.report(Mistake::Barrier, inst, lane,
                           std::to_string(arrivals) + " arrivals at an mbarrier that expects " +
                               std::to_string(barrier->pending) + " more");
      barrier->pending -= arrivals;
      if (inst.mode == 5)
        barrier->count -= arrivals;
      warp.block().clocks.release(warp.first() + lane, barrier->arriving);
    }
    if (inst.mode != 2)
      warp.block().update(*barrier);
  }
  return true;
}

/// Whether the phase of a state (or of a parity, with flag) is over.
bool testBarrier(Warp &warp, const Inst &inst, uint32_t active) {
  uint32_t &dst = warp.predicate(inst.dst);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const uint64_t address = sharedAddress(warp, inst, inst.space, inst.a, inst.offset, lane);
    MemoryBarrier *barrier = barrierAt(warp, inst, lane, address);
    if (!barrier)
      return false;
    bool over;
    if (inst.flag) {
      const uint32_t parity = warp.lanes<uint32_t>(inst.b)[lane];
      if (parity > 1)
        return warp.report(Mistake::Invalid, inst, lane, "a parity of " + std::to_string(parity));
      over = (barrier->phase & 1) != parity;
    } else {
      over = static_cast<uint32_t>(warp.lanes<uint64_t>(inst.b)[lane]) != barrier->phase;
    }
    dst = (dst & ~(1u << lane)) | static_cast<uint32_t>(over) << lane;
    if (over && warp.block().grid.options.findRaces)
      warp.block().clocks.acquire(warp.first() + lane, barrier->done);
  }
  return true;
}

bool pendingCount(Warp &warp, const Inst &inst, uint32_t active) {
  forLanes(active, [&](unsigned lane) {
    warp.lanes<uint32_t>(inst.dst)[lane] = static_cast<uint32_t>(warp.lanes<uint64_t>(inst.a)[lane] >> 32);
  });
  return true;
}

void decodeCopy(Decoder &d) {
  if (!d.has("async"))
    return d.fail("expected 'cp.async'");
  if (d.has("bulk"))
    return decodeBulk(d);
  Inst &inst = d.inst;
  if (d.has("commit_group")) {
    d.expectOperands(0, 0);
    inst.run = commitCopies;
    return;
  }
  const bool all = d.has("wait_all");
  if (all || d.has("wait_group")) {
    d.expectOperands(all ? 0 : 1, all ? 0 : 1);
    inst.flag = all;
    inst.imm = all ? 0 : d.immediate(0);
    inst.run = waitCopies;
    return;
  }
  if (d.has("mbarrier")) {
    d.oneOf({"arrive"});
    inst.flag = d.has("noinc");
    const Space space = d.space();
    d.oneOf({"b64"});
    d.expectOperands(1, 1);
    inst.space = d.address(d.operand(0), space, inst.a, inst.offset);
    inst.run = arriveAfterCopies;
    return;
  }
  const int cache = d.oneOf({"ca", "cg"});
  if ((!d.has("shared") && !d.has("shared::cta")) || !d.has("global"))
    d.fail("expected 'cp.async' from .global to .shared");
  const bool hint = d.cacheModifiers();
  d.expectOperands(3, hint ? 5 : 4);
  inst.count = static_cast<uint8_t>(d.immediate(2));
  if (cache == 1 ? inst.count != 16 : inst.count != 4 && inst.count != 8 && inst.count != 16)
    d.fail("'cp.async' of " + std::to_string(inst.count) + " bytes");
  int64_t offset = 0;
  d.address(d.operand(1), Space::Global, inst.b, offset);
  inst.imm = static_cast<uint64_t>(offset);
  d.address(d.operand(0), Space::Shared, inst.a, inst.offset);
  if (d.count() > (hint ? 4u : 3u)) {
    if (d.registerType(d.operand(3)) == Type::Pred) {
      inst.flag = true;
      inst.c = d.predicate(d.operand(3));
    } else {
      inst.flag2 = true;
      inst.c = d.source(3, Type::B32);
    }
  }
  inst.run = copyAsync;
}

void decodeBarrierOp(Decoder &d) {
  Inst &inst = d.inst;
  const int which = d.oneOf(
      {"init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx", "test_wait", "try_wait", "pending_count"});
  const bool expects = d.has("expect_tx"), parity = d.has("parity");
  d.oneOf({"release", "acquire", "relaxed"}, true);
  d.oneOf({"cta", "cluster"}, true);
  d.has("noComplete");
  const Space space = d.space();
  d.oneOf({"b64"});
  auto place = [&](size_t operand) { inst.space = d.address(d.operand(operand), space, inst.a, inst.offset); };
  switch (which) {
  case 0:
    d.expectOperands(2, 2);
    place(0);
    inst.b = d.source(1, Type::B32);
    inst.run = initBarrier;
    break;
  case 1:
    d.expectOperands(1, 1);
    place(0);
    inst.run = invalidateBarrier;
    break;
  case 2:
  case 3: {
    inst.mode = which == 3 ? 5 : expects ? 3 : 1;
    // `state, [addr]{, count}`; the state may be missing for a barrier of a cluster.
    const size_t first = d.operand(0).kind == Operand::Memory ? 0 : 1;
    d.expectOperands(first + 1, first + 2);
    if (first)
      inst.dst = d.destination(0, Type::B64);
    inst.flag = first == 0;
    place(first);
    inst.b = d.count() > first + 1 ? d.source(first + 1, Type::B32) : d.constant(1, 4);
    inst.run = arriveBarrier;
    break;
  }
  case 4:
  case 5:
    inst.mode = which == 4 ? 2 : 4;
    d.expectOperands(2, 2);
    place(0);
    inst.flag = true;
    inst.b = d.source(1, Type::B32);
    inst.run = arriveBarrier;
    break;
  case 6:
  case 7:
    d.expectOperands(3, which == 7 ? 4 : 3);
    inst.flag = parity;
    inst.dst = d.predicateDestination(d.operand(0));
    place(1);
    inst.b = d.source(2, parity ? Type::B32 : Type::B64);
    inst.run = testBarrier;
    inst.control = Control::Poll;
    break;
  case 8:
    d.expectOperands(2, 2);
    inst.dst = d.destination(0, Type::B32);
    inst.a = d.source(1, Type::B64);
    inst.run = pendingCount;
    break;
  default:
    break;
  }
}

} // namespace

void addAsyncOps(OpTable &table) {
  table["cp"] = decodeCopy;
  table["mbarrier"] = decodeBarrierOp;
}

} // namespace ptxemu
