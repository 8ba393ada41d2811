// Damerau-Levenshtein distance and the choice by it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/NearestMatch.h"

#include <algorithm>

namespace mlc::common {

size_t editDistance(std::string_view a, std::string_view b) {
  size_t width = b.size() + 1;
  // Three rows: the swap of neighbours looks two rows back.
  std::vector<size_t> before(width), last(width), row(width);
  for (size_t j = 0; j < width; ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearestMatch(std::string_view name, const std::vector<std::string> &candidates) {
  const std::string *best = nullptr;
  size_t bestDistance = 0;
  for (const std::string &candidate : candidates) {
    size_t allowed = std::max<size_t>(1, std::max(name.size(), candidate.size()) / 3);
    size_t distance = editDistance(name, candidate);
    if (distance <= allowed && (!best || distance < bestDistance)) {
      best = &candidate;
      bestDistance = distance;
    }
  }
  return best ? *best : std::string();
}

std::string didYouMean(std::string_view name, const std::vector<std::string> &candidates) {
  std::string nearest = nearestMatch(name, candidates);
  return nearest.empty() ? std::string() : "did you mean '" + nearest + "'?";
}

} // namespace mlc::common
