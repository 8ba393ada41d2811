// Steps whose updates run on servers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/RemoteStepper.h"

#include "runtime/src/cluster/ServerCalls.h"
#include "runtime/src/core/RangeUpdate.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace mlcrt {

RemoteStepper::RemoteStepper(Program &program, const ServerLinks &servers, std::chrono::milliseconds timeout,
                             bool pullsRows, const OverlapOptions &overlap)
    : program_(program), links_(servers), timeout_(timeout), pullsRows_(pullsRows), overlap_(overlap),
      choice_(overlap.isOn, overlap.isMeasured), pulls_(program.artifact()), wanted_(pulls_.size()),
      results_(RangeUpdate::outputsEntry(program.artifact())) {}

RemoteStepper::~RemoteStepper() {
  // Nobody needs what still comes, and whom it comes from may be gone.
  constexpr std::chrono::seconds kFarewell{2};
  if (incoming_ && !incoming_->calls().awaitEnd(kFarewell))
    for (ServerTensors &server : servers_)
      server.link->cancelCalls(absl::CancelledError("this task ends"));
}

absl::Status RemoteStepper::open(ThreadPool &pool, int64_t virtualShards) {
  TrainMode mode;
  mode.virtualShards = static_cast<int>(virtualShards);
  mode.split = true;
  pool_ = &pool;
  absl::StatusOr<std::unique_ptr<ShardStep>> shardStep = ShardStep::create(program_, pool, mode);
  if (!shardStep.ok())
    return shardStep.status();
  shardStep_ = *std::move(shardStep);
  const Artifact &artifact = program_.artifact();
  const std::vector<int32_t> all = VariableWire::ofTraining(artifact),
                             read = VariableWire::readByTrainers(artifact, pullsRows_);
  isReadWhole_.assign(static_cast<size_t>(artifact.table().num_variables), false);
  for (int32_t variable : read)
    isReadWhole_[static_cast<size_t>(variable)] = true;
  for (int k = 0; k < links_.plan->servers(); ++k) {
    absl::StatusOr<SumRanges> ranges = SumRanges::create(artifact, *links_.plan, k);
    if (!ranges.ok())
      return ranges.status();
    servers_.push_back({links_.links[k].get(), SumWire(artifact, *ranges),
                        RowWire(artifact, *links_.plan, k, pullsRows_),
                        VariableWire::ofTrainer(program_.state(), all, *links_.plan, k),
                        VariableWire::ofTrainer(program_.state(), read, *links_.plan, k)});
  }
  return absl::OkStatus();
}

absl::Status RemoteStepper::replicate(OtherDevices others, int64_t virtualShards, ShardRange shards) {
  others_ = std::move(others);
  std::vector<Program *> pointers;
  for (const std::unique_ptr<Program> &other : others_.programs)
    pointers.push_back(other.get());
  TrainMode mode;
  mode.virtualShards = static_cast<int>(virtualShards);
  mode.firstShard = static_cast<int>(shards.first);
  mode.lastShard = static_cast<int>(shards.last);
  absl::StatusOr<std::unique_ptr<ReplicatedShards>> replicas =
      ReplicatedShards::create(program_, pointers, *pool_, mode, {others_.collective.get(), /*isAllReduce=*/false});
  if (!replicas.ok())
    return replicas.status();
  replicas_ = *std::move(replicas);
  wholes_ = VariableWire::readByTrainers(program_.artifact(), pullsRows_);
  for (size_t t = 0; t < pulls_.size(); ++t)
    if (!pulls_.isNumbered(t) && std::find(wholes_.begin(), wholes_.end(), pulls_.variable(t)) == wholes_.end())
      wholes_.push_back(pulls_.variable(t));
  return absl::OkStatus();
}

template <typename Request, typename Response>
absl::Status RemoteStepper::callAll(const char *method, const Request &request,
                                    const std::vector<OutgoingMessage> &payloads,
                                    std::vector<Answer<Response>> &answers) {
  auto start = [&](size_t k, Connection::Done done) {
    servers_[k].link->start(method, request, payloads.empty() ? std::vector<Slice>() : payloads[k].payload, timeout_,
                            std::move(done));
  };
  return callServersAgain(links_, start, answers);
}

CallRetry RemoteStepper::retry() const {
  std::vector<const PeerLink *> peers;
  for (const ServerTensors &server : servers_)
    peers.push_back(server.link);
  return CallRetry(std::move(peers));
}

absl::Status RemoteStepper::giveUp(absl::Status status) {
  for (ServerTensors &server : servers_)
    server.link->cancelCalls(status);
  return status;
}

// Of steps with backup workers.
template absl::Status RemoteStepper::callAll(const char *, const cluster::PullRequest &,
                                             const std::vector<OutgoingMessage> &,
                                             std::vector<Answer<cluster::StateReply>> &);

/// Why the run has ended, if an answer says so.
template <typename Answers> static std::string endOf(const Answers &answers) {
  for (const auto &answer : answers)
    if (!answer.control.end().empty())
      return answer.control.end();
  return "";
}

absl::Status RemoteStepper::load(const cluster::RunPlan &plan, bool isPrepared) {
  cluster::LoadRequest request;
  *request.mutable_plan() = plan;
  request.set_is_prepared(isPrepared);
  std::vector<OutgoingMessage> state(servers_.size());
  for (size_t k = 0; k < servers_.size() && !isPrepared; ++k)
    servers_[k].all.send(state[k]);
  std::vector<Answer<cluster::LoadReply>> answers;
  return callAll("load", request, state, answers);
}

void RemoteStepper::want(const TrainSlots *slots) {
  if (slots)
    pulls_.find(*slots, *pool_);
  for (size_t t = 0; t < pulls_.size(); ++t)
    wanted_[t] = slots ? pulls_.rows(t) : std::vector<int64_t>();
}

void RemoteStepper::numberRows(TrainSlots &slots) {
  if (numbered_ == &slots)
    return;
  pulls_.number(slots);
  numbered_ = &slots;
}

absl::Status RemoteStepper::takeRows(TrainSlots &slots) {
  // Pages of rows that were written once stay in memory until then.
  constexpr int64_t kMostWritten = int64_t{256} << 20;
  if (written_ > kMostWritten) {
    for (size_t t = 0; t < pulls_.size(); ++t)
      program_.state().releaseRows(pulls_.variable(t));
    written_ = 0;
  }
  if (absl::Status status = writeRows(/*all=*/false); !status.ok())
    return status;
  numberRows(slots);
  numbered_ = nullptr;
  std::swap(pulled_, inUse_);
  for (size_t t = 0; t < pulls_.size(); ++t)
    if (pulls_.isNumbered(t)) {
      shardStep_->placeVariable(pulls_.variable(t), inUse_[t].data());
      if (replicas_)
        replicas_->placeVariable(pulls_.variable(t), inUse_[t].data());
    }
  rowsHere_ = &slots;
  return absl::OkStatus();
}

absl::Status RemoteStepper::writeRows(bool all) {
  const RowWire &wire = servers_.front().rows; // tables are alike for all servers
  for (size_t t = 0; t < pulls_.size(); ++t) {
    if (pulls_.isNumbered(t) && !all)
      continue;
    if (absl::Status status = wire.writeRows(t, wanted_, pulled_, program_.state()); !status.ok())
      return status;
    written_ += static_cast<int64_t>(wanted_[t].size()) * wire.rowBytes(t);
  }
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
    CallRetry retry({&link});
    absl::Status status;
    // Asked again, the grant before is void; a call that a broken connection left there may hear of that last.
    while (!(status = link.call("credit", request, {}, timeout_, granted).status()).ok())
      if (!absl::IsAborted(status) && !retry.again(status))
        return status;
    ended_ = granted.end();
    endedExit_ = granted.exit();
    if (isOver())
      break;
  }
  return absl::OkStatus();
}

absl::Status RemoteStepper::takeFront(StateCalls &calls) {
  if (absl::Status status = calls.awaitFront(); !status.ok())
    return status;
  ended_ = calls.end();
  endedExit_ = calls.endExit();
  if (isOver())
    return absl::OkStatus();
  pulledBytes_ += calls.bytes();
  return absl::OkStatus();
}

absl::Status RemoteStepper::callForState(const char *method, int64_t step, const std::vector<OutgoingMessage> &payloads,
                                         const StateCalls::Wanted &wanted) {
  cluster::PullRequest request;
  request.set_step(step);
  StateCalls calls(servers_, wanted);
  std::vector<int64_t> bytes(servers_.size());
  for (size_t k = 0; k < servers_.size(); ++k)
    bytes[k] = (payloads.empty() ? 0 : payloads[k].payloadSize()) +
               calls.answerBytes(k, areAnswersCopies(), links_.plan->bytes(static_cast<int>(k)));
  if (absl::Status status = awaitCredit(bytes); !status.ok() || isOver())
    return status;
  auto start = [&](size_t k) {
    calls.start(k, method, request, payloads.empty() ? std::vector<Slice>() : payloads[k].payload, nullptr, timeout_);
  };
  for (size_t k = 0; k < servers_.size(); ++k)
    start(k);
  CallRetry retry = this->retry();
  while (true) {
    absl::Status status = takeFront(calls);
    if (status.ok() && isOver())
      return status;
    status.Update(status.ok() ? calls.awaitAll() : status);
    if (status.ok())
      break;
    if (!retry.again(status))
      return giveUp(status);
    for (size_t k = 0; k < servers_.size(); ++k)
      bytes[k] = calls.hasFailed(k) ? bytes[k] : 0;
    if (status = awaitCredit(bytes); !status.ok() || isOver())
      return status.ok() ? status : giveUp(status);
    for (size_t k = 0; k < servers_.size(); ++k)
      if (calls.hasFailed(k))
        start(k);
  }
  if (!wanted.variables)
    return absl::OkStatus();
  version_ = calls.control(0).step();
  noted(calls.control(0));
  return absl::OkStatus();
}

absl::Status RemoteStepper::settle() {
  if (!incoming_)
    return absl::OkStatus();
  absl::Status status = incoming_->calls().awaitAll();
  if (status.ok())
    incoming_.reset();
  return status;
}

absl::Status RemoteStepper::prepare(TrainSlots &slots, const CallContext &context) {
  if (pulls_.size() == 0 || !pullsRows_ || rowsHere_ == &slots)
    return absl::OkStatus();
  want(&slots);
  if (absl::Status status = pullWanted(context.step); !status.ok() || isOver())
    return status;
  return takeRows(slots);
}

absl::Status RemoteStepper::pullRows(RowPulls &pulls, const FeatureSlot &slot, int64_t step) {
  pulls.find(slot, *pool_);
  for (size_t t = 0; t < pulls_.size(); ++t) {
    wanted_[t].clear();
    for (size_t other = 0; other < pulls.size(); ++other)
      if (pulls.variable(other) == pulls_.variable(t))
        wanted_[t] = pulls.rows(other);
  }
  if (absl::Status status = settle(); !status.ok())
    return status;
  if (absl::Status status = pullWanted(step); !status.ok() || isOver())
    return status;
  return writeRows(/*all=*/true);
}

absl::Status RemoteStepper::pullWanted(int64_t step) {
  std::vector<OutgoingMessage> ids(servers_.size());
  for (size_t k = 0; k < servers_.size(); ++k)
    servers_[k].rows.sendIds(wanted_, ids[k]);
  StateCalls::Wanted wanted;
  wanted.observation = program_.observation();
  wanted.rows = &wanted_;
  wanted.pulled = &pulled_;
  return callForState("rows", step, ids, wanted);
}

absl::Status RemoteStepper::take(const char *method, int64_t step, VariableWire ServerTensors::*variables) {
  // What the last step brings is replaced, whether it comes or not.
  if (incoming_)
    incoming_->calls().awaitEnd();
  incoming_.reset();
  StateCalls::Wanted wanted;
  wanted.observation = program_.observation();
  wanted.variables = variables;
  return callForState(method, step, {}, wanted);
}

absl::Status RemoteStepper::takeAnswers(std::vector<Answer<cluster::StateReply>> &answers,
                                        VariableWire ServerTensors::*variables) {
  for (size_t k = 0; k < servers_.size(); ++k) {
    IncomingMessage &message = *answers[k].message;
    pulledBytes_ += message.remaining();
    absl::Status status = (servers_[k].*variables).receive(message);
    status.Update(status.ok() ? message.finish() : status);
    if (!status.ok())
      return status;
  }
  version_ = answers.front().control.step();
  noted(answers.front().control);
  return absl::OkStatus();
}

absl::Status RemoteStepper::bring(int32_t variable) {
  absl::Status status;
  if (isReadWhole_[static_cast<size_t>(variable)])
    status = settle();
  else if (brought_ != version_)
    status = fetch(version_);
  if (status.ok() && isOver())
    status = absl::UnavailableError(absl::StrCat("the run has ended (", ended_, "), and with it the servers' state"));
  if (status.ok() && !isReadWhole_[static_cast<size_t>(variable)])
    brought_ = version_;
  return status;
}

absl::Status RemoteStepper::pull(int64_t step) { return take("pull", step, &ServerTensors::read); }
absl::Status RemoteStepper::fetch(int64_t step) { return take("fetch", step, &ServerTensors::all); }

absl::StatusOr<cluster::EndReply> RemoteStepper::end(const std::string &reason, int exit) {
  cluster::EndRequest request;
  request.set_reason(reason);
  request.set_exit(exit);
  std::vector<Answer<cluster::EndReply>> answers;
  if (absl::Status status = callAll("end", request, {}, answers); !status.ok())
    return status;
  return answers.front().control;
}

absl::Status RemoteStepper::beginStep(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  want(next_);
  StateCalls::Wanted wanted;
  wanted.observation = program_.observation();
  wanted.variables = &ServerTensors::read;
  wanted.outputs = &results_;
  wanted.rows = &wanted_;
  wanted.pulled = &pulled_;
  OverlapOptions overlap = overlap_;
  overlap.isOn = choice_.isOn();
  exchange_ = std::make_unique<StepExchange>(program_.artifact(), servers_, wanted, overlap,
                                             incoming_ ? &incoming_->calls() : nullptr);
  if (absl::Status status = shardStep_->begin(batch, slots, context, exchange_.get()); !status.ok() || !replicas_)
    return status;
  // All devices begin at once.
  for (int32_t variable : wholes_)
    if (absl::Status status = exchange_->await(variable); !status.ok())
      return status;
  if (absl::Status status = replicas_->copyVariables(wholes_); !status.ok())
    return status;
  return replicas_->compute(batch, slots, context);
}

template <typename Request>
absl::Status RemoteStepper::pushSums(const char *method, const Request &request, const std::vector<SumNode> &nodes) {
  StepExchange &exchange = *exchange_;
  auto send = [this, &exchange, method, request](size_t k, std::vector<Slice> payload,
                                                 std::shared_ptr<PayloadStream> rest) {
    exchange.calls().start(k, method, request, std::move(payload), std::move(rest), timeout_);
  };
  exchange.begin(send, shardStep_->global(), static_cast<int64_t>(nodes.size()), wanted_);
  std::vector<int64_t> bytes(servers_.size());
  for (size_t k = 0; k < servers_.size(); ++k)
    bytes[k] = exchange.mostBytes(k) +
               exchange.calls().answerBytes(k, areAnswersCopies(), links_.plan->bytes(static_cast<int>(k)));
  if (absl::Status status = awaitCredit(bytes); !status.ok() || isOver())
    return status;
  stepBytes_ = std::move(bytes);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (i + 1 == nodes.size() && !replicas_) {
      if (absl::Status status = shardStep_->sumWatched(nodes[i]); !status.ok())
        return status;
      break;
    }
    absl::StatusOr<SumSet *> sums = replicas_ ? replicas_->sum(nodes[i]) : shardStep_->sum(nodes[i]);
    if (!sums.ok())
      return sums.status();
    if (replicas_)
      if (absl::Status status = fetchSums(program_, **sums); !status.ok())
        return status;
    exchange.add(**sums);
  }
  if (replicas_)
    if (absl::Status status = replicas_->check(); !status.ok())
      return status;
  absl::Status status = exchange.push(wanted_);
  pushedBytes_ += exchange.pushedBytes();
  return status;
}

absl::Status RemoteStepper::takeStep() {
  incoming_.reset(); // it is here, or was given up
  if (next_)         // while servers update
    numberRows(*next_);
  StateCalls &calls = exchange_->calls();
  if (absl::Status status = takeFront(calls); !status.ok() || isOver())
    return status;
  rowsHere_ = nullptr;
  if (TrainSlots *next = std::exchange(next_, nullptr))
    if (absl::Status status = takeRows(*next); !status.ok())
      return status;
  version_ = calls.control(0).step();
  noted(calls.control(0));
  absl::Status status;
  if (choice_.isOn())
    incoming_ = std::move(exchange_);
  else
    status = calls.awaitAll();
  choice_.stepDone(OverlapChoice::Clock::now());
  return status;
}

absl::Status RemoteStepper::runStep(const std::function<absl::Status()> &push) {
  absl::Status status;
  while (!(status = push()).ok()) {
    exchange_.reset();
    if (!incoming_ || isOver())
      return status;
    absl::Status lost = incoming_->calls().awaitAll();
    if (lost.ok())
      return status;
    // Variables of the step before were lost on their way: servers have them still, or what serves as well.
    if (CallRetry retry = this->retry(); !retry.again(lost))
      return giveUp(lost);
    if (status = pull(version_); !status.ok() || isOver())
      return status;
  }
  CallRetry retry = this->retry();
  while (!isOver() && !(status = takeStep()).ok() && retry.again(status)) {
    // What was granted went with what was sent.
    std::vector<int64_t> again(servers_.size());
    for (size_t k = 0; k < servers_.size(); ++k)
      again[k] = exchange_->calls().hasFailed(k) ? stepBytes_[k] : 0;
    if (!(status = awaitCredit(again)).ok() || isOver())
      break;
    exchange_->pushAgain();
  }
  if (!status.ok())
    status = giveUp(status);
  exchange_.reset();
  return status;
}

//===----------------------------------------------------------------------===//
// Synchronous
//===----------------------------------------------------------------------===//

absl::StatusOr<std::unique_ptr<SyncStepper>> SyncStepper::create(Program &program, ThreadPool &pool,
                                                                 const ServerLinks &servers, int64_t virtualShards,
                                                                 ShardRange shards, std::chrono::milliseconds timeout,
                                                                 const OverlapOptions &overlap, OtherDevices others) {
  std::unique_ptr<SyncStepper> stepper(new SyncStepper(program, servers, shards, timeout, /*pullsRows=*/true, overlap));
  if (absl::Status status = stepper->open(pool, virtualShards); !status.ok())
    return status;
  if (!others.programs.empty())
    if (absl::Status status = stepper->replicate(std::move(others), virtualShards, shards); !status.ok())
      return status;
  return stepper;
}

cluster::StepRequest SyncStepper::requestOf(ShardRange shards, const CallContext &context) const {
  cluster::StepRequest request;
  request.set_step(context.step);
  request.set_first_shard(shards.first);
  request.set_last_shard(shards.last);
  *request.mutable_symbols() = {shardStep_->global().begin(), shardStep_->global().end()};
  for (SumNode node : coveringNodes(shards.first, shards.last)) {
    if (!shardStep_->hasRows(node))
      continue;
    cluster::Node *added = request.add_nodes();
    added->set_level(node.level);
    added->set_index(node.index);
  }
  return request;
}

absl::Status SyncStepper::computeAndPush(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  if (absl::Status status = beginStep(batch, slots, context); !status.ok())
    return status;
  const cluster::StepRequest request = requestOf(shards_, context);
  std::vector<SumNode> nodes;
  for (const cluster::Node &node : request.nodes())
    nodes.push_back({node.level(), node.index()});
  return pushSums("step", request, nodes);
}

absl::Status SyncStepper::run(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  if (absl::Status status = runStep([&] { return computeAndPush(batch, slots, context); }); !status.ok() || isOver())
    return status;
  if (version_ != context.step + 1)
    return absl::InternalError(absl::StrCat("a server is at step ", version_, " after step ", context.step));
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Asynchronous
//===----------------------------------------------------------------------===//

absl::StatusOr<std::unique_ptr<AsyncStepper>> AsyncStepper::create(Program &program, ThreadPool &pool,
                                                                   const ServerLinks &servers,
                                                                   std::chrono::milliseconds timeout,
                                                                   const OverlapOptions &overlap) {
  std::unique_ptr<AsyncStepper> stepper(new AsyncStepper(program, servers, timeout, overlap));
  if (absl::Status status = stepper->open(pool, /*virtualShards=*/1); !status.ok())
    return status;
  return stepper;
}

absl::Status AsyncStepper::run(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  return runStep([&] { return computeAndPush(batch, slots, context); });
}

absl::Status AsyncStepper::computeAndPush(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  if (absl::Status status = beginStep(batch, slots, context); !status.ok())
    return status;
  constexpr SumNode kAll = {0, 0};
  if (!shardStep_->hasRows(kAll))
    return absl::InvalidArgumentError("a training step needs a batch with rows");
  cluster::PushRequest request;
  request.set_ticket(context.step);
  request.set_version(version_);
  *request.mutable_symbols() = {shardStep_->global().begin(), shardStep_->global().end()};
  return pushSums("push", request, {kAll});
}

absl::Status AsyncStepper::fetch(int64_t) {
  if (servers_.size() == 1)
    return take("fetch", /*step=*/0, &ServerTensors::all);
  return hold([this](const cluster::StateReply &held) { return take("fetch", held.step(), &ServerTensors::all); });
}

absl::Status AsyncStepper::hold(const std::function<absl::Status(const cluster::StateReply &held)> &work) {
  // Server 0 makes no update between a hold and its release: once more is as good as once.
  PeerLink &first = *servers_[0].link;
  cluster::StateReply held;
  if (absl::Status status = callAgain(first, "hold", cluster::PullRequest(), {}, timeout_, held); !status.ok())
    return status;
  if (!held.end().empty()) {
    ended_ = held.end();
    endedExit_ = held.exit();
    return absl::OkStatus();
  }
  absl::Status status = work(held);
  cluster::LeaveReply reply;
  const absl::Status released = callAgain(first, "release", cluster::LeaveRequest(), {}, timeout_, reply);
  return status.ok() ? released : status;
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
