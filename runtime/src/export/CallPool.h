// What calls of an exported model run with, kept from call to call. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_EXPORT_CALLPOOL_H
#define MLCRT_EXPORT_CALLPOOL_H

#include "runtime/src/core/ThreadPool.h"
#include "runtime/src/export/ExportedModel.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace mlcrt {

/// As many runners as calls have run at once. Thread-safe.
class CallPool {
public:
  /// What one call at a time uses.
  struct Call {
    Call(Program &program, const mlcrt_entry &entry, ThreadPool &pool) : runner(program, entry, pool) {}
    EntryRunner runner;
    BatchView view; ///< of callers that keep its memory
  };
  /// Goes back to the pool.
  struct GiveBack {
    CallPool *pool;
    void operator()(Call *call) const { pool->give(std::unique_ptr<Call>(call)); }
  };
  using Taken = std::unique_ptr<Call, GiveBack>;

  /// Calls may use `threads` threads. The model outlives this.
  CallPool(const ExportedModel &model, int threads) : model_(model), threads_(threads) {}

  Taken take() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Call> call = std::move(idle_.back());
        idle_.pop_back();
        return Taken(call.release(), GiveBack{this});
      }
    }
    auto call = std::make_unique<Call>(*model_.program, *model_.entry, threads_);
    model_.weights->place(call->runner);
    return Taken(call.release(), GiveBack{this});
  }

private:
  void give(std::unique_ptr<Call> call) {
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(call));
  }

  const ExportedModel &model_;
  ThreadPool threads_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Call>> idle_;
};

} // namespace mlcrt

#endif // MLCRT_EXPORT_CALLPOOL_H
