// Which tasks of a cluster live. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_PEERTABLE_H
#define MLCRT_CLUSTER_PEERTABLE_H

#include "absl/status/status.h"
#include "runtime/proto/heartbeat.pb.h"

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace mlcrt {

class RunObservation;

/// When a task was heard of last, and what it said. A task that was heard of once and then not for some heartbeats is
/// dead; one that answers lives, however long its step takes. Thread-safe.
class PeerTable {
public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    std::chrono::milliseconds heartbeat{5000};
    /// Heartbeats without a sign of life.
    int missed = 3;
    std::function<Clock::time_point()> now = [] { return Clock::now(); };
    /// Gets a line when a task waits for long.
    std::function<void(const std::string &)> warn;
    /// That of this task: it counts who is there, and long waits are what is wrong with it. Null: nobody looks.
    RunObservation *observation = nullptr;
  };

  explicit PeerTable(Options options) : options_(std::move(options)) {}

  /// Options::observation.
  RunObservation *observation() const { return options_.observation; }

  void heard(const std::string &task, const cluster::Life &life);
  /// The task ends as it should: it is not missed. No sign of life of it changes that.
  void left(const std::string &task);
  /// It is let in, for the first time or as another process: what was known of one before is of no use.
  void admitted(const std::string &task);

  /// Counts those that are silent as such, for metrics; asked now and then.
  void noteSilent() const;

  /// Heard of within the last heartbeats.
  bool isAlive(const std::string &task) const;
  /// Heard of, but not within the last heartbeats.
  bool isDead(const std::string &task) const;
  /// That, or it has left.
  bool isGone(const std::string &task) const;
  /// "worker 1 (at step 17, 'compute' for 12 s, heard of 1 s ago)".
  std::string describe(const std::string &task) const;
  /// "ps 0 was not heard of for 15 s (3 heartbeats)".
  std::string obituary(const std::string &task) const;

  /// A task that waits for others.
  struct Wait {
    std::string task;
    int64_t step = 0;
    Clock::time_point since;
    std::vector<std::string> missing;
  };
  /// What to do about it: kDeadlineExceeded, and who waits for whom, if one of `missing` is dead, kUnavailable if one
  /// has left, kDeadlineExceeded if the wait exceeds `patience` and one of them does not live. While all of them live
  /// it goes on; those who ask (`stall`), and `warn`, are told: after a quarter of `patience` (1 s at least), and again
  /// each time that the wait has doubled.
  absl::Status judge(const Wait &wait, std::chrono::milliseconds patience);
  /// The last wait that was warned of, while it goes on.
  std::string stall() const;
  /// Nobody waits any more.
  void clearStall();
  /// Hands a line to Options::warn.
  void warn(const std::string &text) const {
    if (options_.warn)
      options_.warn(text);
  }

  /// Sums over the tasks that live, between their last two reports: examples and bytes a second, staleness.
  struct Totals {
    double examplesPerSecond = 0, bytesPerSecond = 0;
    int64_t stalenessSum = 0, stalenessCount = 0;
  };
  Totals totals() const;

private:
  struct Peer {
    Clock::time_point heard, heardBefore;
    cluster::Life life, before;
    bool hasLeft = false, hasBefore = false;
  };
  Clock::duration silence(const Peer &peer) const { return options_.now() - peer.heard; }
  bool isSilent(const Peer &peer) const { return silence(peer) > options_.missed * options_.heartbeat; }
  void countUp(const std::string &task, bool isUp) const;
  void setProblem(const std::string &problem) const;
  std::string describeLocked(const std::string &task) const;
  std::string obituaryLocked(const std::string &task) const;

  const Options options_;
  mutable std::mutex mutex_;
  std::map<std::string, Peer> peers_;
  std::string stall_;
  Clock::time_point stallSince_{};
  Clock::duration nextWarning_{0};
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_PEERTABLE_H
