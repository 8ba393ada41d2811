// The error function and its complement over the emitter of MathEmitter.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_MATHERROR_H
#define MLC_SUPPORT_MATHERROR_H

#include "mlc/Support/MathExpansion.h"

namespace mlc {

namespace mathcoefficients {
/// erf(x) / x - 1 in x^2 on |x| <= 0.95, from tools/math/fit.py.
inline constexpr double erf32[] = {0x1.06eba8p-3, -0x1.812740p-2,  0x1.ce2d64p-4, -0x1.b80124p-6,
                                   0x1.544b08p-8, -0x1.a61810p-11, 0x1.4fa924p-14};
inline constexpr double erf64[] = {0x1.06eba8214db69p-3,   -0x1.812746b037a2cp-2,  0x1.ce2f21a04638cp-4,
                                   -0x1.b82ce313a1e8fp-6,  0x1.565bcd3c60b25p-8,   -0x1.c02dbce113656p-11,
                                   0x1.f9a43d9222dfep-14,  -0x1.f4e8da33bb26dp-17, 0x1.bb1cdff2d1142p-20,
                                   -0x1.6a78dc6b8615dp-23, 0x1.3dbdaa73927abp-26,  -0x1.78214d8b9dacfp-29,
                                   0x1.828976888bf68p-32};
/// (1 + 2x) e^(x^2) erfc(x) in t = (x - c) / (x + c) for 0 <= x below the point where erfc vanishes; c is 2 (f32) or 4.
inline constexpr double erfcScaled32[] = {0x1.46e80ep+0,   -0x1.7bf5eap-4,  -0x1.5407d0p-3, 0x1.4ff9fap-3,
                                          -0x1.bc270ap-5,  -0x1.0725fcp-7,  0x1.1d62c4p-7,  0x1.483988p-10,
                                          -0x1.74ada2p-10, -0x1.a3cd04p-12, 0x1.658990p-13, 0x1.4f062ep-14};
inline constexpr double erfcScaled64[] = {
    0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a29bp-3,  0x1.f7f5df66fd7bcp-7,   0x1.16ecefcfa5fa7p-4,
    -0x1.9ddb23c3e8edep-4,  0x1.7fee004df7ccbp-4,   -0x1.0fb06dfe52222p-4,  0x1.3079edf9dd2ffp-5,
    -0x1.09623881b5b81p-6,  0x1.49c671970fb80p-8,   -0x1.8d4a9edd71747p-11, -0x1.a1de85861b87ep-13,
    0x1.3be0c113d0b62p-13,  -0x1.9969e197f2f87p-16, -0x1.78a5a0f9144f4p-17, 0x1.7fb0ec6ae0c88p-18,
    0x1.43b42a7831beap-22,  -0x1.c014de00fa012p-21, 0x1.0d78440ddd804p-24,  0x1.eddddbf0b7842p-24,
    -0x1.0cc46a5a8cd3ap-27, -0x1.d25cf9b4e06a4p-27, -0x1.e83c1925e94a2p-30};
} // namespace mathcoefficients

/// erf(x) for |x| < 0.95.
template <class E> typename E::F erfPolynomial(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto square = e.mul(x, x);
  if constexpr (E::isDouble)
    return e.fma(x, horner(e, square, erf64), x);
  else
    return e.fma(x, horner(e, square, erf32), x);
}

/// first + t * rest as a pair, |t * rest| being the smaller.
template <class E, size_t N> FloatPair<E> hornerPair(E &e, typename E::F t, const double (&coefficients)[N]) {
  double rest[N - 1];
  for (size_t i = 1; i < N; ++i)
    rest[i - 1] = coefficients[i];
  auto first = e.constant(coefficients[0]), tail = horner(e, t, rest);
  auto high = e.fma(t, tail, first);
  return {high, e.fma(t, tail, e.sub(first, high))};
}

/// erfc(|x|): e^(-x^2) and the slowly varying rest, each with what was rounded off it.
template <class E> typename E::F erfcOfMagnitude(E &e, typename E::F x) {
  using namespace mathcoefficients;
  // Beyond the bound the result is 0; NaN passes.
  auto a = e.minimum(e.constant(byWidth<E>(10.19, 27.3)), e.abs(x));
  auto one = e.constant(1.0), center = e.constant(byWidth<E>(2.0, 4.0));
  auto inverse = e.div(one, e.add(a, center));
  auto t = e.mul(e.sub(a, center), inverse);
  auto residual = e.fma(e.neg(center), e.add(t, one), a);
  t = e.fma(inverse, e.fma(e.neg(t), a, residual), t);
  FloatPair<E> scaled;
  if constexpr (E::isDouble)
    scaled = hornerPair(e, t, erfcScaled64);
  else
    scaled = hornerPair(e, t, erfcScaled32);
  auto divisor = twoSum(e, one, e.add(a, a));
  auto factor = e.div(scaled.high, divisor.high);
  auto rest = e.fma(e.neg(factor), divisor.low, e.fma(e.neg(factor), divisor.high, scaled.high));
  auto low = e.div(e.add(rest, scaled.low), divisor.high);
  auto square = e.mul(a, a);
  auto reduced = reduceExp(e, e.neg(square));
  auto power = expm1Polynomial(e, e.add(reduced.r, e.fma(e.neg(a), a, square)));
  return scaleByPower(e, e.add(factor, e.fma(power, factor, low)), reduced.shifted);
}

/// 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x; erf(-0) is -0. Error below 1.1 ulp.
template <class E> typename E::F expandErf(E &e, typename E::F x) {
  auto outer = e.copysign(e.sub(e.constant(1.0), erfcOfMagnitude(e, x)), x);
  return e.select(e.lt(e.abs(x), e.constant(0.95)), erfPolynomial(e, x), outer);
}

/// 1 - erf(x), without cancellation. Error below 2.2 ulp.
template <class E> typename E::F expandErfc(E &e, typename E::F x) {
  auto value = erfcOfMagnitude(e, x);
  value = e.select(e.lt(x, e.constant(0.0)), e.sub(e.constant(2.0), value), value);
  auto inner = e.sub(e.constant(1.0), erfPolynomial(e, x));
  return e.select(e.lt(e.abs(x), e.constant(0.475)), inner, value);
}

} // namespace mlc

#endif // MLC_SUPPORT_MATHERROR_H
