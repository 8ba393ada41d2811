// sin, cos and tan over the emitter of MathEmitter.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_MATHTRIGONOMETRIC_H
#define MLC_SUPPORT_MATHTRIGONOMETRIC_H

#include "mlc/Support/MathAngleReduction.h"
#include "mlc/Support/MathEmitter.h"

namespace mlc {

namespace mathcoefficients {
/// (sin(r) - r) / r^3 in r^2, and (cos(r) - 1 + r^2/2) / r^4 in r^2, on |r| <= 0.82; from tools/math/fit.py.
inline constexpr double sin32[] = {-0x1.555540p-3, 0x1.110540p-7, -0x1.989cb8p-13};
inline constexpr double sin64[] = {-0x1.5555555555540p-3, 0x1.111111110ea96p-7,   -0x1.a01a019a557abp-13,
                                   0x1.71de33f9638acp-19, -0x1.ae5d3e3bba1abp-26, 0x1.5d3e61bb1d847p-33};
inline constexpr double cos32[] = {0x1.555546p-5, -0x1.6c09cep-10, 0x1.9941eep-16};
inline constexpr double cos64[] = {0x1.5555555555543p-5,   -0x1.6c16c16c13f33p-10, 0x1.a01a019af3adcp-16,
                                   -0x1.27e4f6cf96823p-22, 0x1.1ee91b81e7f29p-29,  -0x1.8f45616037ad2p-37};
/// 2/pi.
template <class E> constexpr double twoOverPi = E::isDouble ? 0x1.45f306dc9c883p-1 : 0x1.45f306p-1;
/// The largest magnitude for which three parts of pi/2 are enough, for a sine and a cosine or for a tangent.
template <class E> constexpr double largestAngle = E::isDouble ? 0x1p40 : 0x1p20;
template <class E> constexpr double largestTangentAngle = E::isDouble ? 0x1p35 : 0x1p17;
} // namespace mathcoefficients

/// Sine and cosine of the angle left in the first octants, and the number of quarter turns taken off.
template <class E> struct QuarterTurn {
  typename E::F sine, cosine;
  /// Only the low two bits mean anything.
  typename E::I turns;
};

/// An angle less quarter turns, of which the first part of pi/2 is taken off.
template <class E> struct AngleReduction {
  /// The number of turns as a float and, in the low bits, as an integer.
  typename E::F n;
  typename E::I turns;
  /// The angle less n times the first part; exact.
  typename E::F rest;
};

/// Starts Cody and Waite's reduction of `x` >= 0; means nothing for large angles.
template <class E> AngleReduction<E> reduceAngle(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto shift = e.constant(FloatFormat<E>::roundingShift);
  auto shifted = e.fma(x, e.constant(twoOverPi<E>), shift);
  auto n = e.sub(shifted, shift);
  // Exact: both operands are multiples of the last place of pi/2 and the difference is below one.
  return {n, e.bits(shifted), e.fma(n, e.constant(byWidth<E>(-halfPi32[0], -halfPi64[0])), x)};
}

/// Reduces `x` >= 0 and evaluates both polynomials.
template <class E> QuarterTurn<E> reduceQuarterTurn(E &e, typename E::F x) {
  using namespace mathcoefficients;
  using F = typename E::F;
  using I = typename E::I;
  auto reduction = reduceAngle(e, x);
  auto small = reduction.rest;
  for (int part = 1; part < 3; ++part)
    small = e.fma(reduction.n, e.constant(byWidth<E>(-halfPi32[part], -halfPi64[part])), small);
  auto large = [&] {
    auto reduced = reduceLargeAngle(e, x);
    return std::tuple<F, I>(reduced.angle, reduced.turns);
  };
  auto [r, turns] = e.rarely(e.lt(e.constant(largestAngle<E>), x), large, std::tuple<F, I>(small, reduction.turns));
  auto square = e.mul(r, r);
  typename E::F sineTail, cosineTail;
  if constexpr (E::isDouble) {
    sineTail = horner(e, square, sin64);
    cosineTail = horner(e, square, cos64);
  } else {
    sineTail = horner(e, square, sin32);
    cosineTail = horner(e, square, cos32);
  }
  auto sine = e.fma(e.mul(square, r), sineTail, r);
  auto head = e.fma(e.mul(r, e.constant(-0.5)), r, e.constant(1.0));
  return {sine, e.fma(e.mul(square, square), cosineTail, head), turns};
}

/// `value` with its sign turned if bit 1 of `turns` is set.
template <class E> typename E::F negateOnSecondHalf(E &e, typename E::F value, typename E::I turns) {
  auto bit = e.andi(turns, e.constantInt(2));
  auto sign = e.shli(bit, e.constantInt(E::isDouble ? 62 : 30));
  return e.fromBits(e.xori(e.bits(value), sign));
}

/// Whether the number of quarter turns is odd.
template <class E> typename E::B oddTurns(E &e, typename E::I turns) {
  return e.eqi(e.andi(turns, e.constantInt(1)), e.constantInt(1));
}

/// sin(x), x in radians; sin(-0) is -0, NaN of infinities. Error below 1.65 ulp.
template <class E> typename E::F expandSin(E &e, typename E::F x) {
  auto reduced = reduceQuarterTurn(e, e.abs(x));
  auto value = e.select(oddTurns(e, reduced.turns), reduced.cosine, reduced.sine);
  value = negateOnSecondHalf(e, value, reduced.turns);
  auto sign = e.andi(e.bits(x), e.constantInt(FloatFormat<E>::signBits));
  return e.fromBits(e.xori(e.bits(value), sign));
}

/// cos(x), x in radians; NaN of infinities. Error below 1.65 ulp.
template <class E> typename E::F expandCos(E &e, typename E::F x) {
  auto reduced = reduceQuarterTurn(e, e.abs(x));
  auto value = e.select(oddTurns(e, reduced.turns), reduced.sine, reduced.cosine);
  // Negative for one and two quarter turns: where turns + 1 has bit 1 set.
  return negateOnSecondHalf(e, value, e.addi(reduced.turns, e.constantInt(1)));
}

/// tan(x), x in radians; tan(-0) is -0, NaN of infinities. Error below 1.5 ulp.
template <class E> typename E::F expandTan(E &e, typename E::F x) {
  using namespace mathcoefficients;
  using F = typename E::F;
  using I = typename E::I;
  auto magnitude = e.abs(x);
  auto reduction = reduceAngle(e, magnitude);
  // The other two parts of pi/2 taken off without rounding, as far as a pair holds it.
  auto product = twoProduct(e, reduction.n, e.constant(byWidth<E>(-halfPi32[1], -halfPi64[1])));
  auto sum = twoSum(e, reduction.rest, product.high);
  auto third = e.fma(reduction.n, e.constant(byWidth<E>(-halfPi32[2], -halfPi64[2])), product.low);
  sum = twoSum(e, sum.high, e.add(sum.low, third));
  auto large = [&] {
    auto reduced = reduceLargeAngle(e, magnitude);
    return std::tuple<F, F, I>(reduced.angle, reduced.low, reduced.turns);
  };
  auto [r, low, turns] = e.rarely(e.lt(e.constant(largestTangentAngle<E>), magnitude), large,
                                  std::tuple<F, F, I>(sum.high, sum.low, reduction.turns));
  auto square = e.mul(r, r), one = e.constant(1.0);
  typename E::F sineTail, cosineTail;
  if constexpr (E::isDouble) {
    sineTail = horner(e, square, sin64);
    cosineTail = horner(e, square, cos64);
  } else {
    sineTail = horner(e, square, sin32);
    cosineTail = horner(e, square, cos32);
  }
  // Both as pairs: r + r^3 p and 1 - r^2/2 + r^4 q.
  auto sine = fastTwoSum(e, r, e.mul(e.mul(square, r), sineTail));
  auto halfSquare = e.mul(square, e.constant(0.5));
  auto cosine = fastTwoSum(e, one, e.neg(halfSquare));
  auto squareLow = e.mul(e.fma(r, r, e.neg(square)), e.constant(-0.5));
  cosine.low = e.add(cosine.low, e.fma(e.mul(square, square), cosineTail, squareLow));
  cosine = fastTwoSum(e, cosine.high, cosine.low);
  sine.low = e.fma(low, cosine.high, sine.low);
  cosine.low = e.fma(e.neg(low), sine.high, cosine.low);
  auto odd = oddTurns(e, turns);
  auto above = e.select(odd, cosine.high, sine.high), aboveLow = e.select(odd, cosine.low, sine.low);
  auto below = e.select(odd, sine.high, cosine.high), belowLow = e.select(odd, sine.low, cosine.low);
  auto quotient = e.div(above, below);
  auto rest = e.fma(e.neg(quotient), belowLow, e.add(e.fma(e.neg(quotient), below, above), aboveLow));
  // Where the sine is 0 (of a zero angle) the cosine is 1, and the quotient exact.
  auto value = e.add(quotient, e.div(rest, below));
  value = e.select(odd, e.neg(value), value);
  auto sign = e.andi(e.bits(x), e.constantInt(FloatFormat<E>::signBits));
  return e.fromBits(e.xori(e.bits(value), sign));
}

} // namespace mlc

#endif // MLC_SUPPORT_MATHTRIGONOMETRIC_H
