// Times of what benchmarks run. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_BENCHMARKS_CLUSTER_TIMES_H
#define MLC_BENCHMARKS_CLUSTER_TIMES_H

#include <algorithm>
#include <chrono>
#include <vector>

/// Seconds that a call takes.
template <typename Run> double seconds(const Run &run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Of some values; of an even number the mean of the two in the middle.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

#endif // MLC_BENCHMARKS_CLUSTER_TIMES_H
