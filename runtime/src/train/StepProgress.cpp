// Events and lines of steps.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/StepProgress.h"

#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/RunObservation.h"
#include "runtime/src/train/Evaluation.h"

#include <cmath>
#include <cstdio>

namespace mlcrt {

static std::string paceText(double perSecond) {
  char text[64];
  if (perSecond >= 1e6)
    std::snprintf(text, sizeof(text), "%.2f M examples/s", perSecond / 1e6);
  else if (perSecond >= 1e3)
    std::snprintf(text, sizeof(text), "%.1f k examples/s", perSecond / 1e3);
  else
    std::snprintf(text, sizeof(text), "%.0f examples/s", perSecond);
  return text;
}

static std::string bytesText(double perSecond) {
  char text[64];
  const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s"};
  int unit = 0;
  for (; perSecond >= 1000 && unit < 3; ++unit)
    perSecond /= 1000;
  std::snprintf(text, sizeof(text),
                perSecond < 10    ? "%.2f %s"
                : perSecond < 100 ? "%.1f %s"
                                  : "%.0f %s",
                perSecond, units[unit]);
  return text;
}

/// Adds what other tasks said last to what this one did since the last time.
void StepProgress::measure(double seconds) {
  const TaskMetrics &metrics = observation_.metrics();
  const PeerTable::Totals others = peers_->totals();
  const int64_t bytes = metrics.exchangedBytes.value(), sum = metrics.staleness.sum(),
                count = metrics.staleness.count();
  if (seconds > 0)
    bytesPace_ = static_cast<double>(bytes - bytes_) / seconds + others.bytesPerSecond;
  if (isAsync_)
    pace_ += others.examplesPerSecond;
  const int64_t own = count - staleCount_, all = own + others.stalenessCount;
  if (all > 0)
    staleness_ = static_cast<double>(sum - staleSum_ + others.stalenessSum) / static_cast<double>(all);
  bytes_ = bytes;
  staleSum_ = sum;
  staleCount_ = count;
}

void StepProgress::begin(int64_t everySteps, int64_t step, int64_t total, int64_t batchSize) {
  everySteps_ = everySteps;
  lastStep_ = step;
  total_ = total;
  batchSize_ = batchSize;
  paceStart_ = Clock::now();
}

void StepProgress::afterStep(const TrainLoop &loop) {
  examples_ += loop.rows();
  int64_t step = loop.steps();
  bool eventDue = everySteps_ > 0 && step / everySteps_ > lastStep_ / everySteps_;
  lastStep_ = step;
  if (!eventDue && !reporter_.progressDue())
    return;
  double seconds = std::chrono::duration<double>(Clock::now() - paceStart_).count();
  if (seconds > 0)
    pace_ = (examples_ - paceExamples_) / seconds;
  if (peers_)
    measure(seconds);
  paceStart_ = Clock::now();
  paceExamples_ = examples_;
  if (eventDue) {
    JsonObject event;
    event.text("event", "step").integer("step", step).raw("loss", jsonNumber(static_cast<float>(loop.loss())));
    const EntryOutputs &results = loop.results();
    for (int32_t i = 0; i < results.size(); ++i)
      if (std::string name = results.type(i).name;
          results.value(i).rank() == 0 && name != "loss" && !results.isFetched(i))
        event.raw(name, jsonValue(results.value(i).buffer()));
    event.integer("examples", examples_).integer("examples_per_sec", static_cast<int64_t>(pace_));
    if (peers_)
      event.integer("bytes_per_sec", static_cast<int64_t>(bytesPace_));
    if (peers_ && staleness_ >= 0)
      event.raw("staleness", jsonNumber(std::round(staleness_ * 100) / 100));
    reporter_.event(event.str());
  }
  if (!reporter_.progressDue())
    return;
  std::string text = "step " + std::to_string(step);
  if (total_ >= 0)
    text += "/" + std::to_string(total_) + "  " + std::to_string(total_ > 0 ? 100 * step / total_ : 100) + " %";
  text += "  loss " + numberText(loop.loss()) + "  " + paceText(pace_);
  if (peers_)
    text += "  " + bytesText(bytesPace_);
  if (char stale[32]; peers_ && staleness_ >= 0) {
    std::snprintf(stale, sizeof(stale), "  staleness %.2f", staleness_);
    text += stale;
  }
  if (pace_ > 0 && total_ >= 0)
    text += "  eta " + std::to_string(static_cast<int64_t>((total_ - step) * batchSize_ / pace_)) + " s";
  reporter_.progress(text);
}

} // namespace mlcrt
