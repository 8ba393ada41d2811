// Accuracy of the logarithm of the gamma function and of its derivative against a wider format.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Support/MathGamma.h"

#include "MathReference.h"

#include <algorithm>

extern "C" __float128 lgammaf128(__float128) noexcept;
extern "C" __float128 roundevenf128(__float128) noexcept;

namespace mlc::test {

static long double wideLgamma(long double x) { return std::lgamma(x); }
static __float128 wideLgamma(__float128 x) { return lgammaf128(x); }
static long double wideRound(long double x) { return std::nearbyint(x); }
static __float128 wideRound(__float128 x) { return roundevenf128(x); }

template <typename W> static W magnitude(W x) { return x < W(0) ? -x : x; }

/// psi of a finite number that is neither 0 nor a negative integer: up to 40, then the asymptotic series.
template <typename W> static W wideDigamma(W x) {
  if (x < W(0)) {
    const W pi = W(4) * Reference::atan(W(1));
    return wideDigamma<W>(W(1) - x) - pi / Reference::tan(pi * (x - wideRound(x)));
  }
  W sum = W(0);
  for (; x < W(40); x += W(1))
    sum += W(1) / x;
  // B(2k) / (2k)
  const W series[] = {W(1) / 12, -W(1) / 120,     W(1) / 252,       -W(1) / 240,       W(1) / 132,    -W(691) / 32760,
                      W(1) / 12, -W(3617) / 8160, W(43867) / 14364, -W(174611) / 6600, W(77683) / 276};
  W square = W(1) / (x * x), rest = W(0);
  for (size_t k = std::size(series); k-- > 0;)
    rest = (rest + series[k]) * square;
  return Reference::log(x) - W(1) / (W(2) * x) - rest - sum;
}

/// |got - want| in units in the last place of the largest of 1, |want| and `scale`.
template <typename Float> static double errorBeside(Float got, Wide<Float> want, Wide<Float> scale) {
  using W = Wide<Float>;
  scale = std::max({scale, magnitude(want), W(1)});
  return double(magnitude(W(got) - want) / powerOf2(want, exponentOf(scale) - std::numeric_limits<Float>::digits + 1));
}

template <typename Float> class MathGamma : public ::testing::Test {
public:
  ScalarEmitter<Float> emitter;
  static constexpr size_t count = sizeof(Float) == 4 ? 1000000 : 100000;

  template <typename Predicate> static void keep(std::vector<Float> &points, Predicate predicate) {
    points.erase(std::remove_if(points.begin(), points.end(), [&](Float x) { return !predicate(x); }), points.end());
  }
  /// Positive numbers of all sizes, and around the places where cases meet.
  static std::vector<Float> positive() {
    std::vector<Float> points = uniformPoints<Float>(0, 12, count);
    auto append = [&](const std::vector<Float> &more) { points.insert(points.end(), more.begin(), more.end()); };
    append(uniformPoints<Float>(0, 100, count / 4));
    append(allExponents<Float>(count / 4));
    for (double border : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 1.4616321449683622})
      append(neighbours<Float>(Float(border), 1000));
    keep(points, [](Float x) { return x > 0 && !std::isinf(x); });
    return points;
  }
  /// Negative numbers that are no integers.
  static std::vector<Float> negative() {
    std::vector<Float> points = uniformPoints<Float>(-12, 0, count);
    for (double border : {1e-30, 1e-9, 0.5, 1.0, 2.0, 3.0, 8.0, 20.0, 100.0, 2.4570247382208006, 2.7476826467274127})
      for (Float x : neighbours<Float>(Float(-border), 500))
        points.push_back(x);
    keep(points, [](Float x) { return x < 0 && x != std::rint(x); });
    return points;
  }
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MathGamma, Floats);

TYPED_TEST(MathGamma, Lgamma) {
  using Float = TypeParam;
  Worst worst;
  measure<Float>(
      worst, this->positive(), [this](Float x) { return expandLgamma(this->emitter, x); },
      [](Wide<Float> x) { return wideLgamma(x); });
  std::printf("  x > 0: worst %.3f ulp at %.17g\n", worst.ulp, worst.at);
  EXPECT_LE(worst.ulp, 2.5) << "at " << worst.at;
  worst = {};
  for (Float x : this->negative()) {
    auto wide = Wide<Float>(x);
    double error = errorBeside<Float>(expandLgamma(this->emitter, x), wideLgamma(wide), magnitude(wideLgamma(-wide)));
    if (!(error <= worst.ulp))
      worst = {error, double(x)};
  }
  std::printf("  x < 0: worst %.3f ulp at %.17g\n", worst.ulp, worst.at);
  EXPECT_LE(worst.ulp, 3.5) << "at " << worst.at;
}

TYPED_TEST(MathGamma, Digamma) {
  using Float = TypeParam;
  Worst worst;
  auto check = [&](Float x) {
    auto wide = Wide<Float>(x);
    Wide<Float> want = wideDigamma(wide);
    if (magnitude(want) > Wide<Float>(std::numeric_limits<Float>::max()))
      return;
    double error =
        errorBeside<Float>(expandDigamma(this->emitter, x), want, magnitude(Reference::log(magnitude(wide))));
    if (!(error <= worst.ulp))
      worst = {error, double(x)};
  };
  for (Float x : this->positive())
    check(x);
  for (Float x : this->negative())
    check(x);
  std::printf("  worst %.3f ulp at %.17g\n", worst.ulp, worst.at);
  EXPECT_LE(worst.ulp, sizeof(Float) == 4 ? 9 : 12) << "at " << worst.at;
}

TYPED_TEST(MathGamma, SpecialValues) {
  using Float = TypeParam;
  const Float inf = std::numeric_limits<Float>::infinity(), nan = std::numeric_limits<Float>::quiet_NaN();
  auto lgamma = [this](Float x) { return expandLgamma(this->emitter, x); };
  auto digamma = [this](Float x) { return expandDigamma(this->emitter, x); };
  for (Float x : {Float(0), -Float(0), Float(-1), Float(-7), Float(-1e30), inf, -inf})
    EXPECT_EQ(lgamma(x), inf) << x;
  EXPECT_EQ(lgamma(1), Float(0));
  EXPECT_EQ(lgamma(2), Float(0));
  EXPECT_EQ(digamma(Float(0)), -inf);
  EXPECT_EQ(digamma(-Float(0)), inf);
  EXPECT_EQ(digamma(inf), inf);
  for (Float x : {Float(-1), Float(-7), Float(-1e30), -inf, nan})
    EXPECT_TRUE(std::isnan(digamma(x))) << x;
  EXPECT_TRUE(std::isnan(lgamma(nan)));
}

} // namespace mlc::test
