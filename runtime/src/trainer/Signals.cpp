// Signal handlers that raise a token and step back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/trainer/Signals.h"

#include "common/cluster/ForwardedSignal.h"

#include <atomic>
#include <cerrno>

namespace mlcrt {

static std::atomic<StopToken *> watched{nullptr};
/// Whether a signal came to this process since the watch began; what others request is none.
static std::atomic<bool> hasCome{false};
static std::atomic<int64_t> cameAt{0};
static_assert(std::atomic<StopToken *>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free,
              "used in a signal handler");

static void note(int signal, siginfo_t *info, void *) {
  constexpr int64_t kSameMoment = 100'000'000;
  const int before = errno;
  StopToken *token = watched;
  if (!hasCome.exchange(true)) {
    cameAt = StopToken::now();
    if (token)
      token->raise(signal);
  } else if (!(info->si_code == SI_QUEUE && info->si_value.sival_int == mlc::common::kForwardedSignal) &&
             StopToken::now() - cameAt > kSameMoment) {
    ::signal(signal, SIG_DFL); // it is blocked here, and ends the process on the way out
    ::raise(signal);
  }
  errno = before;
}

static constexpr int kCaught[] = {SIGINT, SIGTERM, SIGHUP};

SignalWatch::SignalWatch(StopToken &token) {
  static_assert(sizeof(before_) / sizeof(before_[0]) == sizeof(kCaught) / sizeof(kCaught[0]));
  hasCome = false;
  watched = &token;
  for (size_t i = 0; i < std::size(kCaught); ++i) {
    struct sigaction action = {};
    sigaction(kCaught[i], nullptr, &before_[i]);
    if (kCaught[i] == SIGHUP && before_[i].sa_handler == SIG_IGN)
      continue;
    action.sa_sigaction = note;
    action.sa_flags = SA_SIGINFO | SA_RESTART; // no read fails with EINTR
    sigemptyset(&action.sa_mask);
    sigaction(kCaught[i], &action, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  for (size_t i = 0; i < std::size(kCaught); ++i) {
    struct sigaction now = {};
    if (sigaction(kCaught[i], nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == note)
      sigaction(kCaught[i], &before_[i], nullptr);
  }
  watched = nullptr;
}

} // namespace mlcrt
