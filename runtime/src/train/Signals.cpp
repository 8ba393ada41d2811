// Signal handlers that note the signal and step back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Signals.h"

#include "common/cluster/ForwardedSignal.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace mlcrt {

static std::atomic<int> receivedSignal{0}, requestedSignal{0};
// Of the monotonic clock: when the first one came, however it came, and the first one to this process.
static std::atomic<int64_t> receivedAt{0}, ownAt{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free,
              "set from a signal handler");

/// Like std::chrono::steady_clock, and allowed in a signal handler.
static int64_t nanosecondsNow() {
  timespec time = {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

static void noteTime() {
  int64_t none = 0;
  receivedAt.compare_exchange_strong(none, nanosecondsNow());
}

static void note(int signal, siginfo_t *info, void *) {
  constexpr int64_t kSameMoment = 100'000'000;
  const int before = errno;
  int64_t none = 0;
  if (ownAt.compare_exchange_strong(none, nanosecondsNow())) {
    noteTime();
    receivedSignal = signal;
  } else if (!(info->si_code == SI_QUEUE && info->si_value.sival_int == mlc::common::kForwardedSignal) &&
             nanosecondsNow() - ownAt > kSameMoment) {
    ::signal(signal, SIG_DFL); // it is blocked here, and ends the process on the way out
    ::raise(signal);
  }
  errno = before;
}

static constexpr int kCaught[] = {SIGINT, SIGTERM, SIGHUP};

SignalWatch::SignalWatch() {
  receivedSignal = requestedSignal = 0;
  receivedAt = ownAt = 0;
  for (int signal : kCaught) {
    struct sigaction before = {}, action = {};
    if (signal == SIGHUP && sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN)
      continue;
    action.sa_sigaction = note;
    action.sa_flags = SA_SIGINFO | SA_RESTART; // no read fails with EINTR
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  for (int signal : kCaught) {
    struct sigaction now = {};
    if (sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == note)
      ::signal(signal, SIG_DFL);
  }
}

int SignalWatch::received() {
  const int own = receivedSignal;
  return own ? own : requestedSignal.load();
}

std::chrono::nanoseconds SignalWatch::age() {
  return received() ? std::chrono::nanoseconds(nanosecondsNow() - receivedAt) : std::chrono::nanoseconds(0);
}

void SignalWatch::request(int signal) {
  noteTime();
  requestedSignal = signal;
}

mlc::common::ExitCode exitOfSignal() {
  return SignalWatch::received() == SIGINT ? mlc::common::ExitCode::Interrupted : mlc::common::ExitCode::Terminated;
}

const char *reasonOfSignal() { return SignalWatch::received() == SIGINT ? "interrupted" : "terminated"; }

} // namespace mlcrt
