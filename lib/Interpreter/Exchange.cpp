// Turns of runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Exchange.h"

#include <thread>

using namespace mlc::interp;

/// Gives the turn to the next run after `from`, it last, that may go on; whether there is one.
bool Exchange::passTurn(size_t from) {
  for (size_t i = 1; i <= places.size(); ++i) {
    size_t next = (from + i) % places.size();
    if (places[next].done || (places[next].ready && !places[next].ready()))
      continue;
    turn = next;
    return true;
  }
  return false;
}

/// The caller has the turn, and has it again when this returns.
Exchange::Wait Exchange::waitUntil(size_t number, llvm::function_ref<bool()> ready) {
  if (stopped)
    return Wait::Stopped;
  if (ready())
    return Wait::Ready;
  std::unique_lock<std::mutex> lock(mutex);
  places[number].ready = ready;
  if (!passTurn(number))
    stuck = true; // and so is everyone, one after another, beginning here
  changed.notify_all();
  changed.wait(lock, [&] { return turn == number; });
  places[number].ready = nullptr;
  if (stopped)
    return Wait::Stopped;
  return stuck ? Wait::Forever : Wait::Ready;
}

bool Exchange::run(llvm::ArrayRef<llvm::function_ref<bool(Seat &)>> runs) {
  places.resize(runs.size());
  auto serve = [&](size_t number) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return turn == number; });
    lock.unlock();
    Seat seat(*this, number);
    bool ok = !stopped && runs[number](seat);
    lock.lock();
    places[number].done = true;
    if (!ok)
      stopped = true;
    // After a failure, or where all wait for ever, each gets the turn once more, to end.
    bool goesOn = !stopped && !stuck && passTurn(number);
    if (!goesOn) {
      if (!stopped)
        stuck = true;
      for (size_t i = 1; i < places.size(); ++i)
        if (size_t next = (number + i) % places.size(); !places[next].done) {
          turn = next;
          break;
        }
    }
    changed.notify_all();
  };
  std::vector<std::thread> threads;
  for (size_t number = 0; number < runs.size(); ++number)
    threads.emplace_back(serve, number);
  for (std::thread &thread : threads)
    thread.join();
  return !stopped;
}
