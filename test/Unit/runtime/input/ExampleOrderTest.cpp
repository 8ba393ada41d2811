// Tests of the order of examples: a bijection, keyed, pinned, well mixed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ExampleOrder.h"
#include "common/data/Philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

using namespace mlcrt;
using testing::ElementsAre;

static std::vector<int64_t> orderOf(int64_t records, uint64_t seed, int64_t epoch, bool shuffle = true) {
  ExampleOrder order(records, seed, shuffle);
  std::vector<int64_t> result;
  for (int64_t position = 0; position < records; ++position)
    result.push_back(order.record(epoch, position));
  return result;
}

static bool isBijection(const std::vector<int64_t> &order) {
  std::vector<bool> seen(order.size(), false);
  for (const int64_t record : order) {
    if (record < 0 || record >= static_cast<int64_t>(order.size()) || seen[static_cast<size_t>(record)])
      return false;
    seen[static_cast<size_t>(record)] = true;
  }
  return true;
}

/// Sizes around blocks and windows, primes, and the smallest.
static const int64_t kSizes[] = {0,
                                 1,
                                 2,
                                 3,
                                 7,
                                 255,
                                 256,
                                 257,
                                 997,
                                 ExampleOrder::kBlock - 1,
                                 ExampleOrder::kBlock,
                                 ExampleOrder::kBlock + 1,
                                 32561,
                                 104729,
                                 ExampleOrder::kBlock *ExampleOrder::kWindow,
                                 ExampleOrder::kBlock *ExampleOrder::kWindow + 1,
                                 ExampleOrder::kBlock *(ExampleOrder::kWindow + 1) - 1,
                                 3 * ExampleOrder::kBlock *ExampleOrder::kWindow + 12345};

TEST(Philox, KnownAnswers) {
  // The vectors of Random123's kat_vectors.
  EXPECT_THAT(mlc::common::philox4x32({0, 0, 0, 0}, 0), ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(mlc::common::philox4x32({~0u, ~0u, ~0u, ~0u}, ~uint64_t{0}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(mlc::common::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                                      uint64_t{0x299f31d0} << 32 | 0xa4093822),
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(KeyedPermutation, BijectionWithInverse) {
  for (const int64_t size : {1, 2, 3, 5, 16, 17, 100, 256, 257, 1000, 4099, 65536}) {
    KeyedPermutation::Keys keys;
    std::iota(keys.begin(), keys.end(), 0x1234567 * size);
    const KeyedPermutation permutation(size, keys);
    std::vector<int64_t> images;
    for (int64_t x = 0; x < size; ++x) {
      images.push_back(permutation(x));
      ASSERT_EQ(permutation.inverse(images.back()), x) << size;
    }
    EXPECT_TRUE(isBijection(images)) << size;
  }
}

TEST(ExampleOrder, VisitsEachRecordOnce) {
  for (const int64_t size : kSizes)
    for (const int64_t epoch : {0, 1, 2})
      EXPECT_TRUE(isBijection(orderOf(size, 42, epoch))) << size << " " << epoch;
}

TEST(ExampleOrder, WithoutShuffleTheOrderOfTheFiles) {
  std::vector<int64_t> expected(3000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(orderOf(3000, 42, 0, false), expected);
  EXPECT_EQ(orderOf(3000, 42, 5, false), expected);
}

TEST(ExampleOrder, DependsOnSeedAndEpochAlone) {
  EXPECT_EQ(orderOf(5000, 1, 3), orderOf(5000, 1, 3));
  EXPECT_NE(orderOf(5000, 1, 3), orderOf(5000, 1, 4));
  EXPECT_NE(orderOf(5000, 1, 3), orderOf(5000, 2, 3));
  EXPECT_NE(orderOf(5000, 1, 3), orderOf(5000, uint64_t{1} << 32 | 1, 3));
  EXPECT_NE(orderOf(5000, 1, 0), orderOf(5000, 1, int64_t{1} << 32));
  // Few records of two orders stand at the same place.
  const std::vector<int64_t> a = orderOf(5000, 1, 3), b = orderOf(5000, 1, 4);
  int same = 0;
  for (size_t i = 0; i < a.size(); ++i)
    same += a[i] == b[i];
  EXPECT_LT(same, 10);
}

TEST(ExampleOrder, AnyPositionAlone) {
  const int64_t size = 3 * ExampleOrder::kBlock * ExampleOrder::kWindow + 12345;
  const std::vector<int64_t> all = orderOf(size, 9, 7);
  for (int64_t position = 0; position < size; position += 39119) {
    ExampleOrder order(size, 9, true);
    EXPECT_EQ(order.record(7, position), all[static_cast<size_t>(position)]);
  }
  // Backwards, with the epoch changed in between.
  ExampleOrder order(size, 9, true);
  for (int64_t position = size - 1; position >= 0; position -= 39119) {
    EXPECT_EQ(order.record(7, position), all[static_cast<size_t>(position)]);
    order.record(8, position / 2);
  }
}

TEST(ExampleOrder, WindowsHoldWholeBlocks) {
  const int64_t window = ExampleOrder::kBlock * ExampleOrder::kWindow;
  const std::vector<int64_t> order = orderOf(2 * window, 5, 0);
  std::vector<int> count(2 * ExampleOrder::kWindow, 0);
  for (int64_t position = 0; position < window; ++position)
    ++count[static_cast<size_t>(order[static_cast<size_t>(position)] / ExampleOrder::kBlock)];
  EXPECT_THAT(count, testing::Each(testing::AnyOf(0, static_cast<int>(ExampleOrder::kBlock))));
}

/// In a uniform permutation the mean displacement is n/3, neighbours are n/3 apart, and ranks do not correlate.
TEST(ExampleOrder, MixesWell) {
  for (const int64_t size : {100, 1000, 32561, 200000}) {
    double displacement = 0, distance = 0, correlation = 0;
    const int kEpochs = 8;
    for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
      const std::vector<int64_t> order = orderOf(size, 3, epoch);
      const double mean = static_cast<double>(size - 1) / 2;
      for (int64_t i = 0; i < size; ++i) {
        displacement += std::abs(static_cast<double>(order[i] - i));
        distance += i ? std::abs(static_cast<double>(order[i] - order[i - 1])) : 0;
        correlation += (static_cast<double>(order[i]) - mean) * (static_cast<double>(i) - mean);
      }
    }
    const double n = static_cast<double>(size), rows = n * kEpochs;
    const double tolerance = 4 / std::sqrt(rows); // the standard deviation of |i - j| / n is 0.24
    EXPECT_NEAR(displacement / rows / n, 1.0 / 3, tolerance) << size;
    EXPECT_NEAR(distance / rows / n, 1.0 / 3, tolerance) << size;
    EXPECT_NEAR(correlation / rows / (n * n / 12), 0, 4 * tolerance) << size;
  }
}

/// Each record comes first equally often over seeds, for small sets too.
TEST(ExampleOrder, SmallSetsAreFair) {
  for (const int64_t size : {2, 3, 10}) {
    std::vector<int> first(static_cast<size_t>(size), 0);
    const int trials = 6000;
    for (int seed = 0; seed < trials; ++seed)
      ++first[static_cast<size_t>(ExampleOrder(size, static_cast<uint64_t>(seed), true).record(0, 0))];
    const double expected = static_cast<double>(trials) / static_cast<double>(size);
    for (const int count : first)
      EXPECT_NEAR(count, expected, 5 * std::sqrt(expected)) << size;
  }
}

/// The order is part of what makes a run repeatable: these numbers never change. They were computed by a second
/// implementation, from the text of the header, that walks window by window.
TEST(ExampleOrder, Golden) {
  EXPECT_THAT(orderOf(10, 7, 0), ElementsAre(9, 1, 3, 5, 4, 6, 2, 7, 8, 0));
  const auto some = [](int64_t records, uint64_t seed, int64_t epoch, const std::vector<int64_t> &positions) {
    ExampleOrder order(records, seed, true);
    std::vector<int64_t> result;
    for (const int64_t position : positions)
      result.push_back(order.record(epoch, position));
    return result;
  };
  EXPECT_THAT(some(32561, 7, 14, {0, 1, 2, 1000, 32560}), ElementsAre(17158, 5350, 16031, 16201, 18177));
  const int64_t window = ExampleOrder::kBlock * ExampleOrder::kWindow, size = 3 * window + 12345;
  EXPECT_THAT(some(size, uint64_t{1} << 40, 3, {0, window - 1, window, 2 * window + 5, size - 1}),
              ElementsAre(654730, 239985, 190140, 668339, 26861));
}
