// The emitter concept of the math expansions, the shape of the two float formats and polynomial evaluation over it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_MATHEMITTER_H
#define MLC_SUPPORT_MATHEMITTER_H

#include <cstddef>
#include <cstdint>

/// An emitter `E` gives the expansions their operations. The code generator's makes arith ops on scalars or vectors,
/// the interpreter's (ScalarEmitter.h) computes; both run one definition, so both give the same bits. What `E` must
/// have:
///
///   using F, I, B                    float value; integer value of the same width, signless; boolean value
///   static constexpr bool isDouble   whether F is f64 (else f32)
///   F constant(double)               rounded to F; every constant of the expansions is a number of F already
///   I constantInt(int64_t)           its low bits
///   F add, sub, mul, div(F, F); F neg, abs, sqrt, floor, roundeven(F); F copysign(F magnitude, F sign)
///   F fma(F a, F b, F c)             a * b + c with one rounding
///   F minimum(F a, F b)              a < b ? a : b; hence `b` where an operand is NaN or both are zeros
///   F maximum(F a, F b)              a > b ? a : b; likewise
///   I toInt(F)                       towards zero, operand in range; F toFloat(I): from signed
///   I bits(F); F fromBits(I)         reinterpretation
///   I addi, subi, muli, andi, ori, xori, shli, shrui, shrsi(I, I)   wrapping; shift counts below the width
///   B lt, le, eq, ne(F, F)           ordered: false where an operand is NaN; B isnan(F)
///   B eqi, lti(I, I)                 lti is signed
///   F select(B, F, F); I selecti(B, I, I); B andb, orb(B, B); B notb(B)
///   std::tuple<V...> rarely(B, Fn, std::tuple<V...>)   fn(), which makes such a tuple of F and I, where B holds, else
///                                    the tuple given; code for vectors runs fn's only where some lane needs it
///
/// Operations round to nearest even and keep subnormals (no flush to zero). An emitter must not contract, reassociate
/// or otherwise "fast-math" them. minimum and maximum are each one x86 instruction (the expansions pass the value that
/// may be NaN second where a NaN must pass through). Nothing is converted to an integer that could be out of range, so
/// a NaN never turns into an undefined integer. All functions are straight-line code but for `rarely`, whose function
/// must mean something defined for every operand; loads (tables) never occur.
namespace mlc {

/// Parameters of the format of `E::F`: binary32 or binary64.
template <class E> struct FloatFormat {
  /// Bits of the stored significand.
  static constexpr int64_t mantissaBits = E::isDouble ? 52 : 23;
  /// Bias of the exponent.
  static constexpr int64_t bias = E::isDouble ? 1023 : 127;
  /// The bits of 1.0.
  static constexpr int64_t oneBits = bias << mantissaBits;
  /// The bits of the sign alone.
  static constexpr int64_t signBits = E::isDouble ? INT64_MIN : int64_t(INT32_MIN);
  /// The stored significand's bits.
  static constexpr int64_t mantissaMask = (int64_t(1) << mantissaBits) - 1;
  /// 1.5 * 2^mantissaBits: adding it rounds a number below 2^(mantissaBits - 1) to an integer, found in the low bits.
  static constexpr double roundingShift = E::isDouble ? 0x1.8p52 : 0x1.8p23;
  /// The bits of roundingShift.
  static constexpr int64_t roundingShiftBits =
      ((bias + mantissaBits) << mantissaBits) | (int64_t(1) << (mantissaBits - 1));
  /// Smallest normal number.
  static constexpr double minNormal = E::isDouble ? 0x1p-1022 : 0x1p-126;
};

/// A constant of which f32 and f64 have their own value: the one for `E`.
template <class E> constexpr double byWidth(double single, double twice) { return E::isDouble ? twice : single; }

/// coefficients[0] + x * (coefficients[1] + x * ...) by Horner's rule with one FMA for each step.
template <class E, size_t N> typename E::F horner(E &e, typename E::F x, const double (&coefficients)[N]) {
  typename E::F sum = e.constant(coefficients[N - 1]);
  for (size_t i = N - 1; i > 0; --i)
    sum = e.fma(sum, x, e.constant(coefficients[i - 1]));
  return sum;
}

/// +infinity.
template <class E> typename E::F infinity(E &e) { return e.constant(__builtin_inf()); }

/// The quiet NaN.
template <class E> typename E::F quietNaN(E &e) { return e.constant(__builtin_nan("")); }

/// A number as the unevaluated sum of two: `low` is at most half a unit in the last place of `high`.
template <class E> struct FloatPair {
  typename E::F high, low;
};

/// Exact a + b for |a| >= |b| or a = 0 (Dekker's fast two-sum).
template <class E> FloatPair<E> fastTwoSum(E &e, typename E::F a, typename E::F b) {
  auto high = e.add(a, b);
  return {high, e.sub(b, e.sub(high, a))};
}

/// Exact a + b (Knuth's two-sum).
template <class E> FloatPair<E> twoSum(E &e, typename E::F a, typename E::F b) {
  auto high = e.add(a, b);
  auto part = e.sub(high, a);
  auto left = e.sub(a, e.sub(high, part));
  return {high, e.add(left, e.sub(b, part))};
}

/// Exact a * b, short of underflow.
template <class E> FloatPair<E> twoProduct(E &e, typename E::F a, typename E::F b) {
  auto high = e.mul(a, b);
  return {high, e.fma(a, b, e.neg(high))};
}

/// 1 for x > 0, -1 for x < 0, x itself for zeros and NaN.
template <class E> typename E::F expandSign(E &e, typename E::F x) {
  auto zero = e.constant(0.0);
  auto nonzero = e.copysign(e.constant(1.0), x);
  return e.select(e.ne(x, zero), nonzero, x);
}

} // namespace mlc

#endif // MLC_SUPPORT_MATHEMITTER_H
