// A task that others wait for is told to stop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/OrderlyStop.h"

#include <algorithm>
#include <csignal>
#include <cstring>

namespace mlcrt {

OrderlyStop::OrderlyStop(const StopToken &token, std::string task, std::chrono::milliseconds grace, Ask ask,
                         std::function<void()> giveUp)
    : token_(token), task_(std::move(task)), grace_(grace), ask_(std::move(ask)), giveUp_(std::move(giveUp)) {
  // Signals are for the thread that trains or serves.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

OrderlyStop::~OrderlyStop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isStopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool OrderlyStop::isOver() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return isOver_;
}

bool OrderlyStop::pause(std::chrono::milliseconds time) {
  std::unique_lock<std::mutex> lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return isStopped_; });
}

void OrderlyStop::run() {
  constexpr std::chrono::milliseconds kLook{20};
  /// A chief that does not answer for so long is gone.
  constexpr std::chrono::seconds kAsk{2};
  while (!token_.isStopped())
    if (!pause(kLook))
      return;
  cluster::StopRequest request;
  request.set_reason(task_ + " was told to stop (" + ::strsignal(token_.signal()) + ")");
  absl::Status asked;
  while (!(asked = ask_(request)).ok() && !absl::IsCancelled(asked) &&
         token_.age() < std::min<std::chrono::nanoseconds>(grace_, kAsk))
    if (!pause(kLook))
      return;
  while (asked.ok() && token_.age() < grace_)
    if (!pause(kLook))
      return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isOver_ = true;
  }
  giveUp_();
}

} // namespace mlcrt
