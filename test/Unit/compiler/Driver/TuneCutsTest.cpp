// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/Tune/Cuts.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlc;

TEST(TuneCutsTest, FewHeldOutRowsTakeSeveralCuts) {
  EXPECT_EQ(cutsFor(1000), 1);
  EXPECT_EQ(cutsFor(999), 3);
  EXPECT_EQ(cutsFor(300), 4);
  EXPECT_EQ(cutsFor(24), 5);
  EXPECT_EQ(cutsFor(1), 5);
  EXPECT_EQ(checkCutsFor(1), 3);
  EXPECT_EQ(checkCutsFor(5), 5);
}

TEST(TuneCutsTest, OneStepCountsForAllCuts) {
  // Each cut's own best would be 1 and 2.
  const Curve first = {{10, 5}, {20, 1}, {30, 4}}, second = {{10, 3}, {20, 9}, {30, 2}, {40, 0}};
  std::optional<CutValues> least = valuesOverCuts({first, second}, /*isGreaterBetter=*/false);
  ASSERT_TRUE(least);
  EXPECT_EQ(least->step, 30);
  EXPECT_EQ(least->values, (std::vector<double>{4, 2}));
  EXPECT_EQ(valuesOverCuts({first, second}, /*isGreaterBetter=*/true)->step, 20);
}

TEST(TuneCutsTest, CutsWithoutACommonStepCountByTheirLast) {
  std::optional<CutValues> last = valuesOverCuts({{{10, 5}, {21, 1}}, {{20, 3}}}, false);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->step, 21);
  EXPECT_EQ(last->mean(), 2);
  EXPECT_FALSE(valuesOverCuts({{{10, 5}}, {}}, false));
  EXPECT_FALSE(valuesOverCuts({}, false));
}

TEST(TuneCutsTest, DifferencesArePairedAndTheirErrorCountsSharedRows) {
  const CutValues spec{10, {1, 2, 3}};
  // Better by 0.2 on average, whatever the cuts differ by themselves.
  const Advantage better = advantage({20, {0.9, 1.8, 2.7}}, spec, false, 0.2);
  EXPECT_NEAR(better.mean, 0.2, 1e-12);
  // Deviation 0.1, times sqrt(1 / 3 + 0.2 / 0.8).
  EXPECT_NEAR(better.error, 0.1 * std::sqrt(1.0 / 3 + 0.25), 1e-12);
  EXPECT_TRUE(better.isSure());
  EXPECT_FALSE(advantage({20, {0.9, 1.8, 3.3}}, spec, false, 0.2).isSure());
  EXPECT_NEAR(advantage({20, {0.9, 1.8, 2.7}}, spec, true, 0.2).mean, -0.2, 1e-12);
  EXPECT_EQ(advantage({20, {1}}, {10, {2}}, false, 0.2).error, 0);
}
