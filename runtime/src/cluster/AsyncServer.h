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
/// once, whoever pushes it and however often. The state after n updates is read between two of them, with the set of
/// tickets that it has.
///
/// With several servers all apply tickets in one order, that of server 0: a server that has its part of a push tells
/// server 0 (exchange, phase 0), which applies a ticket when all servers have it and answers with its place in the
/// order. So a task that dies between two pushes of a ticket stops nobody, and n updates are the same ones everywhere:
///
///   other servers    Arrived --announce--> Announced --answer n, step n is here--> applied
///   server 0         Arrived --all servers announced--> applied
class AsyncServer : public ParameterServer {
public:
  /// All references outlive the server.
  AsyncServer(Program &program, const ShardPlan &plan, const SumRanges &ranges, ThreadPool &pool, Sessions &sessions,
              ServerOptions options);
  ~AsyncServer() override;

private:
  struct Push {
    std::string task;
    cluster::PushRequest control;
    Symbols symbols;
    std::unique_ptr<SumSet> sums;
    TableIds rows;
    std::shared_ptr<Credits::Hold> hold;
    Reply reply;
    // Of server 0, for the first phase.
    std::optional<absl::StatusOr<IncomingMessage>> answer;
    cluster::ExchangeReply values;
  };

  const char *pushMethod() const override { return "push"; }
  std::optional<std::pair<Symbols, int64_t>> sumsOf(const std::string &control) const override;
  bool canWaitForCredit() const override { return true; }
  void push(IncomingMessage request, const std::string &task, Reply reply) override;
  void loaded() override;
  absl::Status checkPull(const std::string &, const cluster::PullRequest &) const override { return absl::OkStatus(); }
  bool isDue(const Waiter &waiter) const override {
    return (waiter.method != "fetch" && waiter.method != kSnapshot) || waiter.step <= step_;
  }
  void addState(const std::string &method, const TableIds &rows, cluster::StateReply &control,
                OutgoingMessage &message) override;
  void addReport(cluster::EndReply &report) const override { *report.mutable_staleness() = staleness_; }
  absl::StatusOr<bool> advance(std::unique_lock<std::mutex> &lock) override;
  void giveUp(std::vector<Waiter> &waiters) override;
  void release() override { heldSince_.reset(); }
  absl::Status checkStall() const override;

  /// Under the lock.
  absl::Status check(const cluster::PushRequest &control, const Symbols &symbols) const;
  void count(int64_t staleness);
  /// Sets the variable that counts steps, if the state has it and it is `from`; whether it was.
  bool setStepVariable(int64_t from, int64_t to);
  /// The push that is to be applied, or answered, next.
  std::deque<std::unique_ptr<Push>>::iterator findNext();
  /// Tells server 0 of what arrived.
  absl::Status announce(std::unique_lock<std::mutex> &lock);
  void answered(int64_t ticket, absl::StatusOr<IncomingMessage> reply);
  RangeUpdate::Call callOf(Push &push) const;
  /// Runs the update on the sums of a ticket. Without the lock.
  absl::Status apply(Push &push);

  const int32_t stepVariable_;
  TicketSet applied_;
  std::deque<std::unique_ptr<Push>> queue_;
  std::set<int64_t> announced_; ///< tickets that server 0 knows of and that are not applied
  std::set<int64_t> lost_;      ///< of these, those of whose answer the connection broke
  std::optional<Clock::time_point> heldSince_;
  cluster::Staleness staleness_;
  Clock::time_point lastCall_ = Clock::now();
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_ASYNCSERVER_H
