// Comparisons, and choices by their results.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/OpsArithmetic.h"

namespace ptxemu {

namespace {

// In the order of kNames.
enum Comparison : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

template <typename T> T operandOf(const Inst &, T a) { return a; }
inline float operandOf(const Inst &inst, float a) { return inst.ftz ? flush(a) : a; }
inline float operandOf(const Inst &inst, Half a) { return inst.ftz && !(a.bits & 0x7c00) ? 0.0f : toFloat(a); }
inline float operandOf(const Inst &, BFloat a) { return toFloat(a); }

template <typename T> bool compare(uint8_t comparison, T a, T b) {
  // Unordered operands fail Eq to Ge, Ne too; the forms with u hold for them.
  const bool unordered = a != a || b != b;
  switch (comparison) {
  case Eq:
    return a == b;
  case Ne:
    return !unordered && a != b;
  case Lt:
  case Lo:
    return a < b;
  case Le:
  case Ls:
    return a <= b;
  case Gt:
  case Hi:
    return a > b;
  case Ge:
  case Hs:
    return a >= b;
  case Equ:
    return unordered || a == b;
  case Neu:
    return unordered || a != b;
  case Ltu:
    return unordered || a < b;
  case Leu:
    return unordered || a <= b;
  case Gtu:
    return unordered || a > b;
  case Geu:
    return unordered || a >= b;
  case Num:
    return !unordered;
  default:
    return unordered;
  }
}

/// The lanes where the comparison Inst::mode of a and b holds.
template <typename T> uint32_t compareLanes(Warp &warp, const Inst &inst) {
  const SlotOf<T> *a = warp.lanes<SlotOf<T>>(inst.a), *b = warp.lanes<SlotOf<T>>(inst.b);
  bool results[32];
  auto all = [&](auto test) {
    for (unsigned i = 0; i < 32; ++i)
      results[i] = test(operandOf(inst, fromSlot<T>(a[i])), operandOf(inst, fromSlot<T>(b[i])));
  };
  switch (inst.mode) {
  case Eq:
    all([](auto x, auto y) { return x == y; });
    break;
  case Lt:
  case Lo:
    all([](auto x, auto y) { return x < y; });
    break;
  case Gt:
  case Hi:
    all([](auto x, auto y) { return x > y; });
    break;
  default:
    all([&](auto x, auto y) { return compare(inst.mode, x, y); });
  }
  uint32_t lanes = 0;
  for (unsigned i = 0; i < 32; ++i)
    lanes |= static_cast<uint32_t>(results[i]) << i;
  return lanes;
}

/// With c, a predicate, by Inst::mode2: 0 alone, 1 and, 2 or, 3 xor.
uint32_t combine(Warp &warp, const Inst &inst, uint32_t lanes) {
  if (inst.mode2 == 0)
    return lanes;
  const uint32_t c = inst.negate ? ~warp.predicate(inst.c) : warp.predicate(inst.c);
  return inst.mode2 == 1 ? lanes & c : inst.mode2 == 2 ? lanes | c : lanes ^ c;
}

template <typename T> bool setp(Warp &warp, const Inst &inst, uint32_t active) {
  const uint32_t lanes = compareLanes<T>(warp, inst);
  const uint32_t first = combine(warp, inst, lanes), second = combine(warp, inst, ~lanes);
  uint32_t &p = warp.predicate(inst.dst), &q = warp.predicate(inst.d);
  p = (p & ~active) | (first & active);
  if (inst.flag)
    q = (q & ~active) | (second & active);
  return true;
}
/// Both halves at once: p of the low ones, q of the high ones.
template <typename T> bool setpPacked(Warp &warp, const Inst &inst, uint32_t active) {
  const uint32_t *a = warp.lanes<uint32_t>(inst.a), *b = warp.lanes<uint32_t>(inst.b);
  uint32_t lanes[2] = {0, 0};
  for (unsigned i = 0; i < 32; ++i)
    for (unsigned k = 0; k < 2; ++k)
      lanes[k] |= static_cast<uint32_t>(compare(inst.mode, operandOf(inst, T{static_cast<uint16_t>(a[i] >> (16 * k))}),
                                                operandOf(inst, T{static_cast<uint16_t>(b[i] >> (16 * k))})))
                  << i;
  uint32_t &p = warp.predicate(inst.dst), &q = warp.predicate(inst.d);
  const uint32_t first = combine(warp, inst, lanes[0]), second = combine(warp, inst, lanes[1]);
  p = (p & ~active) | (first & active);
  q = (q & ~active) | (second & active);
  return true;
}
template <typename T> struct Setp {
  static constexpr Handler run = setp<T>;
};

/// A register instead of a predicate: all ones, or 1.0 (of the type type2).
template <typename T> bool setTo(Warp &warp, const Inst &inst, uint32_t active) {
  const uint32_t lanes = combine(warp, inst, compareLanes<T>(warp, inst));
  uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
  const uint32_t yes = inst.type2 == Type::F32    ? 0x3f800000u
                       : inst.type2 == Type::F16  ? 0x3c00u
                       : inst.type2 == Type::BF16 ? 0x3f80u
                       : sizeOf(inst.type2) == 2  ? 0xffffu
                                                  : ~0u;
  forLanes(active, [&](unsigned i) { dst[i] = lanes >> i & 1 ? yes : 0; });
  return true;
}
template <typename T> bool setPacked(Warp &warp, const Inst &inst, uint32_t active) {
  const uint32_t *a = warp.lanes<uint32_t>(inst.a), *b = warp.lanes<uint32_t>(inst.b);
  uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
  const uint32_t yes = inst.type2 == Type::F16x2 ? 0x3c00u : inst.type2 == Type::BF16x2 ? 0x3f80u : 0xffffu;
  forLanes(active, [&](unsigned i) {
    uint32_t result = 0;
    for (unsigned k = 0; k < 2; ++k)
      if (compare(inst.mode, operandOf(inst, T{static_cast<uint16_t>(a[i] >> (16 * k))}),
                  operandOf(inst, T{static_cast<uint16_t>(b[i] >> (16 * k))})))
        result |= yes << (16 * k);
    dst[i] = result;
  });
  return true;
}
template <typename T> struct Set {
  static constexpr Handler run = setTo<T>;
};

/// Comparison and combination; the type of the operands comes after. Returns that type.
Type comparisonModifiers(Decoder &d, bool ofSet) {
  const int comparison = d.oneOf({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu",
                                  "leu", "gtu", "geu", "num", "nan"});
  d.inst.mode = static_cast<uint8_t>(comparison < 0 ? 0 : comparison);
  d.inst.mode2 = static_cast<uint8_t>(d.oneOf({"and", "or", "xor"}, true) + 1);
  d.inst.ftz = d.has("ftz");
  if (ofSet)
    d.inst.type2 = d.type();
  const Type type = d.type();
  const bool real = isFloat(type);
  if (comparison >= Equ && !real)
    d.fail("comparison '." + std::string(d.modifier(0)) + "' of integers");
  if (comparison >= Lo && comparison <= Hs && (real || isSigned(type) || isBits(type)))
    d.fail("comparison '." + std::string(d.modifier(0)) + "' of type ." + std::string(nameOf(type)));
  if (isBits(type) && comparison > Ne)
    d.fail("bits are compared by .eq and .ne only");
  d.inst.type = type;
  return type;
}

template <template <typename> class Make> Handler comparisonHandler(Type type) {
  return handlerFor<Make, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t, float, double, Half, BFloat>(type);
}

void decodeSetp(Decoder &d) {
  const Type type = comparisonModifiers(d, false);
  d.expectOperands(d.inst.mode2 ? 4 : 3, d.inst.mode2 ? 4 : 3);
  const Operand &target = d.operand(0);
  d.inst.flag = target.kind == Operand::Pair;
  if (d.inst.flag) {
    d.inst.dst = d.predicateDestination(target.parts[0]);
    d.inst.d = d.predicateDestination(target.parts[1]);
  } else {
    d.inst.dst = d.predicateDestination(target);
    d.inst.d = d.inst.dst;
  }
  d.inst.a = d.source(1, type);
  d.inst.b = d.source(2, type);
  bool negated = false;
  if (d.inst.mode2)
    d.inst.c = d.predicate(d.operand(3), &negated);
  d.inst.negate = negated;
  if (type == Type::F16x2 || type == Type::BF16x2) {
    if (!d.inst.flag)
      d.fail("comparison of pairs with one predicate, expected two");
    d.inst.run = type == Type::F16x2 ? setpPacked<Half> : setpPacked<BFloat>;
  } else {
    d.inst.run = comparisonHandler<Setp>(type);
  }
}

void decodeSet(Decoder &d) {
  const Type type = comparisonModifiers(d, true);
  d.expectOperands(d.inst.mode2 ? 4 : 3, d.inst.mode2 ? 4 : 3);
  d.inst.dst = d.destination(0, d.inst.type2);
  d.inst.a = d.source(1, type);
  d.inst.b = d.source(2, type);
  bool negated = false;
  if (d.inst.mode2)
    d.inst.c = d.predicate(d.operand(3), &negated);
  d.inst.negate = negated;
  if (type == Type::F16x2)
    d.inst.run = setPacked<Half>;
  else if (type == Type::BF16x2)
    d.inst.run = setPacked<BFloat>;
  else
    d.inst.run = comparisonHandler<Set>(type);
}

template <typename Slot> bool selp(Warp &warp, const Inst &inst, uint32_t active) {
  Slot *dst = warp.lanes<Slot>(inst.dst);
  const Slot *a = warp.lanes<Slot>(inst.a), *b = warp.lanes<Slot>(inst.b);
  const uint32_t chosen = inst.negate ? ~warp.predicate(inst.c) : warp.predicate(inst.c);
  forLanes(active, [&](unsigned i) { dst[i] = chosen >> i & 1 ? a[i] : b[i]; });
  // Undefined is a result whose chosen operand is: Inst::imm says which of both are registers.
  if (inst.numCarried) {
    const uint32_t undefinedA = inst.imm & 1 ? ~warp.carriedLanes(inst, 0) : 0;
    const uint32_t undefinedB = inst.imm & 2 ? ~warp.carriedLanes(inst, inst.imm & 1) : 0;
    warp.poison = (chosen & undefinedA) | (~chosen & undefinedB);
  }
  return true;
}

/// a if c >= 0 (mode 0: c is an s32; 1: an f32, of which -0 is not negative and NaN is), else b.
template <typename Slot> bool slct(Warp &warp, const Inst &inst, uint32_t active) {
  Slot *dst = warp.lanes<Slot>(inst.dst);
  const Slot *a = warp.lanes<Slot>(inst.a), *b = warp.lanes<Slot>(inst.b);
  const uint32_t *c = warp.lanes<uint32_t>(inst.c);
  forLanes(active, [&](unsigned i) {
    bool first = static_cast<int32_t>(c[i]) >= 0;
    if (inst.mode)
      first = (inst.ftz ? flush(bitCast<float>(c[i])) : bitCast<float>(c[i])) >= 0;
    dst[i] = first ? a[i] : b[i];
  });
  return true;
}

template <typename T> bool testp(Warp &warp, const Inst &inst, uint32_t active) {
  const SlotOf<T> *a = warp.lanes<SlotOf<T>>(inst.a);
  uint32_t &dst = warp.predicate(inst.dst);
  forLanes(active, [&](unsigned i) {
    const T value = fromSlot<T>(a[i]);
    bool holds = false;
    switch (inst.mode) {
    case 0:
      holds = std::isfinite(value);
      break;
    case 1:
      holds = std::isinf(value);
      break;
    case 2:
      holds = value == value;
      break;
    case 3:
      holds = value != value;
      break;
    case 4:
      holds = std::isnormal(value) || value == 0;
      break;
    default:
      holds = std::fpclassify(value) == FP_SUBNORMAL;
    }
    dst = (dst & ~(1u << i)) | static_cast<uint32_t>(holds) << i;
  });
  return true;
}

} // namespace

void addCompareOps(OpTable &table) {
  table["setp"] = decodeSetp;
  table["set"] = decodeSet;
  table["selp"] = [](Decoder &d) {
    const Type type = d.type();
    d.expectOperands(4, 4);
    d.inst.dst = d.destination(0, type);
    // What is chosen may be something that nothing wrote: that matters when it is used.
    d.inst.a = d.source(d.operand(1), type, false, true);
    d.inst.b = d.source(d.operand(2), type, false, true);
    d.inst.ownCarry = true;
    d.inst.imm = (d.operand(1).kind == Operand::Register ? 1 : 0) | (d.operand(2).kind == Operand::Register ? 2 : 0);
    bool negated = false;
    d.inst.c = d.predicate(d.operand(3), &negated);
    d.inst.negate = negated;
    d.inst.run = sizeOf(type) == 8 ? selp<uint64_t> : selp<uint32_t>;
  };
  table["slct"] = [](Decoder &d) {
    d.inst.ftz = d.has("ftz");
    const Type type = d.type(), by = d.type();
    d.inst.mode = by == Type::F32;
    d.expectOperands(4, 4);
    d.inst.dst = d.destination(0, type);
    d.inst.a = d.source(1, type);
    d.inst.b = d.source(2, type);
    d.inst.c = d.source(3, by);
    d.inst.run = by != Type::F32 && by != Type::S32 ? nullptr : sizeOf(type) == 8 ? slct<uint64_t> : slct<uint32_t>;
  };
  table["testp"] = [](Decoder &d) {
    const int which = d.oneOf({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    d.inst.mode = static_cast<uint8_t>(which < 0 ? 0 : which);
    const Type type = d.type();
    d.expectOperands(2, 2);
    d.inst.dst = d.predicateDestination(d.operand(0));
    d.inst.a = d.source(1, type);
    d.inst.run = type == Type::F32 ? testp<float> : type == Type::F64 ? testp<double> : nullptr;
  };
}

} // namespace ptxemu
