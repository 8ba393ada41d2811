// The eval entries in a loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Evaluation.h"

#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/RunObservation.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/train/EvaluationReport.h"
#include "runtime/src/train/HeadMetrics.h"
#include "runtime/src/train/StepObserver.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace mlcrt {

std::vector<std::string> scalarMetrics(const Artifact &artifact) {
  std::vector<std::string> names;
  if (const mlcrt_entry *entry = artifact.entry(MLCRT_ROLE_EVAL_RESULT))
    for (int32_t i = 0; i < entry->num_outputs; ++i)
      if (entry->outputs[i].rank == 0 && entry->outputs[i].dtype != MLCRT_STRING)
        names.push_back(entry->outputs[i].name);
  return names;
}

std::string numberText(double value) {
  if (std::isnan(value))
    return "NaN";
  char text[64];
  double size = std::fabs(value);
  bool plain = size == 0 || (size >= 0.001 && size < 10000);
  std::snprintf(text, sizeof(text), plain ? "%.4f" : "%.6g", value);
  return text;
}

absl::StatusOr<std::vector<Metric>> evaluate(Program &program, ThreadPool &pool, const EntryData &data,
                                             int64_t batchSize, int64_t maxBatches, int64_t seed, int64_t step,
                                             Reporter &reporter, const StopToken *stop, RowSource *rows,
                                             const EvaluationCaller &caller) {
  const Artifact &artifact = program.artifact();
  if (absl::Status status = artifact.require({MLCRT_ROLE_EVAL_RESET, MLCRT_ROLE_EVAL_UPDATE, MLCRT_ROLE_EVAL_RESULT});
      !status.ok())
    return status;
  RunObservation *const run = program.observation();
  const ActivityScope activity(run, "evaluate");
  const TimelineSpan span(run, "evaluate");
  const auto begin = std::chrono::steady_clock::now();
  if (absl::Status status = program.resetEval(pool); !status.ok())
    return status;
  if (StreamTable *stream = data.dataset->stream())
    if (absl::Status status = stream->rewind(); !status.ok())
      return status;
  if (caller.given)
    if (absl::Status status = writeGivenState(*caller.given, /*isEval=*/true, program); !status.ok())
      return status;
  CallContext context;
  context.seed = seed;
  context.step = step;
  EntryFeed feed(program, *artifact.entry(MLCRT_ROLE_EVAL_UPDATE), pool, data, batchSize, maxBatches, context, rows,
                 /*dropBadRows=*/false, caller.fed, /*goesAhead=*/!caller.observer);
  int64_t done = 0, batches = 0, total = data.dataset->size();
  bool goesOn = true;
  while (goesOn) {
    if (stop && stop->isStopped())
      return absl::CancelledError("the evaluation was stopped");
    absl::StatusOr<const Batch *> batch = feed.next();
    if (!batch.ok())
      return batch.status();
    if (!*batch)
      break;
    done += (*batch)->rows();
    if (caller.observer) {
      LocalState state(program.state());
      absl::StatusOr<bool> more =
          caller.observer->afterStep(++batches, feed.runner().outputs(), nullptr, rows ? nullptr : &state);
      if (!more.ok())
        return more.status();
      goesOn = *more;
    }
    if (reporter.progressDue())
      reporter.progress("evaluate " + std::to_string(done) +
                        (data.dataset->stream() ? "" : "/" + std::to_string(total)) + " rows");
  }
  if (run) {
    run->metrics().evaluations.add(1);
    run->metrics().evaluationTime.add(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
  }
  EntryRunner runner(program, *artifact.entry(MLCRT_ROLE_EVAL_RESULT), pool);
  if (absl::Status status = runner.run(BatchView{}, context); !status.ok())
    return status;
  std::vector<Metric> metrics;
  for (int32_t i = 0; i < runner.numOutputs(); ++i) {
    const TensorView &output = runner.output(i);
    Metric metric{runner.entry().outputs[i].name, jsonValue(output), "", output.rank() == 0, numberElements(output)};
    bool isFloat = output.dtype >= MLCRT_F32 && output.dtype <= MLCRT_BF16;
    metric.isFloat = isFloat;
    metric.text = output.rank() == 0 && isFloat ? numberText(numberElement(output, 0)) : metric.json;
    metrics.push_back(std::move(metric));
  }
  if (runner.outputIndex("global_step") < 0)
    metrics.push_back({"global_step", jsonNumber(step), std::to_string(step), true, {static_cast<double>(step)}});
  return metrics;
}

std::string metricsLine(const std::vector<Metric> &metrics) {
  const std::vector<std::string> heads = headsOf(metrics);
  const auto isMain = [&](std::string_view name) {
    const auto isOf = [&](const std::string &head) {
      const std::string_view own = withoutHead(name, head);
      return !own.empty() && own.find('/') == std::string_view::npos;
    };
    return name.find('/') == std::string_view::npos || std::any_of(heads.begin(), heads.end(), isOf);
  };
  std::string main, all;
  for (const Metric &metric : metrics) {
    if (metric.name == "global_step" || isForReports(metric.name))
      continue;
    std::string text = metric.name + " " + metric.text;
    all += (all.empty() ? "" : "  ") + text;
    if (isMain(metric.name))
      main += (main.empty() ? "" : "  ") + text;
  }
  return main.empty() ? all : main;
}

void reportEvaluation(Reporter &reporter, const std::string &evalSet, int64_t step,
                      const std::vector<Metric> &metrics) {
  JsonObject event;
  event.text("event", "eval").text("name", evalSet).integer("step", step).raw("metrics", metricsJson(metrics, ""));
  reporter.event(event.str());
  reporter.line("eval     step " + std::to_string(step) + (evalSet.empty() ? "" : "  [" + evalSet + "]") + "  " +
                metricsLine(metrics));
}

std::string metricsJson(const std::vector<Metric> &metrics, const std::string &name, const std::string &report) {
  JsonObject object;
  if (!name.empty())
    object.text("eval", name);
  for (const Metric &metric : metrics)
    if (!isForReports(metric.name))
      object.raw(metric.name, metric.json);
  if (!report.empty())
    object.raw("report", report);
  return object.str();
}

std::string metricsText(const std::vector<Metric> &metrics) {
  size_t width = 0;
  for (const Metric &metric : metrics)
    if (!isForReports(metric.name))
      width = std::max(width, metric.name.size());
  std::string text;
  for (const Metric &metric : metrics)
    if (!isForReports(metric.name))
      text += metric.name + std::string(width + 2 - metric.name.size(), ' ') + metric.text + "\n";
  return text;
}

} // namespace mlcrt
