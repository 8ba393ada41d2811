// What one run shows of itself while it goes on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/RunObservation.h"

#include "absl/status/statusor.h"

#include <utility>

namespace mlcrt {

void RunObservation::noteStep(int64_t step) {
  metrics_.globalStep.set(step);
  if (Timeline *current = timeline())
    current->setStep(step);
}

void RunObservation::setProblem(std::string problem) {
  const std::lock_guard<std::mutex> lock(mutex_);
  problem_ = std::move(problem);
}

std::string RunObservation::problem() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return problem_;
}

absl::Status RunObservation::beginTimeline(const TimelineOptions &options) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (timeline())
    return absl::AlreadyExistsError("this run writes a timeline already; expected one at a time");
  absl::StatusOr<std::unique_ptr<Timeline>> made = Timeline::create(options);
  if (!made.ok())
    return made.status();
  timelines_.push_back(*std::move(made));
  timeline_.store(timelines_.back().get(), std::memory_order_release);
  return absl::OkStatus();
}

void RunObservation::endTimeline() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Timeline *ended = timeline_.exchange(nullptr, std::memory_order_acq_rel))
    ended->complete();
}

absl::Status RunObservation::showRanges() {
  if (hasLookedForRanges_.exchange(true))
    return absl::OkStatus();
  absl::StatusOr<const ProfilerRanges *> found = ProfilerRanges::injected();
  if (!found.ok())
    return found.status();
  ranges_.store(*found, std::memory_order_release);
  return absl::OkStatus();
}

const char *RunObservation::beginActivity(const char *name) {
  activitySince_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  return activity_.exchange(name, std::memory_order_relaxed);
}

RunObservation::Activity RunObservation::activity() const {
  const char *name = activity_.load(std::memory_order_relaxed);
  const Clock::duration since(activitySince_.load(std::memory_order_relaxed));
  return {name, std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch() - since)};
}

void TimelineSpan::begin(const RunObservation &run, const char *name, int64_t step) {
  if (ranges_)
    ranges_->push(name, step >= 0 ? step : run.metrics().globalStep.value());
  if (!timeline_)
    return;
  step_ = step >= 0 ? step : timeline_->step();
  if (!timeline_->records(step_)) {
    timeline_ = nullptr;
    return;
  }
  name_ = name;
  begin_ = Timeline::Clock::now();
}

} // namespace mlcrt
