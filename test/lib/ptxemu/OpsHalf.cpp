// Arithmetic of f16, bf16, and pairs of them: computed in f64, rounded once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/OpsArithmetic.h"

#include <utility>

namespace ptxemu {

namespace {

template <typename T> T round(double value) {
  if constexpr (std::is_same_v<T, Half>)
    return toHalf(value);
  else
    return toBFloat(value);
}
template <typename T> bool isNaN(T a) { return toFloat(a) != toFloat(a); }

/// Operands and results of f16 may be flushed; results clamped to [0, 1], or negative ones set to zero.
template <typename T, HalfOp Op> struct Compute {
  explicit Compute(const Inst &inst)
      : ftz(inst.ftz), saturated(inst.saturated), relu(inst.flag), nan(inst.flag2), xorSign(inst.mode) {}

  T in(T a) const {
    if constexpr (std::is_same_v<T, Half>)
      if (ftz && !(a.bits & 0x7c00))
        a.bits &= 0x8000;
    return a;
  }
  T out(double value) const {
    T result = in(round<T>(value));
    if (saturated)
      return isNaN(result) ? T{0} : round<T>(saturate(static_cast<double>(toFloat(result))));
    if (relu && !isNaN(result) && (result.bits & 0x8000))
      return T{0};
    return result;
  }
  T operator()(T a, T b = {}, T c = {}) const {
    a = in(a);
    b = in(b);
    const double x = toFloat(a), y = toFloat(b), z = toFloat(in(c));
    switch (Op) {
    case HalfOp::Add:
      return out(addToOdd(x, y));
    case HalfOp::Sub:
      return out(addToOdd(x, -y));
    case HalfOp::Mul:
      return out(x * y);
    case HalfOp::Fma:
      return out(addToOdd(x * y, z));
    case HalfOp::Neg:
      return T{static_cast<uint16_t>(a.bits ^ 0x8000)};
    case HalfOp::Abs:
      return T{static_cast<uint16_t>(a.bits & 0x7fff)};
    case HalfOp::Min:
    case HalfOp::Max:
      break;
    }
    const uint16_t canonicalNaN = 0x7fff;
    if (isNaN(a) || isNaN(b)) {
      if (nan || (isNaN(a) && isNaN(b)))
        return T{canonicalNaN};
      return xorSign ? T{static_cast<uint16_t>((isNaN(a) ? b : a).bits & 0x7fff)} : isNaN(a) ? b : a;
    }
    const uint16_t sign = xorSign ? (a.bits ^ b.bits) & 0x8000 : 0;
    const double l = xorSign ? std::fabs(x) : x, r = xorSign ? std::fabs(y) : y;
    const bool max = Op == HalfOp::Max;
    const bool second = l == r ? std::signbit(l) == max : (l < r) == max;
    T result = second ? b : a;
    if (xorSign)
      result.bits = static_cast<uint16_t>((result.bits & 0x7fff) | sign);
    return result;
  }
  bool ftz, saturated, relu, nan, xorSign;
};

/// Both halves of a word.
template <typename T, HalfOp Op> struct Packed {
  explicit Packed(const Inst &inst) : each(inst) {}
  uint32_t operator()(uint32_t a, uint32_t b = 0, uint32_t c = 0) const {
    auto half = [](uint32_t word, int i) { return T{static_cast<uint16_t>(word >> (16 * i))}; };
    return each(half(a, 0), half(b, 0), half(c, 0)).bits |
           static_cast<uint32_t>(each(half(a, 1), half(b, 1), half(c, 1)).bits) << 16;
  }
  Compute<T, Op> each;
};

template <HalfOp Op> Handler handler(Type type) {
  constexpr int operands = Op == HalfOp::Neg || Op == HalfOp::Abs ? 1 : Op == HalfOp::Fma ? 3 : 2;
  auto of = [](auto tag) -> Handler {
    using T = decltype(tag);
    if constexpr (operands == 1)
      return unaryOp<T, T, Compute<T, Op>>;
    else if constexpr (operands == 2)
      return binaryOp<T, T, T, Compute<T, Op>>;
    else
      return ternaryOp<T, T, T, T, Compute<T, Op>>;
  };
  auto packed = [](auto tag) -> Handler {
    using T = decltype(tag);
    if constexpr (operands == 1)
      return unaryOp<uint32_t, uint32_t, Packed<T, Op>>;
    else if constexpr (operands == 2)
      return binaryOp<uint32_t, uint32_t, uint32_t, Packed<T, Op>>;
    else
      return ternaryOp<uint32_t, uint32_t, uint32_t, uint32_t, Packed<T, Op>>;
  };
  switch (type) {
  case Type::F16:
    return of(Half());
  case Type::BF16:
    return of(BFloat());
  case Type::F16x2:
    return packed(Half());
  default:
    return packed(BFloat());
  }
}

} // namespace

void decodeHalf(Decoder &d, Type type, HalfOp op) {
  const bool isF16 = type == Type::F16 || type == Type::F16x2;
  if (isF16)
    d.inst.ftz = d.has("ftz");
  switch (op) {
  case HalfOp::Add:
  case HalfOp::Sub:
  case HalfOp::Mul:
    d.has("rn");
    d.inst.saturated = isF16 && d.has("sat");
    decodeBinary(d, type,
                 op == HalfOp::Add   ? handler<HalfOp::Add>(type)
                 : op == HalfOp::Sub ? handler<HalfOp::Sub>(type)
                                     : handler<HalfOp::Mul>(type));
    break;
  case HalfOp::Fma:
    if (!d.has("rn"))
      d.fail("expected '.rn' in 'fma'");
    d.inst.saturated = isF16 && d.has("sat");
    d.inst.flag = d.has("relu");
    decodeTernary(d, type, handler<HalfOp::Fma>(type));
    break;
  case HalfOp::Min:
  case HalfOp::Max:
    d.inst.flag2 = d.has("NaN");
    d.inst.mode = d.has("xorsign") && d.has("abs");
    decodeBinary(d, type, op == HalfOp::Min ? handler<HalfOp::Min>(type) : handler<HalfOp::Max>(type));
    break;
  case HalfOp::Neg:
    decodeUnary(d, type, handler<HalfOp::Neg>(type));
    break;
  case HalfOp::Abs:
    decodeUnary(d, type, handler<HalfOp::Abs>(type));
    break;
  }
}

} // namespace ptxemu
