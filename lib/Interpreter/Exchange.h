// Runs that take turns and wait for each other: parts of a partitioned entry, entries that share queues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_INTERPRETER_EXCHANGE_H
#define LIB_INTERPRETER_EXCHANGE_H

#include "mlc/Interpreter/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace mlc::interp {

/// One thread for each run, but one runs at a time: until it waits for something that is not there, then the next one
/// in turn whose wait is over. So a run is a function of what is run, and nothing that runs share needs a lock.
class Exchange {
public:
  /// How a wait ended.
  enum class Wait {
    Ready,
    Forever, ///< all others wait or are done
    Stopped, ///< another run has failed
  };

  /// What one run sees.
  class Seat {
  public:
    Wait waitUntil(llvm::function_ref<bool()> ready) { return exchange.waitUntil(number, ready); }
    /// What was sent on a channel and not yet received.
    std::deque<std::vector<RuntimeValue>> &channel(int64_t number) { return exchange.channels[number]; }

  private:
    friend class Exchange;
    Seat(Exchange &exchange, size_t number) : exchange(exchange), number(number) {}
    Exchange &exchange;
    size_t number;
  };

  /// Runs all of `runs`, which return whether they succeeded; whether all did. Called once.
  bool run(llvm::ArrayRef<llvm::function_ref<bool(Seat &)>> runs);

private:
  struct Place {
    llvm::function_ref<bool()> ready; ///< null: runs on at its turn
    bool done = false;
  };
  Wait waitUntil(size_t number, llvm::function_ref<bool()> ready);
  bool passTurn(size_t from);

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Place> places;
  size_t turn = 0;
  bool stuck = false, stopped = false;
  std::map<int64_t, std::deque<std::vector<RuntimeValue>>> channels;
};

} // namespace mlc::interp

#endif // LIB_INTERPRETER_EXCHANGE_H
