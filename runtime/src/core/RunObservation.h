// What one run shows of itself while it goes on. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_RUNOBSERVATION_H
#define MLCRT_CORE_RUNOBSERVATION_H

#include "absl/status/status.h"
#include "runtime/src/core/ProfilerRanges.h"
#include "runtime/src/core/TaskMetrics.h"
#include "runtime/src/core/Timeline.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mlcrt {

/// The numbers of one run of a task, its timeline while there is one, what it does just now, and what is wrong with it.
/// Each run owns one and hands it down: runs in one process have nothing in common. Outlives all threads of the run.
/// Thread-safe; counting and looking for the timeline take no lock.
class RunObservation {
public:
  RunObservation() = default;
  RunObservation(const RunObservation &) = delete;
  RunObservation &operator=(const RunObservation &) = delete;

  TaskMetrics &metrics() { return metrics_; }
  const TaskMetrics &metrics() const { return metrics_; }
  /// The state of this task has so many updates: for metrics, logs and the timeline.
  void noteStep(int64_t step);

  /// What is wrong with this task, for who asks after its health; empty if nothing is.
  void setProblem(std::string problem);
  std::string problem() const;

  /// Where spans go now; null: nowhere. It lives as long as this does.
  Timeline *timeline() const { return timeline_.load(std::memory_order_acquire); }
  /// Spans that begin from now on go to a new timeline. kAlreadyExists: there is one; errors as of Timeline::create.
  absl::Status beginTimeline(const TimelineOptions &options);
  /// Completes the timeline, if there is one; what ends later is left out.
  void endTimeline();

  /// What spans are ranges of, too (ProfilerRanges); null: of nothing. It lives as long as the process.
  const ProfilerRanges *ranges() const { return ranges_.load(std::memory_order_acquire); }
  /// Spans that begin from now on are ranges of the profiler that was injected into this process, if there is one.
  /// Errors as of ProfilerRanges::injected, of the first call.
  absl::Status showRanges();

  /// What the thread that trains (or serves) does just now, for those that wait for it: "input", "step", ...
  struct Activity {
    const char *name;
    std::chrono::milliseconds lasts;
  };
  Activity activity() const;

private:
  friend class ActivityScope;
  using Clock = std::chrono::steady_clock;
  const char *beginActivity(const char *name);

  TaskMetrics metrics_;
  std::atomic<Timeline *> timeline_{nullptr};
  std::atomic<const ProfilerRanges *> ranges_{nullptr};
  std::atomic<bool> hasLookedForRanges_{false};
  std::atomic<const char *> activity_{"start"};
  std::atomic<Clock::rep> activitySince_{Clock::now().time_since_epoch().count()};
  mutable std::mutex mutex_;
  std::string problem_;
  /// All that there were: a span of another thread that began in one ends later.
  std::vector<std::unique_ptr<Timeline>> timelines_;
};

/// The thread that trains does this, from here to the end of the object; `name` is a literal. Of a null `run` nothing.
class ActivityScope {
public:
  ActivityScope(RunObservation *run, const char *name) : run_(run), before_(run ? run->beginActivity(name) : nullptr) {}
  ~ActivityScope() {
    if (run_)
      run_->beginActivity(before_);
  }
  ActivityScope(const ActivityScope &) = delete;
  ActivityScope &operator=(const ActivityScope &) = delete;

private:
  RunObservation *const run_;
  const char *const before_;
};

/// Names this thread for its lifetime, in the timeline that `run` has now, and for a profiler.
class TimelineThread {
public:
  TimelineThread(const RunObservation *run, const std::string &name) : timeline_(run ? run->timeline() : nullptr) {
    if (timeline_)
      timeline_->nameThread(name);
    if (const ProfilerRanges *ranges = run ? run->ranges() : nullptr)
      ranges->nameThread(name);
  }
  ~TimelineThread() {
    if (timeline_)
      timeline_->endThread();
  }
  TimelineThread(const TimelineThread &) = delete;
  TimelineThread &operator=(const TimelineThread &) = delete;

private:
  Timeline *const timeline_;
};

/// A span of this thread, from here to the end of the object, of the timeline and of a profiler. Costs a look at two
/// atomics where nothing is recorded.
class TimelineSpan {
public:
  /// `name` is a literal; a step of -1 is that of the timeline, or the last one of this task. Of a null `run` nothing
  /// is recorded.
  TimelineSpan(const RunObservation *run, const char *name, int64_t step = -1)
      : timeline_(run ? run->timeline() : nullptr), ranges_(run ? run->ranges() : nullptr) {
    if (timeline_ || ranges_)
      begin(*run, name, step);
  }
  ~TimelineSpan() {
    if (timeline_)
      timeline_->add(name_, begin_, Timeline::Clock::now(), step_);
    if (ranges_)
      ranges_->pop();
  }
  TimelineSpan(const TimelineSpan &) = delete;
  TimelineSpan &operator=(const TimelineSpan &) = delete;

private:
  void begin(const RunObservation &run, const char *name, int64_t step);
  Timeline *timeline_;
  const ProfilerRanges *const ranges_;
  const char *name_ = "";
  int64_t step_ = -1;
  Timeline::Clock::time_point begin_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_RUNOBSERVATION_H
