// Expansions under an emitter whose three value types convert to nothing: they use the concept alone, give the bits of
// the scalar emitter, and stay within a budget of operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Support/MathEmitter.h"
#include "mlc/Support/MathExpansion.h"
#include "mlc/Support/MathNormal.h"
#include "mlc/Support/MathPower.h"
#include "mlc/Support/MathTrigonometric.h"
#include "mlc/Support/ScalarEmitter.h"

#include "MathReference.h"

#include <cstdio>

namespace mlc::test {

/// Counts the operations (constants apart) and forwards them.
template <typename Float> class StrictEmitter {
  using Inner = ScalarEmitter<Float>;
  Inner inner;

public:
  struct F {
    Float value;
  };
  struct I {
    typename Inner::I value;
  };
  struct B {
    bool value;
  };
  static constexpr bool isDouble = Inner::isDouble;
  int operations = 0;

  F constant(double value) {
    // A constant that is not a number of F would be rounded anew, and hide a coefficient of the other width.
    EXPECT_TRUE(value != value || double(Float(value)) == value) << value;
    return {inner.constant(value)};
  }
  I constantInt(int64_t value) {
    EXPECT_TRUE(isDouble || (value >= INT32_MIN && value <= int64_t(UINT32_MAX))) << value;
    return {inner.constantInt(value)};
  }
#define MLC_UNARY(Result, Operand, name)                                                                               \
  Result name(Operand a) { return ++operations, Result{inner.name(a.value)}; }
#define MLC_BINARY(Result, Operand, name)                                                                              \
  Result name(Operand a, Operand b) { return ++operations, Result{inner.name(a.value, b.value)}; }
  MLC_BINARY(F, F, add)
  MLC_BINARY(F, F, sub)
  MLC_BINARY(F, F, mul)
  MLC_BINARY(F, F, div)
  MLC_BINARY(F, F, minimum)
  MLC_BINARY(F, F, maximum)
  MLC_BINARY(F, F, copysign)
  MLC_UNARY(F, F, neg)
  MLC_UNARY(F, F, abs)
  MLC_UNARY(F, F, sqrt)
  MLC_UNARY(F, F, floor)
  MLC_UNARY(F, F, roundeven)
  MLC_UNARY(I, F, toInt)
  MLC_UNARY(F, I, toFloat)
  // Reinterpretations cost nothing.
  I bits(F a) { return {inner.bits(a.value)}; }
  F fromBits(I a) { return {inner.fromBits(a.value)}; }
  MLC_BINARY(I, I, addi)
  MLC_BINARY(I, I, subi)
  MLC_BINARY(I, I, muli)
  MLC_BINARY(I, I, andi)
  MLC_BINARY(I, I, ori)
  MLC_BINARY(I, I, xori)
  MLC_BINARY(I, I, shli)
  MLC_BINARY(I, I, shrui)
  MLC_BINARY(I, I, shrsi)
  MLC_BINARY(B, F, lt)
  MLC_BINARY(B, F, le)
  MLC_BINARY(B, F, eq)
  MLC_BINARY(B, F, ne)
  MLC_UNARY(B, F, isnan)
  MLC_BINARY(B, I, eqi)
  MLC_BINARY(B, I, lti)
  MLC_BINARY(B, B, andb)
  MLC_BINARY(B, B, orb)
  MLC_UNARY(B, B, notb)
#undef MLC_UNARY
#undef MLC_BINARY
  F fma(F a, F b, F c) { return ++operations, F{inner.fma(a.value, b.value, c.value)}; }
  F select(B c, F a, F b) { return ++operations, F{inner.select(c.value, a.value, b.value)}; }
  I selecti(B c, I a, I b) { return ++operations, I{inner.selecti(c.value, a.value, b.value)}; }
  /// A branch: the function counts where it runs.
  template <typename... V, typename Fn> std::tuple<V...> rarely(B condition, Fn fn, const std::tuple<V...> &usual) {
    return ++operations, condition.value ? fn() : usual;
  }
};

template <typename Float> class MathEmitter : public ::testing::Test {
public:
  StrictEmitter<Float> strict;
  ScalarEmitter<Float> scalar;

  /// Bits equal up to the payload of a NaN.
  static bool same(Float a, Float b) {
    ScalarEmitter<Float> e;
    return (a != a && b != b) || e.bits(a) == e.bits(b);
  }
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MathEmitter, Floats);

/// `budget32` and `budget64`: what the function costs now; raising one is a decision about the speed of hot loops.
#define MLC_EMITTER_TEST(function, budget32, budget64)                                                                 \
  TYPED_TEST(MathEmitter, function) {                                                                                  \
    using Float = TypeParam;                                                                                           \
    using Strict = StrictEmitter<Float>;                                                                               \
    for (Float x : allExponents<Float>(2000))                                                                          \
      ASSERT_TRUE(this->same(function(this->strict, typename Strict::F{x}).value, function(this->scalar, x))) << x;    \
    this->strict.operations = 0;                                                                                       \
    function(this->strict, typename Strict::F{Float(0.5)});                                                            \
    EXPECT_LE(this->strict.operations, sizeof(Float) == 4 ? budget32 : budget64);                                      \
    std::printf("  %d operations\n", this->strict.operations);                                                         \
  }

MLC_EMITTER_TEST(expandExp, 20, 26)
MLC_EMITTER_TEST(expandExpm1, 20, 26)
MLC_EMITTER_TEST(expandLog, 31, 43)
MLC_EMITTER_TEST(expandLog1p, 39, 51)
MLC_EMITTER_TEST(expandTanh, 20, 26)
MLC_EMITTER_TEST(expandSigmoid, 25, 31)
MLC_EMITTER_TEST(expandSoftplus, 33, 51)
MLC_EMITTER_TEST(expandSin, 27, 33)
MLC_EMITTER_TEST(expandCos, 26, 32)
MLC_EMITTER_TEST(expandTan, 68, 74)
MLC_EMITTER_TEST(expandErfinv, 64, 126)
MLC_EMITTER_TEST(expandNormalQuantile, 82, 182)
MLC_EMITTER_TEST(expandSign, 3, 3)

TYPED_TEST(MathEmitter, expandPow) {
  using Float = TypeParam;
  using F = typename StrictEmitter<Float>::F;
  for (Float x : allExponents<Float>(200))
    for (Float y : allExponents<Float>(50))
      ASSERT_TRUE(this->same(expandPow(this->strict, F{x}, F{y}).value, expandPow(this->scalar, x, y)))
          << x << ", " << y;
}

TYPED_TEST(MathEmitter, ScalarRoundsToNearestEven) {
  using Float = TypeParam;
  auto &e = this->scalar;
  for (Float x : allExponents<Float>(100000))
    ASSERT_TRUE(this->same(e.roundeven(x), std::nearbyint(x))) << x;
  EXPECT_EQ(e.roundeven(Float(2.5)), Float(2));
  EXPECT_EQ(e.roundeven(Float(-3.5)), Float(-4));
  EXPECT_TRUE(std::signbit(e.roundeven(Float(-0.25))));
}

TYPED_TEST(MathEmitter, ScalarFmaRoundsOnce) {
  using Float = TypeParam;
  const Float epsilon = std::numeric_limits<Float>::epsilon();
  // (1 + epsilon)^2 - (1 + 2 epsilon) = epsilon^2 is lost where the product is rounded.
  EXPECT_EQ(this->scalar.fma(1 + epsilon, 1 + epsilon, -(1 + 2 * epsilon)), epsilon * epsilon);
}

TYPED_TEST(MathEmitter, ScalarMinimumAndMaximumReturnTheSecondAtNaN) {
  using Float = TypeParam;
  auto &e = this->scalar;
  const Float nan = std::numeric_limits<Float>::quiet_NaN();
  EXPECT_EQ(e.minimum(nan, Float(1)), Float(1));
  EXPECT_TRUE(std::isnan(e.minimum(Float(1), nan)));
  EXPECT_EQ(e.maximum(nan, Float(1)), Float(1));
  EXPECT_TRUE(std::isnan(e.maximum(Float(1), nan)));
  EXPECT_TRUE(std::signbit(e.minimum(Float(0), -Float(0))));
  EXPECT_FALSE(std::signbit(e.minimum(-Float(0), Float(0))));
}

} // namespace mlc::test
