//===- RanksTest.cpp - Ranks, histograms and collected values ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Ranks.h"
#include "runtime/src/core/Services.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace mlcrt {
namespace {

/// What the service says, pair by pair.
std::vector<double> ranksByPairs(const std::vector<float> *keys, const std::vector<int64_t> *groups,
                                 const std::vector<double> &weights, int64_t count) {
  auto n = static_cast<int64_t>(weights.size());
  std::vector<double> ranks(n);
  for (int64_t i = 0; i < std::min(count, n); ++i)
    for (int64_t j = 0; j < std::min(count, n); ++j) {
      if (groups && (*groups)[j] != (*groups)[i])
        continue;
      double mine = keys ? (*keys)[i] : static_cast<double>(i), other = keys ? (*keys)[j] : static_cast<double>(j);
      ranks[i] += other < mine ? weights[j] : other == mine ? weights[j] / 2 : 0;
    }
  return ranks;
}

TEST(Ranks, AgreeWithAllPairs) {
  std::mt19937 random(7);
  for (int64_t n : {0, 1, 2, 63, 64, 500})
    for (bool hasKeys : {false, true})
      for (bool hasGroups : {false, true})
        for (int64_t count : {n / 2, n, n + 10}) {
          std::vector<float> keys(n);
          std::vector<int64_t> groups(n);
          std::vector<double> weights(n), ranks(n, -1);
          for (int64_t i = 0; i < n; ++i) {
            keys[i] = static_cast<float>(static_cast<int>(random() % 41) - 20) * (random() % 2 ? 0.5f : 1e20f);
            groups[i] = static_cast<int64_t>(random() % 5) << 60;
            // Sums of eighths are exact in any order.
            weights[i] = static_cast<double>(random() % 24) / 8;
          }
          midRanks(hasKeys ? keys.data() : nullptr, hasGroups ? groups.data() : nullptr, weights.data(), count, n,
                   ranks.data());
          EXPECT_EQ(ranks, ranksByPairs(hasKeys ? &keys : nullptr, hasGroups ? &groups : nullptr, weights, count))
              << n << " rows, " << count << " of them counted" << (hasKeys ? ", keys" : "")
              << (hasGroups ? ", groups" : "");
        }
}

TEST(Ranks, BitsGrowAsNumbersDo) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> numbers = {-infinity, -1e30f, -1.5f, -1.0f, -1e-45f, 0.0f, 1e-45f, 1.0f, 1.5f, 1e30f, infinity};
  for (size_t i = 1; i < numbers.size(); ++i)
    EXPECT_LT(orderedBits(numbers[i - 1]), orderedBits(numbers[i])) << numbers[i];
  EXPECT_EQ(orderedBits(-0.0f), orderedBits(0.0f));
}

TEST(Ranks, BinsTakeTheWeightsOfTheirNumbers) {
  std::vector<float> keys = {-1, 2, -0.0f, 0.0f, -3, 2.001f};
  std::vector<double> weights = {1, 2, 4, 8, 16, 32}, bins(1 << 16, 0.5);
  ASSERT_EQ(services().add_to_bins(nullptr, keys.data(), weights.data(), 6, 16, bins.data()), MLCRT_OK);
  EXPECT_EQ(bins[0x8000], 12.5);
  // 2 and 2.001 agree in the first seven bits of the fraction.
  EXPECT_EQ(bins[0x8000 | 0x4000], 34.5);
  EXPECT_EQ(bins[0xffff & ~0xbf80], 1.5);
  EXPECT_EQ(bins[0xffff & ~0xc040], 16.5);
}

TEST(Ranks, ValuesBehindTheEndAreDropped) {
  std::vector<int64_t> store(5, -1), values = {1, 2, 3};
  auto put = [&](int64_t at) {
    return services().put_values(nullptr, values.data(), 3, sizeof(int64_t), at, 5, store.data());
  };
  ASSERT_EQ(put(1), MLCRT_OK);
  EXPECT_EQ(store, (std::vector<int64_t>{-1, 1, 2, 3, -1}));
  ASSERT_EQ(put(4), MLCRT_OK);
  EXPECT_EQ(store, (std::vector<int64_t>{-1, 1, 2, 3, 1}));
  ASSERT_EQ(put(int64_t{1} << 40), MLCRT_OK);
  EXPECT_EQ(store, (std::vector<int64_t>{-1, 1, 2, 3, 1}));
}

} // namespace
} // namespace mlcrt
