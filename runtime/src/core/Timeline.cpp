// The file of a timeline.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Timeline.h"

#include "runtime/src/core/JsonText.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstring>

namespace mlcrt {

static int64_t microsSince1970() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Timeline::Timeline(TimelineOptions options)
    : options_(std::move(options)), base_(Clock::now()), baseMicros_(microsSince1970()), step_(options_.step),
      flushed_(base_) {}

absl::StatusOr<std::unique_ptr<Timeline>> Timeline::create(TimelineOptions options) {
  std::unique_ptr<Timeline> timeline(new Timeline(std::move(options)));
  const TimelineOptions &own = timeline->options_;
  timeline->file_.reset(std::fopen(own.path.c_str(), "we"));
  if (!timeline->file_)
    return absl::UnavailableError(absl::StrCat("cannot write ", own.path, ": ", std::strerror(errno)));
  std::lock_guard<std::mutex> lock(timeline->mutex_);
  timeline->write(timeline->nameEvent("process_name", 0, own.process));
  timeline->write(JsonObject()
                      .text("name", "process_sort_index")
                      .text("ph", "M")
                      .integer("pid", own.number)
                      .raw("args", JsonObject().integer("sort_index", own.number).str())
                      .str());
  std::fflush(timeline->file_.get());
  return timeline;
}

void Timeline::complete() {
  isFull_.store(true, std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(mutex_);
  if (file_)
    std::fputs("\n]\n", file_.get());
  file_.reset();
}

int64_t Timeline::micros(Clock::time_point time) const {
  // Rounded down, so that what nests or touches does so in the file.
  return baseMicros_ + std::chrono::floor<std::chrono::microseconds>(time - base_).count();
}

/// Under the lock.
void Timeline::write(const std::string &event) {
  if (!file_)
    return;
  std::fputs(isEmpty_ ? "[\n" : ",\n", file_.get());
  std::fputs(event.c_str(), file_.get());
  isEmpty_ = false;
}

std::string Timeline::nameEvent(const char *what, int64_t thread, const std::string &name) const {
  return JsonObject()
      .text("name", what)
      .text("ph", "M")
      .integer("pid", options_.number)
      .integer("tid", thread)
      .raw("args", JsonObject().text("name", name).str())
      .str();
}

std::string Timeline::span(const char *name, int64_t thread, int64_t begin, int64_t end, int64_t step,
                           int64_t bytes) const {
  JsonObject arguments;
  arguments.integer("step", step);
  if (bytes >= 0)
    arguments.integer("bytes", bytes);
  return JsonObject()
      .text("name", name)
      .text("ph", "X")
      .integer("pid", options_.number)
      .integer("tid", thread)
      .integer("ts", begin)
      .integer("dur", end - begin)
      .raw("args", arguments.str())
      .str();
}

/// Under the lock.
void Timeline::countSpan() {
  if (++spans_ == options_.maxSpans)
    isFull_.store(true, std::memory_order_relaxed);
  if (const Clock::time_point now = Clock::now(); file_ && now - flushed_ >= options_.flushEvery) {
    flushed_ = now;
    std::fflush(file_.get());
  }
}

void Timeline::nameThread(const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex_);
  Thread &thread = threads_[std::this_thread::get_id()];
  thread.name = name;
  if (std::vector<int64_t> &free = ended_[name]; !free.empty()) {
    thread.number = free.back();
    free.pop_back();
    return;
  }
  thread.number = ++numThreads_;
  write(nameEvent("thread_name", thread.number, name));
}

void Timeline::endThread() {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = threads_.find(std::this_thread::get_id());
  if (found == threads_.end())
    return;
  ended_[found->second.name].push_back(found->second.number);
  threads_.erase(found); // the system uses its identity again
}

void Timeline::add(const char *name, Clock::time_point begin, Clock::time_point end, int64_t step) {
  if (!records(step))
    return;
  std::lock_guard<std::mutex> lock(mutex_);
  int64_t &thread = threads_[std::this_thread::get_id()].number;
  if (thread == 0) {
    thread = ++numThreads_;
    write(nameEvent("thread_name", thread, absl::StrCat("thread ", thread)));
  }
  write(span(name, thread, micros(begin), micros(end), step, -1));
  countSpan();
}

/// Under the lock.
int64_t Timeline::laneOf(const std::string &track, int64_t begin, int64_t end) {
  auto &lanes = lanes_[track];
  for (auto &[number, lastEnd] : lanes)
    if (lastEnd <= begin) {
      lastEnd = end;
      return number;
    }
  lanes.emplace_back(++numThreads_, end);
  write(
      nameEvent("thread_name", numThreads_, lanes.size() == 1 ? track : absl::StrCat(track, " (", lanes.size(), ")")));
  return numThreads_;
}

void Timeline::addToTrack(const std::string &track, Clock::time_point begin, const std::vector<Part> &parts,
                          int64_t step) {
  if (!records(step) || parts.empty())
    return;
  std::lock_guard<std::mutex> lock(mutex_);
  int64_t from = micros(begin);
  const int64_t lane = laneOf(track, from, micros(parts.back().end));
  for (const Part &part : parts) {
    const int64_t to = micros(part.end);
    if (to > from)
      write(span(part.name, lane, from, to, step, part.bytes));
    from = to;
  }
  countSpan();
}

} // namespace mlcrt
