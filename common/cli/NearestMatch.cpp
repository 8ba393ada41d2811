// Damerau-Levenshtein distance and the choice by it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/NearestMatch.h"

#include <algorithm>
#include <utility>

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

static std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char &c : lower)
    if (c >= 'A' && c <= 'Z')
      c += 'a' - 'A';
  return lower;
}

std::string nearestMatch(std::string_view name, const std::vector<std::string> &candidates) {
  const std::string *best = nullptr;
  // Of names that differ by as many letters, the one whose case is nearer.
  std::pair<size_t, size_t> bestDistance;
  const std::string lower = lowerCase(name);
  for (const std::string &candidate : candidates) {
    const size_t longest = std::max(name.size(), candidate.size());
    const size_t letters = editDistance(lower, lowerCase(candidate));
    // A name of which nothing is left is another name.
    if (letters > std::max<size_t>(1, longest / 3) || (letters > 0 && letters >= longest))
      continue;
    const std::pair distance(letters, editDistance(name, candidate));
    if (!best || distance < bestDistance) {
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
