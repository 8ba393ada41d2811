// Signs of life, sent and received. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_HEARTBEATS_H
#define MLCRT_CLUSTER_HEARTBEATS_H

#include "runtime/src/cluster/Handshake.h"
#include "runtime/src/cluster/PeerTable.h"
#include "runtime/src/cluster/RemoteStepper.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mlcrt {

/// What this task says of itself: what its run counts and does. Of a null `run` nothing.
cluster::Life currentLife(const RunObservation *run);

/// Answers method "ping", and notes who lives and who leaves; other methods are those of another service.
class HeartbeatService : public Service {
public:
  /// All references outlive this.
  HeartbeatService(Service &service, const Sessions &sessions, PeerTable &table)
      : service_(service), sessions_(sessions), table_(table) {}

  absl::StatusOr<Placement> place(std::string_view method, const std::string &control, int64_t size) override {
    return service_.place(method, control, size);
  }
  void handle(std::string_view method, IncomingMessage request, Reply reply) override;

private:
  Service &service_;
  const Sessions &sessions_;
  PeerTable &table_;
};

/// Pings peers on a thread of its own. One that is dead by the table has its calls ended (kDeadlineExceeded, who and
/// for how long), so that nobody waits for it.
class Heartbeats {
public:
  Heartbeats(PeerTable &table, std::chrono::milliseconds interval) : table_(table), interval_(interval) {}
  ~Heartbeats() { stop(); }
  Heartbeats(const Heartbeats &) = delete;
  Heartbeats &operator=(const Heartbeats &) = delete;

  /// Pings `link` from now on; it outlives this, or stop().
  void add(const std::string &peer, PeerLink &link);
  /// No call is begun any more. May be called again.
  void stop();

private:
  struct Target {
    std::string peer;
    PeerLink *link;
    std::string stall = {};  ///< what it told last
    bool isToRepeat = false; ///< the ping was lost with its connection
  };
  /// Outlives this: answers may come late.
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool isStopped = false;
  };
  void run();
  void ping(Target &target);
  /// Under the lock: those whose ping was lost.
  std::vector<Target *> takeLost();

  PeerTable &table_;
  const std::chrono::milliseconds interval_;
  std::vector<std::unique_ptr<Target>> targets_;
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::thread thread_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_HEARTBEATS_H
