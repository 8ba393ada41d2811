// Asynchronous training: applies each push as it comes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_ASYNCSERVER_H
#define MLCRT_CLUSTER_ASYNCSERVER_H

#include "runtime/src/cluster/ParameterServer.h"
#include "runtime/src/cluster/TicketSet.h"

#include <deque>

namespace mlcrt {

/// A push (method "push") brings the sums of one batch, that of a step ticket; the compiled update runs on it alone,
/// and the reply has the new variables. Pushes are applied one at a time, in the order of arrival; a ticket is applied
/// once, whoever pushes it and however often. The state behind n updates is read between two of them, with the set of
/// tickets that it is behind.
class AsyncServer : public ParameterServer {
public:
  /// All references outlive the server.
  AsyncServer(Program &program, ThreadPool &pool, Sessions &sessions, ServerOptions options);

private:
  struct Push {
    std::string task;
    cluster::PushRequest control;
    Symbols symbols;
    SumSet sums;
    Reply reply;
  };

  const char *pushMethod() const override { return "push"; }
  void push(IncomingMessage request, const std::string &task, Reply reply) override;
  void loaded() override;
  absl::Status checkPull(const cluster::PullRequest &) const override { return absl::OkStatus(); }
  bool isDue(const Waiter &) const override { return true; }
  void addState(const std::string &method, cluster::StateReply &control, OutgoingMessage &message) override;
  void addReport(cluster::EndReply &report) const override { *report.mutable_staleness() = staleness_; }
  absl::StatusOr<bool> advance(std::unique_lock<std::mutex> &lock) override;
  void giveUp(std::vector<Waiter> &waiters) override;
  absl::Status checkStall() const override;

  /// Under the lock.
  absl::Status check(const cluster::PushRequest &control, const Symbols &symbols) const;
  void count(int64_t staleness);
  /// Sets the variable that counts steps, if the state has it and it is `from`; whether it was.
  bool setStepVariable(int64_t from, int64_t to);
  /// Runs the update on the sums of a ticket. Without the lock.
  absl::Status apply(const Push &push);

  const int32_t stepVariable_;
  TicketSet applied_;
  std::deque<std::unique_ptr<Push>> queue_;
  cluster::Staleness staleness_;
  Clock::time_point lastCall_ = Clock::now();
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_ASYNCSERVER_H
