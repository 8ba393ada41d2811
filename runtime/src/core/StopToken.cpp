// Asks a run to stop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/StopToken.h"

#include <csignal>
#include <ctime>

namespace mlcrt {

int64_t StopToken::now() {
  timespec time = {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void StopToken::noteTime() {
  int64_t none = 0;
  at_.compare_exchange_strong(none, now());
}

void StopToken::raise(int signal) {
  noteTime();
  raised_ = signal;
}

void StopToken::request(int signal) {
  noteTime();
  requested_ = signal;
}

void StopToken::reset() {
  raised_ = requested_ = 0;
  at_ = 0;
}

int StopToken::signal() const {
  const int raised = raised_;
  return raised ? raised : requested_.load();
}

std::chrono::nanoseconds StopToken::age() const {
  return isStopped() ? std::chrono::nanoseconds(now() - at_) : std::chrono::nanoseconds(0);
}

mlc::common::ExitCode StopToken::exitCode() const {
  return signal() == SIGINT    ? mlc::common::ExitCode::Interrupted
         : signal() == SIGTSTP ? mlc::common::ExitCode::Success
                               : mlc::common::ExitCode::Terminated;
}

const char *StopToken::reason() const {
  return signal() == SIGINT ? "interrupted" : signal() == SIGTSTP ? "suspended" : "terminated";
}

} // namespace mlcrt
