// Integer arithmetic. Opcodes that floats share (add, mul, min, ...) are decoded in OpsFloat.cpp, which comes here for
// integers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/OpsArithmetic.h"

#include <algorithm>
#include <limits>

namespace ptxemu {

namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;

template <typename T> struct Add {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a, T b) const { return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b)); }
  };
  static constexpr Handler run = binaryOp<T, T, T, F>;
};
template <typename T> struct Sub {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a, T b) const { return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b)); }
  };
  static constexpr Handler run = binaryOp<T, T, T, F>;
};
template <typename T, bool Subtract> struct Clamped {
  struct F {
    explicit F(const Inst &) {}
    int32_t operator()(int32_t a, int32_t b) const {
      const int64_t wide = Subtract ? static_cast<int64_t>(a) - b : static_cast<int64_t>(a) + b;
      return static_cast<int32_t>(std::clamp<int64_t>(wide, INT32_MIN, INT32_MAX));
    }
  };
};

/// The product in twice as many bits.
template <typename T> struct WideOf {
  using Type = std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 8, __int128, int64_t>,
                                  std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64_t>>;
};
template <typename T> T mulHigh(T a, T b) {
  using Wide = typename WideOf<T>::Type;
  return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> (8 * sizeof(T)));
}
template <typename T> T mulLow(T a, T b) { return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }
template <typename T> struct MulLo {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a, T b) const { return mulLow(a, b); }
  };
  static constexpr Handler run = binaryOp<T, T, T, F>;
};
template <typename T> struct MulHi {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a, T b) const { return mulHigh(a, b); }
  };
  static constexpr Handler run = binaryOp<T, T, T, F>;
};
template <typename T> struct Doubled {
  using Type = std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 2, int32_t, int64_t>,
                                  std::conditional_t<sizeof(T) == 2, uint32_t, uint64_t>>;
};
template <typename T> struct MulWide {
  using W = typename Doubled<T>::Type;
  struct F {
    explicit F(const Inst &) {}
    W operator()(T a, T b) const { return mulLow(static_cast<W>(a), static_cast<W>(b)); }
  };
  static constexpr Handler run = binaryOp<W, T, T, F>;
};
template <typename T> struct MadLo {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a, T b, T c) const {
      return static_cast<T>(static_cast<uint64_t>(mulLow(a, b)) + static_cast<uint64_t>(c));
    }
  };
  static constexpr Handler run = ternaryOp<T, T, T, T, F>;
};
template <typename T> struct MadHi {
  struct F {
    explicit F(const Inst &inst) : saturated(inst.saturated) {}
    T operator()(T a, T b, T c) const {
      const T high = mulHigh(a, b);
      if (saturated) {
        const __int128 sum = static_cast<__int128>(high) + c;
        return static_cast<T>(std::clamp<__int128>(sum, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
      }
      return static_cast<T>(static_cast<uint64_t>(high) + static_cast<uint64_t>(c));
    }
    bool saturated;
  };
  static constexpr Handler run = ternaryOp<T, T, T, T, F>;
};
template <typename T> struct MadWide {
  using W = typename Doubled<T>::Type;
  struct F {
    explicit F(const Inst &) {}
    W operator()(T a, T b, W c) const {
      return static_cast<W>(static_cast<uint64_t>(mulLow(static_cast<W>(a), static_cast<W>(b))) +
                            static_cast<uint64_t>(c));
    }
  };
  static constexpr Handler run = ternaryOp<W, T, T, W, F>;
};

// Division by zero gives a value that the ISA leaves open; this one is all ones, as machines are seen to give.
template <typename T> struct Div {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a, T b) const {
      if (b == 0)
        return static_cast<T>(~Unsigned<T>(0));
      if constexpr (std::is_signed_v<T>)
        if (b == -1)
          return static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a));
      return static_cast<T>(a / b);
    }
  };
  static constexpr Handler run = binaryOp<T, T, T, F>;
};
template <typename T> struct Rem {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a, T b) const {
      if (b == 0)
        return a;
      if constexpr (std::is_signed_v<T>)
        if (b == -1)
          return 0;
      return static_cast<T>(a % b);
    }
  };
  static constexpr Handler run = binaryOp<T, T, T, F>;
};
template <typename T> struct Min {
  struct F {
    explicit F(const Inst &inst) : relu(inst.flag) {}
    T operator()(T a, T b) const { return relu ? std::max<T>(std::min(a, b), 0) : std::min(a, b); }
    bool relu;
  };
  static constexpr Handler run = binaryOp<T, T, T, F>;
};
template <typename T> struct Max {
  struct F {
    explicit F(const Inst &inst) : relu(inst.flag) {}
    T operator()(T a, T b) const { return relu ? std::max<T>(std::max(a, b), 0) : std::max(a, b); }
    bool relu;
  };
  static constexpr Handler run = binaryOp<T, T, T, F>;
};
template <typename T> struct Neg {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a) const { return static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a)); }
  };
  static constexpr Handler run = unaryOp<T, T, F>;
};
template <typename T> struct Abs {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a) const { return a < 0 ? static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a)) : a; }
  };
  static constexpr Handler run = unaryOp<T, T, F>;
};
template <typename T> struct Sad {
  struct F {
    explicit F(const Inst &) {}
    T operator()(T a, T b, T c) const {
      const Unsigned<T> distance =
          a < b ? static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(b) - static_cast<Unsigned<T>>(a))
                : static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
      return static_cast<T>(static_cast<Unsigned<T>>(c) + distance);
    }
  };
  static constexpr Handler run = ternaryOp<T, T, T, T, F>;
};

/// The low 24 bits, with their sign.
template <typename T> int64_t low24(T a) {
  return std::is_signed_v<T> ? static_cast<int64_t>(static_cast<int32_t>(static_cast<uint32_t>(a) << 8) >> 8)
                             : static_cast<int64_t>(static_cast<uint32_t>(a) & 0xffffff);
}
template <typename T> struct Mul24 {
  struct F {
    explicit F(const Inst &inst) : high(inst.mode) {}
    T operator()(T a, T b) const { return static_cast<T>((low24(a) * low24(b)) >> (high ? 16 : 0)); }
    bool high;
  };
  static constexpr Handler run = binaryOp<T, T, T, F>;
};
template <typename T> struct Mad24 {
  struct F {
    explicit F(const Inst &inst) : high(inst.mode), saturated(inst.saturated) {}
    T operator()(T a, T b, T c) const {
      const int64_t product = (low24(a) * low24(b)) >> (high ? 16 : 0);
      if (saturated)
        return static_cast<T>(
            std::clamp<int64_t>(static_cast<int32_t>(product) + static_cast<int64_t>(c), INT32_MIN, INT32_MAX));
      return static_cast<T>(static_cast<uint64_t>(product) + static_cast<uint64_t>(c));
    }
    bool high, saturated;
  };
  static constexpr Handler run = ternaryOp<T, T, T, T, F>;
};

/// The sum of products of bytes (dp4a), or of two halves with two bytes (dp2a). Inst::mode: 1 a is signed, 2 b is.
template <int Count> struct DotProduct {
  explicit DotProduct(const Inst &inst) : mode(inst.mode), high(inst.flag) {}
  static int64_t part(uint32_t word, unsigned i, unsigned bits, bool isSigned) {
    const uint32_t value = word >> (i * bits) & ((1u << bits) - 1);
    return isSigned && value >> (bits - 1) ? static_cast<int64_t>(value) - (1ll << bits) : static_cast<int64_t>(value);
  }
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    int64_t sum = 0;
    for (unsigned i = 0; i < Count; ++i)
      sum += part(a, i, 32 / Count, mode & 1) * part(b, i + (Count == 2 && high ? 2 : 0), 8, mode & 2);
    return c + static_cast<uint32_t>(sum);
  }
  int mode;
  bool high;
};

/// Arithmetic with carry. The flag of each lane stands in a word of its own, at Inst::d. Inst::flag: reads it, flag2:
/// writes it.
template <typename T, bool Subtract> bool carryOp(Warp &warp, const Inst &inst, uint32_t active) {
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b);
  T *dst = warp.lanes<T>(inst.dst);
  uint32_t &flags = warp.predicate(inst.d);
  forLanes(active, [&](unsigned i) {
    using Wide = unsigned __int128;
    const Wide in = inst.flag ? flags >> i & 1 : 0;
    const Wide result = Subtract ? static_cast<Wide>(a[i]) - b[i] - in : static_cast<Wide>(a[i]) + b[i] + in;
    const bool out = result >> (8 * sizeof(T)) & 1;
    dst[i] = static_cast<T>(result);
    if (inst.flag2)
      flags = (flags & ~(1u << i)) | static_cast<uint32_t>(out) << i;
  });
  return true;
}
template <typename T> bool carryMad(Warp &warp, const Inst &inst, uint32_t active) {
  const SlotOf<T> *a = warp.lanes<SlotOf<T>>(inst.a), *b = warp.lanes<SlotOf<T>>(inst.b),
                  *c = warp.lanes<SlotOf<T>>(inst.c);
  SlotOf<T> *dst = warp.lanes<SlotOf<T>>(inst.dst);
  uint32_t &flags = warp.predicate(inst.d);
  forLanes(active, [&](unsigned i) {
    using Wide = unsigned __int128;
    const T x = fromSlot<T>(a[i]), y = fromSlot<T>(b[i]);
    const SlotOf<T> product = toSlot<T>(inst.mode ? mulHigh(x, y) : mulLow(x, y));
    const Wide result = static_cast<Wide>(product) + c[i] + (inst.flag ? flags >> i & 1 : 0);
    dst[i] = static_cast<SlotOf<T>>(result);
    if (inst.flag2)
      flags = (flags & ~(1u << i)) | static_cast<uint32_t>(result >> (8 * sizeof(T)) & 1) << i;
  });
  return true;
}

} // namespace

uint32_t carryPlace(Decoder &d) {
  // One for the kernel: place 0 of its scratch is made on first use and found by a constant that nothing else has.
  for (const Kernel::SpecialPlace &place : d.kernel().specials)
    if (place.which == Special::Zero && place.size == 0)
      return place.at;
  const uint32_t at = d.scratch(0);
  d.kernel().specials.push_back({at, 0, Special::Zero});
  return at;
}

void decodeIntegerAdd(Decoder &d, Type type, bool subtract) {
  if (type == Type::S32 && d.has("sat"))
    return decodeBinary(d, type,
                        subtract ? binaryOp<int32_t, int32_t, int32_t, Clamped<int32_t, true>::F>
                                 : binaryOp<int32_t, int32_t, int32_t, Clamped<int32_t, false>::F>);
  decodeBinary(d, type,
               subtract ? handlerFor<Sub, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type)
                        : handlerFor<Add, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type));
}

void decodeCarry(Decoder &d, Type type, bool reads, bool subtract) {
  d.inst.flag = reads;
  d.inst.flag2 = d.has("cc");
  d.inst.d = carryPlace(d);
  const bool wide = sizeOf(type) == 8;
  if (sizeOf(type) < 4 || isFloat(type))
    d.fail("carries of type ." + std::string(nameOf(type)));
  decodeBinary(d, type,
               subtract ? (wide ? carryOp<uint64_t, true> : carryOp<uint32_t, true>)
                        : (wide ? carryOp<uint64_t, false> : carryOp<uint32_t, false>));
}

void decodeIntegerMul(Decoder &d, Type type) {
  const int which = d.oneOf({"lo", "hi", "wide"});
  if (which < 2)
    return decodeBinary(d, type,
                        which ? handlerFor<MulHi, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type)
                              : handlerFor<MulLo, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type));
  d.expectOperands(3, 3);
  d.inst.run = handlerFor<MulWide, uint16_t, uint32_t, int16_t, int32_t>(type);
  d.inst.dst = d.destination(0, sizeOf(type) == 2 ? Type::B32 : Type::B64);
  d.inst.a = d.source(1, type);
  d.inst.b = d.source(2, type);
}

void decodeIntegerMad(Decoder &d, Type type, bool reads) {
  const int which = d.oneOf({"lo", "hi", "wide"});
  const bool writes = d.has("cc");
  if (reads || writes) {
    d.inst.flag = reads;
    d.inst.flag2 = writes;
    d.inst.mode = which == 1;
    d.inst.d = carryPlace(d);
    Handler run = nullptr;
    switch (arithmetic(type)) {
    case Type::U32:
      run = carryMad<uint32_t>;
      break;
    case Type::S32:
      run = carryMad<int32_t>;
      break;
    case Type::U64:
      run = carryMad<uint64_t>;
      break;
    case Type::S64:
      run = carryMad<int64_t>;
      break;
    default:
      break;
    }
    return decodeTernary(d, type, which == 2 ? nullptr : run);
  }
  if (which < 2) {
    if (which == 1 && type == Type::S32)
      d.inst.saturated = d.has("sat");
    return decodeTernary(d, type,
                         which ? handlerFor<MadHi, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type)
                               : handlerFor<MadLo, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type));
  }
  const Type wide = sizeOf(type) == 2 ? Type::B32 : Type::B64;
  d.expectOperands(4, 4);
  d.inst.run = handlerFor<MadWide, uint16_t, uint32_t, int16_t, int32_t>(type);
  d.inst.dst = d.destination(0, wide);
  d.inst.a = d.source(1, type);
  d.inst.b = d.source(2, type);
  d.inst.c = d.source(3, wide);
}

void decodeIntegerDiv(Decoder &d, Type type) {
  decodeBinary(d, type, handlerFor<Div, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type));
}

void decodeIntegerMinMax(Decoder &d, Type type, bool max) {
  if (type == Type::S32)
    d.inst.flag = d.has("relu");
  decodeBinary(d, type,
               max ? handlerFor<Max, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type)
                   : handlerFor<Min, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type));
}

void decodeIntegerSign(Decoder &d, Type type, bool abs) {
  decodeUnary(d, type,
              abs ? handlerFor<Abs, int16_t, int32_t, int64_t>(type)
                  : handlerFor<Neg, int16_t, int32_t, int64_t>(type));
}

void addIntegerOps(OpTable &table) {
  table["addc"] = [](Decoder &d) { decodeCarry(d, d.type(), true, false); };
  table["subc"] = [](Decoder &d) { decodeCarry(d, d.type(), true, true); };
  table["madc"] = [](Decoder &d) { decodeIntegerMad(d, d.type(), true); };
  table["rem"] = [](Decoder &d) {
    const Type type = d.type();
    decodeBinary(d, type, handlerFor<Rem, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type));
  };
  table["sad"] = [](Decoder &d) {
    const Type type = d.type();
    decodeTernary(d, type, handlerFor<Sad, uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>(type));
  };
  table["mul24"] = [](Decoder &d) {
    d.inst.mode = d.oneOf({"lo", "hi"}) == 1;
    const Type type = d.type();
    decodeBinary(d, type, handlerFor<Mul24, uint32_t, int32_t>(type));
  };
  table["mad24"] = [](Decoder &d) {
    d.inst.mode = d.oneOf({"lo", "hi"}) == 1;
    d.inst.saturated = d.has("sat");
    const Type type = d.type();
    decodeTernary(d, type, handlerFor<Mad24, uint32_t, int32_t>(type));
  };
  auto dot = [](Decoder &d, Handler run) {
    d.inst.mode = d.type() == Type::S32 ? 1 : 0;
    d.inst.mode |= d.type() == Type::S32 ? 2 : 0;
    decodeTernary(d, Type::B32, run);
  };
  static const auto decodeDot = dot;
  table["dp4a"] = [](Decoder &d) { decodeDot(d, ternaryOp<uint32_t, uint32_t, uint32_t, uint32_t, DotProduct<4>>); };
  table["dp2a"] = [](Decoder &d) {
    d.inst.flag = d.oneOf({"lo", "hi"}) == 1;
    decodeDot(d, ternaryOp<uint32_t, uint32_t, uint32_t, uint32_t, DotProduct<2>>);
  };
}

} // namespace ptxemu
