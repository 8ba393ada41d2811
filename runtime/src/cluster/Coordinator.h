// What the chief does for other training tasks: lets them in, tells them how the run begins. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_COORDINATOR_H
#define MLCRT_CLUSTER_COORDINATOR_H

#include "runtime/src/cluster/Handshake.h"
#include "runtime/src/cluster/TicketDesk.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// Virtual shards [first, last) of training task `trainer` of `trainers`: cut as evenly as rows into shards.
struct ShardRange {
  int64_t first = 0, last = 0;
};
ShardRange shardsOf(int64_t trainer, int64_t trainers, int64_t virtualShards);

/// A task that was told to end, or that cannot go on, as it says itself.
struct TaskStop {
  std::string task;
  std::string reason;
  int exit = 0; ///< its exit status if it failed; 0: the run is to be saved and ended
  /// What observes its steps wants the run to end well, after this step at the latest that the task takes part in; 0:
  /// it was told to end.
  int64_t lastStep = 0;
};

/// Methods: hello, join, watch, stop; lease and leave, of an asynchronous run. Training tasks have numbers: the chief
/// 0, then the workers by index.
class Coordinator : public Service {
public:
  /// `workers`: names of the workers, by number - 1. `sessions` outlives this.
  /// `stopped` is told of each task that asks for the end, by threads of the transport; null: nobody listens.
  Coordinator(Sessions &sessions, std::vector<std::string> workers,
              std::function<void(const TaskStop &)> stopped = nullptr)
      : sessions_(sessions), workers_(std::move(workers)), stopped_(std::move(stopped)) {}

  void handle(std::string_view method, IncomingMessage request, Reply reply) override;
  /// No method has a payload: who sends one is refused before it arrives.
  absl::StatusOr<Placement> place(std::string_view method, const std::string &control, int64_t size) override;

  /// From now on workers that join get this plan, and tickets of `desk` (null: of a synchronous run), which outlives
  /// the calls.
  void begin(const cluster::RunPlan &plan, TicketDesk *desk = nullptr);
  /// The run has ended: those that wait, and those to come, are told why, and what they exit with.
  void end(const std::string &reason, int exit = 0);
  /// A worker that is gone has come again as another process: what was leased to the one before is for others.
  void returned(const std::string &task);
  /// Workers that have not joined.
  std::vector<std::string> absent() const;

private:
  using Replies = std::map<std::string, Reply>;
  void join(const Sessions::Task &task, const Reply &reply);
  void watch(const Sessions::Task &task, const Reply &reply);
  void lease(const IncomingMessage &request, const Sessions::Task &task, const Reply &reply, bool leaves);
  void stop(const IncomingMessage &request, const Sessions::Task &task, const Reply &reply);
  /// Under the lock.
  cluster::JoinReply replyTo(const std::string &worker) const;

  Sessions &sessions_;
  const std::vector<std::string> workers_;
  const std::function<void(const TaskStop &)> stopped_;
  mutable std::mutex mutex_;
  std::optional<cluster::RunPlan> plan_;
  TicketDesk *desk_ = nullptr;
  std::string end_;
  int exit_ = 0;
  Replies waiting_, watching_;
  std::map<std::string, bool> joined_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_COORDINATOR_H
