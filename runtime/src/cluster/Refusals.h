// What a listener tells of those whom it does not let in. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_REFUSALS_H
#define MLCRT_CLUSTER_REFUSALS_H

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace mlcrt {

/// Tells of each kind of refusal at once, and then once a minute at most, with their number: whoever scans ports fills
/// no log. Thread-safe.
class Refusals {
public:
  using Clock = std::chrono::steady_clock;
  using Tell = std::function<void(const std::string &)>;
  explicit Refusals(
      Tell tell, std::function<Clock::time_point()> now = [] { return Clock::now(); })
      : tell_(std::move(tell)), now_(std::move(now)) {}

  /// `kind` is one of few; `text` says what happened, and to whom.
  void note(const char *kind, const std::string &text) {
    constexpr std::chrono::minutes kPause{1};
    std::string told = text;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      Kind &of = kinds_[kind];
      if (of.hasTold && now_() - of.told < kPause) {
        ++of.untold;
        return;
      }
      if (of.untold > 0)
        told += " (and " + std::to_string(of.untold) + " others like it since the last time)";
      of = {true, 0, now_()};
    }
    tell_(told);
  }

private:
  struct Kind {
    bool hasTold = false;
    int64_t untold = 0;
    Clock::time_point told;
  };
  const Tell tell_;
  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;
  std::map<std::string, Kind> kinds_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_REFUSALS_H
