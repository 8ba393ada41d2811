// Arithmetic of f32 and f64, and the decoders of opcodes that all types share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/OpsArithmetic.h"

#include <type_traits>

namespace ptxemu {

namespace {

/// What stands around every f32 operation: subnormal operands and results may be flushed, results clamped.
struct Around {
  explicit Around(const Inst &inst) : ftz(inst.ftz), saturated(inst.saturated), rounding(inst.rounding) {}
  float in(float a) const { return ftz ? flush(a) : a; }
  double in(double a) const { return a; }
  float out(float r) const {
    r = canonical(r);
    if (ftz)
      r = flush(r);
    return saturated ? saturate(r) : r;
  }
  double out(double r) const { return canonical(r); }
  bool ftz, saturated;
  Rounding rounding;
};

template <typename T> struct Add : Around {
  using Around::Around;
  T operator()(T a, T b) const { return out(in(a) + in(b)); }
};
template <typename T> struct Sub : Around {
  using Around::Around;
  T operator()(T a, T b) const { return out(in(a)-in(b)); }
};
template <typename T> struct Mul : Around {
  using Around::Around;
  T operator()(T a, T b) const { return out(in(a)*in(b)); }
};
template <typename T> struct Div : Around {
  using Around::Around;
  T operator()(T a, T b) const { return out(in(a) / in(b)); }
};
template <typename T> struct Fma : Around {
  using Around::Around;
  T operator()(T a, T b, T c) const { return out(std::fma(in(a), in(b), in(c))); }
};
template <typename T> struct Sqrt : Around {
  using Around::Around;
  T operator()(T a) const { return out(std::sqrt(in(a))); }
};
template <typename T> struct Rcp : Around {
  using Around::Around;
  T operator()(T a) const { return out(T(1) / in(a)); }
};

// The same in other rounding modes.
template <typename T> struct AddRounded : Around {
  using Around::Around;
  T operator()(T a, T b) const { return out(rounded::add(in(a), in(b), rounding)); }
};
template <typename T> struct SubRounded : Around {
  using Around::Around;
  T operator()(T a, T b) const { return out(rounded::add(in(a), -in(b), rounding)); }
};
template <typename T> struct MulRounded : Around {
  using Around::Around;
  T operator()(T a, T b) const { return out(rounded::mul(in(a), in(b), rounding)); }
};
template <typename T> struct DivRounded : Around {
  using Around::Around;
  T operator()(T a, T b) const { return out(rounded::div(in(a), in(b), rounding)); }
};
template <typename T> struct FmaRounded : Around {
  using Around::Around;
  T operator()(T a, T b, T c) const { return out(rounded::fma(in(a), in(b), in(c), rounding)); }
};
template <typename T> struct SqrtRounded : Around {
  using Around::Around;
  T operator()(T a) const { return out(rounded::sqrt(in(a), rounding)); }
};
template <typename T> struct RcpRounded : Around {
  using Around::Around;
  T operator()(T a) const { return out(rounded::div(T(1), in(a), rounding)); }
};

/// div.approx: a times the reciprocal of b, which is zero where b is beyond 2^126 (a NaN for an infinite a).
struct DivApprox : Around {
  using Around::Around;
  float operator()(float a, float b) const {
    const float x = in(a), y = in(b), size = std::fabs(y);
    if (size > 0x1p126f && std::isfinite(y))
      return out(!std::isfinite(x) ? bitCast<float>(kNaN32) : std::copysign(0.0f, x) * std::copysign(1.0f, y));
    return out(x / y);
  }
};

/// Zeros are ordered by their signs. Of a number and NaN the number is the result, unless .NaN says otherwise.
template <typename T, bool Max> struct MinMax {
  explicit MinMax(const Inst &inst) : around(inst), nan(inst.flag), xorSign(inst.flag2) {}
  T operator()(T a, T b) const {
    a = around.in(a);
    b = around.in(b);
    bool sign = false;
    if (xorSign) {
      sign = std::signbit(a) != std::signbit(b);
      a = std::fabs(a);
      b = std::fabs(b);
    }
    T result;
    if (a != a || b != b)
      result = nan || (a != a && b != b) ? std::numeric_limits<T>::quiet_NaN() : (a != a ? b : a);
    else if (a == b)
      result = std::signbit(a) == Max ? b : a;
    else
      result = (a < b) == Max ? b : a;
    if (result != result)
      return canonical(result);
    return xorSign && sign ? -result : result;
  }
  Around around;
  bool nan, xorSign;
};

template <typename T, bool Abs> struct Sign {
  explicit Sign(const Inst &inst) : ftz(inst.ftz) {}
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, float>)
      a = ftz ? flush(a) : a;
    using Bits = SlotOf<T>;
    const Bits top = Bits(1) << (8 * sizeof(T) - 1);
    return bitCast<T>(Abs ? bitCast<Bits>(a) & ~top : bitCast<Bits>(a) ^ top);
  }
  bool ftz;
};

/// The sign of a, the rest of b.
template <typename T> struct CopySign {
  explicit CopySign(const Inst &) {}
  T operator()(T a, T b) const { return std::copysign(b, a); }
};

#if defined(__x86_64__) && defined(__clang__)
/// fma.rn with the processor's instruction, where it has one.
template <typename T> __attribute__((target("avx2,fma"))) bool fastFma(Warp &warp, const Inst &inst, uint32_t active) {
  T *dst = warp.lanes<T>(inst.dst);
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b), *c = warp.lanes<T>(inst.c);
  T results[32];
  for (unsigned i = 0; i < 32; ++i) {
    const T r = __builtin_elementwise_fma(a[i], b[i], c[i]);
    results[i] = r != r ? canonical(r) : r;
  }
  if (active == ~0u)
    memcpy(dst, results, sizeof results);
  else
    for (; active; active &= active - 1)
      dst[__builtin_ctz(active)] = results[__builtin_ctz(active)];
  return true;
}
template <typename T> Handler fmaHandler() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? fastFma<T> : ternaryOp<T, T, T, T, Fma<T>>;
}
#else
template <typename T> Handler fmaHandler() { return ternaryOp<T, T, T, T, Fma<T>>; }
#endif

template <template <typename> class Plain, template <typename> class Other>
Handler binaryFloat(Type type, Rounding rounding) {
  if (type == Type::F32)
    return rounding == Rounding::Nearest ? binaryOp<float, float, float, Plain<float>>
                                         : binaryOp<float, float, float, Other<float>>;
  return rounding == Rounding::Nearest ? binaryOp<double, double, double, Plain<double>>
                                       : binaryOp<double, double, double, Other<double>>;
}
template <template <typename> class Plain, template <typename> class Other>
Handler unaryFloat(Type type, Rounding rounding) {
  if (type == Type::F32)
    return rounding == Rounding::Nearest ? unaryOp<float, float, Plain<float>> : unaryOp<float, float, Other<float>>;
  return rounding == Rounding::Nearest ? unaryOp<double, double, Plain<double>>
                                       : unaryOp<double, double, Other<double>>;
}

bool isPlainFloat(Type type) { return type == Type::F32 || type == Type::F64; }

/// The modifiers of f32 and f64: rounding, .ftz and .sat.
void floatModifiers(Decoder &d, Type type, bool mayClamp) {
  d.inst.rounding = d.rounding();
  if (type == Type::F32) {
    d.inst.ftz = d.has("ftz");
    d.inst.saturated = mayClamp && d.has("sat");
  }
}

void decodeAdd(Decoder &d, bool subtract) {
  // Modifiers before the type are looked at by those that know them: the type is found wherever it stands.
  const Type type = d.type();
  if (isHalf(type))
    return decodeHalf(d, type, subtract ? HalfOp::Sub : HalfOp::Add);
  if (isPlainFloat(type)) {
    floatModifiers(d, type, true);
    return decodeBinary(d, type,
                        subtract ? binaryFloat<Sub, SubRounded>(type, d.inst.rounding)
                                 : binaryFloat<Add, AddRounded>(type, d.inst.rounding));
  }
  for (size_t i = 0; i < 4; ++i)
    if (d.modifier(i) == "cc")
      return decodeCarry(d, type, false, subtract);
  decodeIntegerAdd(d, type, subtract);
}

void decodeMinMax(Decoder &d, bool max) {
  const Type type = d.type();
  if (isHalf(type))
    return decodeHalf(d, type, max ? HalfOp::Max : HalfOp::Min);
  if (!isPlainFloat(type))
    return decodeIntegerMinMax(d, type, max);
  d.inst.ftz = type == Type::F32 && d.has("ftz");
  d.inst.flag = d.has("NaN");
  d.inst.flag2 = d.has("xorsign") && d.has("abs");
  const bool wide = type == Type::F64;
  decodeBinary(d, type,
               max ? (wide ? binaryOp<double, double, double, MinMax<double, true>>
                           : binaryOp<float, float, float, MinMax<float, true>>)
                   : (wide ? binaryOp<double, double, double, MinMax<double, false>>
                           : binaryOp<float, float, float, MinMax<float, false>>));
}

void decodeSign(Decoder &d, bool abs) {
  const Type type = d.type();
  if (isHalf(type))
    return decodeHalf(d, type, abs ? HalfOp::Abs : HalfOp::Neg);
  if (!isPlainFloat(type))
    return decodeIntegerSign(d, type, abs);
  d.inst.ftz = type == Type::F32 && d.has("ftz");
  decodeUnary(d, type,
              type == Type::F64
                  ? (abs ? unaryOp<double, double, Sign<double, true>> : unaryOp<double, double, Sign<double, false>>)
                  : (abs ? unaryOp<float, float, Sign<float, true>> : unaryOp<float, float, Sign<float, false>>));
}

void decodeFma(Decoder &d, Type type) {
  floatModifiers(d, type, true);
  Handler run;
  if (type == Type::F32)
    run = d.inst.rounding != Rounding::Nearest ? ternaryOp<float, float, float, float, FmaRounded<float>>
          : d.inst.ftz || d.inst.saturated     ? ternaryOp<float, float, float, float, Fma<float>>
                                               : fmaHandler<float>();
  else
    run = d.inst.rounding != Rounding::Nearest ? ternaryOp<double, double, double, double, FmaRounded<double>>
                                               : fmaHandler<double>();
  decodeTernary(d, type, run);
}

} // namespace

void addFloatOps(OpTable &table) {
  table["add"] = [](Decoder &d) { decodeAdd(d, false); };
  table["sub"] = [](Decoder &d) { decodeAdd(d, true); };
  table["mul"] = [](Decoder &d) {
    const Type type = d.type();
    if (isHalf(type))
      return decodeHalf(d, type, HalfOp::Mul);
    if (!isPlainFloat(type))
      return decodeIntegerMul(d, type);
    floatModifiers(d, type, true);
    decodeBinary(d, type, binaryFloat<Mul, MulRounded>(type, d.inst.rounding));
  };
  table["mad"] = [](Decoder &d) {
    const Type type = d.type();
    if (isPlainFloat(type))
      return decodeFma(d, type); // the same as fma since sm_20
    decodeIntegerMad(d, type, false);
  };
  table["fma"] = [](Decoder &d) {
    const Type type = d.type();
    if (isHalf(type))
      return decodeHalf(d, type, HalfOp::Fma);
    if (!isPlainFloat(type))
      return d.fail("'fma' of type ." + std::string(nameOf(type)));
    decodeFma(d, type);
  };
  table["div"] = [](Decoder &d) {
    const Type type = d.type();
    if (!isPlainFloat(type))
      return decodeIntegerDiv(d, type);
    const int approx = type == Type::F32 ? d.oneOf({"approx", "full"}, true) : -1;
    floatModifiers(d, type, false);
    decodeBinary(d, type,
                 approx == 0 ? binaryOp<float, float, float, DivApprox>
                             : binaryFloat<Div, DivRounded>(type, d.inst.rounding));
  };
  table["min"] = [](Decoder &d) { decodeMinMax(d, false); };
  table["max"] = [](Decoder &d) { decodeMinMax(d, true); };
  table["neg"] = [](Decoder &d) { decodeSign(d, false); };
  table["abs"] = [](Decoder &d) { decodeSign(d, true); };
  table["sqrt"] = [](Decoder &d) {
    const Type type = d.type();
    d.has("approx");
    floatModifiers(d, type, false);
    decodeUnary(d, type, isPlainFloat(type) ? unaryFloat<Sqrt, SqrtRounded>(type, d.inst.rounding) : nullptr);
  };
  table["rcp"] = [](Decoder &d) {
    const Type type = d.type();
    d.has("approx");
    floatModifiers(d, type, false);
    if (type == Type::F64)
      d.inst.ftz = d.has("ftz");
    decodeUnary(d, type, isPlainFloat(type) ? unaryFloat<Rcp, RcpRounded>(type, d.inst.rounding) : nullptr);
  };
  table["copysign"] = [](Decoder &d) {
    const Type type = d.type();
    decodeBinary(d, type,
                 type == Type::F32   ? binaryOp<float, float, float, CopySign<float>>
                 : type == Type::F64 ? binaryOp<double, double, double, CopySign<double>>
                                     : nullptr);
  };
}

} // namespace ptxemu
