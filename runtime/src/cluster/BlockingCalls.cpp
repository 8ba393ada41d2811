// Calls that block, beside threads that must not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/BlockingCalls.h"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <openssl/ssl.h>
#include <thread>

namespace mlcrt {

namespace {

struct Running {
  std::mutex mutex;
  std::condition_variable changed;
  int calls = 0;
  bool isEnding = false;
};

/// Never destroyed: a call that does not return in time still tells when it does.
Running &running() {
  static Running *const all = new Running;
  return *all;
}

/// Its destructor is called when the process ends.
struct End {
  // What is set up first is taken down last: OpenSSL after this.
  End() { OPENSSL_init_ssl(0, nullptr); }
  ~End() {
    // A name server may let a call wait for longer, which then uses nothing that was taken down.
    constexpr std::chrono::seconds kPatience{3};
    Running &all = running();
    std::unique_lock<std::mutex> lock(all.mutex);
    all.isEnding = true;
    all.changed.wait_for(lock, kPatience, [&] { return all.calls == 0; });
  }
};

} // namespace

void BlockingCalls::start(std::function<void()> call) {
  static const End end;
  Running &all = running();
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    ++all.calls;
  }
  std::thread([&all, call = std::move(call)]() mutable {
    // Signals are for the thread that trains, and a socket that is closed is no reason to end.
    sigset_t signals;
    ::sigfillset(&signals);
    ::pthread_sigmask(SIG_SETMASK, &signals, nullptr);
    call();
    call = nullptr; // and what it holds
    std::lock_guard<std::mutex> lock(all.mutex);
    --all.calls;
    all.changed.notify_all();
  }).detach();
}

bool BlockingCalls::isEnding() {
  Running &all = running();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.isEnding;
}

} // namespace mlcrt
