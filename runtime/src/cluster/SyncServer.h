// Synchronous training: adds up the sums of a step, updates. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_SYNCSERVER_H
#define MLCRT_CLUSTER_SYNCSERVER_H

#include "runtime/src/cluster/ParameterServer.h"
#include "runtime/src/core/SumTree.h"

namespace mlcrt {

/// The server is at a step s: its rows are those after s updates. Each training task pushes the sums of its virtual
/// shards for s (method "step"); when all are there they are added in the fixed tree, the compiled update runs, and
/// every push is answered with the new variables. A task that has its answer has no call left that waits, so the state
/// does not change under a message on its way.
///
///   Waiting --load--> AtStep(s) --all shards of s--> AtStep(s + 1) ... --end--> Ended
class SyncServer : public ParameterServer {
public:
  /// All references outlive the server.
  SyncServer(Program &program, const ShardPlan &plan, const SumRanges &ranges, ThreadPool &pool, Sessions &sessions,
             ServerOptions options)
      : ParameterServer(program, plan, ranges, sessions, std::move(options), pool) {}

protected:
  const char *pushMethod() const override { return "step"; }
  void push(IncomingMessage request, const std::string &task, Reply reply) override;
  void loaded() override;
  absl::Status checkPull(const std::string &method, const cluster::PullRequest &request) const override;
  bool isDue(const Waiter &waiter) const override;
  void addState(const std::string &method, const TableIds &rows, cluster::StateReply &control,
                OutgoingMessage &message) override;
  absl::StatusOr<bool> advance(std::unique_lock<std::mutex> &lock) override;
  absl::Status checkStall() const override;

  // Under the lock.
  /// Checks a push of the step that the server is at; its batch is that of the others.
  absl::Status check(const cluster::StepRequest &control);
  /// Checks a push against the state and marks its shards: whether its sums are needed.
  virtual absl::StatusOr<bool> claim(const cluster::StepRequest &control, const std::string &task);
  /// A push that is sent again, as its sender does not know that it came: it is here, for this step or the last one.
  /// kUnavailable: it is being received.
  virtual absl::StatusOr<bool> isRepeated(const cluster::StepRequest &control, const std::string &task) const;
  /// The sums of a push that was claimed are damaged.
  virtual void unclaim(const cluster::StepRequest &control);
  /// They are here.
  virtual void take(const cluster::StepRequest &control, const std::string &task,
                    std::vector<std::unique_ptr<SumSet>> sums);
  /// The step for whose end the sender of a push waits.
  virtual int64_t awaitedStep(const cluster::StepRequest &control, const std::string &) { return control.step(); }
  /// Whether the next update can be made.
  virtual bool isComplete() const { return numShardsHere_ >= run_->virtual_shards(); }
  /// Whether a step has this shard; does not change during its update, which asks without the lock.
  virtual bool isIn(int64_t) const { return true; }
  bool isIn(SumNode node) const;
  /// Whether no step waits for the task.
  virtual bool isDispensable(const std::string &) const { return false; }
  /// The next step begins.
  virtual void stepDone();

  std::optional<std::pair<Symbols, int64_t>> sumsOf(const std::string &control) const override;
  absl::Status receive(const cluster::StepRequest &control, IncomingMessage &request,
                       std::vector<std::unique_ptr<SumSet>> &sums, TableIds &rows);
  absl::Status addAndUpdate();
  /// The tasks that a waiter of this step waits for.
  std::vector<std::string> missing() const;

  std::unique_ptr<SumTree> tree_;
  /// Of the step: by shard, and the tasks whose sums are all here.
  std::vector<bool> claimed_;
  std::set<std::string> contributed_, contributedLast_, claiming_; ///< the second of the step before
  int64_t numShardsHere_ = 0;
  Symbols symbols_;
  std::vector<std::pair<SumNode, std::unique_ptr<SumSet>>> received_;
  std::vector<std::shared_ptr<Credits::Hold>> holds_; ///< of what was received for the step
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_SYNCSERVER_H
