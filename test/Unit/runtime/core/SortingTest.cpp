//===- SortingTest.cpp - Sorts along a dimension ------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Sorting.h"
#include "runtime/src/core/Services.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace mlcrt {
namespace {

/// Positions of the elements of a line by a stable sort with comparisons; NaNs last.
template <typename T> std::vector<int64_t> sortedLine(const std::vector<T> &line, bool descending) {
  std::vector<int64_t> order(line.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    T x = line[i], y = line[j];
    if (x != x || y != y)
      return x == x && y != y;
    return descending ? x > y : x < y;
  });
  return order;
}

/// Sorts the middle dimension of random values drawn by `draw` in every way and compares line by line.
template <typename T, typename Draw> void checkSorts(int32_t dtype, Draw draw) {
  for (auto [outer, n, inner] : {std::array<int64_t, 3>{1, 40, 1}, {3, 17, 1}, {2, 9, 4}, {4, 1, 3}, {2, 0, 3}})
    for (bool descending : {false, true})
      for (int64_t m : {n, n / 2, int64_t(0)}) {
        std::vector<T> keys(outer * n * inner);
        for (T &key : keys)
          key = draw();
        std::vector<int64_t> positions(outer * m * inner, -1);
        ASSERT_EQ(
            services().sort_positions(nullptr, keys.data(), dtype, outer, n, inner, descending, m, positions.data()),
            MLCRT_OK);
        std::vector<T> taken(positions.size());
        ASSERT_EQ(
            services().take_along(nullptr, keys.data(), sizeof(T), outer, n, inner, positions.data(), m, taken.data()),
            MLCRT_OK);
        for (int64_t o = 0; o < outer; ++o)
          for (int64_t i = 0; i < inner; ++i) {
            std::vector<T> line(n);
            for (int64_t j = 0; j < n; ++j)
              line[j] = keys[(o * n + j) * inner + i];
            std::vector<int64_t> order = sortedLine(line, descending);
            for (int64_t j = 0; j < m; ++j) {
              int64_t at = (o * m + j) * inner + i;
              EXPECT_EQ(positions[at], order[j]) << dtype << " " << n << " " << descending << " " << m;
              EXPECT_EQ(std::memcmp(&taken[at], &line[order[j]], sizeof(T)), 0);
            }
          }
      }
}

template <typename T> void checkFloats(int32_t dtype) {
  std::mt19937 random(3);
  using Limits = std::numeric_limits<T>;
  const T special[] = {T(0),
                       -T(0),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       -Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       Limits::lowest(),
                       Limits::max(),
                       T(1),
                       T(-1)};
  checkSorts<T>(dtype, [&] { return special[random() % std::size(special)]; });
}

template <typename T> void checkIntegers(int32_t dtype) {
  std::mt19937_64 random(4);
  using Limits = std::numeric_limits<T>;
  checkSorts<T>(dtype, [&] {
    switch (random() % 4) {
    case 0:
      return Limits::min();
    case 1:
      return Limits::max();
    case 2:
      return static_cast<T>(random() % 3);
    default:
      return static_cast<T>(random());
    }
  });
}

TEST(Sorting, OrdersFloats) {
  checkFloats<float>(MLCRT_F32);
  checkFloats<double>(MLCRT_F64);
}

TEST(Sorting, OrdersIntegers) {
  checkIntegers<int8_t>(MLCRT_I8);
  checkIntegers<int16_t>(MLCRT_I16);
  checkIntegers<int32_t>(MLCRT_I32);
  checkIntegers<int64_t>(MLCRT_I64);
  checkIntegers<uint8_t>(MLCRT_U8);
  checkIntegers<uint16_t>(MLCRT_U16);
  checkIntegers<uint32_t>(MLCRT_U32);
  checkIntegers<uint64_t>(MLCRT_U64);
}

TEST(Sorting, RefusesOtherTypes) {
  int64_t position = 0;
  EXPECT_FALSE(sortPositions(nullptr, MLCRT_STRING, 1, 0, 1, false, 0, &position));
  EXPECT_FALSE(sortPositions(nullptr, MLCRT_BF16, 1, 0, 1, false, 0, &position));
}

} // namespace
} // namespace mlcrt
