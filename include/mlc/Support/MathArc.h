// Inverse trigonometric functions over the emitter of MathEmitter.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_MATHARC_H
#define MLC_SUPPORT_MATHARC_H

#include "mlc/Support/MathEmitter.h"

namespace mlc {

namespace mathcoefficients {
/// (atan(t) - t) / t^3 in t^2 on |t| <= tan(pi/8), from tools/math/fit.py.
inline constexpr double atan32[] = {-0x1.55554ap-2, 0x1.9991e2p-3, -0x1.23b99ep-3, 0x1.b223d6p-4, -0x1.f2e1c8p-5};
inline constexpr double atan64[] = {-0x1.555555555553dp-2, 0x1.9999999995854p-3,  -0x1.24924922ac7d8p-3,
                                    0x1.c71c70e59fde0p-4,  -0x1.745cf8ce03d84p-4, 0x1.3b1118038bcebp-4,
                                    -0x1.10ebaafc12186p-4, 0x1.df0e8055ff9dbp-5,  -0x1.9ccf082de3319p-5,
                                    0x1.37cbf04087b3cp-5,  -0x1.25548cc4868d1p-6};
/// (asin(t) - t) / t^3 in t^2 on |t| <= 1/2.
inline constexpr double asin32[] = {0x1.55554cp-3, 0x1.3338acp-4, 0x1.6ca806p-5,
                                    0x1.04b7f0p-5, 0x1.d861f2p-7, 0x1.330724p-5};
inline constexpr double asin64[] = {
    0x1.5555555555577p-3, 0x1.333333332e10ap-4,  0x1.6db6db72154fep-5, 0x1.f1c71a9391cc5p-6, 0x1.6e8bdf0d775ebp-6,
    0x1.1c49ecd2e3aecp-6, 0x1.ca1fe9c8c2ca0p-7,  0x1.75826031532ddp-7, 0x1.614f54b2e64e2p-7, 0x1.e4cb1e0f97be8p-9,
    0x1.63fb54fbe8d89p-6, -0x1.58893de2459b7p-6, 0x1.0b740fde7bdf9p-5};
/// pi in two numbers of the width; half and a quarter of it are exact multiples.
template <class E> constexpr double piHigh = E::isDouble ? 0x1.921fb54442d18p+1 : 0x1.921fb6p+1;
template <class E> constexpr double piLow = E::isDouble ? 0x1.1a62633145c07p-53 : -0x1.777a5cp-24;
} // namespace mathcoefficients

/// Arc tangent of x >= 0: about 0, 1 or infinity, whichever is nearest. NaN of NaN.
template <class E> typename E::F atanOfMagnitude(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto zero = e.constant(0.0), one = e.constant(1.0);
  auto middle = e.lt(e.constant(byWidth<E>(0x1.a82798p-2, 0x1.a827999fcef32p-2)), x);
  auto large = e.lt(e.constant(byWidth<E>(0x1.3504f4p+1, 0x1.3504f333f9de6p+1)), x);
  auto numerator = e.select(large, e.constant(-1.0), e.select(middle, e.sub(x, one), x));
  auto denominator = e.select(large, x, e.select(middle, e.add(x, one), one));
  auto t = e.div(numerator, denominator);
  // About 1, what the difference, the sum and the quotient were rounded by.
  auto sum = twoSum(e, x, one);
  auto rest = e.add(e.fma(e.neg(t), sum.high, numerator), e.sub(x, e.add(numerator, one)));
  rest = e.div(e.fma(e.neg(t), sum.low, rest), denominator);
  rest = e.select(large, zero, e.select(middle, rest, zero));
  auto square = e.mul(t, t);
  typename E::F tail;
  if constexpr (E::isDouble)
    tail = horner(e, square, atan64);
  else
    tail = horner(e, square, atan32);
  auto part = [&](double value) {
    return e.select(large, e.constant(value / 2), e.select(middle, e.constant(value / 4), zero));
  };
  auto small = e.fma(e.mul(square, t), tail, e.add(rest, part(piLow<E>)));
  return e.add(part(piHigh<E>), e.add(t, small));
}

/// Arc tangent; atan(-0) is -0. Error below 1.5 ulp.
template <class E> typename E::F expandAtan(E &e, typename E::F x) {
  return e.copysign(atanOfMagnitude(e, e.abs(x)), x);
}

/// The angle of the point (x, y), as C's atan2(y, x) with its special cases. Error below 2 ulp.
template <class E> typename E::F expandAtan2(E &e, typename E::F y, typename E::F x) {
  using namespace mathcoefficients;
  auto zero = e.constant(0.0), one = e.constant(1.0);
  auto width = e.abs(x), height = e.abs(y);
  auto steep = e.lt(width, height);
  auto shorter = e.select(steep, width, height), longer = e.select(steep, height, width);
  auto ratio = e.div(shorter, longer);
  ratio = e.select(e.eq(longer, zero), zero, e.select(e.eq(shorter, infinity(e)), one, ratio));
  auto angle = atanOfMagnitude(e, ratio);
  auto left = e.lti(e.bits(x), e.constantInt(0));
  // Steep: pi/2 - angle, or pi/2 + angle on the left; flat: angle, or pi - angle on the left.
  auto part = [&](double value) {
    return e.select(steep, e.constant(value / 2), e.select(left, e.constant(value), zero));
  };
  auto turned = e.select(steep, e.select(left, angle, e.neg(angle)), e.select(left, e.neg(angle), angle));
  auto result = e.add(part(piHigh<E>), e.add(turned, part(piLow<E>)));
  auto invalid = e.orb(e.isnan(x), e.isnan(y));
  return e.select(invalid, quietNaN(e), e.copysign(result, y));
}

/// (asin(t) - t) / t for t^2 = `square`, at most 1/4.
template <class E> typename E::F asinTail(E &e, typename E::F square) {
  using namespace mathcoefficients;
  if constexpr (E::isDouble)
    return e.mul(square, horner(e, square, asin64));
  else
    return e.mul(square, horner(e, square, asin32));
}

/// Half the arc cosine of 1 - 2 square, for 0 <= square <= 1/4: asin(sqrt(square)). The root's rounding is put right.
template <class E> typename E::F asinOfRoot(E &e, typename E::F square) {
  auto root = e.sqrt(square);
  auto low = e.div(e.fma(e.neg(root), root, square), e.add(root, root));
  low = e.select(e.lt(e.constant(0.0), square), low, e.constant(0.0));
  return e.add(root, e.fma(root, asinTail(e, square), low));
}

/// Arc sine; asin(-0) is -0, NaN beyond |x| = 1. Error below 1.6 ulp.
template <class E> typename E::F expandAsin(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto magnitude = e.abs(x), half = e.constant(0.5);
  auto inner = e.fma(magnitude, asinTail(e, e.mul(x, x)), magnitude);
  auto root = asinOfRoot(e, e.fma(e.constant(-0.5), magnitude, half));
  auto outer = e.add(e.fma(e.constant(-2.0), root, e.constant(piHigh<E> / 2)), e.constant(piLow<E> / 2));
  auto result = e.select(e.le(magnitude, half), inner, outer);
  return e.select(e.le(magnitude, e.constant(1.0)), e.copysign(result, x), quietNaN(e));
}

/// Arc cosine; NaN beyond |x| = 1. Error below 1.5 ulp.
template <class E> typename E::F expandAcos(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto magnitude = e.abs(x), half = e.constant(0.5);
  auto negative = e.lt(x, e.constant(0.0));
  auto sine = e.fma(x, asinTail(e, e.mul(x, x)), x);
  auto inner = e.add(e.constant(piHigh<E> / 2), e.sub(e.constant(piLow<E> / 2), sine));
  auto root = asinOfRoot(e, e.fma(e.constant(-0.5), magnitude, half));
  auto doubled = e.add(root, root);
  auto reflected = e.add(e.constant(piHigh<E>), e.sub(e.constant(piLow<E>), doubled));
  auto outer = e.select(negative, reflected, doubled);
  auto result = e.select(e.le(magnitude, half), inner, outer);
  return e.select(e.le(magnitude, e.constant(1.0)), result, quietNaN(e));
}

} // namespace mlc

#endif // MLC_SUPPORT_MATHARC_H
