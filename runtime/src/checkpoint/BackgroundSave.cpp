// The thread that saves.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/BackgroundSave.h"

#include <csignal>
#include <system_error>
#include <utility>

namespace mlcrt {

BackgroundSave::~BackgroundSave() {
  if (thread_.joinable())
    thread_.join();
}

void BackgroundSave::run(CheckpointManifest manifest, int64_t keepMax, const std::vector<int64_t> &keepSteps) {
  result_.path = store_.save(artifact_, copy_, std::move(manifest));
  result_.retired = result_.path.ok() ? store_.retire(keepMax, keepSteps) : absl::OkStatus();
  done_.store(true, std::memory_order_release);
}

void BackgroundSave::begin(CheckpointManifest manifest, int64_t keepMax, std::vector<int64_t> keepSteps) {
  state_.snapshot(pool_, copy_);
  running_ = true;
  done_.store(false, std::memory_order_relaxed);
  auto work = [this, manifest, keepMax, keepSteps] { run(manifest, keepMax, keepSteps); };
  // Signals are for the thread that trains.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread(work);
  } catch (const std::system_error &) {
    work(); // the system gives no more threads
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

SaveResult BackgroundSave::finish() {
  if (thread_.joinable())
    thread_.join();
  running_ = false;
  return std::move(result_);
}

} // namespace mlcrt
