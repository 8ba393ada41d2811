// What a task does when, as a Chrome trace. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_TIMELINE_H
#define MLCRT_CORE_TIMELINE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mlcrt {

/// How a timeline is written.
struct TimelineOptions {
  std::string path;
  /// The process in the trace: a task's name, and its number, which differs among the tasks of a cluster.
  std::string process = "trainer";
  int64_t number = 1;
  /// That of what is recorded first, where it does not say itself.
  int64_t step = 0;
  /// Steps that are recorded: [firstStep, lastStep).
  int64_t firstStep = 0, lastStep = INT64_MAX;
  /// Nothing is recorded after so many spans.
  int64_t maxSpans = 500'000;
  /// A reader of a process that was killed misses so much at most, and the last span.
  std::chrono::milliseconds flushEvery{1000};
};

/// Writes spans to a file in the JSON array form of the Chrome trace format, an event a line, as they end: what was
/// written of a process that was killed can be read, too. Times are microseconds since 1970, of a clock that does not
/// jump. Spans of one thread nest; a track holds what overlaps in lanes of its own. Thread-safe.
class Timeline {
public:
  using Clock = std::chrono::steady_clock;

  /// kUnavailable if the file cannot be written.
  static absl::StatusOr<std::unique_ptr<Timeline>> create(TimelineOptions options);
  ~Timeline() { complete(); }
  Timeline(const Timeline &) = delete;
  Timeline &operator=(const Timeline &) = delete;

  /// Completes the file; what comes afterwards is left out.
  void complete();

  /// The step that what follows belongs to, where it does not say itself.
  void setStep(int64_t step) { step_.store(step, std::memory_order_relaxed); }
  int64_t step() const { return step_.load(std::memory_order_relaxed); }
  bool records(int64_t step) const {
    return step >= options_.firstStep && step < options_.lastStep && !isFull_.load(std::memory_order_relaxed);
  }

  /// A name for the calling thread, which has the place of one of that name that ended, if there is one.
  void nameThread(const std::string &name);
  /// The calling thread does nothing more.
  void endThread();
  /// A span of the calling thread.
  void add(const char *name, Clock::time_point begin, Clock::time_point end, int64_t step);
  /// Parts of one span on a track, one after the other, each from the end of the one before: in the first lane of the
  /// track where nothing lies after `begin`. Those of a length of 0 are left out.
  struct Part {
    const char *name;
    Clock::time_point end;
    int64_t bytes = -1;
  };
  void addToTrack(const std::string &track, Clock::time_point begin, const std::vector<Part> &parts, int64_t step);

private:
  explicit Timeline(TimelineOptions options);
  int64_t micros(Clock::time_point time) const;
  void write(const std::string &event);
  int64_t laneOf(const std::string &track, int64_t begin, int64_t end);
  std::string span(const char *name, int64_t thread, int64_t begin, int64_t end, int64_t step, int64_t bytes) const;
  std::string nameEvent(const char *what, int64_t thread, const std::string &name) const;
  void countSpan();

  const TimelineOptions options_;
  const Clock::time_point base_;
  const int64_t baseMicros_; ///< since 1970, of base_
  std::atomic<int64_t> step_;
  std::atomic<bool> isFull_{false};

  std::mutex mutex_;
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  bool isEmpty_ = true;
  int64_t spans_ = 0;
  Clock::time_point flushed_;
  struct Thread {
    int64_t number = 0;
    std::string name;
  };
  std::map<std::thread::id, Thread> threads_;
  std::map<std::string, std::vector<int64_t>> ended_; ///< numbers by name
  /// Of each track its lanes: number, and end of the last span.
  std::map<std::string, std::vector<std::pair<int64_t, int64_t>>> lanes_;
  int64_t numThreads_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_CORE_TIMELINE_H
