// Accuracy and special cases of pow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Support/MathPower.h"

#include "MathReference.h"

#include <cstdio>

namespace mlc::test {

template <typename Float> class MathPower : public ::testing::Test {
public:
  ScalarEmitter<Float> emitter;
  static constexpr bool single = sizeof(Float) == 4;

  double powError(Float x, Float y) {
    return ulpError<Float>(expandPow(emitter, x, y), Reference::pow(Wide<Float>(x), Wide<Float>(y)));
  }
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MathPower, Floats);

TYPED_TEST(MathPower, AccurateOverTheWholeRangeOfResults) {
  using Float = TypeParam;
  const bool single = this->single;
  const double logOfMost = single ? 104 : 746;
  const int count = single ? 2000000 : 100000;
  std::mt19937_64 random(3);
  auto unit = [&] { return double(random() >> 11) * 0x1p-53; };
  double worst = 0, worstX = 0, worstY = 0;
  auto check = [&](double wideX, double wideY) {
    Float x = Float(wideX), y = Float(wideY);
    double error = this->powError(x, y);
    if (error > worst)
      worst = error, worstX = double(x), worstY = double(y);
  };
  for (int i = 0; i < count; ++i) {
    // Bases of all sizes with exponents that lead anywhere from underflow to overflow.
    double logBase = (unit() * 2 - 1) * (single ? 87 : 700);
    check(std::exp(logBase), (unit() * 2 - 1) * logOfMost / logBase);
    // Bases near 1, where the logarithm is one small number; and the common case.
    double base = 0.6 + unit() * 0.8;
    check(base, (unit() * 2 - 1) * logOfMost / std::log(base));
    check(unit() * 10, (unit() * 2 - 1) * 4);
  }
  EXPECT_LE(worst, single ? 1.5 : 4.5) << "pow(" << worstX << ", " << worstY << ")";
  std::printf("  worst %.3f ulp at pow(%.17g, %.17g)\n", worst, worstX, worstY);
}

TYPED_TEST(MathPower, AccurateForSubnormalBases) {
  using Float = TypeParam;
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    Float x = std::numeric_limits<Float>::denorm_min() * Float(1 + random() % 100000);
    Float y = Float((double(random() >> 11) * 0x1p-53 * 2 - 1));
    ASSERT_LE(this->powError(x, y), this->single ? 1.5 : 4.5) << "pow(" << x << ", " << y << ")";
  }
}

TYPED_TEST(MathPower, SpecialCasesAreThoseOfC) {
  using Float = TypeParam;
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> values;
  for (Float value : {Float(0), Limits::denorm_min(), Limits::min(), Float(0.3), Float(0.5), Float(1), Float(1.5),
                      Float(2), Float(3), Float(4), Float(1000), Float(1001), Limits::max(), Limits::infinity(),
                      Limits::quiet_NaN(), Float(sizeof(Float) == 4 ? 16777215 : 9007199254740991)}) {
    values.push_back(value);
    values.push_back(-value);
  }
  for (Float x : values)
    for (Float y : values) {
      Float got = expandPow(this->emitter, x, y), want = std::pow(x, y);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got)) << "pow(" << x << ", " << y << ")";
        continue;
      }
      EXPECT_LE(ulpError<Float>(got, Wide<Float>(want)), 4.5) << "pow(" << x << ", " << y << ")";
      EXPECT_EQ(std::signbit(got), std::signbit(want)) << "pow(" << x << ", " << y << ")";
      EXPECT_EQ(std::isinf(got), std::isinf(want)) << "pow(" << x << ", " << y << ")";
    }
}

} // namespace mlc::test
