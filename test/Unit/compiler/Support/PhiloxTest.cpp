// Philox4x32-10 against the known answers of its paper, and the numbers and keys made of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Support/Philox.h"
#include "mlc/Support/PhiloxKey.h"
#include "mlc/Support/ScalarEmitter.h"

#include "common/data/Philox.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

namespace mlc::test {

using Words = std::array<uint32_t, 4>;

static Words philox(const Words &counter, const std::array<uint32_t, 2> &key) {
  ScalarWordEmitter emitter;
  return philox4x32(emitter, counter, key);
}

// The vectors of kat_vectors of the Random123 distribution.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, AgreesWithTheHostGenerator) {
  std::mt19937 random(11);
  for (int i = 0; i < 1000; ++i) {
    Words counter = {uint32_t(random()), uint32_t(random()), uint32_t(random()), uint32_t(random())};
    uint64_t key = uint64_t(random()) << 32 | random();
    ASSERT_EQ(philox(counter, philoxKeyWords(key)), common::philox4x32(counter, key));
  }
}

TEST(PhiloxKey, IsSeedXorFingerprint) {
  // Fingerprint64 of the name as farmhash defines it; the empty name's is a constant of the hash.
  EXPECT_EQ(philoxKey(0, ""), 0x9ae16a3b2f90404fu);
  EXPECT_EQ(philoxKey(0x123456789abcdef0u, "") ^ philoxKey(0, ""), 0x123456789abcdef0u);
  EXPECT_NE(philoxKey(7, "dropout_1"), philoxKey(7, "dropout_2"));
  EXPECT_EQ(philoxKeyWords(0x0123456789abcdefu), (std::array<uint32_t, 2>{0x89abcdef, 0x01234567}));
}

TEST(PhiloxKey, Counters) {
  EXPECT_EQ(philoxStepCounter(3, 5, 0x700000009u), (Words{3, 5, 9, 7}));
  EXPECT_EQ(philoxInitializerCounter(0x300000002u), (Words{2, 3, 0, 0}));
}

TEST(Uniform, TakesTheUpperBits) {
  ScalarEmitter<float> single;
  EXPECT_EQ(uniformF32FromBits(single, 0u), 0.0f);
  EXPECT_EQ(uniformF32FromBits(single, 0xffu), 0.0f);
  EXPECT_EQ(uniformF32FromBits(single, 0x100u), 0x1p-24f);
  EXPECT_EQ(uniformF32FromBits(single, 0x80000000u), 0.5f);
  EXPECT_EQ(uniformF32FromBits(single, 0xffffffffu), 1.0f - 0x1p-24f);
  ScalarEmitter<double> twice;
  EXPECT_EQ(uniformF64FromBits(twice, uint64_t(0x1f), uint64_t(0x3f)), 0.0);
  EXPECT_EQ(uniformF64FromBits(twice, uint64_t(0), uint64_t(0x40)), 0x1p-53);
  EXPECT_EQ(uniformF64FromBits(twice, uint64_t(0x20), uint64_t(0)), 0x1p-27);
  EXPECT_EQ(uniformF64FromBits(twice, uint64_t(0xffffffff), uint64_t(0xffffffff)), 1.0 - 0x1p-53);
}

/// Mean, variance and fourth moment of numbers drawn with consecutive counters.
struct Moments {
  double mean = 0, variance = 0, fourth = 0;
};

template <typename Draw> static Moments momentsOf(Draw draw, int count) {
  Moments moments;
  for (int i = 0; i < count; ++i) {
    double z = draw(philox(philoxInitializerCounter(i), philoxKeyWords(philoxKey(1, "moments"))));
    moments.mean += z / count;
    moments.variance += z * z / count;
    moments.fourth += z * z * z * z / count;
  }
  return moments;
}

template <typename Float> static Float uniformOf(ScalarEmitter<Float> &e, const Words &words) {
  if constexpr (sizeof(Float) == 4)
    return uniformF32FromBits(e, words[0]);
  else
    return uniformF64FromBits(e, uint64_t(words[0]), uint64_t(words[1]));
}

template <typename Float> class Normal : public ::testing::Test {
public:
  ScalarEmitter<Float> emitter;
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Normal, Floats);

TYPED_TEST(Normal, EndsAreFiniteAndSymmetric) {
  using Float = TypeParam;
  auto &e = this->emitter;
  const Float cell = sizeof(Float) == 4 ? Float(0x1p-24) : Float(0x1p-53);
  Float low = normalFromUniform(e, Float(0)), high = normalFromUniform(e, Float(1) - cell);
  EXPECT_TRUE(std::isfinite(low));
  EXPECT_EQ(low, -high);
  EXPECT_GT(high, sizeof(Float) == 4 ? Float(5.3) : Float(8.2));
  EXPECT_LT(high, sizeof(Float) == 4 ? Float(5.5) : Float(8.3));
  EXPECT_EQ(normalFromUniform(e, Float(0.5)), -normalFromUniform(e, Float(0.5) - cell));
  EXPECT_GT(normalFromUniform(e, Float(0.5)), Float(0));
  EXPECT_NEAR(truncatedNormalFromUniform(e, Float(0)), -2, 1e-5);
  EXPECT_NEAR(truncatedNormalFromUniform(e, Float(1) - cell), 2, 1e-5);
  EXPECT_EQ(truncatedNormalFromUniform(e, Float(0.5)), Float(0));
}

TYPED_TEST(Normal, InvertsTheDistributionFunction) {
  using Float = TypeParam;
  const double tolerance = sizeof(Float) == 4 ? 3e-7 : 1e-15;
  auto phi = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const double below = phi(-2), width = phi(2) - below;
  for (int i = 1; i < 1000; ++i) {
    Float u = Float(i) / Float(1024);
    EXPECT_NEAR(phi(normalFromUniform(this->emitter, u)), double(u), tolerance);
    double z = truncatedNormalFromUniform(this->emitter, u);
    EXPECT_NEAR((phi(z) - below) / width, double(u), tolerance);
  }
}

TYPED_TEST(Normal, Moments) {
  auto &e = this->emitter;
  const int count = 400000;
  // Four standard deviations of each estimate.
  auto normal = momentsOf([&](const Words &words) { return normalFromUniform(e, uniformOf(e, words)); }, count);
  EXPECT_NEAR(normal.mean, 0, 0.0064);
  EXPECT_NEAR(normal.variance, 1, 0.009);
  EXPECT_NEAR(normal.fourth, 3, 0.063);
  // Variance of the truncated distribution: 1 - 4 phi(2) / (2 Phi(2) - 1).
  auto truncated =
      momentsOf([&](const Words &words) { return truncatedNormalFromUniform(e, uniformOf(e, words)); }, count);
  EXPECT_NEAR(truncated.mean, 0, 0.0056);
  EXPECT_NEAR(truncated.variance, 0.7737413, 0.0056);
}

} // namespace mlc::test
