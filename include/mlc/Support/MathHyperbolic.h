// Hyperbolic functions and their inverses over the emitter of MathEmitter.h; tanh is in MathExpansion.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_MATHHYPERBOLIC_H
#define MLC_SUPPORT_MATHHYPERBOLIC_H

#include "mlc/Support/MathExpansion.h"

namespace mlc {

namespace mathcoefficients {
/// (sinh(t) - t) / t^3 in t^2 on |t| <= 1; the same of asinh and atanh on |t| <= 1/2; from tools/math/fit.py.
inline constexpr double sinh32[] = {0x1.555556p-3, 0x1.1110e0p-7, 0x1.a022b0p-13, 0x1.756fd4p-19};
inline constexpr double sinh64[] = {0x1.5555555555556p-3,  0x1.111111111101ep-7,  0x1.a01a01a03726ep-13,
                                    0x1.71de3a3b062cbp-19, 0x1.ae646ff5d2a49p-26, 0x1.6116f4266f404p-33,
                                    0x1.b5c8cea83d3f9p-41};
inline constexpr double asinh32[] = {-0x1.555554p-3, 0x1.333238p-4,  -0x1.6d7e3ep-5,
                                     0x1.ec074ep-6,  -0x1.484e92p-6, 0x1.2ebb6ep-7};
inline constexpr double asinh64[] = {
    -0x1.5555555555554p-3, 0x1.3333333332fe6p-4,  -0x1.6db6db6d8916bp-5, 0x1.f1c71c5dc6167p-6,  -0x1.6e8ba0531c4f5p-6,
    0x1.1c4e8dd0f7dc3p-6,  -0x1.c9935eac4db5fp-7, 0x1.7a4873f0f7b8dp-7,  -0x1.3e1877f67a7edp-7, 0x1.09d5bfb21b352p-7,
    -0x1.9d138ee738450p-8, 0x1.fe4f903a03fa5p-9,  -0x1.60725ecf18a5ep-10};
inline constexpr double atanh32[] = {0x1.555558p-2, 0x1.99979ep-3, 0x1.24d1b8p-3, 0x1.bfab8ep-4,
                                     0x1.af0fc8p-4, 0x1.16422cp-6, 0x1.7b1582p-3};
inline constexpr double atanh64[] = {
    0x1.555555555554cp-2,  0x1.999999999b40bp-3, 0x1.24924923c2164p-3,  0x1.c71c722e35ca8p-4, 0x1.745d0830ff739p-4,
    0x1.3b151d7463381p-4,  0x1.10f9b9cd51e99p-4, 0x1.e3fa311202b09p-5,  0x1.9e0ccb7ae715cp-5, 0x1.e9842f12b5ca7p-5,
    -0x1.897f26f028d5dp-8, 0x1.6968d8de20670p-3, -0x1.95d983570effbp-3, 0x1.f055a523ccb88p-3};
} // namespace mathcoefficients

/// x + x^3 p(x^2): an odd function about 0.
template <class E, size_t N32, size_t N64>
typename E::F oddPolynomial(E &e, typename E::F x, const double (&single)[N32], const double (&twice)[N64]) {
  auto square = e.mul(x, x);
  typename E::F tail;
  if constexpr (E::isDouble)
    tail = horner(e, square, twice);
  else
    tail = horner(e, square, single);
  return e.fma(e.mul(square, x), tail, x);
}

/// e^|x| / 2, which overflows where sinh and cosh do.
template <class E> typename E::F halfExpOfMagnitude(E &e, typename E::F x) {
  auto reduced = reduceExp(e, e.minimum(e.constant(byWidth<E>(90.0, 711.0)), e.abs(x)));
  auto y = e.add(expm1Polynomial(e, reduced.r), e.constant(1.0));
  return scaleByPower(e, y, e.subi(reduced.shifted, e.constantInt(1)));
}

/// Hyperbolic sine; sinh(-0) is -0. Error below 2 ulp.
template <class E> typename E::F expandSinh(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto half = halfExpOfMagnitude(e, x);
  auto outer = e.copysign(e.sub(half, e.div(e.constant(0.25), half)), x);
  return e.select(e.lt(e.abs(x), e.constant(1.0)), oddPolynomial(e, x, sinh32, sinh64), outer);
}

/// Hyperbolic cosine. Error below 2 ulp.
template <class E> typename E::F expandCosh(E &e, typename E::F x) {
  auto half = halfExpOfMagnitude(e, x);
  return e.add(half, e.div(e.constant(0.25), half));
}

/// sqrt(square.high + square.low), not negative, as a pair.
template <class E> FloatPair<E> rootOfPair(E &e, FloatPair<E> square) {
  auto root = e.sqrt(square.high);
  auto rest = e.add(e.fma(e.neg(root), root, square.high), square.low);
  auto low = e.div(rest, e.add(root, root));
  return {root, e.select(e.eq(root, e.constant(0.0)), root, low)};
}

/// log(x + sqrt(x^2 + offset)) for 1/2 <= x < infinity and an offset of 1 or -1, x^2 + offset not negative.
template <class E> typename E::F logWithRoot(E &e, typename E::F x, double offset) {
  auto product = twoProduct(e, x, x);
  auto sum = twoSum(e, product.high, e.constant(offset));
  auto root = rootOfPair(e, fastTwoSum(e, sum.high, e.add(sum.low, product.low)));
  auto whole = twoSum(e, x, root.high);
  whole.low = e.add(whole.low, root.low);
  // Where the offset does not count, log(2x): one is added to the exponent of x.
  auto large = e.lt(e.constant(byWidth<E>(0x1p13, 0x1p28)), x);
  auto one = e.constant(1.0), zero = e.constant(0.0);
  auto reduced = reduceLog(e, e.select(large, x, whole.high));
  reduced.n = e.add(reduced.n, e.select(large, one, zero));
  return logOfReduced(e, reduced, e.select(large, zero, e.div(whole.low, whole.high)));
}

/// Inverse hyperbolic sine; asinh(-0) is -0. Error below 1.5 ulp.
template <class E> typename E::F expandAsinh(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto magnitude = e.abs(x);
  auto inner = oddPolynomial(e, magnitude, asinh32, asinh64);
  auto result = e.select(e.lt(magnitude, e.constant(0.5)), inner, logWithRoot(e, magnitude, 1));
  return e.select(e.lt(magnitude, infinity(e)), e.copysign(result, x), x);
}

/// Inverse hyperbolic cosine; NaN below 1. Error below 1.5 ulp.
template <class E> typename E::F expandAcosh(E &e, typename E::F x) {
  auto result = e.select(e.lt(x, infinity(e)), logWithRoot(e, x, -1), x);
  return e.select(e.lt(x, e.constant(1.0)), quietNaN(e), result);
}

/// Inverse hyperbolic tangent; atanh(-0) is -0, infinities at -1 and 1, NaN beyond. Error below 2 ulp.
template <class E> typename E::F expandAtanh(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto magnitude = e.abs(x), half = e.constant(0.5);
  auto ratio = e.div(e.add(magnitude, magnitude), e.sub(e.constant(1.0), magnitude));
  auto outer = e.copysign(e.mul(half, expandLog1p(e, ratio)), x);
  return e.select(e.lt(magnitude, half), oddPolynomial(e, x, atanh32, atanh64), outer);
}

} // namespace mlc

#endif // MLC_SUPPORT_MATHHYPERBOLIC_H
