// Logic, shifts, and instructions that move bits about.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Lanes.h"

#include <algorithm>

namespace ptxemu {

namespace {

enum class Logic : uint8_t { And, Or, Xor, Not, Cnot };

template <Logic L> uint64_t logic(uint64_t a, uint64_t b) {
  switch (L) {
  case Logic::And:
    return a & b;
  case Logic::Or:
    return a | b;
  case Logic::Xor:
    return a ^ b;
  case Logic::Not:
    return ~a;
  case Logic::Cnot:
    return a == 0;
  }
  return 0;
}

template <Logic L> struct OnValues {
  template <typename T> struct Make {
    struct F {
      explicit F(const Inst &) {}
      T operator()(T a, T b) const { return static_cast<T>(logic<L>(a, b)); }
      T operator()(T a) const { return static_cast<T>(logic<L>(a, 0)); }
    };
    static constexpr Handler run = L == Logic::Not || L == Logic::Cnot ? unaryOp<T, T, F> : binaryOp<T, T, T, F>;
  };
};

/// On predicates, which are words of lanes. Bits of Inst::negate turn the operands round.
template <Logic L> bool onPredicates(Warp &warp, const Inst &inst, uint32_t active) {
  uint32_t a = warp.predicate(inst.a), b = warp.predicate(inst.b);
  a = inst.negate & 1 ? ~a : a;
  b = inst.negate & 2 ? ~b : b;
  const uint32_t result = static_cast<uint32_t>(logic<L>(a, b));
  uint32_t &dst = warp.predicate(inst.dst);
  dst = (dst & ~active) | (result & active);
  return true;
}

template <Logic L> void decodeLogic(Decoder &d) {
  const bool one = L == Logic::Not || L == Logic::Cnot;
  const Type type = d.type();
  if (isFloat(type) || isInteger(type))
    return d.fail("'" + d.statement().opcode + "' of type ." + std::string(nameOf(type)));
  if (type != Type::Pred) {
    const Handler run = handlerFor<OnValues<L>::template Make, uint16_t, uint32_t, uint64_t>(type);
    return one ? decodeUnary(d, type, run) : decodeBinary(d, type, run);
  }
  d.expectOperands(one ? 2 : 3, one ? 2 : 3);
  d.inst.dst = d.predicateDestination(d.operand(0));
  bool negated = false;
  d.inst.a = d.predicate(d.operand(1), &negated);
  d.inst.negate = negated;
  d.inst.b = d.inst.a;
  if (!one) {
    d.inst.b = d.predicate(d.operand(2), &negated);
    d.inst.negate |= negated ? 2 : 0;
  }
  d.inst.run = L == Logic::Cnot ? nullptr : onPredicates<L>;
}

/// Shifts by more than the width give what shifting bit by bit would give.
template <typename T> struct Shl {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a, uint32_t b) const { return b >= 8 * sizeof(T) ? T(0) : static_cast<T>(a << b); }
  };
  static constexpr Handler run = binaryOp<T, T, uint32_t, F>;
};
template <typename T> struct Shr {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a, uint32_t b) const {
      constexpr uint32_t width = 8 * sizeof(T);
      if constexpr (std::is_signed_v<T>)
        return static_cast<T>(a >> std::min(b, width - 1));
      else
        return b >= width ? T(0) : static_cast<T>(a >> b);
    }
  };
  static constexpr Handler run = binaryOp<T, T, uint32_t, F>;
};

/// A funnel shift of b:a. Inst::mode: 1 right; flag: counts wrap.
struct Funnel {
  explicit Funnel(const Inst &inst) : right(inst.mode), wrap(inst.flag) {}
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t n = wrap ? c & 31 : std::min(c, 32u);
    const uint64_t both = static_cast<uint64_t>(b) << 32 | a;
    return static_cast<uint32_t>(right ? both >> n : both >> (32 - n));
  }
  bool right, wrap;
};

template <typename T> struct Bfe {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a, uint32_t b, uint32_t c) const {
      constexpr uint32_t msb = 8 * sizeof(T) - 1;
      const uint32_t pos = b & 0xff, len = c & 0xff;
      using U = std::make_unsigned_t<T>;
      const U bits = static_cast<U>(a);
      const bool sign = std::is_signed_v<T> && len && (bits >> std::min(pos + len - 1, msb) & 1);
      U result = 0;
      for (uint32_t i = 0; i <= msb; ++i) {
        const bool bit = i < len && pos + i <= msb ? bits >> (pos + i) & 1 : sign;
        result |= static_cast<U>(bit) << i;
      }
      return static_cast<T>(result);
    }
  };
  static constexpr Handler run = ternaryOp<T, T, uint32_t, uint32_t, F>;
};

/// dst = b with `len` bits of a at `pos`.
template <typename T> bool bfi(Warp &warp, const Inst &inst, uint32_t active) {
  T *dst = warp.lanes<T>(inst.dst);
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b);
  const uint32_t *c = warp.lanes<uint32_t>(inst.c), *l = warp.lanes<uint32_t>(inst.d);
  forLanes(active, [&](unsigned i) {
    constexpr uint32_t width = 8 * sizeof(T);
    const uint32_t pos = c[i] & 0xff, len = l[i] & 0xff;
    if (pos >= width || len == 0) {
      dst[i] = b[i];
      return;
    }
    const T field = len >= width ? ~T(0) : (T(1) << len) - 1;
    const T mask = static_cast<T>(field << pos);
    dst[i] = (b[i] & ~mask) | (static_cast<T>(a[i] << pos) & mask);
  });
  return true;
}

template <typename T> struct Bfind {
  struct F {
    explicit F(const Inst &inst) : shiftAmount(inst.flag) {}
    uint32_t operator()(T a) const {
      using U = std::make_unsigned_t<T>;
      U bits = static_cast<U>(a);
      if (std::is_signed_v<T> && a < 0)
        bits = ~bits;
      if (bits == 0)
        return ~0u;
      const uint32_t at = 63 - static_cast<uint32_t>(__builtin_clzll(bits));
      return shiftAmount ? 8 * sizeof(T) - 1 - at : at;
    }
    bool shiftAmount;
  };
  static constexpr Handler run = unaryOp<uint32_t, T, F>;
};

template <typename T> struct Clz {
  struct F {
    explicit F(const Inst &) {}
    uint32_t operator()(T a) const {
      return a == 0 ? 8 * sizeof(T) : static_cast<uint32_t>(__builtin_clzll(a)) - (64 - 8 * sizeof(T));
    }
  };
  static constexpr Handler run = unaryOp<uint32_t, T, F>;
};
template <typename T> struct Popc {
  struct F {
    explicit F(const Inst &) {}
    uint32_t operator()(T a) const { return static_cast<uint32_t>(__builtin_popcountll(a)); }
  };
  static constexpr Handler run = unaryOp<uint32_t, T, F>;
};
template <typename T> struct Brev {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a) const {
      T result = 0;
      for (unsigned i = 0; i < 8 * sizeof(T); ++i)
        result |= (a >> i & 1) << (8 * sizeof(T) - 1 - i);
      return result;
    }
  };
  static constexpr Handler run = unaryOp<T, T, F>;
};

/// The n-th set bit from a base, upwards or downwards.
struct Fns {
  explicit Fns(const Inst &) {}
  uint32_t operator()(uint32_t mask, uint32_t base, uint32_t offset) const {
    const int32_t n = static_cast<int32_t>(offset);
    const int step = n < 0 ? -1 : 1;
    int32_t left = n == 0 ? 1 : std::abs(n);
    const bool only = n == 0;
    for (int64_t at = base; at >= 0 && at < 32; at += step) {
      if (mask >> at & 1 && --left == 0)
        return static_cast<uint32_t>(at);
      if (only)
        break;
    }
    return ~0u;
  }
};

struct Bmsk {
  explicit Bmsk(const Inst &inst) : wrap(inst.flag) {}
  uint32_t operator()(uint32_t a, uint32_t b) const {
    const uint32_t pos = wrap ? a & 31 : std::min(a, 32u), len = wrap ? b & 31 : std::min(b, 32u);
    const uint64_t field = (1ull << len) - 1;
    return static_cast<uint32_t>(field << pos);
  }
  bool wrap;
};

/// Bytes of b:a by selectors. Inst::mode: 0 by c, else one of the named patterns.
struct Prmt {
  explicit Prmt(const Inst &inst) : mode(inst.mode) {}
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    static constexpr uint8_t patterns[6][4][4] = {
        // By the two low bits of c: bytes 0 to 3 of the result.
        {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}, // f4e
        {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}, // b4e
        {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}, // rc8
        {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}, // ecl
        {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}, // ecr
        {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}, // rc16
    };
    const uint64_t bytes = static_cast<uint64_t>(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const uint32_t selector = mode ? patterns[mode - 1][c & 3][i] : c >> (4 * i) & 15;
      uint32_t byte = static_cast<uint32_t>(bytes >> (8 * (selector & 7))) & 0xff;
      if (selector & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= byte << (8 * i);
    }
    return result;
  }
  int mode;
};

struct Lop3 {
  explicit Lop3(const Inst &inst) : table(static_cast<uint32_t>(inst.imm)) {}
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; ++i)
      if (table >> i & 1)
        result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
  }
  uint32_t table;
};

/// Sign or zero extension of the low bits.
template <typename T> struct Szext {
  struct F {
    explicit F(const Inst &inst) : wrap(inst.flag) {}
    T operator()(T a, uint32_t b) const {
      const uint32_t n = wrap ? b & 31 : std::min(b, 32u);
      if (n == 32)
        return a;
      if (n == 0)
        return 0;
      const uint32_t kept = static_cast<uint32_t>(a) << (32 - n);
      return std::is_signed_v<T> ? static_cast<T>(static_cast<int32_t>(kept) >> (32 - n))
                                 : static_cast<T>(kept >> (32 - n));
    }
    bool wrap;
  };
  static constexpr Handler run = binaryOp<T, T, uint32_t, F>;
};

template <template <typename> class Make, typename... Ts> void decodeCount(Decoder &d) {
  const Type type = d.type();
  d.expectOperands(2, 2);
  d.inst.dst = d.destination(0, Type::B32);
  d.inst.a = d.source(1, type);
  d.inst.run = handlerFor<Make, Ts...>(type);
}

void decodeShift(Decoder &d, bool right) {
  const Type type = d.type();
  d.expectOperands(3, 3);
  d.inst.dst = d.destination(0, type);
  d.inst.a = d.source(1, type);
  d.inst.b = d.source(2, Type::B32);
  d.inst.run = right          ? handlerFor<Shr, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type)
               : isBits(type) ? handlerFor<Shl, uint16_t, uint32_t, uint64_t>(type)
                              : nullptr;
}

} // namespace

void addBitOps(OpTable &table) {
  table["and"] = decodeLogic<Logic::And>;
  table["or"] = decodeLogic<Logic::Or>;
  table["xor"] = decodeLogic<Logic::Xor>;
  table["not"] = decodeLogic<Logic::Not>;
  table["cnot"] = decodeLogic<Logic::Cnot>;
  table["shl"] = [](Decoder &d) { decodeShift(d, false); };
  table["shr"] = [](Decoder &d) { decodeShift(d, true); };
  table["shf"] = [](Decoder &d) {
    d.inst.mode = static_cast<uint8_t>(d.oneOf({"l", "r"}) == 1);
    d.inst.flag = d.oneOf({"clamp", "wrap"}) == 1;
    decodeTernary(d, d.type(), ternaryOp<uint32_t, uint32_t, uint32_t, uint32_t, Funnel>);
  };
  table["bfe"] = [](Decoder &d) {
    const Type type = d.type();
    d.expectOperands(4, 4);
    d.inst.dst = d.destination(0, type);
    d.inst.a = d.source(1, type);
    d.inst.b = d.source(2, Type::B32);
    d.inst.c = d.source(3, Type::B32);
    d.inst.run = isBits(type) ? nullptr : handlerFor<Bfe, uint32_t, uint64_t, int32_t, int64_t>(type);
  };
  table["bfi"] = [](Decoder &d) {
    const Type type = d.type();
    d.expectOperands(5, 5);
    d.inst.dst = d.destination(0, type);
    d.inst.a = d.source(1, type);
    d.inst.b = d.source(2, type);
    d.inst.c = d.source(3, Type::B32);
    d.inst.d = d.source(4, Type::B32);
    d.inst.run = type == Type::B32 ? bfi<uint32_t> : type == Type::B64 ? bfi<uint64_t> : nullptr;
  };
  table["bfind"] = [](Decoder &d) {
    d.inst.flag = d.has("shiftamt");
    decodeCount<Bfind, uint32_t, uint64_t, int32_t, int64_t>(d);
  };
  table["clz"] = decodeCount<Clz, uint32_t, uint64_t>;
  table["popc"] = decodeCount<Popc, uint32_t, uint64_t>;
  table["brev"] = [](Decoder &d) {
    const Type type = d.type();
    decodeUnary(d, type, handlerFor<Brev, uint32_t, uint64_t>(type));
  };
  table["fns"] = [](Decoder &d) { decodeTernary(d, d.type(), ternaryOp<uint32_t, uint32_t, uint32_t, uint32_t, Fns>); };
  table["bmsk"] = [](Decoder &d) {
    d.inst.flag = d.oneOf({"clamp", "wrap"}) == 1;
    decodeBinary(d, d.type(), binaryOp<uint32_t, uint32_t, uint32_t, Bmsk>);
  };
  table["szext"] = [](Decoder &d) {
    d.inst.flag = d.oneOf({"clamp", "wrap"}) == 1;
    const Type type = d.type();
    decodeBinary(d, type, handlerFor<Szext, uint32_t, int32_t>(type));
  };
  table["prmt"] = [](Decoder &d) {
    const Type type = d.type();
    d.inst.mode = static_cast<uint8_t>(d.oneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}, true) + 1);
    decodeTernary(d, type, ternaryOp<uint32_t, uint32_t, uint32_t, uint32_t, Prmt>);
  };
  table["lop3"] = [](Decoder &d) {
    const Type type = d.type();
    d.expectOperands(5, 5);
    d.inst.imm = d.immediate(4);
    d.inst.dst = d.destination(0, type);
    d.inst.a = d.source(1, type);
    d.inst.b = d.source(2, type);
    d.inst.c = d.source(3, type);
    d.inst.run = ternaryOp<uint32_t, uint32_t, uint32_t, uint32_t, Lop3>;
  };
}

} // namespace ptxemu
