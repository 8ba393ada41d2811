// Steps whose updates run on a server. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_REMOTESTEPPER_H
#define MLCRT_CLUSTER_REMOTESTEPPER_H

#include "runtime/src/cluster/Coordinator.h"
#include "runtime/src/cluster/TensorWire.h"
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

private:
  std::unique_ptr<Connection> connection_;
  uint64_t session_ = 0;
};

/// Computes the gradients of this task's virtual shards, pushes them, takes the new variables. The program's state
/// holds what gradients are computed from as of the last step; optimizer slots and what nothing reads are the server's
/// (`fetch`).
class RemoteStepper : public Stepper {
public:
  /// All references outlive this. Errors as ShardStep::create.
  static absl::StatusOr<std::unique_ptr<RemoteStepper>> create(Program &program, ThreadPool &pool, PeerLink &server,
                                                               int64_t virtualShards, ShardRange shards,
                                                               std::chrono::milliseconds timeout);

  /// The chief: gives the server the state, with which the run begins.
  absl::Status load(const cluster::RunPlan &plan);
  /// Waits until the server is at `step` and takes its variables: those that gradients need.
  absl::Status pull(int64_t step);
  /// The chief, before its own push for `step`: takes all variables.
  absl::Status fetch(int64_t step);
  /// The chief: ends the run for all tasks.
  absl::Status end(const std::string &reason);

  absl::Status run(const BatchView &batch, TrainSlots &slots, const CallContext &context) override;
  const EntryOutputs &results() const override { return results_; }
  bool isOver() const override { return !ended_.empty(); }
  /// Why the run has ended; empty while it goes on.
  const std::string &ended() const { return ended_; }
  /// Bytes pushed and pulled so far.
  int64_t pushedBytes() const { return pushed_; }
  int64_t pulledBytes() const { return pulled_; }

private:
  RemoteStepper(Program &program, PeerLink &server, ShardRange shards, std::chrono::milliseconds timeout);
  absl::Status take(const char *method, int64_t step, VariableWire &variables);

  PeerLink &server_;
  const ShardRange shards_;
  const std::chrono::milliseconds timeout_;
  std::unique_ptr<ShardStep> shardStep_;
  SumWire sumWire_;
  VariableWire all_, read_;
  EntryOutputs results_;
  std::string ended_;
  int64_t pushed_ = 0, pulled_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_REMOTESTEPPER_H
