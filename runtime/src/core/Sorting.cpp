//===- Sorting.cpp - Sorts along a dimension ----------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Sorting.h"

#include "mlcrt/abi.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace mlcrt {

namespace {
/// An element on its way: its place among the numbers of its type, and where it came from. Equal places go by position,
/// which makes every sort a stable one.
struct Place {
  uint64_t key;
  int64_t position;
  bool operator<(const Place &other) const { return key != other.key ? key < other.key : position < other.position; }
};
} // namespace

/// A number that grows as `x` does, or falls; that of NaN is above all in either order.
template <typename T> static uint64_t placeOf(T x, bool descending) {
  uint64_t key;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x))
      return ~uint64_t(0);
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr Bits sign = Bits(1) << (8 * sizeof(T) - 1);
    Bits bits;
    x += T(0); // -0 is +0
    std::memcpy(&bits, &x, sizeof bits);
    bits = bits & sign ? Bits(~bits) : Bits(bits | sign);
    // Infinities are not at the ends of the bits: what is left there is NaN's.
    return descending ? Bits(~bits) : bits;
  } else if constexpr (std::is_signed_v<T>) {
    key = static_cast<uint64_t>(static_cast<int64_t>(x)) ^ uint64_t(1) << 63;
  } else {
    key = x;
  }
  return descending ? ~key : key;
}

template <typename T>
static void sortLines(const T *keys, int64_t outer, int64_t n, int64_t inner, bool descending, int64_t m,
                      int64_t *positions) {
  std::vector<Place> places(n);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      for (int64_t j = 0; j < n; ++j)
        places[j] = {placeOf(keys[(o * n + j) * inner + i], descending), j};
      // A few of many are found without putting the others in order.
      if (m < n) {
        std::nth_element(places.begin(), places.begin() + m, places.end());
        std::sort(places.begin(), places.begin() + m);
      } else {
        std::sort(places.begin(), places.end());
      }
      for (int64_t j = 0; j < m; ++j)
        positions[(o * m + j) * inner + i] = places[j].position;
    }
}

bool sortPositions(const void *keys, int32_t dtype, int64_t outer, int64_t n, int64_t inner, bool descending, int64_t m,
                   int64_t *positions) {
  auto sort = [&](auto type) {
    sortLines(static_cast<const decltype(type) *>(keys), outer, n, inner, descending, m, positions);
    return true;
  };
  switch (dtype) {
  case MLCRT_F32:
    return sort(float());
  case MLCRT_F64:
    return sort(double());
  case MLCRT_I8:
    return sort(int8_t());
  case MLCRT_I16:
    return sort(int16_t());
  case MLCRT_I32:
    return sort(int32_t());
  case MLCRT_I64:
    return sort(int64_t());
  case MLCRT_U8:
    return sort(uint8_t());
  case MLCRT_U16:
    return sort(uint16_t());
  case MLCRT_U32:
    return sort(uint32_t());
  case MLCRT_U64:
    return sort(uint64_t());
  default:
    return false;
  }
}

void takeAlong(const void *values, int64_t cellBytes, int64_t outer, int64_t n, int64_t inner, const int64_t *positions,
               int64_t m, void *out) {
  const auto *from = static_cast<const char *>(values);
  auto *to = static_cast<char *>(out);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t at = o * m * inner; at < (o + 1) * m * inner; ++at)
      std::memcpy(to + at * cellBytes, from + ((o * n + positions[at]) * inner + at % inner) * cellBytes, cellBytes);
}

} // namespace mlcrt
