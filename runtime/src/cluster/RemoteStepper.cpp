// Steps whose updates run on a server.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/RemoteStepper.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <thread>

namespace mlcrt {

absl::StatusOr<std::unique_ptr<PeerLink>> PeerLink::open(Transport &transport, const std::string &address,
                                                         const std::string &peer, const cluster::HelloRequest &self,
                                                         std::chrono::milliseconds timeout) {
  auto link = std::make_unique<PeerLink>();
  absl::StatusOr<std::unique_ptr<Connection>> connection = transport.connect(address, peer);
  if (!connection.ok())
    return connection.status();
  link->connection_ = *std::move(connection);
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::chrono::milliseconds pause(5);
  absl::StatusOr<IncomingMessage> reply = absl::UnavailableError("");
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    reply = link->connection_->call("hello", makeMessage(self), std::max(left, std::chrono::milliseconds(100)));
    if (reply.ok() || !absl::IsUnavailable(reply.status()) || left <= pause)
      break;
    // A task that is not there yet is one that comes.
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(200));
  }
  if (!reply.ok())
    return reply.status();
  cluster::HelloReply control;
  if (absl::Status status = parseControl(*reply, control); !status.ok())
    return status;
  link->session_ = control.session();
  return link;
}

RemoteStepper::RemoteStepper(Program &program, PeerLink &server, std::chrono::milliseconds timeout)
    : server_(server), timeout_(timeout), sumWire_(program.artifact()),
      all_(program.state(), VariableWire::ofTraining(program.artifact())),
      read_(program.state(), VariableWire::readByTrainers(program.artifact())),
      results_(*program.artifact().entry(MLCRT_ROLE_TRAIN_APPLY)) {}

absl::Status RemoteStepper::open(Program &program, ThreadPool &pool, int64_t virtualShards) {
  TrainMode mode;
  mode.virtualShards = static_cast<int>(virtualShards);
  mode.split = true;
  absl::StatusOr<std::unique_ptr<ShardStep>> shardStep = ShardStep::create(program, pool, mode);
  if (!shardStep.ok())
    return shardStep.status();
  shardStep_ = *std::move(shardStep);
  return absl::OkStatus();
}

absl::Status RemoteStepper::load(const cluster::RunPlan &plan) {
  cluster::LoadRequest request;
  *request.mutable_plan() = plan;
  OutgoingMessage state;
  all_.send(state);
  cluster::LoadReply response;
  return server_.call("load", request, std::move(state.payload), timeout_, response).status();
}

absl::Status RemoteStepper::take(const char *method, int64_t step, VariableWire &variables) {
  cluster::PullRequest request;
  request.set_step(step);
  cluster::StateReply response;
  absl::StatusOr<IncomingMessage> reply = server_.call(method, request, {}, timeout_, response);
  if (!reply.ok())
    return reply.status();
  ended_ = response.end();
  if (!ended_.empty())
    return absl::OkStatus();
  pulled_ += reply->remaining();
  absl::Status status = variables.receive(*reply);
  status.Update(reply->finish());
  version_ = response.step();
  noted(response);
  return status;
}

absl::Status RemoteStepper::pull(int64_t step) { return take("pull", step, read_); }
absl::Status RemoteStepper::fetch(int64_t step) { return take("fetch", step, all_); }

absl::StatusOr<cluster::EndReply> RemoteStepper::end(const std::string &reason) {
  cluster::EndRequest request;
  request.set_reason(reason);
  cluster::EndReply response;
  if (absl::Status status = server_.call("end", request, {}, timeout_, response).status(); !status.ok())
    return status;
  return response;
}

absl::Status RemoteStepper::takeStep(const cluster::StateReply &response, IncomingMessage &reply) {
  ended_ = response.end();
  if (!ended_.empty())
    return absl::OkStatus();
  pulled_ += reply.remaining();
  absl::Status status = OutputWire::receive(reply, results_);
  status.Update(status.ok() ? read_.receive(reply) : status);
  status.Update(status.ok() ? reply.finish() : status);
  version_ = response.step();
  noted(response);
  return status;
}

//===----------------------------------------------------------------------===//
// Synchronous
//===----------------------------------------------------------------------===//

absl::StatusOr<std::unique_ptr<SyncStepper>> SyncStepper::create(Program &program, ThreadPool &pool, PeerLink &server,
                                                                 int64_t virtualShards, ShardRange shards,
                                                                 std::chrono::milliseconds timeout) {
  std::unique_ptr<SyncStepper> stepper(new SyncStepper(program, server, shards, timeout));
  if (absl::Status status = stepper->open(program, pool, virtualShards); !status.ok())
    return status;
  return stepper;
}

absl::Status SyncStepper::run(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  if (absl::Status status = shardStep_->begin(batch, slots, context); !status.ok())
    return status;
  cluster::StepRequest request;
  request.set_step(context.step);
  request.set_first_shard(shards_.first);
  request.set_last_shard(shards_.last);
  *request.mutable_symbols() = {shardStep_->global().begin(), shardStep_->global().end()};
  OutgoingMessage push;
  for (SumNode node : coveringNodes(shards_.first, shards_.last)) {
    absl::StatusOr<SumSet *> sums = shardStep_->sum(node);
    if (!sums.ok())
      return sums.status();
    if (!*sums)
      continue;
    cluster::Node *added = request.add_nodes();
    added->set_level(node.level);
    added->set_index(node.index);
    sumWire_.send(**sums, push);
  }
  pushed_ += push.payloadSize();
  cluster::StateReply response;
  absl::StatusOr<IncomingMessage> reply = server_.call("step", request, std::move(push.payload), timeout_, response);
  if (!reply.ok())
    return reply.status();
  if (response.end().empty() && response.step() != context.step + 1)
    return absl::InternalError(absl::StrCat("the server is at step ", response.step(), " behind step ", context.step));
  return takeStep(response, *reply);
}

//===----------------------------------------------------------------------===//
// Asynchronous
//===----------------------------------------------------------------------===//

absl::StatusOr<std::unique_ptr<AsyncStepper>> AsyncStepper::create(Program &program, ThreadPool &pool, PeerLink &server,
                                                                   std::chrono::milliseconds timeout) {
  std::unique_ptr<AsyncStepper> stepper(new AsyncStepper(program, server, timeout));
  if (absl::Status status = stepper->open(program, pool, /*virtualShards=*/1); !status.ok())
    return status;
  return stepper;
}

absl::Status AsyncStepper::run(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  if (absl::Status status = shardStep_->begin(batch, slots, context); !status.ok())
    return status;
  absl::StatusOr<SumSet *> sums = shardStep_->sum({0, 0});
  if (!sums.ok())
    return sums.status();
  if (!*sums)
    return absl::InvalidArgumentError("a training step needs a batch with rows");
  cluster::PushRequest request;
  request.set_ticket(context.step);
  request.set_version(version_);
  *request.mutable_symbols() = {shardStep_->global().begin(), shardStep_->global().end()};
  OutgoingMessage push;
  sumWire_.send(**sums, push);
  pushed_ += push.payloadSize();
  const auto giveUp = std::chrono::steady_clock::now() + timeout_;
  while (true) {
    cluster::StateReply response;
    absl::StatusOr<IncomingMessage> reply = server_.call("push", request, push.payload, timeout_, response);
    if (reply.ok())
      return takeStep(response, *reply);
    if (!absl::IsUnavailable(reply.status()) || std::chrono::steady_clock::now() > giveUp)
      return reply.status();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

absl::StatusOr<TicketSet> AsyncStepper::progress() {
  cluster::StateReply response;
  absl::StatusOr<IncomingMessage> reply = server_.call("progress", cluster::PullRequest(), {}, timeout_, response);
  if (!reply.ok())
    return reply.status();
  if (!response.end().empty())
    return absl::CancelledError(response.end());
  return TicketSet::of(response.applied());
}

} // namespace mlcrt
