// Histograms with exponential buckets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/summary/Histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mlcrt {

static const std::vector<double> &bucketLimits() {
  static const std::vector<double> limits = [] {
    std::vector<double> positive, all;
    for (double limit = 1e-12; limit < 1e20; limit *= 1.1)
      positive.push_back(limit);
    positive.push_back(std::numeric_limits<double>::max());
    for (auto it = positive.rbegin(); it != positive.rend(); ++it)
      all.push_back(-*it);
    all.push_back(0);
    all.insert(all.end(), positive.begin(), positive.end());
    return all;
  }();
  return limits;
}

Histogram::Histogram() : counts_(bucketLimits().size()) {}

void Histogram::add(double value) {
  if (!std::isfinite(value))
    return;
  const std::vector<double> &limits = bucketLimits();
  // The largest double itself belongs to the last bucket.
  size_t bucket = std::upper_bound(limits.begin(), limits.end(), value) - limits.begin();
  ++counts_[std::min(bucket, limits.size() - 1)];
  min_ = count_ ? std::min(min_, value) : value;
  max_ = count_ ? std::max(max_, value) : value;
  ++count_;
  sum_ += value;
  sumOfSquares_ += value * value;
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  const std::vector<double> &limits = bucketLimits();
  std::vector<Bucket> buckets;
  for (size_t i = 0; i < counts_.size(); ++i) {
    bool empty = counts_[i] == 0;
    if (empty && !buckets.empty() && buckets.back().count == 0)
      buckets.back().limit = limits[i];
    else
      buckets.push_back({limits[i], static_cast<double>(counts_[i])});
  }
  return buckets;
}

} // namespace mlcrt
