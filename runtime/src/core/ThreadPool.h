//===- ThreadPool.h - Persistent threads behind parallel_for ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_THREADPOOL_H
#define MLCRT_CORE_THREADPOOL_H

#include "mlcrt/abi.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace mlcrt {

/// Runs parallel loops on N threads, the calling one among them. Between loops the others spin for a while (they yield
/// if there are more of them than processors) and then sleep.
///
/// Any thread may call parallelFor. One loop runs in parallel at a time: a loop started inside a task, or while
/// another thread's loop is running, runs serially in its caller. Results cannot tell, as a task writes only what it
/// owns.
class ThreadPool {
public:
  /// Time that an idle thread spins before it sleeps.
  static constexpr int64_t kDefaultSpinNanoseconds = 50'000;

  /// `threads` >= 1 counts the caller: ThreadPool(1) starts none. Less than 1 is taken as 1. If the system gives no
  /// more threads there are fewer: threads() tells.
  /// `others` are threads that work beside the pool's: idle ones of the pool give way to them.
  explicit ThreadPool(int threads, int64_t spinNanoseconds = kDefaultSpinNanoseconds, int others = 0);
  /// Waits for the running loop and joins the threads.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int threads() const { return threads_; }

  /// Processors this process may use (affinity mask, CPU quotas of cgroups), >= 1.
  static int availableProcessors();

  /// Runs fn(args, first, last, worker) over all of [0, tasks) in disjoint ranges and returns when all are done;
  /// 0 <= worker < threads(), and no two ranges run at once under one worker number. Returns 0, or the code of the
  /// failing range with the lowest tasks: after a failure ranges above it may be left out, those below it are run.
  int32_t parallelFor(mlcrt_task_fn fn, void *args, int64_t tasks);

private:
  void workerMain(int worker);
  /// Takes ranges of the current loop until none is left.
  void runRanges(int64_t worker);
  /// Waits for a loop newer than `seen` and joins it; false if the pool shuts down.
  bool waitAndJoin(uint32_t &seen);
  bool tryJoin(uint32_t &seen);

  // The current loop; written by its caller while no worker has joined.
  mlcrt_task_fn fn_ = nullptr;
  void *args_ = nullptr;
  int64_t tasks_ = 0;
  int64_t grain_ = 1;
  alignas(64) std::atomic<int64_t> next_{0};
  /// Number of the loop (upper 32 bits), whether it can be joined (bit 31), how many workers are in it (lower bits).
  alignas(64) std::atomic<uint64_t> state_{0};
  alignas(64) std::atomic<int> sleepers_{0};
  std::atomic<bool> stop_{false};
  std::mutex caller_; // held by the thread whose loop runs

  std::mutex errorMutex_;
  int64_t errorFirst_ = -1;
  int32_t errorCode_ = 0;

  std::mutex sleepMutex_;
  std::condition_variable wake_;
  int threads_; // constant once constructed
  const int64_t spinNanoseconds_;
  const bool crowded_; // more busy threads than processors: spinning must give way
  std::vector<std::thread> workers_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_THREADPOOL_H
