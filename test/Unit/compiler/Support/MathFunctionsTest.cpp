// Accuracy of the error, inverse trigonometric, hyperbolic and base-2 functions, over the whole range and close to
// every border of a case; exactness of the remainder. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Support/MathArc.h"
#include "mlc/Support/MathError.h"
#include "mlc/Support/MathHyperbolic.h"
#include "mlc/Support/MathPower.h"
#include "mlc/Support/MathRounding.h"

#include "MathReference.h"

namespace mlc::test {

template <typename Float> class MathFunctions : public ::testing::Test {
public:
  ScalarEmitter<Float> emitter;
  static constexpr bool single = sizeof(Float) == 4;
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MathFunctions, Floats);

#define MLC_FUNCTION_TEST(Name, function, bound, ...)                                                                  \
  TYPED_TEST(MathFunctions, Name) {                                                                                    \
    using Float = TypeParam;                                                                                           \
    expectWithin<Float>(                                                                                               \
        bound, Domain __VA_ARGS__, [this](Float x) { return expand##Name(this->emitter, x); },                         \
        [](Wide<Float> x) { return Reference::function(x); });                                                         \
  }

MLC_FUNCTION_TEST(Erf, erf, 1.1, {-6.0, 6.0, {0, 0.95, -0.95, 3.92, 5.86, 10.19, 27.3}})
MLC_FUNCTION_TEST(Erfc, erfc, 2.2,
                  {this->single ? -5.0 : -7.0,
                   this->single ? 10.5 : 27.5,
                   {0, 0.475, -0.475, 2, 4, 9.19, 10.05, 10.19, 26.5, 27.22, 27.3}})
MLC_FUNCTION_TEST(Atan, atan, 1.5, {-5.0, 5.0, {0, 0.41421356, -0.41421356, 1, 2.41421356, 1e8, 1e17}})
MLC_FUNCTION_TEST(Asin, asin, 1.6, {-1.0, 1.0, {0, 0.5, -0.5, 1, -1}})
MLC_FUNCTION_TEST(Acos, acos, 1.5, {-1.0, 1.0, {0, 0.5, -0.5, 1, -1}})
MLC_FUNCTION_TEST(Sinh, sinh, 2.0,
                  {this->single ? -90.0 : -712.0,
                   this->single ? 90.0 : 712.0,
                   {0, 1, -1, 89.4159, 88.72, 710.4758, 709.78}})
MLC_FUNCTION_TEST(Cosh, cosh, 2.0,
                  {this->single ? -90.0 : -712.0,
                   this->single ? 90.0 : 712.0,
                   {0, 1, -1, 89.4159, 88.72, 710.4758, 709.78}})
MLC_FUNCTION_TEST(Asinh, asinh, 1.5, {-10.0, 10.0, {0, 0.5, -0.5, 8192, 268435456.0}})
MLC_FUNCTION_TEST(Acosh, acosh, 1.5, {1.0, 10.0, {1, 1.5, 8192, 268435456.0}})
MLC_FUNCTION_TEST(Atanh, atanh, 2.0, {-1.0, 1.0, {0, 0.5, -0.5, 1, -1}})
MLC_FUNCTION_TEST(Exp2, exp2, 1.0,
                  {this->single ? -152.0 : -1080.0,
                   this->single ? 130.0 : 1026.0,
                   {0, 0.5, -0.5, 1, -126, -149, -150, 128, -1022, -1074, -1075, 1024}})
MLC_FUNCTION_TEST(Log2, log2, 1.0,
                  {0.0, 10.0, {1, 2, 0.5, 2.0 / 3, 4.0 / 3, 1.1754943508222875e-38, 2.2250738585072014e-308, 0}})
MLC_FUNCTION_TEST(Cbrt, cbrt, 1.0, {-30.0, 30.0, {0, 1, 8, 27, -1, 1.1754943508222875e-38, 2.2250738585072014e-308}})

/// All pairs of these, and of their negatives, are tried.
template <typename Float> static std::vector<Float> cornerValues() {
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> values;
  for (Float value : {Float(0), Limits::denorm_min(), Limits::min(), Float(0.3), Float(1), Float(1.5), Float(3),
                      Float(7), Float(1000.25), Float(1e20), Limits::max(), Limits::infinity(), Limits::quiet_NaN()}) {
    values.push_back(value);
    values.push_back(-value);
  }
  return values;
}

TYPED_TEST(MathFunctions, Atan2) {
  using Float = TypeParam;
  Worst worst;
  auto check = [&](Float y, Float x) {
    Float got = expandAtan2(this->emitter, y, x);
    auto want = Reference::atan2(Wide<Float>(y), Wide<Float>(x));
    double error = ulpError<Float>(got, want);
    if (got == Float(0) && std::signbit(got) != std::signbit(std::atan2(y, x)))
      error = std::numeric_limits<double>::infinity();
    if (error > worst.ulp)
      worst = {error, double(y)};
  };
  for (Float y : cornerValues<Float>())
    for (Float x : cornerValues<Float>())
      check(y, x);
  std::mt19937_64 random(11);
  auto unit = [&] { return double(random() >> 11) * 0x1p-53 * 2 - 1; };
  for (int i = 0, n = this->single ? 2000000 : 200000; i < n; ++i) {
    check(Float(unit()), Float(unit()));
    check(Float(std::exp(unit() * 80)) * Float(unit()), Float(std::exp(unit() * 80)) * Float(unit()));
  }
  EXPECT_LE(worst.ulp, 2.0) << "at y = " << worst.at;
  std::printf("  worst %.3f ulp at y = %.17g\n", worst.ulp, worst.at);
}

TYPED_TEST(MathFunctions, RemainderIsExact) {
  using Float = TypeParam;
  auto check = [&](Float x, Float y) {
    Float got = expandRem(this->emitter, x, y), want = std::fmod(x, y);
    if (std::isnan(want))
      return std::isnan(got);
    return got == want && std::signbit(got) == std::signbit(want);
  };
  for (Float x : cornerValues<Float>())
    for (Float y : cornerValues<Float>())
      EXPECT_TRUE(check(x, y)) << x << " rem " << y;
  std::mt19937_64 random(13);
  for (int i = 0; i < 200000; ++i) {
    Float x = fromBits<Float>(random()), y = fromBits<Float>(random());
    ASSERT_TRUE(check(x, y)) << x << " rem " << y;
    Float near = Float((double(random() >> 11) * 0x1p-53 + 0.5) * 100), small = Float(1 + random() % 50);
    ASSERT_TRUE(check(near, small)) << near << " rem " << small;
    // Multiples, and their neighbours.
    Float multiple = small * Float(random() % 100000);
    ASSERT_TRUE(check(multiple, small) && check(std::nextafter(multiple, Float(0)), small))
        << multiple << " rem " << small;
  }
}

TYPED_TEST(MathFunctions, RoundingToIntegers) {
  using Float = TypeParam;
  for (Float x : cornerValues<Float>())
    for (Float y : {x, x / 2, x + Float(0.5)}) {
      auto same = [](Float got, Float want) {
        return std::isnan(want) ? std::isnan(got) : got == want && std::signbit(got) == std::signbit(want);
      };
      EXPECT_TRUE(same(expandCeil(this->emitter, y), std::ceil(y))) << y;
      EXPECT_TRUE(same(expandTrunc(this->emitter, y), std::trunc(y))) << y;
    }
}

} // namespace mlc::test
