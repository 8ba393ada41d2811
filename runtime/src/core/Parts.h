// The other parts of an entry that is placed on several devices. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_PARTS_H
#define MLCRT_CORE_PARTS_H

#include "runtime/src/core/EntryRunner.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace mlcrt {

/// Runs parts of one entry (mlcrt_part) beside the one that the caller runs, each on a thread and a pool of its own.
/// Whoever fails first cancels what the others wait for, so all end; what failed first is what the run failed of.
class OtherParts {
public:
  /// All parts of `entry` but the first, each with as many threads as `threads`; null if there are none.
  static std::unique_ptr<OtherParts> create(Program &program, const mlcrt_entry &entry, int threads);
  ~OtherParts();
  OtherParts(const OtherParts &) = delete;
  OtherParts &operator=(const OtherParts &) = delete;

  /// Starts a run; runs of one program's entry take place one after the other. `batch` lives until finish.
  void start(const BatchView &batch, const CallContext &context);
  /// Waits for the other parts. `own` is what the caller's part came to.
  absl::Status finish(absl::Status own);

private:
  struct Part {
    ThreadPool pool;
    EntryRunner runner;
    std::thread thread;
    Part(Program &program, const mlcrt_entry &entry, int threads) : pool(threads), runner(program, entry, pool) {}
  };
  OtherParts(Program &program, const mlcrt_entry &entry) : program_(program), entry_(entry) {}
  void serve(Part &part);
  /// Notes the first failure, and ends all waits for others.
  void note(const absl::Status &status);

  Program &program_;
  const mlcrt_entry &entry_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::unique_lock<std::mutex> turn_; ///< of the entry, while a run is on
  std::mutex mutex_;
  std::condition_variable changed_;
  const BatchView *batch_ = nullptr;
  CallContext context_;
  uint64_t run_ = 0;     ///< counts runs; parts wait for the next
  size_t running_ = 0;   ///< parts that have not ended this run
  bool stopped_ = false; ///< no more runs
  absl::Status first_;   ///< failure of this run
};

} // namespace mlcrt

#endif // MLCRT_CORE_PARTS_H
