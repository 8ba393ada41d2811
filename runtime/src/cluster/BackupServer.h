// Synchronous training with backup workers. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_BACKUPSERVER_H
#define MLCRT_CLUSTER_BACKUPSERVER_H

#include "runtime/src/cluster/StepTimes.h"
#include "runtime/src/cluster/SyncServer.h"

#include <functional>

namespace mlcrt {

/// What becomes of late shards.
struct BackupOptions {
  enum class Policy {
    Redundant, ///< tasks that are done recompute them; the first copy counts
    Drop,      ///< a step does not have them
  };
  Policy policy = Policy::Redundant;
  /// Redundant: the shards of how many tasks are recomputed at once. Drop: how many tasks no step waits for. -1: chosen
  /// from measured times (StepTimes).
  int64_t workers = 0;
  /// Told on server 0, if set: a choice that changed. Called under the server's lock.
  std::function<void(const std::string &text)> note = {};

  bool isOn() const { return workers != 0; }
};

/// A server that does not wait for late tasks. A push that nobody needs any more is no error: it is answered with the
/// variables as they are, and its sender goes on from there.
///
/// Redundant: a step is done when each shard is here, from whoever. All copies of a shard have the same bits, so
/// servers need not agree on one. A task that asks (method "late") gets a shard of a task that is late: one that
/// has left, was in an earlier step when this one began, or is not back at the fence of StepTimes. A shard that does
/// not come is given away again.
///
/// Drop: server 0 decides whose shards a step has: those of n - b tasks (or all that have not left, if they are fewer)
/// that are here on all servers, which tell it so (method "members"). The others take its word. Late shards are in no
/// step, nor are their weights in its denominators.
///
/// At the steps that the chief named (RunPlan.chief_every) it is waited for. Answers are copies of the state, which
/// changes while a task that is late may still read them.
class BackupServer : public SyncServer {
public:
  BackupServer(Program &program, const ShardPlan &plan, const SumRanges &ranges, ThreadPool &pool, Sessions &sessions,
               ServerOptions options, BackupOptions backup)
      : SyncServer(program, plan, ranges, pool, sessions, wholeTables(std::move(options))), backup_(std::move(backup)) {
  }
  ~BackupServer() override;

private:
  /// A task may be passed between two calls of a step: rows of tables would be of another step than the rest.
  static ServerOptions wholeTables(ServerOptions options) {
    options.pullsRows = false;
    return options;
  }
  bool isDrop() const { return backup_.policy == BackupOptions::Policy::Drop; }

  bool isWait(std::string_view method) const override { return method == "late" && !isDrop(); }
  bool isOfServers(std::string_view method) const override {
    return method == "members" && isDrop() && isFirst() && plan_.servers() > 1;
  }
  void handleServer(IncomingMessage request, const std::string &task, Reply reply) override;
  void loaded() override;
  absl::Status checkPull(const std::string &method, const cluster::PullRequest &request) const override;
  bool isDue(const Waiter &waiter) const override;
  bool isDueInUpdate(const Waiter &waiter) const override;
  bool isAskedSingly(const std::string &method) const override { return method == "late"; }
  void noteQuestion(const std::string &task, const cluster::PullRequest &request) override;
  void addState(const std::string &method, const TableIds &rows, cluster::StateReply &control,
                OutgoingMessage &message) override;
  void addReport(cluster::EndReply &report) const override;
  void left(const std::string &task) override;
  absl::StatusOr<bool> advance(std::unique_lock<std::mutex> &lock) override;
  void giveUp(std::vector<Waiter> &waiters) override;
  Clock::time_point wakeAt() const override;

  /// Copies of shards are no errors here.
  absl::StatusOr<bool> isRepeated(const cluster::StepRequest &, const std::string &) const override { return false; }
  absl::StatusOr<bool> claim(const cluster::StepRequest &control, const std::string &task) override;
  void unclaim(const cluster::StepRequest &) override {}
  void take(const cluster::StepRequest &control, const std::string &task,
            std::vector<std::unique_ptr<SumSet>> sums) override;
  int64_t awaitedStep(const cluster::StepRequest &control, const std::string &task) override;
  bool isComplete() const override;
  bool isIn(int64_t shard) const override { return !isDrop() || members_[ownerOf(shard)]; }
  bool isDispensable(const std::string &task) const override { return left_[static_cast<size_t>(numberOf(task))]; }
  void stepDone() override;

  // Under the lock. A task is a number in options_.trainers.
  int tasks() const { return static_cast<int>(options_.trainers.size()); }
  int numberOf(const std::string &task) const;
  size_t ownerOf(int64_t shard) const;
  bool isNeeded(const cluster::StepRequest &control) const;
  /// Whether all shards of a task are here.
  bool isHere(int task) const;
  int numHere() const;
  bool isChiefAwaited() const;
  bool isLate(int task, Clock::time_point now) const;
  bool isGivenAway(int64_t shard, Clock::time_point now) const;
  std::optional<int64_t> lateShard(Clock::time_point now) const;
  using Answers = std::vector<std::pair<Reply, OutgoingMessage>>;
  Answers giveShards();
  /// Drop, server 0: decides if it can.
  Answers decide();
  /// Training tasks that may still come to this step.
  int active() const;
  /// Drop, another server: tells server 0 what is here.
  void askMembers();
  /// How many tasks a step needs at least.
  int least() const;
  void choose();

  const BackupOptions backup_;
  int64_t workers_ = 0; ///< the b in force
  std::optional<StepTimes> times_;
  bool isUpdating_ = false;
  Clock::time_point began_;                 ///< the step
  std::vector<Clock::time_point> answered_; ///< by task: when it got its variables
  std::vector<bool> left_, behind_;         ///< by task; behind: in an earlier step when this one began
  // Of the step, by shard.
  std::vector<bool> here_;
  std::vector<Clock::time_point> given_;     ///< when it was last given to another task
  std::map<std::string, int64_t> lastGiven_; ///< the shard of this step that a task was given last
  // Drop.
  bool isDecided_ = false;
  std::vector<bool> members_;  ///< by task
  std::set<std::string> held_; ///< tasks that were late and wait for the next step
  struct Guest {
    std::set<int64_t> here;
    Reply reply;
  };
  std::map<int64_t, std::map<std::string, Guest>> guests_; ///< by step and server
  std::vector<int64_t> lastMembers_;
  int toldHere_ = 0;             ///< how many are here, as server 0 knows; -1: the connection to it broke
  Clock::time_point askAgainAt_; ///< not before
  absl::Status failure_;         ///< of server 0
  cluster::BackupReport report_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_BACKUPSERVER_H
