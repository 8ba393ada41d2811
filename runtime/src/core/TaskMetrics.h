// What a task counts of itself. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_TASKMETRICS_H
#define MLCRT_CORE_TASKMETRICS_H

#include "runtime/src/core/Metrics.h"

namespace mlcrt {

/// The numbers of one task of one run; docs/metrics-endpoint.md has their names. Times are counted in nanoseconds.
struct TaskMetrics {
  TaskMetrics();

  MetricRegistry registry;
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

} // namespace mlcrt

#endif // MLCRT_CORE_TASKMETRICS_H
