// Signal handlers that note the signal and step back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Signals.h"

#include <atomic>
#include <csignal>

namespace mlcrt {

static std::atomic<int> receivedSignal{0};
static_assert(std::atomic<int>::is_always_lock_free, "set from a signal handler");

static void note(int signal) { receivedSignal = signal; }

static void install(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  // SA_RESETHAND: the second signal does what it always did. SA_RESTART: no read fails with EINTR.
  action.sa_flags = handler == SIG_DFL ? 0 : static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

SignalWatch::SignalWatch() {
  receivedSignal = 0;
  install(SIGINT, note);
  install(SIGTERM, note);
}

SignalWatch::~SignalWatch() {
  install(SIGINT, SIG_DFL);
  install(SIGTERM, SIG_DFL);
}

int SignalWatch::received() { return receivedSignal; }

} // namespace mlcrt
