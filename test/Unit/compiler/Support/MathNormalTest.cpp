// Accuracy of erfinv and of the normal quantile against roots found in a wider format.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Support/MathNormal.h"

#include "MathReference.h"

#include <cstdio>

namespace mlc::test {

template <typename Float> class MathNormal : public ::testing::Test {
public:
  using W = Wide<Float>;
  ScalarEmitter<Float> emitter;
  static constexpr bool single = sizeof(Float) == 4;

  static W wideExp(W x) { return Reference::exp(x); }
  static W twoOverRootPi() { return W(1.12837916709551257389615890312154517168810125L); }

  /// erfc(y) = q for 0 < q <= 1 by Newton's method in the wide format from `start`, a few digits right.
  static W inverseErfc(W q, W start) {
    W y = start;
    for (int i = 0; i < 6; ++i)
      y += (Reference::erfc(y) - q) / (twoOverRootPi() * wideExp(-y * y));
    return y;
  }

  /// erf(y) = x for |x| < 0.5.
  static W inverseErf(W x, W start) {
    W y = start;
    for (int i = 0; i < 6; ++i)
      y -= (Reference::erf(y) - x) / (twoOverRootPi() * wideExp(-y * y));
    return y;
  }
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MathNormal, Floats);

TYPED_TEST(MathNormal, ErfinvIsAccurate) {
  using Float = TypeParam;
  using W = Wide<Float>;
  const size_t count = this->single ? 2000000 : 30000;
  std::vector<Float> points = uniformPoints<Float>(-1, 1, count);
  for (Float x : uniformPoints<Float>(-0.01, 0.01, count / 10))
    points.push_back(x);
  for (int i = 1; i < (this->single ? 24 : 53); ++i)
    for (Float x : neighbours<Float>(Float(1) - std::ldexp(Float(1), -i), 50))
      points.push_back(x);
  for (Float border : {Float(0), Float(0.99662536), Float(0.9999999795), Float(0.8), Float(-0.99662536)})
    for (Float x : neighbours<Float>(border, 500))
      points.push_back(x);
  Worst worst;
  for (Float x : points) {
    if (!(std::fabs(x) < Float(1)))
      continue;
    Float got = expandErfinv(this->emitter, x);
    W magnitude = W(std::fabs(x)), start = W(std::fabs(got));
    W want = magnitude < W(0.5L) ? this->inverseErf(magnitude, start) : this->inverseErfc(W(1) - magnitude, start);
    double error = ulpError<Float>(std::fabs(got), want);
    if (error > worst.ulp || std::signbit(got) != std::signbit(x))
      worst = {std::signbit(got) != std::signbit(x) ? 1e9 : error, double(x)};
  }
  EXPECT_LE(worst.ulp, 3.0) << "at " << worst.at;
  std::printf("  worst %.3f ulp at %.17g\n", worst.ulp, worst.at);
}

TYPED_TEST(MathNormal, QuantileIsAccurate) {
  using Float = TypeParam;
  using W = Wide<Float>;
  const size_t count = this->single ? 2000000 : 30000;
  std::vector<Float> points = uniformPoints<Float>(0, 1, count);
  for (Float p : uniformPoints<Float>(0, 0.001, count / 10))
    points.push_back(p);
  for (Float p : allExponents<Float>(count / 2))
    points.push_back(p);
  for (Float p : neighbours<Float>(Float(0.5), 500))
    points.push_back(p);
  const W rootTwo = W(1) / W(0.5L) * W(0.70710678118654752440084436210484903928483593L);
  Worst worst;
  for (Float p : points) {
    if (!(p > Float(0) && p < Float(1)))
      continue;
    Float got = expandNormalQuantile(this->emitter, p);
    W want;
    if (p == Float(0.5)) {
      want = 0;
    } else if (p > Float(0.25) && p < Float(0.75)) {
      want = rootTwo * this->inverseErf(W(2) * W(p) - W(1), W(got) / rootTwo);
    } else {
      W tail = p < Float(0.5) ? W(2) * W(p) : W(2) * (W(1) - W(p));
      want = rootTwo * this->inverseErfc(tail, W(std::fabs(got)) / rootTwo);
      want = p < Float(0.5) ? -want : want;
    }
    double error = ulpError<Float>(got, want);
    if (error > worst.ulp)
      worst = {error, double(p)};
  }
  EXPECT_LE(worst.ulp, 4.0) << "at " << worst.at;
  std::printf("  worst %.3f ulp at %.17g\n", worst.ulp, worst.at);
}

TYPED_TEST(MathNormal, EndsAndBeyond) {
  using Float = TypeParam;
  auto &e = this->emitter;
  const Float infinity = std::numeric_limits<Float>::infinity(), nan = std::numeric_limits<Float>::quiet_NaN();
  EXPECT_EQ(expandErfinv(e, Float(1)), infinity);
  EXPECT_EQ(expandErfinv(e, Float(-1)), -infinity);
  EXPECT_TRUE(std::signbit(expandErfinv(e, -Float(0))));
  for (Float x : {Float(1.0001), Float(-1.0001), infinity, -infinity, nan})
    EXPECT_TRUE(std::isnan(expandErfinv(e, x))) << x;
  EXPECT_EQ(expandNormalQuantile(e, Float(0)), -infinity);
  EXPECT_EQ(expandNormalQuantile(e, Float(1)), infinity);
  EXPECT_EQ(expandNormalQuantile(e, Float(0.5)), Float(0));
  for (Float p : {Float(1.0001), Float(-0.0001), infinity, -infinity, nan})
    EXPECT_TRUE(std::isnan(expandNormalQuantile(e, p))) << p;
}

} // namespace mlc::test
