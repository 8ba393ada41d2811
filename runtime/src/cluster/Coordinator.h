// What the chief does for other training tasks: lets them in, tells them how the run begins. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_COORDINATOR_H
#define MLCRT_CLUSTER_COORDINATOR_H

#include "runtime/src/cluster/Handshake.h"
#include "runtime/src/cluster/TicketDesk.h"

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

/// Methods: hello, join, watch; lease and leave, of an asynchronous run. Training tasks have numbers: the chief 0, then
/// the workers by index.
class Coordinator : public Service {
public:
  /// `workers`: names of the workers, by number - 1. `sessions` outlives this.
  Coordinator(Sessions &sessions, std::vector<std::string> workers)
      : sessions_(sessions), workers_(std::move(workers)) {}

  void handle(std::string_view method, IncomingMessage request, Reply reply) override;
  /// No method has a payload: who sends one is refused before it arrives.
  absl::StatusOr<Placement> place(std::string_view method, const std::string &control, int64_t size) override;

  /// From now on workers that join get this plan, and tickets of `desk` (null: of a synchronous run), which outlives
  /// the calls.
  void begin(const cluster::RunPlan &plan, TicketDesk *desk = nullptr);
  /// The run has ended as it should: those that wait, and those to come, are told why.
  void end(const std::string &reason);
  /// Those that wait, and those to come, get an error: there is no run.
  void cancel(const absl::Status &status);
  /// Workers that have not joined.
  std::vector<std::string> absent() const;

private:
  using Replies = std::map<std::string, Reply>;
  void join(const Sessions::Task &task, const Reply &reply);
  void watch(const Sessions::Task &task, const Reply &reply);
  void lease(const Sessions::Task &task, const Reply &reply, bool leaves);
  /// Under the lock.
  cluster::JoinReply replyTo(const std::string &worker) const;

  Sessions &sessions_;
  const std::vector<std::string> workers_;
  mutable std::mutex mutex_;
  std::optional<cluster::RunPlan> plan_;
  TicketDesk *desk_ = nullptr;
  absl::Status cancelled_;
  std::string end_;
  Replies waiting_, watching_;
  std::map<std::string, bool> joined_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_COORDINATOR_H
