// Names of what a task counts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/TaskMetrics.h"

namespace mlcrt {

static constexpr double kNano = 1e-9;
static constexpr auto kCounter = MetricRegistry::Kind::Counter, kGauge = MetricRegistry::Kind::Gauge;

/// Seconds from 100 us to 100 s, in nanoseconds.
static std::vector<int64_t> stepBounds() {
  std::vector<int64_t> bounds;
  for (int64_t decade = 100'000; decade <= 10'000'000'000; decade *= 10)
    for (int64_t part : {10, 25, 50})
      bounds.push_back(decade * part / 10);
  bounds.push_back(100'000'000'000);
  return bounds;
}

TaskMetrics::TaskMetrics()
    : globalStep(registry.value(kGauge, "mlc_global_step", "Updates in the state of this task.")),
      steps(registry.value(kCounter, "mlc_steps_total", "Training steps that this task did.")),
      examples(registry.value(kCounter, "mlc_examples_total", "Examples of the batches of these steps.")),
      stepTime(registry.histogram("mlc_step_seconds",
                                  "Time of a training step, waiting for input and for other tasks included.",
                                  stepBounds(), kNano)),
      inputWait(
          registry.value(kCounter, "mlc_input_wait_seconds_total", "Time that steps waited for input.", {}, kNano)),
      inputReady(
          registry.value(kGauge, "mlc_input_ready_batches", "Batches that were ready when the last step began.")),
      staleness(
          registry.histogram("mlc_staleness_updates",
                             "Asynchronous training: updates by others between a pull and the push of its gradient.",
                             {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64})),
      exchangedBytes(
          registry.value(kCounter, "mlc_exchanged_bytes_total", "Bytes of calls to other tasks, both directions.")),
      checkpoints(registry.value(kCounter, "mlc_checkpoints_total", "Checkpoints that are durable.")),
      checkpointFailures(
          registry.value(kCounter, "mlc_checkpoint_failures_total", "Checkpoints that could not be written.")),
      summaryFailures(registry.value(kCounter, "mlc_summary_failures_total",
                                     "Times that summaries could not be written to an event file.")),
      checkpointBytes(registry.value(kCounter, "mlc_checkpoint_bytes_total", "Bytes of their tensors.")),
      checkpointTime(registry.value(kCounter, "mlc_checkpoint_seconds_total",
                                    "Time that a thread of its own wrote checkpoints, beside training.", {}, kNano)),
      checkpointPause(registry.value(kCounter, "mlc_checkpoint_pause_seconds_total",
                                     "Time that training stood still for checkpoints.", {}, kNano)),
      evaluations(registry.value(kCounter, "mlc_evaluations_total", "Evaluations of an eval set.")),
      evaluationTime(registry.value(kCounter, "mlc_evaluation_seconds_total", "Time of these evaluations.", {}, kNano)),
      stallWarnings(
          registry.value(kCounter, "mlc_stall_warnings_total", "Warnings that a task waits for another for long.")) {}

} // namespace mlcrt
