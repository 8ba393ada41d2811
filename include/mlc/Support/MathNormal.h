// Inverses of the error function and of the normal distribution's CDF over the emitter of MathEmitter.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_MATHNORMAL_H
#define MLC_SUPPORT_MATHNORMAL_H

#include "mlc/Support/MathExpansion.h"

namespace mlc {

namespace mathcoefficients {
/// erfinv(x) / x as a function of w = -log(1 - x^2): the first piece in w - center, the others in sqrt(w) - center; a
/// piece holds from its start on. From tools/math/fit.py.
inline constexpr double erfinv32[][11] = {
    {0x1.805c5ep+0, 0x1.f91e8cp-3, -0x1.11c420p-8, -0x1.486646p-10, 0x1.c9c598p-13, -0x1.4cfd10p-18, -0x1.ccfc40p-19,
     0x1.f43fa6p-22, 0x1.35de82p-26, -0x1.2d6f04p-27, 0x1.70f44cp-32},
    {0x1.7aaa3cp+1, 0x1.00f3b4p+0, 0x1.cde79cp-8, -0x1.5b5808p-8, 0x1.f0fefcp-9, -0x1.4b17ccp-9, 0x1.4db0ccp-10,
     -0x1.48f8c6p-12, -0x1.e9a3f2p-14, 0x1.02e068p-13, -0x1.f6e432p-16},
    {0x1.bfaf7ep+2, 0x1.022af2p+0, -0x1.0b3c92p-11, 0x1.32b006p-17, 0x1.541be2p-18, -0x1.82cb80p-20, 0x1.336918p-22,
     -0x1.3a97ecp-25, 0x1.4ac8e0p-28, -0x1.1158b0p-29, 0x1.6f23e4p-32}};
inline constexpr double erfinvCenters32[] = {2.5, 3.125, 7.125};
inline constexpr double erfinvStarts32[] = {0.0, 0x1.1e377ap+1, 4.125};
inline constexpr double erfinv64[][23] = {
    {0x1.805c5cfcedef5p+0,   0x1.f91e8993f0d14p-3,   -0x1.11c3c302dfe33p-8,  -0x1.4863cdfb61709p-10,
     0x1.c9b437ed2a206p-13,  -0x1.4f47fe72fe0a6p-18, -0x1.ca9227ca857ccp-19, 0x1.01037e3863d38p-21,
     0x1.ccff739b4093fp-27,  -0x1.752fda6237abbp-27, 0x1.f2cbaa1f0c261p-31,  0x1.0704c61223ce3p-33,
     -0x1.11957508ec6b2p-35, 0x1.00942fd5e7576p-40,  0x1.2d8d0a2468a60p-41,  -0x1.56d489999fb05p-44,
     -0x1.9ffbe3e50ac23p-49, 0x1.114a68ed2da1bp-49,  -0x1.398acde4f1592p-53, -0x1.ee61a8a08986dp-56,
     0x1.670b211f22be2p-58,  0x1.8f947976eb4f5p-63,  -0x1.3f696992782ecp-64},
    {0x1.7aaa3c1430b73p+1,   0x1.00f3b54ba7ef2p+0,   0x1.cde3e1149828fp-8,   -0x1.5b68333306d4dp-8,
     0x1.f1579bbf469d3p-9,   -0x1.4a493b7e69f0cp-9,  0x1.4a7a1f9854b37p-10,  -0x1.58a095640edb1p-12,
     -0x1.779d096dab5ddp-14, 0x1.1d6ecea5810f3p-13,  -0x1.edb1ddb5a3276p-15, 0x1.251fcf8869952p-19,
     0x1.7ea2716b84075p-17,  -0x1.a4d0ed1e81b0ap-18, 0x1.dfb6753464e80p-21,  0x1.9160566a99d8cp-21,
     -0x1.2291770d2ebe8p-21, 0x1.23964e9095abfp-23,  0x1.4881895a7c8aap-25,  -0x1.8f55f394eab39p-25,
     0x1.7b0f09b1c4b99p-27,  0x1.0d862c6c729ebp-28,  -0x1.fcbcf9cb3933cp-30},
    {0x1.3e79eb73b06f4p+2,   0x1.02a027c1f336ep+0,   -0x1.bdda7d4c1204ep-13, -0x1.795c0dd313b2dp-13,
     0x1.0f552c18b72c2p-14,  -0x1.16550eac49d71p-16, 0x1.f6fdca6d3186ep-19,  -0x1.ab7a4a7d24a0ap-21,
     0x1.6bb016cbfd800p-23,  -0x1.64f30312faf8ep-25, 0x1.f17b5b27c4864p-27,  -0x1.df688dee33203p-28,
     0x1.f536e050408e7p-29,  -0x1.e50489a3a7ffbp-30, 0x1.94ee7e4b9d149p-31,  -0x1.13c0602778a5fp-32,
     0x1.12fcb4e2394f0p-34,  -0x1.c5fe734f4e682p-38, -0x1.260aaad8b63edp-38, 0x1.c657bd8c4fca7p-39,
     -0x1.22c6d638ecc1fp-40, 0x1.722cd0e791145p-44,  0x1.9043706be9173p-46},
    {0x1.2c66aec509226p+3,   0x1.019f159411f80p+0,   -0x1.8d038442e8d61p-12, 0x1.4bc184e3bbf1dp-16,
     -0x1.13561778ca2f7p-21, -0x1.45c0896454355p-24, 0x1.47a1798f958b7p-26,  -0x1.9817d900b5fffp-29,
     0x1.b3df19b03b478p-32,  -0x1.af251ba69bcfcp-35, 0x1.971673a6c2174p-38,  -0x1.74618e6576e7ep-41,
     0x1.4cc68d81e78cap-44,  -0x1.241324be50a7bp-47, 0x1.f87aeb40d2267p-51,  -0x1.abfa6688b9ef1p-54,
     0x1.6b13d35f6c44fp-57,  -0x1.3d81c65a6d3e1p-60, 0x1.f7bf2140893bdp-64,  -0x1.27653ef73a9edp-67,
     0x1.252e0cf9bec3bp-70,  -0x1.f5f6c4e21b86fp-73, 0x1.52c09c32dc4c6p-76},
    {0x1.3ed950ca8ee88p+4,   0x1.009a19588301ep+0,   -0x1.6ae5d7524e070p-14, 0x1.ba197e56df09cp-19,
     -0x1.0ebbae961d397p-23, 0x1.47334afd2e3aap-28,  -0x1.7e803aa46a26cp-33, 0x1.a31108341f357p-38,
     -0x1.91418d62caae9p-43, 0x1.04b81fac91b31p-48,  0x1.017965e4098cep-54,  -0x1.f0e2dedc195b9p-57,
     0x1.55e8e21b6606fp-60,  -0x1.7ac3999d55f57p-64, 0x1.7abd5080004dep-68,  -0x1.600d7091e7ce1p-72,
     0x1.4744e435b51d0p-76,  -0x1.4a0b8b36785c0p-80, 0x1.0c42f0be10dd8p-84,  -0x1.91dd33fbe3d2fp-90,
     0x1.07f6700887f72p-93,  -0x1.719b568dca0d1p-96, 0x1.09bc9301dc247p-100}};
inline constexpr double erfinvCenters64[] = {2.5, 3.125, 5.125, 9.5, 20.0};
inline constexpr double erfinvStarts64[] = {0.0, 0x1.1e3779b97f4a8p+1, 4.125, 6.25, 13.0};
} // namespace mathcoefficients

/// Horner's rule with the coefficients of the piece that holds at s = sqrt(w), the first `used` of them.
template <class E, size_t Pieces, size_t N>
typename E::F hornerByPiece(E &e, typename E::F w, const double (&coefficients)[Pieces][N],
                            const double (&centers)[Pieces], const double (&starts)[Pieces], size_t used) {
  auto s = e.sqrt(w);
  auto t = e.sub(w, e.constant(centers[0]));
  typename E::B reached[Pieces];
  for (size_t piece = 1; piece < used; ++piece) {
    reached[piece] = e.le(e.constant(starts[piece]), s);
    t = e.select(reached[piece], e.sub(s, e.constant(centers[piece])), t);
  }
  auto coefficient = [&](size_t power) {
    auto chosen = e.constant(coefficients[0][power]);
    for (size_t piece = 1; piece < used; ++piece)
      chosen = e.select(reached[piece], e.constant(coefficients[piece][power]), chosen);
    return chosen;
  };
  auto sum = coefficient(N - 1);
  for (size_t power = N - 1; power > 0; --power)
    sum = e.fma(sum, t, coefficient(power - 1));
  return sum;
}

/// erfinv(x) / x where 1 - x^2 = `rest`, in (0, 1]. `far`: for every rest down to the smallest subnormal, else only for
/// those of a representable x (fewer pieces).
template <class E> typename E::F inverseErrorRatio(E &e, typename E::F rest, bool far) {
  using namespace mathcoefficients;
  auto w = e.neg(expandLog(e, rest));
  if constexpr (E::isDouble)
    return hornerByPiece(e, w, erfinv64, erfinvCenters64, erfinvStarts64, far ? 5 : 3);
  else
    return hornerByPiece(e, w, erfinv32, erfinvCenters32, erfinvStarts32, far ? 3 : 2);
}

/// x * sqrt(2) with the root in two numbers: one rounding, nearly.
template <class E> typename E::F timesRootTwo(E &e, typename E::F x) {
  auto low = e.mul(x, e.constant(byWidth<E>(0x1.9fcef4p-26, -0x1.bdd3413b26456p-54)));
  return e.fma(x, e.constant(byWidth<E>(0x1.6a09e6p+0, 0x1.6a09e667f3bcdp+0)), low);
}

/// Inverse of the error function: erf(result) = x. +-infinity at +-1, NaN beyond, -0 at -0. Error below 3 ulp.
template <class E> typename E::F expandErfinv(E &e, typename E::F x) {
  auto rest = e.fma(e.neg(x), x, e.constant(1.0));
  auto result = e.mul(x, inverseErrorRatio(e, rest, false));
  return e.select(e.eq(rest, e.constant(0.0)), e.copysign(infinity(e), x), result);
}

/// Inverse of the standard normal CDF: Phi(result) = p for p in [0, 1], subnormal p included; NaN elsewhere. It is
/// sqrt(2) erfinv(2 p - 1), with 1 - (2 p - 1)^2 taken as 4 p (1 - p) so that small p keep their digits.
/// Error below 4 ulp.
template <class E> typename E::F expandNormalQuantile(E &e, typename E::F p) {
  auto centered = e.fma(e.constant(2.0), p, e.constant(-1.0));
  auto rest = e.mul(e.mul(e.constant(4.0), p), e.sub(e.constant(1.0), p));
  auto scaled = e.mul(centered, inverseErrorRatio(e, rest, true));
  auto result = timesRootTwo(e, scaled);
  return e.select(e.eq(rest, e.constant(0.0)), e.copysign(infinity(e), centered), result);
}

} // namespace mlc

#endif // MLC_SUPPORT_MATHNORMAL_H
