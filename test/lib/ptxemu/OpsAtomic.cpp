// Atomics, and fences.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Block.h"
#include "test/lib/ptxemu/Lanes.h"

#include <algorithm>
#include <numeric>

namespace ptxemu {

namespace {

enum AtomicOp : uint8_t { Add, Min, Max, And, Or, Xor, Exch, Cas, Inc, Dec };

/// What memory holds after the operation. flush: global memory drops subnormal numbers of f32.
template <typename T> T combine(uint8_t op, T old, T b, T c, bool flushes) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    switch (op) {
    case Add:
      return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
    case Min:
      return std::min(old, b);
    case Max:
      return std::max(old, b);
    case And:
      return old & b;
    case Or:
      return old | b;
    case Xor:
      return old ^ b;
    case Exch:
      return b;
    case Cas:
      return old == b ? c : old;
    case Inc:
      return static_cast<U>(old) >= static_cast<U>(b) ? T(0) : static_cast<T>(old + 1);
    default:
      return old == 0 || static_cast<U>(old) > static_cast<U>(b) ? b : static_cast<T>(old - 1);
    }
  } else if constexpr (std::is_same_v<T, float>) {
    if (op == Exch)
      return b;
    return flushes ? canonical(flush(flush(old) + flush(b))) : canonical(old + b);
  } else if constexpr (std::is_same_v<T, double>) {
    return op == Exch ? b : canonical(old + b);
  } else {
    const double x = toFloat(old), y = toFloat(b);
    double result = addToOdd(x, y);
    if (op == Min || op == Max)
      result = x != x ? y : y != y ? x : op == Min ? std::min(x, y) : std::max(x, y);
    if constexpr (std::is_same_v<T, Half>)
      return toHalf(result);
    else
      return toBFloat(result);
  }
}

/// Lanes in the order in which their atomics happen.
void laneOrder(Warp &warp, uint8_t (&order)[32]) {
  std::iota(order, order + 32, uint8_t(0));
  Grid &grid = warp.block().grid;
  if (grid.options.order == Order::Reverse)
    std::reverse(order, order + 32);
  else if (grid.options.order == Order::Random)
    std::shuffle(order, order + 32, grid.random);
}

/// T is what an element is, Parts how many of them an operand has.
template <typename T, unsigned Parts = 1> bool atomic(Warp &warp, const Inst &inst, uint32_t active) {
  using Whole = std::conditional_t<Parts == 2, uint32_t, T>;
  SlotOf<Whole> *dst = warp.lanes<SlotOf<Whole>>(inst.dst);
  const SlotOf<Whole> *b = warp.lanes<SlotOf<Whole>>(inst.b), *c = warp.lanes<SlotOf<Whole>>(inst.c);
  uint8_t order[32];
  laneOrder(warp, order);
  uint64_t addresses[32];
  Space space = inst.space;
  for (const uint8_t lane : order) {
    if (!(active >> lane & 1))
      continue;
    const uint64_t address = warp.addressAt(inst.a, lane) + static_cast<uint64_t>(inst.offset);
    addresses[lane] = address;
    space = inst.space == Space::Generic ? spaceOf(address) : inst.space;
    uint8_t *bytes = warp.access(inst, lane, inst.space, address, sizeof(Whole), sizeof(Whole), Use::Atomic, true);
    if (!bytes)
      return false;
    const bool flushes = space == Space::Global;
    if constexpr (Parts == 2) {
      T old[2], with[2];
      memcpy(old, bytes, sizeof old);
      memcpy(with, &b[lane], sizeof with);
      T now[2] = {combine<T>(inst.mode, old[0], with[0], {}, flushes),
                  combine<T>(inst.mode, old[1], with[1], {}, flushes)};
      memcpy(bytes, now, sizeof now);
      if (inst.numDefs)
        memcpy(&dst[lane], old, sizeof old);
    } else {
      T old;
      memcpy(&old, bytes, sizeof old);
      const T now = combine<T>(inst.mode, old, fromSlot<T>(b[lane]), fromSlot<T>(c[lane]), flushes);
      memcpy(bytes, &now, sizeof now);
      if (inst.numDefs)
        dst[lane] = toSlot<T>(old);
    }
  }
  Grid &grid = warp.block().grid;
  grid.result.counters.atomics += static_cast<unsigned>(__builtin_popcount(active));
  if (grid.options.countAccesses && space == Space::Global)
    warp.countGlobal(addresses, active, sizeof(Whole));
  return true;
}

Handler atomicHandler(Type type, uint8_t op) {
  const bool bitwise = op == And || op == Or || op == Xor || op == Exch || op == Cas;
  switch (type) {
  case Type::B16:
    return op == Cas ? atomic<uint16_t> : nullptr;
  case Type::B32:
    return bitwise ? atomic<uint32_t> : nullptr;
  case Type::B64:
    return bitwise ? atomic<uint64_t> : nullptr;
  case Type::U32:
    return op <= Max || op >= Inc ? atomic<uint32_t> : nullptr;
  case Type::S32:
    return op <= Max ? atomic<int32_t> : nullptr;
  case Type::U64:
    return op <= Max ? atomic<uint64_t> : nullptr;
  case Type::S64:
    return op == Min || op == Max ? atomic<int64_t> : nullptr;
  case Type::F32:
    return op == Add ? atomic<float> : nullptr;
  case Type::F64:
    return op == Add ? atomic<double> : nullptr;
  case Type::F16:
    return op == Add ? atomic<Half> : nullptr;
  case Type::BF16:
    return op == Add ? atomic<BFloat> : nullptr;
  case Type::F16x2:
    return op == Add ? atomic<Half, 2> : nullptr;
  case Type::BF16x2:
    return op == Add ? atomic<BFloat, 2> : nullptr;
  default:
    return nullptr;
  }
}

void decodeAtomic(Decoder &d, bool returns) {
  d.orderModifiers();
  d.inst.space = d.space();
  const bool hint = d.cacheModifiers();
  const int op = d.oneOf({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  d.has("noftz");
  const Type type = d.type();
  d.inst.mode = static_cast<uint8_t>(op < 0 ? 0 : op);
  const size_t first = returns ? 1 : 0;
  const size_t expected = first + (op == Cas ? 3 : 2);
  d.expectOperands(expected, expected + hint);
  if (returns)
    d.inst.dst = d.destination(0, type);
  d.inst.space = d.address(d.operand(first), d.inst.space, d.inst.a, d.inst.offset);
  d.inst.b = d.source(first + 1, type);
  d.inst.c = op == Cas ? d.source(first + 2, type) : d.inst.b;
  d.inst.run = !returns && (op == Exch || op == Cas) ? nullptr : atomicHandler(type, d.inst.mode);
}

bool fence(Warp &warp, const Inst &, uint32_t active) {
  Block &block = warp.block();
  ++block.effects;
  if (block.grid.options.findRaces)
    forLanes(active, [&](unsigned lane) { block.clocks.fence(warp.first() + lane); });
  return true;
}
bool nothing(Warp &, const Inst &, uint32_t) { return true; }
bool fenceProxies(Warp &warp, const Inst &, uint32_t active) {
  Block &block = warp.block();
  if (block.grid.options.findRaces)
    forLanes(active, [&](unsigned lane) { block.clocks.fenceProxies(warp.first() + lane); });
  return true;
}

} // namespace

void addAtomicOps(OpTable &table) {
  table["atom"] = [](Decoder &d) { decodeAtomic(d, true); };
  table["red"] = [](Decoder &d) { decodeAtomic(d, false); };
  table["membar"] = [](Decoder &d) {
    if (d.has("proxy")) {
      d.oneOf({"alias"});
      d.inst.run = nothing;
      return;
    }
    d.oneOf({"cta", "gl", "sys"});
    d.expectOperands(0, 0);
    d.inst.run = fence;
  };
  table["fence"] = [](Decoder &d) {
    d.inst.run = fence;
    if (d.has("mbarrier_init")) {
      d.oneOf({"release"});
      d.oneOf({"cluster"});
    } else if (d.has("proxy")) {
      // Other kinds of accesses than those to shared memory are one here.
      const int kind = d.oneOf({"alias", "async", "tensormap::generic"});
      const Space space = d.space();
      d.oneOf({"acquire", "release"}, true);
      d.oneOf({"cta", "cluster", "gpu", "sys"}, true);
      d.inst.run = kind == 1 && (space == Space::Generic || space == Space::Shared) ? fenceProxies : nothing;
    } else {
      d.oneOf({"sc", "acq_rel", "acquire", "release"}, true);
      d.has("sync_restrict::shared::cta");
      d.oneOf({"cta", "cluster", "gpu", "sys"});
    }
  };
}

} // namespace ptxemu
