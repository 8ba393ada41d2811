// The logarithm of the gamma function and its derivative over the emitter of MathEmitter.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_MATHGAMMA_H
#define MLC_SUPPORT_MATHGAMMA_H

#include "mlc/Support/MathExpansion.h"
#include "mlc/Support/MathTrigonometric.h"

namespace mlc {

namespace mathcoefficients {
/// ln Gamma(2 + t) / (t (1 + t)) on |t| <= 1, and x times the rest of Stirling's formula in 1 / x^2 for x >= 8; from
/// tools/math/fit.py.
inline constexpr double lgamma32[] = {0x1.b0ee60p-2,  -0x1.9ae652p-4,  0x1.0e0c80p-5,   -0x1.95cd7cp-7, 0x1.47a566p-8,
                                      -0x1.146c74p-9, 0x1.dd5ceap-11,  -0x1.a57f14p-12, 0x1.9aa80ap-13, -0x1.80d9b0p-14,
                                      0x1.537ae0p-16, -0x1.e7881ap-18, 0x1.44077ep-16,  -0x1.44e8c6p-17};
inline constexpr double lgamma64[] = {
    0x1.b0ee6072093cep-2,  -0x1.9ae6509ea109fp-4,  0x1.0e0c9df293525p-5,   -0x1.95ce223a9cb28p-7,
    0x1.47974853abf5ap-8,  -0x1.145121f9a4616p-9,  0x1.dfebcf8cd22aap-11,  -0x1.a96a400bd096bp-12,
    0x1.7ed7341180636p-13, -0x1.5c86b750d06fep-14, 0x1.402f0231a771cp-15,  -0x1.285035ce01c69p-16,
    0x1.13e56e6651695p-17, -0x1.0232e2a27ea00p-18, 0x1.e52f9272a8c23p-20,  -0x1.c9a7e3e571e18p-21,
    0x1.b3796f9c7ff6bp-22, -0x1.9e751378f0a89p-23, 0x1.779bc39a3025fp-24,  -0x1.5fd344c7cae89p-25,
    0x1.c30f9adeb085ap-26, -0x1.ce2440d1829e8p-27, -0x1.a59d2c32bd557p-31, 0x1.232859bb59fe5p-30,
    0x1.52e32acce4e5ap-28, -0x1.781a3e069f3ccp-29, -0x1.7e61405adc214p-30, 0x1.ae5f770d48346p-31,
    0x1.d2f68088b34b9p-32, -0x1.e5de5a2ce4756p-33};
inline constexpr double stirling32[] = {0x1.555556p-4, -0x1.6c3f0cp-9, 0x1.c39fe6p-11};
inline constexpr double stirling64[] = {0x1.5555555555555p-4,   -0x1.6c16c16c0667fp-9, 0x1.a01a009a1e706p-11,
                                        -0x1.3811f77b1cdddp-11, 0x1.b837ddc936ca6p-11, -0x1.c2bb250de1c2ap-10,
                                        -0x1.7ba480be2ce0dp-9,  0x1.2a4f979b6885ap-3};
/// B(2k) / (2k), k = 1, 2, ..: the asymptotic series of ln x - 1 / (2x) - psi(x) in 1 / x^2, which starts with the
/// power 1.
inline constexpr double digamma32[] = {0x1.5555560000000p-4, -0x1.1111120000000p-7, 0x1.0410420000000p-8};
inline constexpr double digamma64[] = {0x1.5555555555555p-4,  -0x1.1111111111111p-7, 0x1.0410410410410p-8,
                                       -0x1.1111111111111p-8, 0x1.f07c1f07c1f08p-8,  -0x1.5995995995996p-6,
                                       0x1.5555555555555p-4};
/// (ln(2 pi) - 1) / 2.
template <class E> constexpr double stirlingConstant = E::isDouble ? 0x1.acfe390c97d69p-2 : 0x1.acfe3a0000000p-2;
template <class E> constexpr double wholePi = E::isDouble ? 0x1.921fb54442d18p+1 : 0x1.921fb60000000p+1;
} // namespace mathcoefficients

/// A number less the integer next to it: exact, in [-1/2, 1/2].
template <class E> typename E::F distanceToInteger(E &e, typename E::F x) { return e.sub(x, e.roundeven(x)); }

/// ln Gamma(a) for a >= 0.
template <class E> typename E::F lgammaOfPositive(E &e, typename E::F a) {
  using namespace mathcoefficients;
  auto one = e.constant(1.0);
  auto isSmall = e.lt(a, one), isLarge = e.le(e.constant(8.0), a);
  // From [3, 8) down to [2, 3): Gamma(y + k) = y (y + 1) .. (y + k - 1) Gamma(y).
  auto y = a, product = one;
  for (int step = 0; step < 5; ++step) {
    auto goes = e.le(e.constant(3.0), y);
    auto next = e.sub(y, one);
    product = e.select(goes, e.mul(product, next), product);
    y = e.select(goes, next, y);
  }
  // One logarithm serves all: of a itself below 1, where Gamma(a) = Gamma(1 + a) / a, and in Stirling's formula.
  auto logarithm = expandLog(e, e.select(e.orb(isSmall, isLarge), a, product));
  // Below 1, 1 + a would be rounded, but not its distances from 2 and 1.
  auto t = e.select(isSmall, e.sub(a, one), e.sub(y, e.constant(2.0)));
  auto u = e.select(isSmall, a, e.sub(y, one));
  auto inverse = e.div(one, a), square = e.mul(inverse, inverse);
  typename E::F core, tail;
  if constexpr (E::isDouble) {
    core = horner(e, t, lgamma64);
    tail = horner(e, square, stirling64);
  } else {
    core = horner(e, t, lgamma32);
    tail = horner(e, square, stirling32);
  }
  core = e.mul(e.mul(t, u), core);
  auto rest = e.fma(inverse, tail, e.constant(stirlingConstant<E>));
  auto large = e.fma(e.sub(a, e.constant(0.5)), e.sub(logarithm, one), rest);
  return e.select(isLarge, large, e.add(core, e.select(isSmall, e.neg(logarithm), logarithm)));
}

/// ln |Gamma(x)|. Infinity at 0, the negative integers and both infinities. Error below 2.5 ulp for x >= 0; for x < 0
/// below 3.5 ulp of the largest of 1, the result and ln Gamma(|x|), from which the result is subtracted.
template <class E> typename E::F expandLgamma(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto a = e.abs(x), value = lgammaOfPositive(e, a), zero = e.constant(0.0);
  // Gamma(-a) Gamma(a) = -pi / (a sin(pi a)).
  auto r = e.abs(distanceToInteger(e, a));
  auto sine = expandSin(e, e.mul(r, e.constant(wholePi<E>)));
  auto reflected = e.sub(expandLog(e, e.div(e.constant(wholePi<E>), e.mul(a, sine))), value);
  // All numbers from 2^23 (f32), 2^52 (f64) on are integers; for the smallest a the product would underflow.
  auto isInteger = e.orb(e.eq(r, zero), e.le(e.constant(byWidth<E>(0x1p23, 0x1p52)), a));
  reflected = e.select(isInteger, infinity(e), reflected);
  auto isReflected = e.andb(e.lt(x, zero), e.le(e.constant(byWidth<E>(0x1p-30, 0x1p-60)), a));
  return e.select(isReflected, reflected, value);
}

/// Gamma'(x) / Gamma(x). Infinity at 0, of the other sign than the zero, NaN at the negative integers and -infinity.
/// Error below 9 ulp (f32), 12 ulp (f64) of the largest of 1, the result and ln |x|.
template <class E> typename E::F expandDigamma(E &e, typename E::F x) {
  using namespace mathcoefficients;
  auto one = e.constant(1.0), zero = e.constant(0.0);
  auto isNegative = e.lt(x, zero);
  auto y = e.select(isNegative, e.sub(one, x), x);
  // psi(y) = psi(y + n) - 1 / y - .. - 1 / (y + n - 1), the fractions as one.
  constexpr int kSteps = E::isDouble ? 10 : 6;
  auto numerator = zero, denominator = one;
  for (int step = 0; step < kSteps; ++step) {
    auto goes = e.lt(y, e.constant(double(kSteps)));
    numerator = e.select(goes, e.fma(numerator, y, denominator), numerator);
    denominator = e.select(goes, e.mul(denominator, y), denominator);
    y = e.select(goes, e.add(y, one), y);
  }
  auto inverse = e.div(one, y), square = e.mul(inverse, inverse);
  typename E::F series;
  if constexpr (E::isDouble)
    series = horner(e, square, digamma64);
  else
    series = horner(e, square, digamma32);
  auto rest = e.fma(inverse, e.constant(0.5), e.mul(square, series));
  auto value = e.sub(e.sub(expandLog(e, y), rest), e.div(numerator, denominator));
  // psi(x) = psi(1 - x) - pi / tan(pi x).
  auto r = distanceToInteger(e, x);
  auto turn = e.div(e.constant(wholePi<E>), expandTan(e, e.mul(r, e.constant(wholePi<E>))));
  auto reflected = e.select(e.eq(r, zero), quietNaN(e), e.sub(value, turn));
  return e.select(isNegative, reflected, value);
}

} // namespace mlc

#endif // MLC_SUPPORT_MATHGAMMA_H
