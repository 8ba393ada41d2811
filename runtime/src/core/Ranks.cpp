//===- Ranks.cpp - Ranks of f32 numbers ---------------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Ranks.h"

#include "runtime/src/core/Grouping.h"

#include <algorithm>
#include <vector>

namespace mlcrt {

namespace {
/// Positions by ascending id: those of the k-th id are order[ends[k-1] .. ends[k]).
struct Groups {
  explicit Groups(const std::vector<int64_t> &ids) : unique(ids.size()), ends(ids.size()), order(ids.size()) {
    count = groupIds(ids.data(), static_cast<int64_t>(ids.size()), unique.data(), ends.data(), order.data());
  }
  int64_t begin(int64_t k) const { return k ? ends[k - 1] : 0; }

  std::vector<int64_t> unique, ends, order;
  int64_t count;
};
} // namespace

void midRanks(const float *keys, const int64_t *groups, const double *weights, int64_t count, int64_t n,
              double *ranks) {
  count = std::min(count, n);
  std::fill(ranks + count, ranks + n, 0.0);
  if (!keys && !groups) {
    double below = 0;
    for (int64_t i = 0; i < count; ++i) {
      ranks[i] = below + 0.5 * weights[i];
      below += weights[i];
    }
    return;
  }
  std::vector<int64_t> places(count), groupOf;
  for (int64_t i = 0; i < count; ++i)
    places[i] = keys ? orderedBits(keys[i]) : i;
  if (groups) {
    // One number for both: groups and places by their ranks, which are short.
    Groups byGroup(std::vector<int64_t>(groups, groups + count)), byPlace(places);
    groupOf.resize(count);
    for (int64_t k = 0; k < byGroup.count; ++k)
      for (int64_t j = byGroup.begin(k); j < byGroup.ends[k]; ++j)
        groupOf[byGroup.order[j]] = k;
    for (int64_t k = 0; k < byPlace.count; ++k)
      for (int64_t j = byPlace.begin(k); j < byPlace.ends[k]; ++j)
        places[byPlace.order[j]] = groupOf[byPlace.order[j]] * byPlace.count + k;
  }
  Groups equal(places);
  double below = 0;
  int64_t lastGroup = -1;
  for (int64_t k = 0; k < equal.count; ++k) {
    if (groups && groupOf[equal.order[equal.begin(k)]] != lastGroup) {
      lastGroup = groupOf[equal.order[equal.begin(k)]];
      below = 0;
    }
    double own = 0;
    for (int64_t j = equal.begin(k); j < equal.ends[k]; ++j)
      own += weights[equal.order[j]];
    for (int64_t j = equal.begin(k); j < equal.ends[k]; ++j)
      ranks[equal.order[j]] = below + 0.5 * own;
    below += own;
  }
}

} // namespace mlcrt
