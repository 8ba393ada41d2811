//===- ThreadPool.cpp - Persistent threads behind parallel_for -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop is published by storing its number and an "open" bit into one atomic word; a thread joins by adding one to
// the count in the same word, so the caller can close the loop and wait for those that did join: a thread that is
// asleep or late is not waited for.
#include "runtime/src/core/ThreadPool.h"

#include "common/machine/MachineLimits.h"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace mlcrt {

static constexpr uint64_t kOpen = uint64_t(1) << 31;
static constexpr uint64_t kCountMask = kOpen - 1;
/// Ranges per thread: enough to even out unequal tasks, few enough that handing out costs nothing.
static constexpr int64_t kRangesPerThread = 8;
/// Spins between two looks at the clock, or before a waiting caller yields.
static constexpr int kSpinsPerCheck = 64;

static uint32_t loopNumber(uint64_t state) { return static_cast<uint32_t>(state >> 32); }

static void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

static int64_t nowNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {
/// The pool whose task this thread runs, and its worker number there.
struct InTask {
  const ThreadPool *pool = nullptr;
  int64_t worker = 0;
};
} // namespace
static thread_local InTask currentTask;

ThreadPool::ThreadPool(int threads, int64_t spinNanoseconds, int others)
    : threads_(std::max(threads, 1)), spinNanoseconds_(spinNanoseconds),
      crowded_(threads_ + others > availableProcessors()) {
  try {
    for (int i = 1; i < threads_; ++i)
      workers_.emplace_back([this, i] { workerMain(i); });
  } catch (const std::system_error &) {
    threads_ = 1 + static_cast<int>(workers_.size());
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> running(caller_);
    std::lock_guard<std::mutex> lock(sleepMutex_);
    stop_.store(true, std::memory_order_seq_cst);
  }
  wake_.notify_all();
  for (std::thread &worker : workers_)
    worker.join();
}

int ThreadPool::availableProcessors() { return mlc::common::machineLimits().processors; }

int32_t ThreadPool::parallelFor(mlcrt_task_fn fn, void *args, int64_t tasks) {
  if (tasks <= 0)
    return MLCRT_OK;
  // Within a task the worker number must stay the same: it tells scratch memory apart.
  if (currentTask.pool)
    return fn(args, 0, tasks, currentTask.pool == this ? currentTask.worker : 0);
  if (threads_ == 1 || tasks == 1 || !caller_.try_lock()) {
    currentTask = {this, 0};
    int32_t code = fn(args, 0, tasks, 0);
    currentTask = {};
    return code;
  }
  std::lock_guard<std::mutex> running(caller_, std::adopt_lock);

  fn_ = fn;
  args_ = args;
  tasks_ = tasks;
  grain_ = std::max<int64_t>(1, tasks / (threads_ * kRangesPerThread));
  errorFirst_ = -1;
  errorCode_ = MLCRT_OK;
  next_.store(0, std::memory_order_relaxed);
  uint64_t number = loopNumber(state_.load(std::memory_order_relaxed)) + uint64_t(1);
  // Sequentially consistent with the load of sleepers_: either a thread going to sleep sees this loop, or it is seen
  // here.
  state_.store(number << 32 | kOpen, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0) {
    std::lock_guard<std::mutex> lock(sleepMutex_);
    for (int64_t i = std::min<int64_t>(sleepers_.load(std::memory_order_relaxed), tasks - 1); i > 0; --i)
      wake_.notify_one();
  }

  runRanges(/*worker=*/0);

  state_.fetch_and(~kOpen, std::memory_order_acq_rel);
  for (int spins = 0; state_.load(std::memory_order_acquire) & kCountMask;) {
    if (crowded_ || ++spins >= 16 * kSpinsPerCheck) {
      std::this_thread::yield();
      spins = 0;
    } else {
      pause();
    }
  }
  return errorCode_;
}

void ThreadPool::runRanges(int64_t worker) {
  currentTask = {this, worker};
  for (;;) {
    int64_t first = next_.fetch_add(grain_, std::memory_order_relaxed);
    if (first >= tasks_)
      break;
    int32_t code = fn_(args_, first, std::min(first + grain_, tasks_), worker);
    if (code == MLCRT_OK)
      continue;
    // Ranges are handed out in order: all below this one are done or running, so the lowest failure will be seen.
    next_.store(tasks_, std::memory_order_relaxed);
    std::lock_guard<std::mutex> lock(errorMutex_);
    if (errorFirst_ < 0 || first < errorFirst_) {
      errorFirst_ = first;
      errorCode_ = code;
    }
  }
  currentTask = {};
}

bool ThreadPool::tryJoin(uint32_t &seen) {
  uint64_t state = state_.load(std::memory_order_seq_cst);
  while ((state & kOpen) && loopNumber(state) != seen) {
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      seen = loopNumber(state);
      return true;
    }
  }
  return false;
}

bool ThreadPool::waitAndJoin(uint32_t &seen) {
  int64_t deadline = 0;
  for (int spins = 0;; ++spins) {
    if (tryJoin(seen))
      return true;
    if (stop_.load(std::memory_order_relaxed))
      return false;
    if (crowded_)
      std::this_thread::yield();
    else
      pause();
    if (spins % kSpinsPerCheck != 0)
      continue;
    int64_t now = nowNanoseconds();
    if (deadline == 0)
      deadline = now + spinNanoseconds_;
    else if (now >= deadline)
      break;
  }
  std::unique_lock<std::mutex> lock(sleepMutex_);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  bool joined = false;
  wake_.wait(lock, [&] { return (joined = tryJoin(seen)) || stop_.load(std::memory_order_seq_cst); });
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  return joined;
}

void ThreadPool::workerMain(int worker) {
  uint32_t seen = 0;
  while (waitAndJoin(seen)) {
    runRanges(worker);
    state_.fetch_sub(1, std::memory_order_release);
  }
}

} // namespace mlcrt
