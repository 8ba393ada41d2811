// Steps whose updates run on servers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/RemoteStepper.h"

#include "runtime/src/core/RangeUpdate.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <thread>

namespace mlcrt {

RemoteStepper::RemoteStepper(Program &program, const ServerLinks &servers, std::chrono::milliseconds timeout,
                             bool pullsRows)
    : program_(program), links_(servers), timeout_(timeout), pullsRows_(pullsRows), pulls_(program.artifact()),
      wanted_(pulls_.size()), results_(RangeUpdate::outputsEntry(program.artifact())) {}

absl::Status RemoteStepper::open(ThreadPool &pool, int64_t virtualShards) {
  TrainMode mode;
  mode.virtualShards = static_cast<int>(virtualShards);
  mode.split = true;
  absl::StatusOr<std::unique_ptr<ShardStep>> shardStep = ShardStep::create(program_, pool, mode);
  if (!shardStep.ok())
    return shardStep.status();
  shardStep_ = *std::move(shardStep);
  const Artifact &artifact = program_.artifact();
  const std::vector<int32_t> all = VariableWire::ofTraining(artifact),
                             read = VariableWire::readByTrainers(artifact, pullsRows_);
  for (int k = 0; k < links_.plan->servers(); ++k) {
    absl::StatusOr<SumRanges> ranges = SumRanges::create(artifact, *links_.plan, k);
    if (!ranges.ok())
      return ranges.status();
    servers_.push_back({links_.links[k].get(),
                        SumWire(artifact, *ranges),
                        RowWire(artifact, *links_.plan, k, pullsRows_),
                        VariableWire::ofTrainer(program_.state(), all, *links_.plan, k),
                        VariableWire::ofTrainer(program_.state(), read, *links_.plan, k),
                        {}});
  }
  return absl::OkStatus();
}

template <typename Request, typename Response>
absl::Status RemoteStepper::callAll(const char *method, const Request &request,
                                    const std::vector<OutgoingMessage> &payloads,
                                    std::vector<Answer<Response>> &answers, const std::vector<PlaceFunction> &places) {
  auto start = [&](size_t k, Connection::Done done) {
    servers_[k].link->start(method, request, payloads.empty() ? std::vector<Slice>() : payloads[k].payload, timeout_,
                            std::move(done), places.empty() ? nullptr : places[k]);
  };
  callServers(servers_.size(), start, answers);
  for (const Answer<Response> &answer : answers)
    if (!answer.message.ok())
      return answer.message.status();
  return absl::OkStatus();
}

/// Why the run has ended, if an answer says so.
template <typename Answers> static std::string endOf(const Answers &answers) {
  for (const auto &answer : answers)
    if (!answer.control.end().empty())
      return answer.control.end();
  return "";
}

absl::Status RemoteStepper::load(const cluster::RunPlan &plan) {
  cluster::LoadRequest request;
  *request.mutable_plan() = plan;
  std::vector<OutgoingMessage> state(servers_.size());
  for (size_t k = 0; k < servers_.size(); ++k)
    servers_[k].all.send(state[k]);
  std::vector<Answer<cluster::LoadReply>> answers;
  return callAll("load", request, state, answers);
}

void RemoteStepper::want(const TrainSlots *slots) {
  for (size_t t = 0; t < pulls_.size(); ++t)
    wanted_[t] = slots && pullsRows_ ? pulls_.rows(t, *slots) : std::vector<int64_t>();
}

absl::Status RemoteStepper::takeRows() {
  // Pages of rows that were written once stay in memory until then.
  constexpr int64_t kMostWritten = int64_t{256} << 20;
  if (written_ > kMostWritten) {
    for (size_t t = 0; t < pulls_.size(); ++t)
      program_.state().releaseRows(pulls_.variable(t));
    written_ = 0;
  }
  for (Server &server : servers_)
    if (absl::Status status = server.rows.writeRows(wanted_, server.pulled, program_.state()); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status RemoteStepper::awaitCredit(const std::vector<int64_t> &bytes) {
  // In the order of servers, as all tasks: two that wait for each other's messages to go would wait for ever.
  for (size_t k = 0; k < servers_.size(); ++k) {
    PeerLink &link = *servers_[k].link;
    if (bytes[k] <= link.credit().value_or(INT64_MAX))
      continue;
    cluster::CreditRequest request;
    request.set_bytes(bytes[k]);
    cluster::CreditReply granted;
    if (absl::Status status = link.call("credit", request, {}, timeout_, granted).status(); !status.ok())
      return status;
    ended_ = granted.end();
    if (isOver())
      break;
  }
  return absl::OkStatus();
}

template <typename Request>
absl::Status RemoteStepper::callForState(const char *method, const Request &request,
                                         const std::vector<OutgoingMessage> &payloads, const Tensors &tensors,
                                         std::vector<Answer<cluster::StateReply>> &answers) {
  // Large answers go to their place as they come; of small ones a message is one event.
  constexpr int64_t kLarge = 1 << 20;
  struct Room {
    std::vector<Placement::Span> front, back; ///< before and from the rows on
    bool isInPlace = true;
    int64_t rowBytes = 0, bytes = 0;
  };
  std::vector<Room> rooms(servers_.size());
  std::vector<PlaceFunction> places(servers_.size());
  std::vector<int64_t> bytes(servers_.size());
  for (size_t k = 0; k < servers_.size(); ++k) {
    Room &room = rooms[k];
    if (tensors.hasOutputs && k == 0)
      OutputWire::place(results_, room.front);
    if (tensors.variables)
      room.isInPlace = (servers_[k].*tensors.variables).place(room.front);
    if (tensors.hasRows)
      servers_[k].rows.place(wanted_, servers_[k].pulled, room.back);
    for (const Placement::Span &span : room.back)
      room.rowBytes += span.size;
    room.bytes = room.rowBytes;
    for (const Placement::Span &span : room.front)
      room.bytes += span.size;
    bytes[k] = payloads.empty() ? 0 : payloads[k].payloadSize();
    bytes[k] += !areAnswersCopies() ? room.rowBytes : room.isInPlace ? room.bytes : links_.plan->bytes(k);
    if (room.isInPlace && room.bytes > kLarge)
      places[k] = [&room](const std::string &, int64_t) -> absl::StatusOr<Placement> {
        Placement placement;
        placement.spans = room.front;
        placement.spans.insert(placement.spans.end(), room.back.begin(), room.back.end());
        placement.owner = std::make_shared<int>(); // tells that it was used
        return placement;
      };
  }
  if (absl::Status status = awaitCredit(bytes); !status.ok() || isOver())
    return status;
  if (absl::Status status = callAll(method, request, payloads, answers, places); !status.ok())
    return status;
  ended_ = endOf(answers);
  if (!ended_.empty())
    return absl::OkStatus();
  for (size_t k = 0; k < servers_.size(); ++k) {
    Room &room = rooms[k];
    IncomingMessage &message = *answers[k].message;
    pulled_ += room.isInPlace ? room.bytes : message.remaining();
    written_ += room.rowBytes;
    if (message.placed())
      continue;
    auto read = [&message](const std::vector<Placement::Span> &spans) {
      absl::Status status;
      for (size_t i = 0; status.ok() && i < spans.size(); ++i)
        status = message.read(spans[i].data, spans[i].size);
      return status;
    };
    absl::Status status = read(room.front);
    if (status.ok() && !room.isInPlace)
      status = (servers_[k].*tensors.variables).receive(message);
    status.Update(status.ok() ? read(room.back) : status);
    status.Update(status.ok() ? message.finish() : status);
    if (!status.ok())
      return status;
  }
  if (tensors.hasRows)
    return takeRows();
  return absl::OkStatus();
}

absl::Status RemoteStepper::prepare(const TrainSlots &slots, const CallContext &context) {
  if (pulls_.size() == 0 || !pullsRows_ || rowsHere_ == &slots)
    return absl::OkStatus();
  want(&slots);
  rowsHere_ = &slots;
  return pullWanted(context.step);
}

absl::Status RemoteStepper::pullRows(RowPulls &pulls, const FeatureSlot &slot, int64_t step) {
  for (size_t t = 0; t < pulls_.size(); ++t) {
    wanted_[t].clear();
    for (size_t other = 0; other < pulls.size(); ++other)
      if (pulls.variable(other) == pulls_.variable(t))
        wanted_[t] = pulls.rows(other, slot);
  }
  return pullWanted(step);
}

absl::Status RemoteStepper::pullWanted(int64_t step) {
  cluster::PullRequest request;
  request.set_step(step);
  std::vector<OutgoingMessage> ids(servers_.size());
  for (size_t k = 0; k < servers_.size(); ++k)
    servers_[k].rows.sendIds(wanted_, ids[k]);
  Tensors tensors;
  tensors.hasRows = true;
  std::vector<Answer<cluster::StateReply>> answers;
  return callForState("rows", request, ids, tensors, answers);
}

absl::Status RemoteStepper::take(const char *method, int64_t step, VariableWire Server::*variables) {
  cluster::PullRequest request;
  request.set_step(step);
  Tensors tensors;
  tensors.variables = variables;
  std::vector<Answer<cluster::StateReply>> answers;
  if (absl::Status status = callForState(method, request, {}, tensors, answers); !status.ok() || isOver())
    return status;
  version_ = answers.front().control.step();
  noted(answers.front().control);
  return absl::OkStatus();
}

absl::Status RemoteStepper::takeAnswers(std::vector<Answer<cluster::StateReply>> &answers,
                                        VariableWire Server::*variables) {
  for (size_t k = 0; k < servers_.size(); ++k) {
    IncomingMessage &message = *answers[k].message;
    pulled_ += message.remaining();
    absl::Status status = (servers_[k].*variables).receive(message);
    status.Update(status.ok() ? message.finish() : status);
    if (!status.ok())
      return status;
  }
  version_ = answers.front().control.step();
  noted(answers.front().control);
  return absl::OkStatus();
}

absl::Status RemoteStepper::pull(int64_t step) { return take("pull", step, &Server::read); }
absl::Status RemoteStepper::fetch(int64_t step) { return take("fetch", step, &Server::all); }

absl::StatusOr<cluster::EndReply> RemoteStepper::end(const std::string &reason) {
  cluster::EndRequest request;
  request.set_reason(reason);
  std::vector<Answer<cluster::EndReply>> answers;
  if (absl::Status status = callAll("end", request, {}, answers); !status.ok())
    return status;
  return answers.front().control;
}

template <typename Request>
absl::Status RemoteStepper::pushStep(const char *method, const Request &request,
                                     const std::vector<OutgoingMessage> &pushes,
                                     std::vector<Answer<cluster::StateReply>> &answers) {
  Tensors tensors;
  tensors.variables = &Server::read;
  tensors.hasOutputs = tensors.hasRows = true;
  if (absl::Status status = callForState(method, request, pushes, tensors, answers); !status.ok() || isOver())
    return status;
  rowsHere_ = next_;
  next_ = nullptr;
  version_ = answers.front().control.step();
  noted(answers.front().control);
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Synchronous
//===----------------------------------------------------------------------===//

absl::StatusOr<std::unique_ptr<SyncStepper>> SyncStepper::create(Program &program, ThreadPool &pool,
                                                                 const ServerLinks &servers, int64_t virtualShards,
                                                                 ShardRange shards, std::chrono::milliseconds timeout) {
  std::unique_ptr<SyncStepper> stepper(new SyncStepper(program, servers, shards, timeout));
  if (absl::Status status = stepper->open(pool, virtualShards); !status.ok())
    return status;
  return stepper;
}

absl::StatusOr<SyncStepper::Push> SyncStepper::sumShards(ShardRange shards, const CallContext &context) {
  Push push;
  push.request.set_step(context.step);
  push.request.set_first_shard(shards.first);
  push.request.set_last_shard(shards.last);
  *push.request.mutable_symbols() = {shardStep_->global().begin(), shardStep_->global().end()};
  push.payloads.resize(servers_.size());
  for (SumNode node : coveringNodes(shards.first, shards.last)) {
    absl::StatusOr<SumSet *> sums = shardStep_->sum(node);
    if (!sums.ok())
      return sums.status();
    if (!*sums)
      continue;
    cluster::Node *added = push.request.add_nodes();
    added->set_level(node.level);
    added->set_index(node.index);
    for (size_t k = 0; k < servers_.size(); ++k)
      servers_[k].sums.send(**sums, push.payloads[k]);
  }
  want(next_);
  for (size_t k = 0; k < servers_.size(); ++k) {
    servers_[k].rows.sendIds(wanted_, push.payloads[k]);
    pushed_ += push.payloads[k].payloadSize();
  }
  return push;
}

absl::Status SyncStepper::run(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  if (absl::Status status = shardStep_->begin(batch, slots, context); !status.ok())
    return status;
  absl::StatusOr<Push> push = sumShards(shards_, context);
  if (!push.ok())
    return push.status();
  std::vector<Answer<cluster::StateReply>> answers;
  if (absl::Status status = pushStep("step", push->request, push->payloads, answers); !status.ok() || isOver())
    return status;
  for (const Answer<cluster::StateReply> &answer : answers)
    if (answer.control.step() != context.step + 1)
      return absl::InternalError(
          absl::StrCat("a server is at step ", answer.control.step(), " behind step ", context.step));
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Asynchronous
//===----------------------------------------------------------------------===//

absl::StatusOr<std::unique_ptr<AsyncStepper>> AsyncStepper::create(Program &program, ThreadPool &pool,
                                                                   const ServerLinks &servers,
                                                                   std::chrono::milliseconds timeout) {
  std::unique_ptr<AsyncStepper> stepper(new AsyncStepper(program, servers, timeout));
  if (absl::Status status = stepper->open(pool, /*virtualShards=*/1); !status.ok())
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
  std::vector<OutgoingMessage> pushes(servers_.size());
  want(next_);
  for (size_t k = 0; k < servers_.size(); ++k) {
    servers_[k].sums.send(**sums, pushes[k]);
    servers_[k].rows.sendIds(wanted_, pushes[k]);
    pushed_ += pushes[k].payloadSize();
  }
  const auto giveUp = std::chrono::steady_clock::now() + timeout_;
  std::vector<Answer<cluster::StateReply>> answers;
  while (true) {
    absl::Status status = pushStep("push", request, pushes, answers);
    if (!absl::IsUnavailable(status) || std::chrono::steady_clock::now() > giveUp)
      return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

absl::Status AsyncStepper::fetch(int64_t) {
  if (servers_.size() == 1)
    return take("fetch", /*step=*/0, &Server::all);
  return hold([this](const cluster::StateReply &held) { return take("fetch", held.step(), &Server::all); });
}

absl::Status AsyncStepper::hold(const std::function<absl::Status(const cluster::StateReply &held)> &work) {
  cluster::StateReply held;
  if (absl::Status status = servers_[0].link->call("hold", cluster::PullRequest(), {}, timeout_, held).status();
      !status.ok())
    return status;
  if (!held.end().empty()) {
    ended_ = held.end();
    return absl::OkStatus();
  }
  absl::Status status = work(held);
  cluster::LeaveReply released;
  absl::Status release = servers_[0].link->call("release", cluster::LeaveRequest(), {}, timeout_, released).status();
  return status.ok() ? release : status;
}

absl::StatusOr<TicketSet> AsyncStepper::progress() {
  std::vector<Answer<cluster::StateReply>> answers;
  if (absl::Status status = callAll("progress", cluster::PullRequest(), {}, answers); !status.ok())
    return status;
  if (std::string end = endOf(answers); !end.empty())
    return absl::CancelledError(end);
  return TicketSet::of(answers.front().control.applied());
}

} // namespace mlcrt
