// Steps whose updates run on a server. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_REMOTESTEPPER_H
#define MLCRT_CLUSTER_REMOTESTEPPER_H

#include "runtime/src/cluster/Coordinator.h"
#include "runtime/src/cluster/TensorWire.h"
#include "runtime/src/cluster/TicketSet.h"
#include "runtime/src/core/TrainStep.h"

#include <chrono>
#include <memory>
#include <string>

namespace mlcrt {

/// A peer that has let this task in.
class PeerLink {
public:
  /// Says hello, again and again while nobody listens there. Errors of the peer (Sessions::admit), or kUnavailable if
  /// it does not come in `timeout`: why it cannot be reached.
  static absl::StatusOr<std::unique_ptr<PeerLink>> open(Transport &transport, const std::string &address,
                                                        const std::string &peer, const cluster::HelloRequest &self,
                                                        std::chrono::milliseconds timeout);

  /// Sends a control part that has a session, with a payload; parses the reply's control part.
  template <typename Request, typename Response>
  absl::StatusOr<IncomingMessage> call(const char *method, Request request, std::vector<Slice> payload,
                                       std::chrono::milliseconds timeout, Response &response) {
    request.set_session(session_);
    OutgoingMessage message = makeMessage(request);
    message.payload = std::move(payload);
    absl::StatusOr<IncomingMessage> reply = connection_->call(method, std::move(message), timeout);
    if (reply.ok())
      if (absl::Status status = parseControl(*reply, response); !status.ok())
        return status;
    return reply;
  }

  /// The same without a payload and without waiting; `done` as Connection::start says.
  template <typename Request>
  void start(const char *method, Request request, std::chrono::milliseconds timeout, Connection::Done done) {
    request.set_session(session_);
    connection_->start(method, makeMessage(request), timeout, std::move(done));
  }

private:
  std::unique_ptr<Connection> connection_;
  uint64_t session_ = 0;
};

/// Steps of a task that has a server. The program's state holds what gradients are computed from as of the last step;
/// optimizer slots and what nothing reads are the server's (`fetch`).
class RemoteStepper : public Stepper {
public:
  /// The chief: gives the server the state, with which the run begins.
  absl::Status load(const cluster::RunPlan &plan);
  /// Takes the variables that gradients need: of `step`, for which it waits, or, asynchronous, as they are.
  absl::Status pull(int64_t step);
  /// Takes all variables. The chief of a synchronous run calls it before its own push for `step`.
  absl::Status fetch(int64_t step);
  /// The chief: ends the run for all tasks. Returns what the server counted.
  absl::StatusOr<cluster::EndReply> end(const std::string &reason);
  /// The step that the variables here are of.
  int64_t version() const { return version_; }

  const EntryOutputs &results() const override { return results_; }
  bool isOver() const override { return !ended_.empty(); }
  /// Why the run has ended; empty while it goes on.
  const std::string &ended() const { return ended_; }
  /// Bytes pushed and pulled so far.
  int64_t pushedBytes() const { return pushed_; }
  int64_t pulledBytes() const { return pulled_; }

protected:
  RemoteStepper(Program &program, PeerLink &server, std::chrono::milliseconds timeout);
  /// Errors as ShardStep::create.
  absl::Status open(Program &program, ThreadPool &pool, int64_t virtualShards);
  /// The control part of a reply, and its outputs and variables.
  absl::Status takeStep(const cluster::StateReply &response, IncomingMessage &reply);
  /// What a reply says beside its tensors.
  virtual void noted(const cluster::StateReply &) {}

  PeerLink &server_;
  const std::chrono::milliseconds timeout_;
  std::unique_ptr<ShardStep> shardStep_;
  SumWire sumWire_;
  VariableWire all_, read_;
  EntryOutputs results_;
  std::string ended_;
  int64_t pushed_ = 0, pulled_ = 0;
  int64_t version_ = 0;

private:
  absl::Status take(const char *method, int64_t step, VariableWire &variables);
};

/// Synchronous: computes the gradients of this task's virtual shards, pushes them, takes the new variables.
class SyncStepper : public RemoteStepper {
public:
  /// All references outlive this. Errors as ShardStep::create.
  static absl::StatusOr<std::unique_ptr<SyncStepper>> create(Program &program, ThreadPool &pool, PeerLink &server,
                                                             int64_t virtualShards, ShardRange shards,
                                                             std::chrono::milliseconds timeout);
  absl::Status run(const BatchView &batch, TrainSlots &slots, const CallContext &context) override;

private:
  SyncStepper(Program &program, PeerLink &server, ShardRange shards, std::chrono::milliseconds timeout)
      : RemoteStepper(program, server, timeout), shards_(shards) {}

  const ShardRange shards_;
};

/// Asynchronous: computes the gradient of its own batch, pushes it, takes the variables as they are then. The step of a
/// call is its ticket.
class AsyncStepper : public RemoteStepper {
public:
  /// All references outlive this. Errors as ShardStep::create.
  static absl::StatusOr<std::unique_ptr<AsyncStepper>> create(Program &program, ThreadPool &pool, PeerLink &server,
                                                              std::chrono::milliseconds timeout);
  /// Pushes again where nobody knows whether a push arrived, until the timeout.
  absl::Status run(const BatchView &batch, TrainSlots &slots, const CallContext &context) override;
  int64_t stepsDone() const override { return version_; }
  /// The tickets that the variables here are behind.
  const TicketSet &applied() const { return applied_; }
  /// Those that the server has applied now. From any thread.
  absl::StatusOr<TicketSet> progress();

private:
  using RemoteStepper::RemoteStepper;
  void noted(const cluster::StateReply &response) override { applied_ = TicketSet::of(response.applied()); }

  TicketSet applied_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_REMOTESTEPPER_H
