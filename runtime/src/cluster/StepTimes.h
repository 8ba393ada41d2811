// How long training tasks take for a step: who is late, and how many backup workers are best. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's time for a step lies between the answer that gave it the variables and its push. Those of the last kWindow
// steps are kept, from which:
//
//   fence   q75 + max(1.5 (q75 - q25), 0.1 q50) of all of them, Tukey's rule for outliers: a task that took longer is
//           late
//   drop    a step is over when n - b of n tasks have pushed. The b with the most examples per second:
//             (n - b) / mean over steps of a(n - b),   a(1) <= ... <= a(n) the times of a step in order
//   redundant
//           tasks that are not back at the fence D have their shards recomputed, those of b tasks at once, by the h
//           tasks that are back; a task's shards take c, the median of all times, one task, c / h all h together. The b
//           with the least mean over steps of
//             T(b) = max over tasks of: a, where a <= D;
//                                       min(a, D + (floor(i / b) + 1) r), for the i-th late one
//             r = ceil(min(b, late) k / h) c / k,   k shards each
//           and T(0) = a(n).
//
// The smallest b is chosen of those that are within 1 % of the best. A task that was in an earlier step counts as one
// that takes the median: its delay is counted once.
#ifndef MLCRT_CLUSTER_STEPTIMES_H
#define MLCRT_CLUSTER_STEPTIMES_H

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace mlcrt {

class StepTimes {
public:
  static constexpr int kWindow = 64;
  /// Less than so many steps say nothing.
  static constexpr int kLeast = 4;

  /// `tasks` >= 1 training tasks with `shards` virtual shards each, at most.
  StepTimes(int tasks, int64_t shards) : tasks_(tasks), shards_(shards) {}

  /// Task `task` took `seconds` for `step`; steps that are out of the window are forgotten. Steps come in order, tasks
  /// of a step in any, the late ones after later steps have begun.
  void add(int64_t step, int task, double seconds);
  /// Steps of which something is known.
  int steps() const { return static_cast<int>(window_.size()); }
  /// What is late; nothing for the first steps.
  std::optional<double> fence() const;
  std::optional<double> median() const;

  /// The number of backup workers of the formulas above, at most half of the tasks; 0 for the first steps.
  int bestForDrop() const;
  int bestForRedundant() const;
  /// What they compare: examples per second in units of a task's batch, and seconds.
  double dropRate(int b) const;
  double redundantSeconds(int b) const;

private:
  struct Step {
    int64_t number;
    std::vector<double> seconds; ///< negative: unknown
  };
  double quantile(double q) const;
  std::vector<double> timesOf(const Step &step, double median) const;

  const int tasks_;
  const int64_t shards_;
  std::deque<Step> window_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_STEPTIMES_H
