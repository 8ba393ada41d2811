// What the tests of the math expansions measure against: the C library in a wider format, in units in the last place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_COMPILER_SUPPORT_MATHREFERENCE_H
#define MLC_TEST_UNIT_COMPILER_SUPPORT_MATHREFERENCE_H

#include "mlc/Support/ScalarEmitter.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

// The C library has these, but declares them for GCC alone.
#define MLC_DECLARE_F128(name) extern "C" __float128 name##f128(__float128) noexcept;
MLC_DECLARE_F128(exp)
MLC_DECLARE_F128(expm1)
MLC_DECLARE_F128(log)
MLC_DECLARE_F128(log1p)
MLC_DECLARE_F128(tanh)
MLC_DECLARE_F128(sin)
MLC_DECLARE_F128(cos)
MLC_DECLARE_F128(erf)
MLC_DECLARE_F128(erfc)
MLC_DECLARE_F128(exp2)
MLC_DECLARE_F128(log2)
MLC_DECLARE_F128(cbrt)
MLC_DECLARE_F128(tan)
MLC_DECLARE_F128(asin)
MLC_DECLARE_F128(acos)
MLC_DECLARE_F128(atan)
MLC_DECLARE_F128(sinh)
MLC_DECLARE_F128(cosh)
MLC_DECLARE_F128(asinh)
MLC_DECLARE_F128(acosh)
MLC_DECLARE_F128(atanh)
#undef MLC_DECLARE_F128
extern "C" __float128 powf128(__float128, __float128) noexcept;
extern "C" __float128 atan2f128(__float128, __float128) noexcept;
extern "C" __float128 frexpf128(__float128, int *) noexcept;
extern "C" __float128 ldexpf128(__float128, int) noexcept;

namespace mlc::test {

/// The format of reference values for results of type `Float`: 64 bits of significand for f32, 113 for f64.
template <typename Float> struct WideOf;
template <> struct WideOf<float> {
  using type = long double;
};
template <> struct WideOf<double> {
  using type = __float128;
};
template <typename Float> using Wide = typename WideOf<Float>::type;

/// The C library's functions of both wide formats under one name.
struct Reference {
#define MLC_BOTH(name)                                                                                                 \
  static long double name(long double x) { return std::name(x); }                                                      \
  static __float128 name(__float128 x) { return name##f128(x); }
  MLC_BOTH(exp)
  MLC_BOTH(expm1)
  MLC_BOTH(log)
  MLC_BOTH(log1p)
  MLC_BOTH(tanh)
  MLC_BOTH(sin)
  MLC_BOTH(cos)
  MLC_BOTH(erf)
  MLC_BOTH(erfc)
  MLC_BOTH(exp2)
  MLC_BOTH(log2)
  MLC_BOTH(cbrt)
  MLC_BOTH(tan)
  MLC_BOTH(asin)
  MLC_BOTH(acos)
  MLC_BOTH(atan)
  MLC_BOTH(sinh)
  MLC_BOTH(cosh)
  MLC_BOTH(asinh)
  MLC_BOTH(acosh)
  MLC_BOTH(atanh)
#undef MLC_BOTH
  static long double pow(long double x, long double y) { return std::pow(x, y); }
  static __float128 pow(__float128 x, __float128 y) { return powf128(x, y); }
  static long double atan2(long double y, long double x) { return std::atan2(y, x); }
  static __float128 atan2(__float128 y, __float128 x) { return atan2f128(y, x); }
  template <typename W> static W sigmoid(W x) {
    if (x < W(0))
      return exp(x) / (W(1) + exp(x));
    return W(1) / (W(1) + exp(-x));
  }
  template <typename W> static W softplus(W x) { return x > W(0) ? x + log1p(exp(-x)) : log1p(exp(x)); }
};

inline int exponentOf(long double x) { return std::ilogb(x); }
inline int exponentOf(__float128 x) {
  int exponent;
  frexpf128(x, &exponent);
  return exponent - 1;
}
inline long double powerOf2(long double, int n) { return std::ldexp(1.0L, n); }
inline __float128 powerOf2(__float128, int n) { return ldexpf128(__float128(1), n); }

/// |got - want| in units in the last place of `Float` at `want`; the spacing of subnormals below the normal range.
/// An infinite `got` counts as the first number past the range. 0 for NaN and NaN, infinity where one of them is NaN.
template <typename Float> double ulpError(Float got, Wide<Float> want) {
  using W = Wide<Float>;
  using Limits = std::numeric_limits<Float>;
  const double bad = std::numeric_limits<double>::infinity();
  if (got != got || want != want)
    return (got != got) == (want != want) ? 0 : bad;
  const W past = powerOf2(want, Limits::max_exponent);
  // Infinities and all that overflows stand at the first number past the range.
  auto bounded = [&](W value) { return value > past ? past : value < -past ? -past : value; };
  W wanted = bounded(want), given = bounded(W(got));
  int exponent = wanted == W(0) ? Limits::min_exponent - 1 : exponentOf(wanted);
  if (exponent < Limits::min_exponent - 1)
    exponent = Limits::min_exponent - 1;
  if (exponent > Limits::max_exponent - 1)
    exponent = Limits::max_exponent - 1;
  W difference = given - wanted;
  if (difference < W(0))
    difference = -difference;
  return double(difference / powerOf2(want, exponent - Limits::digits + 1));
}

template <typename Float> Float fromBits(uint64_t bits) {
  typename ScalarEmitter<Float>::I narrow = static_cast<typename ScalarEmitter<Float>::I>(bits);
  return ScalarEmitter<Float>().fromBits(narrow);
}

/// Arguments that cover all exponents and both signs evenly, with infinities, NaN, zeros and subnormals.
template <typename Float> std::vector<Float> allExponents(size_t count) {
  std::vector<Float> points = {Float(0),
                               -Float(0),
                               std::numeric_limits<Float>::infinity(),
                               -std::numeric_limits<Float>::infinity(),
                               std::numeric_limits<Float>::quiet_NaN(),
                               std::numeric_limits<Float>::denorm_min(),
                               -std::numeric_limits<Float>::denorm_min(),
                               std::numeric_limits<Float>::max(),
                               std::numeric_limits<Float>::lowest()};
  if constexpr (sizeof(Float) == 4) {
    uint64_t stride = (uint64_t(1) << 32) / count | 1;
    for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += stride)
      points.push_back(fromBits<Float>(bits));
  } else {
    std::mt19937_64 random(20);
    for (size_t i = 0; i < count; ++i)
      points.push_back(fromBits<Float>(random()));
  }
  return points;
}

/// `count` arguments drawn evenly from [low, high].
template <typename Float> std::vector<Float> uniformPoints(double low, double high, size_t count) {
  std::mt19937_64 random(7);
  std::vector<Float> points;
  for (size_t i = 0; i < count; ++i)
    points.push_back(Float(low + (high - low) * (double(random() >> 11) * 0x1p-53)));
  return points;
}

/// The `radius` neighbours of `center` on either side.
template <typename Float> std::vector<Float> neighbours(Float center, int radius) {
  std::vector<Float> points = {center};
  Float up = center, down = center;
  for (int i = 0; i < radius; ++i) {
    up = std::nextafter(up, std::numeric_limits<Float>::infinity());
    down = std::nextafter(down, -std::numeric_limits<Float>::infinity());
    points.push_back(up);
    points.push_back(down);
  }
  return points;
}

/// The largest error of a function over a set of arguments, and where.
struct Worst {
  double ulp = 0;
  double at = 0;
};

/// Measures `function` (of Float) against `reference` (of Wide<Float>) at `points`; the sign of a zero must agree too.
template <typename Float, typename Function, typename Wanted>
void measure(Worst &worst, const std::vector<Float> &points, Function function, Wanted reference) {
  for (Float x : points) {
    Float got = function(x);
    Wide<Float> want = reference(Wide<Float>(x));
    double error = ulpError<Float>(got, want);
    if (got == Float(0) && want == Wide<Float>(0) && std::signbit(got) != std::signbit(double(want)))
      error = std::numeric_limits<double>::infinity();
    if (error > worst.ulp)
      worst = {error, double(x)};
  }
}

/// What a function is tested on besides arguments of all exponents: an interval and single borders.
struct Domain {
  double low, high;
  std::vector<double> borders;
};

template <typename Float, typename Function, typename Wanted>
void expectWithin(double bound, const Domain &domain, Function function, Wanted reference) {
  const bool single = sizeof(Float) == 4;
  const size_t count = single ? 2000000 : 200000;
  Worst worst;
  measure<Float>(worst, allExponents<Float>(count), function, reference);
  measure<Float>(worst, uniformPoints<Float>(domain.low, domain.high, count), function, reference);
  measure<Float>(worst, uniformPoints<Float>(-1, 1, count / 2), function, reference);
  for (double border : domain.borders)
    measure<Float>(worst, neighbours<Float>(Float(border), single ? 5000 : 500), function, reference);
  EXPECT_LE(worst.ulp, bound) << "at " << worst.at;
  ::testing::Test::RecordProperty("worst_ulp", std::to_string(worst.ulp));
  std::printf("  worst %.3f ulp at %.17g\n", worst.ulp, worst.at);
}

} // namespace mlc::test

#endif // MLC_TEST_UNIT_COMPILER_SUPPORT_MATHREFERENCE_H
