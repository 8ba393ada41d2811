// exp, log and what is made of them (expm1, log1p, tanh, sigmoid, softplus) over the emitter of MathEmitter.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_MATHEXPANSION_H
#define MLC_SUPPORT_MATHEXPANSION_H

#include "mlc/Support/MathEmitter.h"

/// Errors are in units in the last place of the true result, the larger one of f32 and f64, as measured by the unit
/// test against a wider C library (subnormal results: units of the smallest subnormal). NaN gives NaN everywhere.
namespace mlc {

/// Coefficients that more than one function uses; all from tools/math/fit.py (Remez exchange, then rounding).
namespace mathcoefficients {

/// log2(e).
template <class E> constexpr double log2e = E::isDouble ? 0x1.71547652b82fep0 : 0x1.715476p0;
/// ln 2 rounded to the width, and the rest.
template <class E> constexpr double ln2High = E::isDouble ? 0x1.62e42fefa39efp-1 : 0x1.62e430p-1;
template <class E> constexpr double ln2Low = E::isDouble ? 0x1.abc9e3b39803fp-56 : -0x1.05c610p-29;

/// (exp(r) - 1 - r) / r^2 on |r| <= ln(2)/2.
inline constexpr double exp32[] = {0x1.fffffep-2, 0x1.5554b0p-3, 0x1.555674p-5, 0x1.122774p-7, 0x1.6bec48p-10};
inline constexpr double exp64[] = {0x1.000000p-1,         0x1.5555555555559p-3,  0x1.555555555553fp-5,
                                   0x1.111111110f6dbp-7,  0x1.6c16c16c1efe5p-10, 0x1.a01a01afd3794p-13,
                                   0x1.a01a017bf0cacp-16, 0x1.71ddf87fd0be3p-19, 0x1.27e535d6c2b29p-22,
                                   0x1.af5e7316d7f4dp-26, 0x1.1ee905b326d2ap-29};
/// (log1p(f) - f) / f^2 on |f| <= 1/3.
inline constexpr double log32[] = {-0x1.000000p-1, 0x1.555502p-2,  -0x1.fffe86p-3, 0x1.99d1f2p-3, -0x1.55a740p-3,
                                   0x1.1ebe6ep-3,  -0x1.f25ff0p-4, 0x1.1ed112p-3,  -0x1.092d66p-3};
inline constexpr double log64[] = {
    -0x1.000000p-1,        0x1.5555555555535p-2,  -0x1.ffffffffffed0p-3, 0x1.99999999a066bp-3,  -0x1.55555555682e9p-3,
    0x1.2492492093dc8p-3,  -0x1.ffffffef6df03p-4, 0x1.c71c7418a5398p-4,  -0x1.99999d91caa36p-4, 0x1.745cb48a9918bp-4,
    -0x1.5554c25f510e3p-4, 0x1.3b1dcf9d2f1a6p-4,  -0x1.249fce518045dp-4, 0x1.106863cb09882p-4,  -0x1.fe62a21230f5bp-5,
    0x1.efce4ff17895bp-5,  -0x1.d6fe2288a23dfp-5, 0x1.55dd54eb1c505p-5,  -0x1.39c719aec9e8dp-5, 0x1.5c4f58184783fp-4,
    -0x1.55f2ca6e06a8dp-4};
/// (log1p(z) - z) / z^2 on 0 <= z <= 1.
inline constexpr double log1pUnit32[] = {-0x1.ffffd2p-2, 0x1.554dd0p-2,  -0x1.ff23ecp-3, 0x1.934c62p-3, -0x1.3a4a82p-3,
                                         0x1.b4d1b8p-4,  -0x1.d7004cp-5, 0x1.4964d4p-6,  -0x1.afa4c8p-9};
inline constexpr double log1pUnit64[] = {
    -0x1.fffffffffffefp-2, 0x1.55555555547f0p-2,  -0x1.ffffffff8928bp-3, 0x1.99999988b9f24p-3,   -0x1.555553e223a1fp-3,
    0x1.249233e8017fcp-3,  -0x1.fffe4797d6cd4p-4, 0x1.c70f446032c73p-4,  -0x1.994cb458b8755p-4,  0x1.72ff3d72ab3c5p-4,
    -0x1.5065dd7e9371ap-4, 0x1.2cb8effc5b7efp-4,  -0x1.02871d015e6b6p-4, 0x1.9ce3659585b3ap-5,   -0x1.2600c65167d6fp-5,
    0x1.65788446e04d3p-6,  -0x1.625da3e0693d8p-7, 0x1.0f81ea4d5ecc1p-8,  -0x1.2b0298b923e13p-10, 0x1.a2afc40129e57p-13,
    -0x1.16cb0b686697bp-16};

} // namespace mathcoefficients

/// x = n * ln(2) + r with |r| <= ln(2)/2.
template <class E> struct ExpReduction {
  /// Bits of roundingShift + n: n in the low bits.
  typename E::I shifted;
  /// n; x - n * ln2High, which is exact for small n; and r.
  typename E::F n, high, r;
};

/// Cody and Waite's reduction with FMAs, for |x| below 1100 ln(2) (f64) or 155 ln(2) (f32). NaN gives a NaN r.
template <class E> ExpReduction<E> reduceExp(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto shift = e.constant(FloatFormat<E>::roundingShift);
  auto shifted = e.fma(x, e.constant(log2e<E>), shift);
  auto n = e.sub(shifted, shift);
  auto high = e.fma(n, e.constant(-ln2High<E>), x);
  return {e.bits(shifted), n, high, e.fma(n, e.constant(-ln2Low<E>), high)};
}

/// (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2.
template <class E> typename E::F expTail(E &e, typename E::F r) {
  if constexpr (E::isDouble)
    return horner(e, r, mathcoefficients::exp64);
  else
    return horner(e, r, mathcoefficients::exp32);
}

/// exp(r) - 1 for |r| <= ln(2)/2.
template <class E> typename E::F expm1Polynomial(E &e, typename E::F r) { return e.fma(e.mul(r, r), expTail(e, r), r); }

/// 2^n * y for n in [-150, 128] (f32) or [-1076, 1024] (f64) as the low bits of `shifted`: two factors of which the
/// first is exact, so that a subnormal result is rounded once.
template <class E> typename E::F scaleByPower(E &e, typename E::F y, typename E::I shifted) {
  using Format = FloatFormat<E>;
  auto biased = e.subi(shifted, e.constantInt(Format::roundingShiftBits - 2 * Format::bias));
  auto half = e.shrui(biased, e.constantInt(1));
  auto rest = e.subi(biased, half);
  auto width = e.constantInt(Format::mantissaBits);
  return e.mul(e.mul(y, e.fromBits(e.shli(half, width))), e.fromBits(e.shli(rest, width)));
}

/// The bounds beyond which exp is zero or infinity; NaN passes.
template <class E> typename E::F clampExp(E &e, typename E::F x) {
  x = e.minimum(e.constant(byWidth<E>(89.0, 710.0)), x);
  return e.maximum(e.constant(byWidth<E>(-104.0, -746.0)), x);
}

/// e^x. Overflows to infinity and underflows gradually to 0. Error below 1.1 ulp.
template <class E> typename E::F expandExp(E &e, typename E::F x) {
  auto reduced = reduceExp(e, clampExp(e, x));
  auto y = e.add(expm1Polynomial(e, reduced.r), e.constant(1.0));
  return scaleByPower(e, y, reduced.shifted);
}

/// 2^(n - down) for the n in the low bits of `shifted`, which must make it a normal number.
template <class E> typename E::F powerOfTwo(E &e, typename E::I shifted, int64_t down) {
  using Format = FloatFormat<E>;
  auto biased = e.subi(shifted, e.constantInt(Format::roundingShiftBits - Format::bias + down));
  return e.fromBits(e.shli(biased, e.constantInt(Format::mantissaBits)));
}

/// e^x - 1, accurate about 0; expm1(-0) is -0. Error below 1.3 ulp.
template <class E> typename E::F expandExpm1(E &e, typename E::F x) {
  auto clamped = e.minimum(e.constant(byWidth<E>(89.0, 710.0)), x);
  clamped = e.maximum(e.constant(byWidth<E>(-18.0, -38.0)), clamped);
  auto reduced = reduceExp(e, clamped);
  // Half of the result: 2^n itself would overflow before the result does.
  auto scale = powerOfTwo(e, reduced.shifted, 1);
  // 2^n high + 2^n - 1 is nearly exact; the small rest comes last, and one rounding remains.
  auto low = e.mul(reduced.n, e.constant(-mathcoefficients::ln2Low<E>));
  auto rest = e.fma(e.mul(reduced.r, reduced.r), expTail(e, reduced.r), low);
  auto half = e.fma(scale, rest, e.fma(scale, reduced.high, e.sub(scale, e.constant(0.5))));
  return e.copysign(e.add(half, half), x);
}

/// A positive normal number as 2^n * (1 + f) with -1/3 <= f < 1/3.
template <class E> struct LogReduction {
  /// n plus the bias of the exponent.
  typename E::I biased;
  typename E::F n, f;
};

/// Splits `x`, a positive normal number (for others the result means nothing, though NaN gives a NaN or garbage f).
template <class E> LogReduction<E> reduceLog(E &e, typename E::F x) {
  using Format = FloatFormat<E>;
  // Bits of 2/3 rounded down: subtracting them moves the exponent's border from 1 to 2/3.
  constexpr int64_t twoThirds = E::isDouble ? 0x3fe5555555555555 : 0x3f2aaaaa;
  auto width = e.constantInt(Format::mantissaBits);
  auto moved = e.addi(e.bits(x), e.constantInt(Format::oneBits - twoThirds));
  auto biased = e.shrui(moved, width);
  auto m = e.fromBits(e.addi(e.andi(moved, e.constantInt(Format::mantissaMask)), e.constantInt(twoThirds)));
  // An integer below 2^mantissaBits becomes a float as the low bits of 2^mantissaBits.
  constexpr int64_t unitBits = (Format::bias + Format::mantissaBits) << Format::mantissaBits;
  constexpr double unit = E::isDouble ? 0x1p52 : 0x1p23;
  auto n = e.sub(e.fromBits(e.ori(biased, e.constantInt(unitBits))), e.constant(unit + double(Format::bias)));
  return {biased, n, e.sub(m, e.constant(1.0))};
}

/// n ln(2) + log1p(f) + low, `low` being far smaller than the rest.
template <class E> typename E::F logOfReduced(E &e, const LogReduction<E> &x, typename E::F low) {
  using namespace mathcoefficients;
  typename E::F tail;
  if constexpr (E::isDouble)
    tail = horner(e, x.f, log64);
  else
    tail = horner(e, x.f, log32);
  auto small = e.fma(e.mul(x.f, x.f), tail, e.fma(x.n, e.constant(ln2Low<E>), low));
  // n ln(2) last: where n is not zero the sum of the others is the smaller part, and so is what rounds off it.
  return e.fma(x.n, e.constant(ln2High<E>), e.add(x.f, small));
}

/// `result` for 0 < x < infinity; else what log has at x: -infinity at zero, NaN below, x itself for infinity and NaN.
template <class E> typename E::F logSpecialCases(E &e, typename E::F x, typename E::F result) {
  auto zero = e.constant(0.0);
  result = e.select(e.lt(x, infinity(e)), result, x);
  result = e.select(e.lt(x, zero), quietNaN(e), result);
  return e.select(e.eq(x, zero), e.constant(-__builtin_inf()), result);
}

/// A positive number made normal for reduceLog.
template <class E> struct LogOperand {
  /// x, or x * 2^(mantissaBits + 1) where x is subnormal.
  typename E::F scaled;
  /// What to take off the exponent of `scaled`.
  typename E::F extra;
};

template <class E> LogOperand<E> normalizeForLog(E &e, typename E::F x) {
  using Format = FloatFormat<E>;
  auto subnormal = e.lt(x, e.constant(Format::minNormal));
  auto scaled = e.select(subnormal, e.mul(x, e.constant(byWidth<E>(0x1p24, 0x1p53))), x);
  auto extra = e.select(subnormal, e.constant(double(Format::mantissaBits + 1)), e.constant(0.0));
  return {scaled, extra};
}

/// Natural logarithm. Error below 1 ulp.
template <class E> typename E::F expandLog(E &e, typename E::F x) {
  auto operand = normalizeForLog(e, x);
  auto reduced = reduceLog(e, operand.scaled);
  reduced.n = e.sub(reduced.n, operand.extra);
  return logSpecialCases(e, x, logOfReduced(e, reduced, e.constant(0.0)));
}

/// log(1 + x), accurate about 0; log1p(-0) is -0, log1p(-1) is -infinity, NaN below. Error below 1.1 ulp.
template <class E> typename E::F expandLog1p(E &e, typename E::F x) {
  using Format = FloatFormat<E>;
  auto one = e.constant(1.0);
  // 1 + x = sum.high + sum.low exactly; of sum.low its share in log1p(f + low) is low / (1 + f), about low (1 - f).
  auto sum = twoSum(e, one, x);
  auto reduced = reduceLog(e, sum.high);
  // 2^-n; for the largest n the subtraction goes below zero and the bits are those of -infinity.
  auto inverse =
      e.fromBits(e.shli(e.subi(e.constantInt(2 * Format::bias), reduced.biased), e.constantInt(Format::mantissaBits)));
  auto low = e.mul(sum.low, e.maximum(inverse, e.constant(0.0)));
  low = e.fma(e.neg(low), reduced.f, low);
  auto result = e.copysign(logOfReduced(e, reduced, low), x);
  result = e.select(e.lt(x, infinity(e)), result, x);
  result = e.select(e.lt(x, e.constant(-1.0)), quietNaN(e), result);
  return e.select(e.eq(x, e.constant(-1.0)), e.constant(-__builtin_inf()), result);
}

/// log1p(z) for 0 <= z <= 1 by one polynomial; NaN passes.
template <class E> typename E::F log1pUnit(E &e, typename E::F z) {
  typename E::F tail;
  if constexpr (E::isDouble)
    tail = horner(e, z, mathcoefficients::log1pUnit64);
  else
    tail = horner(e, z, mathcoefficients::log1pUnit32);
  return e.fma(e.mul(z, z), tail, z);
}

/// Hyperbolic tangent as t / (t + 2), t = expm1(2 |x|); tanh(-0) is -0. Error below 2.5 ulp.
template <class E> typename E::F expandTanh(E &e, typename E::F x) {
  auto magnitude = e.minimum(e.constant(byWidth<E>(10.0, 20.0)), e.abs(x));
  auto reduced = reduceExp(e, e.add(magnitude, magnitude));
  auto scale = powerOfTwo(e, reduced.shifted, 0);
  auto t = e.fma(scale, expm1Polynomial(e, reduced.r), e.sub(scale, e.constant(1.0)));
  return e.copysign(e.div(t, e.add(t, e.constant(2.0))), x);
}

/// e^-|x|, the exponential that never overflows.
template <class E> typename E::F expOfNegatedMagnitude(E &e, typename E::F x) {
  auto negative = e.maximum(e.constant(byWidth<E>(-104.0, -746.0)), e.neg(e.abs(x)));
  auto reduced = reduceExp(e, negative);
  return scaleByPower(e, e.add(expm1Polynomial(e, reduced.r), e.constant(1.0)), reduced.shifted);
}

/// Logistic function 1 / (1 + e^-x), as e^x / (1 + e^x) below zero. Error below 2.3 ulp.
template <class E> typename E::F expandSigmoid(E &e, typename E::F x) {
  auto one = e.constant(1.0);
  auto z = expOfNegatedMagnitude(e, x);
  return e.div(e.select(e.lt(x, e.constant(0.0)), z, one), e.add(z, one));
}

/// log(1 + e^x) = max(x, 0) + log1p(e^-|x|). Error below 1.9 ulp.
template <class E> typename E::F expandSoftplus(E &e, typename E::F x) {
  return e.add(e.maximum(x, e.constant(0.0)), log1pUnit(e, expOfNegatedMagnitude(e, x)));
}

} // namespace mlc

#endif // MLC_SUPPORT_MATHEXPANSION_H
