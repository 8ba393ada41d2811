// What lanes of a warp do together: shuffles, votes, matches, reductions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Block.h"
#include "test/lib/ptxemu/Lanes.h"

#include <algorithm>

namespace ptxemu {

namespace {

// Inst::d is the place of the member mask. A handler gets all members at once.

bool shuffle(Warp &warp, const Inst &inst, uint32_t active) {
  const uint32_t *a = warp.lanes<uint32_t>(inst.a), *b = warp.lanes<uint32_t>(inst.b),
                 *c = warp.lanes<uint32_t>(inst.c);
  uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
  uint32_t values[32], written = inst.imm ? warp.carriedLanes(inst, 0) : ~0u, poison = 0, found = 0;
  memcpy(values, a, sizeof values);
  uint32_t results[32];
  forLanes(active, [&](unsigned lane) {
    const int by = static_cast<int>(b[lane] & 31), clamp = static_cast<int>(c[lane] & 31),
              segment = static_cast<int>(c[lane] >> 8 & 31), me = static_cast<int>(lane);
    const int most = (me & segment) | (clamp & ~segment), least = me & segment;
    int from = me;
    bool within = false;
    switch (inst.mode) {
    case 0: // up
      from = me - by;
      within = from >= most;
      break;
    case 1: // down
      from = me + by;
      within = from <= most;
      break;
    case 2: // bfly
      from = me ^ by;
      within = from <= most;
      break;
    default: // idx
      from = least | (by & ~segment);
      within = from <= most;
    }
    if (!within)
      from = me;
    results[lane] = values[from];
    // The value of a lane that takes no part is undefined.
    if (!(active >> from & 1) || !(written >> from & 1))
      poison |= 1u << lane;
    found |= static_cast<uint32_t>(within) << lane;
  });
  forLanes(active, [&](unsigned lane) { dst[lane] = results[lane]; });
  if (inst.flag) {
    uint32_t &p = warp.predicate(inst.target);
    p = (p & ~active) | (found & active);
  }
  warp.poison = poison;
  return true;
}

/// Inst::mode: 0 all, 1 any, 2 uni, 3 ballot.
bool vote(Warp &warp, const Inst &inst, uint32_t active) {
  const uint32_t values = (inst.negate ? ~warp.predicate(inst.a) : warp.predicate(inst.a)) & active;
  if (inst.mode == 3) {
    uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
    forLanes(active, [&](unsigned lane) { dst[lane] = values; });
    return true;
  }
  const bool result = inst.mode == 0   ? values == active
                      : inst.mode == 1 ? values != 0
                                       : values == 0 || values == active;
  uint32_t &dst = warp.predicate(inst.dst);
  dst = (dst & ~active) | (result ? active : 0);
  return true;
}

bool activeMask(Warp &warp, const Inst &inst, uint32_t active) {
  uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
  forLanes(active, [&](unsigned lane) { dst[lane] = active; });
  return true;
}

/// Inst::mode: 0 any, 1 all.
template <typename T> bool match(Warp &warp, const Inst &inst, uint32_t active) {
  const T *a = warp.lanes<T>(inst.a);
  uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
  uint32_t results[32], same = 0;
  forLanes(active, [&](unsigned lane) {
    uint32_t equal = 0;
    for (unsigned other = 0; other < 32; ++other)
      equal |= static_cast<uint32_t>((active >> other & 1) && a[other] == a[lane]) << other;
    results[lane] = equal;
    same = equal;
  });
  const bool all = same == active;
  forLanes(active, [&](unsigned lane) { dst[lane] = inst.mode ? (all ? active : 0) : results[lane]; });
  if (inst.flag) {
    uint32_t &p = warp.predicate(inst.target);
    p = (p & ~active) | (all ? active : 0);
  }
  return true;
}

/// Inst::mode: 0 add, 1 min, 2 max, 3 and, 4 or, 5 xor.
template <typename T> bool reduce(Warp &warp, const Inst &inst, uint32_t active) {
  const uint32_t *a = warp.lanes<uint32_t>(inst.a);
  uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
  T result = static_cast<T>(a[__builtin_ctz(active)]);
  for (uint32_t rest = active & (active - 1); rest; rest &= rest - 1) {
    const T next = static_cast<T>(a[__builtin_ctz(rest)]);
    switch (inst.mode) {
    case 0:
      result = static_cast<T>(static_cast<uint32_t>(result) + static_cast<uint32_t>(next));
      break;
    case 1:
      result = std::min(result, next);
      break;
    case 2:
      result = std::max(result, next);
      break;
    case 3:
      result &= next;
      break;
    case 4:
      result |= next;
      break;
    default:
      result ^= next;
    }
  }
  forLanes(active, [&](unsigned lane) { dst[lane] = static_cast<uint32_t>(result); });
  return true;
}

/// One lane of the members: the first, or the last where the order is not forward.
bool elect(Warp &warp, const Inst &inst, uint32_t active) {
  const unsigned leader = warp.block().grid.options.order == Order::Forward
                              ? static_cast<unsigned>(__builtin_ctz(active))
                              : 31 - static_cast<unsigned>(__builtin_clz(active));
  uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
  forLanes(active, [&](unsigned lane) { dst[lane] = leader; });
  uint32_t &p = warp.predicate(inst.target);
  p = (p & ~active) | 1u << leader;
  return true;
}

/// `d` or `d|p`: the place of p in Inst::target.
void decodePair(Decoder &d, const Operand &operand, Type type) {
  d.inst.flag = operand.kind == Operand::Pair;
  const Operand &first = d.inst.flag ? operand.parts[0] : operand;
  d.inst.dst = d.destination(first, type);
  if (d.inst.flag)
    d.inst.target = d.predicateDestination(operand.parts[1]);
}

void beginSync(Decoder &d) {
  if (!d.has("sync"))
    d.fail("expected '.sync' in '" + d.statement().opcode + "'");
  d.inst.control = Control::WarpSync;
}

} // namespace

void addWarpOps(OpTable &table) {
  table["shfl"] = [](Decoder &d) {
    beginSync(d);
    const int mode = d.oneOf({"up", "down", "bfly", "idx"});
    d.inst.mode = static_cast<uint8_t>(mode < 0 ? 0 : mode);
    const Type type = d.type();
    if (type != Type::B32)
      d.fail("'shfl' of type ." + std::string(nameOf(type)));
    d.expectOperands(5, 5);
    decodePair(d, d.operand(0), Type::B32);
    d.inst.ownCarry = true;
    d.inst.imm = d.operand(1).kind == Operand::Register;
    d.inst.a = d.source(d.operand(1), Type::B32, false, true);
    d.inst.b = d.source(2, Type::B32);
    d.inst.c = d.source(3, Type::B32);
    d.inst.d = d.source(4, Type::B32);
    d.inst.run = shuffle;
  };
  table["vote"] = [](Decoder &d) {
    beginSync(d);
    const int mode = d.oneOf({"all", "any", "uni", "ballot"});
    d.inst.mode = static_cast<uint8_t>(mode < 0 ? 0 : mode);
    const Type type = d.type();
    if ((mode == 3) != (type == Type::B32))
      d.fail("'vote' of type ." + std::string(nameOf(type)));
    d.expectOperands(3, 3);
    d.inst.dst = d.destination(0, type);
    bool negated = false;
    d.inst.a = d.predicate(d.operand(1), &negated);
    d.inst.negate = negated;
    d.inst.d = d.source(2, Type::B32);
    d.inst.run = vote;
  };
  table["activemask"] = [](Decoder &d) {
    d.oneOf({"b32"});
    d.expectOperands(1, 1);
    d.inst.dst = d.destination(0, Type::B32);
    d.inst.run = activeMask;
  };
  table["match"] = [](Decoder &d) {
    const int mode = d.oneOf({"any", "all"});
    beginSync(d);
    d.inst.mode = static_cast<uint8_t>(mode == 1);
    const Type type = d.type();
    d.expectOperands(3, 3);
    decodePair(d, d.operand(0), Type::B32);
    d.inst.a = d.source(1, type);
    d.inst.d = d.source(2, Type::B32);
    d.inst.run = type == Type::B32 ? match<uint32_t> : type == Type::B64 ? match<uint64_t> : nullptr;
  };
  table["redux"] = [](Decoder &d) {
    beginSync(d);
    const int mode = d.oneOf({"add", "min", "max", "and", "or", "xor"});
    d.inst.mode = static_cast<uint8_t>(mode < 0 ? 0 : mode);
    const Type type = d.type();
    d.expectOperands(3, 3);
    d.inst.dst = d.destination(0, type);
    d.inst.a = d.source(1, type);
    d.inst.d = d.source(2, Type::B32);
    if (isBits(type) != (mode >= 3))
      d.fail("'redux' of type ." + std::string(nameOf(type)));
    d.inst.run = type == Type::S32 ? reduce<int32_t> : sizeOf(type) == 4 && !isFloat(type) ? reduce<uint32_t> : nullptr;
  };
  table["elect"] = [](Decoder &d) {
    beginSync(d);
    d.expectOperands(2, 2);
    decodePair(d, d.operand(0), Type::B32);
    d.inst.d = d.source(1, Type::B32);
    d.inst.run = elect;
    if (!d.inst.flag)
      d.fail("'elect' without a predicate");
  };
}

} // namespace ptxemu
