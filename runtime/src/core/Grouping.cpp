//===- Grouping.cpp - Grouping of equal ids and merging of row gradients -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches are short (hundreds to thousands of ids), so grouping sorts. Id and position are packed into one 64-bit key
// where they fit; a stable radix sort over the bits that the ids use keeps the positions of an id ascending.
#include "runtime/src/core/Grouping.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace mlcrt {

static constexpr int kPositionBits = 24;
static constexpr int64_t kMaxPackedCount = int64_t(1) << kPositionBits;
static constexpr int64_t kMaxPackedId = int64_t(1) << (64 - kPositionBits - 1); // 2^39: keys stay positive
/// Below this many keys a comparison sort beats clearing histograms.
static constexpr int64_t kMinRadixCount = 64;
static constexpr int kMaxDigitBits = 11;

namespace {
struct Scratch {
  std::vector<uint64_t> keys, other;
  std::vector<std::pair<int64_t, int64_t>> pairs;
};
} // namespace
static thread_local Scratch scratch;

/// Sorts keys[0..n) by their upper bits, of which `idBits` are used; the result is in either buffer.
static const uint64_t *radixSort(uint64_t *keys, uint64_t *other, int64_t n, int idBits) {
  // Digits of equal width, no wider than the count can pay for.
  int maxDigit = n >= 1024 ? kMaxDigitBits : 8;
  int passes = (idBits + maxDigit - 1) / maxDigit;
  int digitBits = passes ? (idBits + passes - 1) / passes : 0;
  const uint64_t mask = (uint64_t(1) << digitBits) - 1;
  uint32_t offsets[1 << kMaxDigitBits];
  for (int pass = 0; pass < passes; ++pass) {
    int shift = kPositionBits + pass * digitBits;
    std::memset(offsets, 0, sizeof(uint32_t) * (mask + 1));
    for (int64_t i = 0; i < n; ++i)
      ++offsets[(keys[i] >> shift) & mask];
    uint32_t sum = 0;
    for (uint64_t d = 0; d <= mask; ++d)
      sum += std::exchange(offsets[d], sum);
    for (int64_t i = 0; i < n; ++i)
      other[offsets[(keys[i] >> shift) & mask]++] = keys[i];
    std::swap(keys, other);
  }
  return keys;
}

/// Writes the groups of sorted (id, position) pairs, which `get(i)` returns.
template <typename Get> static int64_t emitGroups(int64_t n, Get get, int64_t *unique, int64_t *ends, int64_t *order) {
  int64_t count = 0;
  int64_t last = -1; // no id is negative here
  for (int64_t i = 0; i < n; ++i) {
    auto [id, position] = get(i);
    order[i] = position;
    if (id != last) {
      unique[count++] = id;
      last = id;
    }
    ends[count - 1] = i + 1;
  }
  return count;
}

int64_t groupIds(const int64_t *ids, int64_t n, int64_t *unique, int64_t *ends, int64_t *order) {
  int64_t largest = -1;
  for (int64_t i = 0; i < n; ++i)
    largest = std::max(largest, ids[i]);

  int64_t kept = 0;
  if (largest < kMaxPackedId && n <= kMaxPackedCount) {
    if (static_cast<int64_t>(scratch.keys.size()) < n) {
      scratch.keys.resize(n);
      scratch.other.resize(n);
    }
    uint64_t *keys = scratch.keys.data();
    for (int64_t i = 0; i < n; ++i) {
      keys[kept] = static_cast<uint64_t>(ids[i]) << kPositionBits | static_cast<uint64_t>(i);
      kept += ids[i] >= 0;
    }
    const uint64_t *sorted = keys;
    if (kept < kMinRadixCount)
      std::sort(keys, keys + kept);
    else
      sorted = radixSort(keys, scratch.other.data(), kept, 64 - __builtin_clzll(static_cast<uint64_t>(largest) | 1));
    return emitGroups(
        kept,
        [&](int64_t i) {
          return std::pair<int64_t, int64_t>(sorted[i] >> kPositionBits, sorted[i] & (kMaxPackedCount - 1));
        },
        unique, ends, order);
  }

  if (static_cast<int64_t>(scratch.pairs.size()) < n)
    scratch.pairs.resize(n);
  std::pair<int64_t, int64_t> *pairs = scratch.pairs.data();
  for (int64_t i = 0; i < n; ++i)
    if (ids[i] >= 0)
      pairs[kept++] = {ids[i], i};
  std::sort(pairs, pairs + kept);
  return emitGroups(kept, [&](int64_t i) { return pairs[i]; }, unique, ends, order);
}

void uniqueValues(const int64_t *in, int64_t n, bool sorted, int64_t *values, int64_t *inverse, int64_t *counts,
                  int64_t *count) {
  // A group is known by the position of its first member until its place among the groups is.
  int64_t groups = 0, first = 0;
  auto put = [&](int64_t value, int64_t position, bool isFirst) {
    if (isFirst) {
      first = position;
      values[groups++] = sorted ? value : first;
    }
    inverse[position] = sorted ? groups - 1 : first;
  };
  if (std::all_of(in, in + n, [](int64_t value) { return value >= 0; })) {
    std::vector<int64_t> unique(n), ends(n), order(n);
    int64_t distinct = groupIds(in, n, unique.data(), ends.data(), order.data());
    for (int64_t k = 0, i = 0; k < distinct; ++k)
      for (int64_t begin = i; i < ends[k]; ++i)
        put(unique[k], order[i], i == begin);
  } else {
    auto &pairs = scratch.pairs;
    pairs.clear();
    for (int64_t i = 0; i < n; ++i)
      pairs.emplace_back(in[i], i);
    std::sort(pairs.begin(), pairs.end());
    for (int64_t i = 0; i < n; ++i)
      put(pairs[i].first, pairs[i].second, i == 0 || pairs[i].first != pairs[i - 1].first);
  }
  if (!sorted) {
    std::sort(values, values + groups);
    for (int64_t k = 0; k < groups; ++k)
      counts[values[k]] = k;
    for (int64_t i = 0; i < n; ++i)
      inverse[i] = counts[inverse[i]];
    for (int64_t k = 0; k < groups; ++k)
      values[k] = in[values[k]];
  }
  std::fill(counts, counts + groups, 0);
  for (int64_t i = 0; i < n; ++i)
    ++counts[inverse[i]];
  *count = groups;
}

int64_t mergeRows(const int64_t *aIds, const float *aRows, int64_t aCount, const int64_t *bIds, const float *bRows,
                  int64_t bCount, int64_t rowElems, int64_t *outIds, float *outRows) {
  const size_t rowBytes = sizeof(float) * static_cast<size_t>(rowElems);
  int64_t a = 0, b = 0, out = 0;
  for (; a < aCount && b < bCount; ++out) {
    float *row = outRows + out * rowElems;
    if (aIds[a] < bIds[b]) {
      outIds[out] = aIds[a];
      std::memcpy(row, aRows + a++ * rowElems, rowBytes);
    } else if (bIds[b] < aIds[a]) {
      outIds[out] = bIds[b];
      std::memcpy(row, bRows + b++ * rowElems, rowBytes);
    } else {
      outIds[out] = aIds[a];
      const float *left = aRows + a++ * rowElems, *right = bRows + b++ * rowElems;
      for (int64_t i = 0; i < rowElems; ++i)
        row[i] = left[i] + right[i];
    }
  }
  auto copyRest = [&](const int64_t *ids, const float *rows, int64_t first, int64_t last) {
    if (first == last)
      return;
    std::memcpy(outIds + out, ids + first, sizeof(int64_t) * (last - first));
    std::memcpy(outRows + out * rowElems, rows + first * rowElems, rowBytes * (last - first));
    out += last - first;
  };
  copyRest(aIds, aRows, a, aCount);
  copyRest(bIds, bRows, b, bCount);
  return out;
}

} // namespace mlcrt
