// pow, powers of two, logarithms to base 2 and cube roots over the emitter of MathEmitter.h; logarithms are carried in
// two numbers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_MATHPOWER_H
#define MLC_SUPPORT_MATHPOWER_H

#include "mlc/Support/MathExpansion.h"

namespace mlc {

namespace mathcoefficients {
/// (log1p(f) - f + f^2/2 - f^3/3 + f^4/4) / f^5 on |f| <= 1/3, from tools/math/fit.py.
inline constexpr double logTail32[] = {0x1.999878p-3, -0x1.5553b6p-3, 0x1.24dc36p-3, -0x1.005a88p-3,
                                       0x1.ba671ep-4, -0x1.8bb120p-4, 0x1.e51b62p-4, -0x1.c66e00p-4};
inline constexpr double logTail64[] = {
    0x1.99999999999a1p-3,  -0x1.55555555552cap-3, 0x1.249249249198fp-3,  -0x1.00000000276d4p-3, 0x1.c71c71c7e7a04p-4,
    -0x1.9999997ac6abep-4, 0x1.745d170933766p-4,  -0x1.55555be071e77p-4, 0x1.3b13bc046961cp-4,  -0x1.2491702404cd2p-4,
    0x1.110fd657e4886p-4,  -0x1.00121b532bee4p-4, 0x1.e211755f89d0fp-5,  -0x1.c520a66bf8fc9p-5, 0x1.acc05ee401062p-5,
    -0x1.abaa8cd2a54dep-5, 0x1.9a9b9212464a4p-5,  -0x1.0eab456e04090p-5, 0x1.ee2e5fe3e2025p-6,  -0x1.4592b87ad1597p-4,
    0x1.41b7d9900d02bp-4};
/// 1/3 rounded to the width, and the rest.
template <class E> constexpr double thirdHigh = E::isDouble ? 0x1.5555555555555p-2 : 0x1.555556p-2;
template <class E> constexpr double thirdLow = E::isDouble ? 0x1.5555555555555p-56 : -0x1.555556p-27;
/// log2(e), beyond what log2e holds of it.
template <class E> constexpr double log2eLow = E::isDouble ? 0x1.777d0ffda0d24p-56 : 0x1.4ae0c0p-26;
} // namespace mathcoefficients

/// log(x) of a positive finite number as a pair, with about 7 bits more than one number holds.
template <class E> FloatPair<E> logPair(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto operand = normalizeForLog(e, x);
  auto reduced = reduceLog(e, operand.scaled);
  auto n = e.sub(reduced.n, operand.extra);
  auto f = reduced.f;
  typename E::F tail;
  if constexpr (E::isDouble)
    tail = horner(e, f, logTail64);
  else
    tail = horner(e, f, logTail32);
  // f^3 (1/3 - f/4 + f^2 tail), both factors and the product as pairs.
  auto square = twoProduct(e, f, f);
  auto cube = twoProduct(e, square.high, f);
  cube.low = e.fma(square.low, f, cube.low);
  auto inner = fastTwoSum(e, e.constant(thirdHigh<E>), e.mul(f, e.constant(-0.25)));
  auto factor = fastTwoSum(e, inner.high, e.mul(square.high, tail));
  factor.low = e.add(factor.low, e.add(inner.low, e.constant(thirdLow<E>)));
  auto third = twoProduct(e, cube.high, factor.high);
  third.low = e.fma(cube.high, factor.low, e.fma(cube.low, factor.high, third.low));
  // n ln(2) + f - f^2/2 + third: each term is smaller than the sum before it, or that sum is zero.
  auto half = e.constant(-0.5);
  auto exponent = twoProduct(e, n, e.constant(ln2High<E>));
  auto sum1 = fastTwoSum(e, exponent.high, f);
  auto sum2 = fastTwoSum(e, sum1.high, e.mul(half, square.high));
  auto sum3 = fastTwoSum(e, sum2.high, third.high);
  auto low = e.fma(n, e.constant(ln2Low<E>), exponent.low);
  low = e.add(e.add(low, sum1.low), e.add(sum2.low, sum3.low));
  low = e.add(low, e.fma(half, square.low, third.low));
  return fastTwoSum(e, sum3.high, low);
}

/// x^y with the special cases of C's pow (Annex F): x^0 = 1^y = 1 even for NaN; a negative finite x has a result for
/// integers y alone, else NaN; zeros and infinities of either sign; (-1)^(+-infinity) = 1. Error below 1.5 ulp for f32
/// and 4.5 ulp for f64; results near 1 lose least, those close to overflow or underflow most.
template <class E> typename E::F expandPow(E &e, typename E::F x, typename E::F y) {
  auto zero = e.constant(0.0), one = e.constant(1.0), inf = infinity(e);
  auto magnitude = e.abs(x);
  auto logarithm = logPair(e, magnitude);
  // Infinity and NaN for themselves, -infinity at zero; then low means nothing, and is dropped below.
  auto high = e.select(e.lt(magnitude, inf), logarithm.high, magnitude);
  high = e.select(e.eq(magnitude, zero), e.neg(inf), high);

  auto product = e.mul(high, y);
  auto rest = e.fma(logarithm.low, y, e.fma(high, y, e.neg(product)));
  auto clamped = clampExp(e, product);
  rest = e.select(e.eq(clamped, product), rest, zero);
  auto reduced = reduceExp(e, clamped);
  auto power = e.add(expm1Polynomial(e, e.add(reduced.r, rest)), one);
  auto result = scaleByPower(e, power, reduced.shifted);

  auto integer = e.eq(e.floor(y), y);
  auto halfY = e.mul(y, e.constant(0.5));
  auto odd = e.andb(integer, e.notb(e.eq(e.floor(halfY), halfY)));
  auto negative = e.lti(e.bits(x), e.constantInt(0));
  result = e.select(e.andb(odd, negative), e.neg(result), result);
  auto finiteNegative = e.andb(e.lt(x, zero), e.lt(magnitude, inf));
  result = e.select(e.andb(finiteNegative, e.notb(integer)), quietNaN(e), result);
  auto unit = e.andb(e.eq(magnitude, one), e.eq(e.abs(y), inf));
  return e.select(e.orb(unit, e.orb(e.eq(y, zero), e.eq(x, one))), one, result);
}

/// 2^x. Overflows to infinity and underflows gradually to 0. Error below 1 ulp; integers give powers of two exactly.
template <class E> typename E::F expandExp2(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto clamped = e.minimum(e.constant(byWidth<E>(128.0, 1024.0)), x);
  clamped = e.maximum(e.constant(byWidth<E>(-150.0, -1076.0)), clamped);
  auto shift = e.constant(FloatFormat<E>::roundingShift);
  auto shifted = e.add(clamped, shift);
  auto r = e.sub(clamped, e.sub(shifted, shift));
  // r ln(2) as a pair.
  auto product = twoProduct(e, r, e.constant(ln2High<E>));
  product.low = e.fma(r, e.constant(ln2Low<E>), product.low);
  auto tail = e.fma(e.mul(product.high, product.high), expTail(e, product.high), product.low);
  auto y = e.add(e.add(product.high, tail), e.constant(1.0));
  return scaleByPower(e, y, e.bits(shifted));
}

/// Logarithm to base 2; exact for powers of two. Error below 1 ulp.
template <class E> typename E::F expandLog2(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto logarithm = logPair(e, x);
  auto product = twoProduct(e, logarithm.high, e.constant(log2e<E>));
  auto low = e.fma(logarithm.low, e.constant(log2e<E>), product.low);
  low = e.fma(logarithm.high, e.constant(log2eLow<E>), low);
  return logSpecialCases(e, x, e.add(product.high, low));
}

/// The real cube root, of the sign of x. Error below 1 ulp.
template <class E> typename E::F expandCbrt(E &e, typename E::F x) {
  auto magnitude = e.abs(x), third = e.constant(byWidth<E>(0x1.555556p-2, 0x1.5555555555555p-2));
  auto subnormal = e.lt(magnitude, e.constant(FloatFormat<E>::minNormal));
  auto scaled = e.select(subnormal, e.mul(magnitude, e.constant(byWidth<E>(0x1p24, 0x1p54))), magnitude);
  // A third of the bits, which are about the logarithm, and what makes the exponent's bias whole again.
  auto guess = e.toInt(e.mul(e.toFloat(e.bits(scaled)), third));
  auto y = e.fromBits(e.addi(guess, e.constantInt(E::isDouble ? 0x2a9f789300000000 : 0x2a514067)));
  for (int step = 0; step < (E::isDouble ? 4 : 3); ++step)
    y = e.fma(third, e.sub(e.div(scaled, e.mul(y, y)), y), y);
  // Once more, with x - y^3 computed exactly but for its last bits.
  auto square = twoProduct(e, y, y);
  auto rest = e.fma(e.neg(square.low), y, e.fma(e.neg(square.high), y, scaled));
  y = e.fma(e.div(rest, square.high), third, y);
  y = e.mul(y, e.select(subnormal, e.constant(byWidth<E>(0x1p-8, 0x1p-18)), e.constant(1.0)));
  auto ordinary = e.andb(e.lt(e.constant(0.0), magnitude), e.lt(magnitude, infinity(e)));
  return e.select(ordinary, e.copysign(y, x), x);
}

} // namespace mlc

#endif // MLC_SUPPORT_MATHPOWER_H
