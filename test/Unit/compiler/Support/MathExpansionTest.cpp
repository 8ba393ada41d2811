// Accuracy of the elementary expansions in f32 and f64, over the whole range and close to every border of a case.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Support/MathExpansion.h"

#include "MathReference.h"

namespace mlc::test {

template <typename Float> class MathExpansion : public ::testing::Test {
public:
  ScalarEmitter<Float> emitter;
  static constexpr bool single = sizeof(Float) == 4;
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MathExpansion, Floats);

#define MLC_EXPANSION_TEST(Name, function, bound, ...)                                                                 \
  TYPED_TEST(MathExpansion, Name) {                                                                                    \
    using Float = TypeParam;                                                                                           \
    expectWithin<Float>(                                                                                               \
        bound, Domain __VA_ARGS__, [this](Float x) { return expand##Name(this->emitter, x); },                         \
        [](Wide<Float> x) { return Reference::function(x); });                                                         \
  }

MLC_EXPANSION_TEST(Exp, exp, 1.1,
                   {this->single ? -105.0 : -750.0,
                    this->single ? 90.0 : 712.0,
                    {-103.97, -104, -103.28, -87.34, 88.72284, 89, 0.34657359, -0.34657359, -745.14, -746, -708.4,
                     709.782712893384, 710}})
MLC_EXPANSION_TEST(Expm1, expm1, 1.3,
                   {this->single ? -20.0 : -40.0,
                    this->single ? 90.0 : 712.0,
                    {0.34657359, -0.34657359, -1.0397, 1.0397, 88.72284, 89, -17.33, -18, -37.43, -38,
                     709.782712893384}})
MLC_EXPANSION_TEST(Log, log, 1.0,
                   {0.0, 10.0, {1, 2.0 / 3, 4.0 / 3, 8.0 / 3, 1.1754943508222875e-38, 2.2250738585072014e-308, 0}})
MLC_EXPANSION_TEST(Log1p, log1p, 1.1,
                   {-1.0, 10.0, {-1, -1.0 / 3, 1.0 / 3, 5.0 / 3, 0, 16777216, 2.2e38, 9007199254740992.0, 1.2e308}})
MLC_EXPANSION_TEST(Tanh, tanh, 2.5,
                   {this->single ? -12.0 : -25.0,
                    this->single ? 12.0 : 25.0,
                    {0, 0.173286795, -0.173286795, 0.519860385, 9.01, 10, 19.06, 20, -10, -20}})
MLC_EXPANSION_TEST(Sigmoid, sigmoid, 2.3,
                   {this->single ? -110.0 : -750.0,
                    this->single ? 110.0 : 40.0,
                    {0, -0.34657359, 0.34657359, -87.34, -103.97, -104, 88.72, -708.4, -745.14, 16.6, 36.7}})
MLC_EXPANSION_TEST(Softplus, softplus, 1.9,
                   {this->single ? -110.0 : -750.0,
                    this->single ? 110.0 : 40.0,
                    {0, -0.34657359, 0.34657359, -87.34, -103.97, -104, 88.72, -708.4, -745.14, 16.6, 36.7}})

TYPED_TEST(MathExpansion, Sign) {
  using Float = TypeParam;
  auto sign = [this](Float x) { return expandSign(this->emitter, x); };
  const Float infinity = std::numeric_limits<Float>::infinity();
  EXPECT_EQ(sign(Float(3)), Float(1));
  EXPECT_EQ(sign(-std::numeric_limits<Float>::denorm_min()), Float(-1));
  EXPECT_EQ(sign(infinity), Float(1));
  EXPECT_EQ(sign(-infinity), Float(-1));
  EXPECT_TRUE(std::signbit(sign(-Float(0))));
  EXPECT_EQ(sign(-Float(0)), Float(0));
  EXPECT_TRUE(std::isnan(sign(std::numeric_limits<Float>::quiet_NaN())));
}

} // namespace mlc::test
