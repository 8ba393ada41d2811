// Accuracy and special cases of sin, cos and tan, for angles of every size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Support/MathTrigonometric.h"

#include "MathReference.h"

#include <cstdio>

namespace mlc::test {

template <typename Float> class MathTrigonometric : public ::testing::Test {
public:
  ScalarEmitter<Float> emitter;
  static constexpr bool single = sizeof(Float) == 4;

  Float sine(Float x) { return expandSin(emitter, x); }
  Float cosine(Float x) { return expandCos(emitter, x); }
  Float tangent(Float x) { return expandTan(emitter, x); }
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MathTrigonometric, Floats);

static constexpr double kSineBound = 1.65, kTangentBound = 1.5;

TYPED_TEST(MathTrigonometric, AccurateForAnglesOfEverySize) {
  using Float = TypeParam;
  const size_t count = this->single ? 2000000 : 200000;
  Worst sine, cosine, tangent;
  auto check = [&](const std::vector<Float> &points) {
    measure<Float>(
        sine, points, [this](Float x) { return this->sine(x); }, [](Wide<Float> x) { return Reference::sin(x); });
    measure<Float>(
        cosine, points, [this](Float x) { return this->cosine(x); }, [](Wide<Float> x) { return Reference::cos(x); });
    measure<Float>(
        tangent, points, [this](Float x) { return this->tangent(x); }, [](Wide<Float> x) { return Reference::tan(x); });
  };
  check(allExponents<Float>(count));
  check(uniformPoints<Float>(-10, 10, count));
  check(uniformPoints<Float>(-1e5, 1e5, count));
  using E = ScalarEmitter<Float>;
  // Where the way of reduction changes.
  for (double limit : {mathcoefficients::largestAngle<E>, mathcoefficients::largestTangentAngle<E>}) {
    check(uniformPoints<Float>(-limit, limit, count));
    check(uniformPoints<Float>(-2 * limit, 2 * limit, count));
    check(neighbours<Float>(Float(limit), 5000));
  }
  // Around multiples of pi/4, where the octant changes or a result is close to zero.
  const Wide<Float> eighth = Wide<Float>(0.78539816339744830962) + Wide<Float>(3.0616169978683830e-17);
  for (int i = 1; i < 2000; ++i) {
    check(neighbours<Float>(Float(eighth * i * (i % 3 ? 1 : 61)), 20));
    check(neighbours<Float>(Float(powerOf2(eighth, this->single ? 10 + i % 80 : 24 + i % 900) * eighth * i), 5));
  }
  EXPECT_LE(sine.ulp, kSineBound) << "sin at " << sine.at;
  EXPECT_LE(cosine.ulp, kSineBound) << "cos at " << cosine.at;
  EXPECT_LE(tangent.ulp, kTangentBound) << "tan at " << tangent.at;
  std::printf("  worst %.3f ulp at sin(%.17g), %.3f ulp at cos(%.17g), %.3f ulp at tan(%.17g)\n", sine.ulp, sine.at,
              cosine.ulp, cosine.at, tangent.ulp, tangent.at);
}

namespace {
/// An angle that every format up to f32 or f64 has exactly, and what 3,000 bits of pi give, rounded to f64.
struct KnownAngle {
  double angle, sine, cosine, tangent;
};
} // namespace

/// Powers of two, powers of ten, the largest number, and what comes closest to a multiple of pi/2.
static const KnownAngle kSingle[] = {
    {0x1p17, -0x1.ff8bd7b10d6bp-1, 0x1.58ced65ec8b5p-5, -0x1.7bcb26d5d9af5p4},
    {0x1.ffffep19, -0x1.3b32b2ca06654p-1, 0x1.937a45bd49642p-1, -0x1.8ff9dff189f5ap-1},
    {0x1p20, 0x1.526ccb2fc8656p-2, 0x1.e33ada92fe2aep-1, 0x1.6692e5779206fp-2},
    {0x1.00001p20, 0x1.f20cc1ff62d21p-1, 0x1.dacfb27d45b34p-3, 0x1.0c878130c5486p2},
    {0x1p24, -0x1.8f22f8433d6eep-1, 0x1.40ad67f3f0c9ap-1, -0x1.3ea28271a9beap0},
    {0x1.2a05f2p33, -0x1.f334c7896a4e3p-2, 0x1.bf098901c931ap-1, -0x1.1de000f443f5p-1},
    {0x1.0f0cfp73, -0x1.77d988f563719p-1, 0x1.5baded759a40dp-1, -0x1.14bdfb7ac8b93p0},
    {0x1.c363ccp127, 0x1.bff388901e1a9p-1, -0x1.efeaf8c3be59cp-2, -0x1.ce7a59ed52cacp0},
    {0x1.fffffep127, -0x1.0b33665089575p-1, 0x1.b4bf2c79bdfcep-1, -0x1.393d94b4988c2p-1},
    {0x1.7f7edep20, 0x1.ffde8de337e56p-1, 0x1.721a662960bd9p-6, 0x1.620f40606ed99p5},
    {0x1.7681ccp30, -0x1.c750aee698c08p-1, 0x1.d45338fcbd8b4p-2, -0x1.f1c6dcba5c29dp0},
    {0x1.921fb6p40, 0x1.c7a2eece4bc9bp-1, 0x1.d312d2951b11cp-2, 0x1.f3767c1fa9cd2p0},
    {0x1.f37c8ap95, 0x1p0, -0x1.bbdd52a58eafbp-30, -0x1.274c1bb79adb7p29},
    {0x1.47d0fep34, 0x1p0, -0x1.149dafd6b8987p-29, -0x1.d9d74f4ae6373p28},
    {0x1.f37c8ap96, -0x1.bbdd52a58eafbp-29, -0x1p0, 0x1.bbdd52a58eafbp-29},
    {0x1.47d0fep35, -0x1.149dafd6b8987p-28, -0x1p0, 0x1.149dafd6b8987p-28},
    {0x1.f37c8ap97, 0x1.bbdd52a58eafbp-28, 0x1p0, 0x1.bbdd52a58eafbp-28},
    {0x1.32ede2p85, 0x1p0, -0x1.bc77be4e3b96p-28, -0x1.26e583831de8fp27},
};
static const KnownAngle kDouble[] = {
    {0x1p35, -0x1.49f2c66463c18p-1, -0x1.8781e90e43ee1p-1, 0x1.af7ebe96cf4d8p-1},
    {0x1.fffffffffep39, 0x1.198d16f110c4p-1, -0x1.aba2f0767e6d5p-1, -0x1.51185b07977ep-1},
    {0x1p40, -0x1.9f7122716d5d9p-2, -0x1.d3f8577b3aa88p-1, 0x1.c68795c549234p-2},
    {0x1.0000000001p40, -0x1.fa03eef64f6d7p-1, -0x1.38377325300fcp-3, 0x1.9ee770196d581p2},
    {0x1p24, -0x1.8f22f8433d6eep-1, 0x1.40ad67f3f0c9ap-1, -0x1.3ea28271a9beap0},
    {0x1.2a05f2p33, -0x1.f334c7896a4e3p-2, 0x1.bf098901c931ap-1, -0x1.1de000f443f5p-1},
    {0x1.0f0cf064dd592p73, -0x1.b453ab76bf397p-1, 0x1.0be2cef01c8f4p-1, -0x1.a0f79c1b6b257p0},
    {0x1.249ad2594c37dp332, -0x1.85c5e5b929359p-2, 0x1.d9757496841f5p-1, -0x1.a5807d6f76f7dp-2},
    {0x1.7e43c8800759cp996, -0x1.a2c16b010e385p-1, -0x1.2699022adc4c1p-1, 0x1.6be411f37ac77p0},
    {0x1.fffffffffffffp1023, 0x1.452fc98b34e97p-8, -0x1.fffe62ecfab75p-1, -0x1.4530cfe729484p-8},
    {0x1.7681cca176783p30, 0x1.fffffffffffdap-1, 0x1.8b8f7cfb0d79bp-24, 0x1.4b5b8f49039f3p23},
    {0x1.65286144ada49p50, 0x1.ff145bc1d693fp-1, -0x1.eaffc1e03abe8p-5, -0x1.0a783cb35efap4},
    {0x1.921fb54442d1ep70, -0x1.ee32923b0ef83p-1, -0x1.0bad653abc73ep-2, 0x1.d8a36b4a708b7p1},
    {0x1.6ac5b262ca1ffp849, 0x1p0, -0x1.14ae72e6ba22fp-61, -0x1.d9ba9a7975636p60},
    {0x1.6ac5b262ca1ffp850, -0x1.14ae72e6ba22fp-60, -0x1p0, 0x1.14ae72e6ba22fp-60},
    {0x1.504cac51f1eafp131, -0x1p0, -0x1.0cb604d34f341p-59, 0x1.e7c7d0f43f81ep58},
    {0x1.6ac5b262ca1ffp851, 0x1.14ae72e6ba22fp-59, 0x1p0, 0x1.14ae72e6ba22fp-59},
    {0x1.e009c53148be1p991, 0x1p0, 0x1.295a3b0a64b1dp-59, 0x1.b8cbf7ecfaffap58},
    {0x1.4c96c11134d36p577, -0x1p0, 0x1.6ec67bcf77522p-59, -0x1.655cf9e23c4d7p58},
};

TYPED_TEST(MathTrigonometric, KnownLargeAngles) {
  using Float = TypeParam;
  std::vector<KnownAngle> angles(std::begin(kSingle), std::end(kSingle));
  if (!this->single)
    angles.insert(angles.end(), std::begin(kDouble), std::end(kDouble));
  for (const KnownAngle &known : angles)
    for (double sign : {1.0, -1.0}) {
      Float x = Float(sign * known.angle);
      // The value itself is rounded.
      EXPECT_LE(ulpError<Float>(this->sine(x), sign * known.sine), kSineBound + 0.5) << x;
      EXPECT_LE(ulpError<Float>(this->cosine(x), known.cosine), kSineBound + 0.5) << x;
      EXPECT_LE(ulpError<Float>(this->tangent(x), sign * known.tangent), kTangentBound + 0.5) << x;
    }
}

TYPED_TEST(MathTrigonometric, OnlyInfinitiesAndNaNHaveNoValue) {
  using Float = TypeParam;
  using Limits = std::numeric_limits<Float>;
  for (Float x : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(this->sine(x))) << x;
    EXPECT_TRUE(std::isnan(this->cosine(x))) << x;
    EXPECT_TRUE(std::isnan(this->tangent(x))) << x;
  }
  EXPECT_TRUE(std::signbit(this->sine(-Float(0))));
  EXPECT_TRUE(std::signbit(this->tangent(-Float(0))));
  EXPECT_EQ(this->cosine(-Float(0)), Float(1));
  for (Float x : {Limits::max(), Limits::lowest()})
    EXPECT_TRUE(std::isfinite(this->sine(x)) && std::isfinite(this->cosine(x)) && std::isfinite(this->tangent(x)));
}

} // namespace mlc::test
