// Counts of values in buckets whose width grows with their size. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_SUMMARY_HISTOGRAM_H
#define MLCRT_SUMMARY_HISTOGRAM_H

#include <cstdint>
#include <vector>

namespace mlcrt {

/// The buckets of TensorFlow's histograms: each limit 1.1 times the one before, from 1e-12 to 1e20, the same with
/// minus, and 0 between.
class Histogram {
public:
  Histogram();

  /// Values that are no finite numbers are left out.
  void add(double value);

  int64_t count() const { return count_; }
  /// 0 if there is no value, as the sums.
  double min() const { return min_; }
  double max() const { return max_; }
  double sum() const { return sum_; }
  double sumOfSquares() const { return sumOfSquares_; }

  /// Upper limit (exclusive) of a bucket and how many values lie in it.
  struct Bucket {
    double limit = 0;
    double count = 0;
  };
  /// In ascending order; each run of empty buckets is one.
  std::vector<Bucket> buckets() const;

private:
  std::vector<int64_t> counts_; // one for each limit
  int64_t count_ = 0;
  double min_ = 0, max_ = 0, sum_ = 0, sumOfSquares_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_SUMMARY_HISTOGRAM_H
