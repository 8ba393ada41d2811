// What a task counts of itself. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_TASKMETRICS_H
#define MLCRT_CORE_TASKMETRICS_H

#include "runtime/src/core/Metrics.h"

#include <chrono>
#include <string>

namespace mlcrt {

/// The numbers of this process, which is one task of one run; docs/metrics-endpoint.md has their names. Times are
/// counted in nanoseconds.
struct TaskMetrics {
  explicit TaskMetrics(MetricRegistry &registry);

  MetricRegistry &registry;
  MetricValue &globalStep, &steps, &examples;
  MetricHistogram &stepTime;
  MetricValue &inputWait, &inputReady;
  MetricHistogram &staleness;
  /// Of all calls to peers, both directions.
  MetricValue &exchangedBytes;
  MetricValue &checkpoints, &checkpointFailures, &summaryFailures, &checkpointBytes, &checkpointTime, &checkpointPause;
  MetricValue &evaluations, &evaluationTime;
  MetricValue &stallWarnings;
};

/// The one of this process.
TaskMetrics &taskMetrics();
/// The state of this task has so many updates: for metrics, logs and the timeline.
void noteStep(int64_t step);

/// What is wrong with this task, for who asks after its health; empty if nothing is. Thread-safe.
void setProblem(std::string problem);
std::string currentProblem();

/// What the thread that trains (or serves) does just now, for those that wait for it: "input", "step", ...
class Activity {
public:
  using Clock = std::chrono::steady_clock;
  /// From here to the end of this object; `name` is a literal.
  explicit Activity(const char *name);
  ~Activity();
  Activity(const Activity &) = delete;
  Activity &operator=(const Activity &) = delete;

  struct Now {
    const char *name;
    std::chrono::milliseconds lasts;
  };
  /// Of this process, from any thread.
  static Now now();

private:
  const char *const before_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_TASKMETRICS_H
