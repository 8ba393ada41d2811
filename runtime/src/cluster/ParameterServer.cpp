// A server: holds the state, adds up the sums of a step, updates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/ParameterServer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace mlcrt {

ParameterServer::ParameterServer(Program &program, ThreadPool &pool, Sessions &sessions, ServerOptions options)
    : program_(program), sessions_(sessions), options_(std::move(options)), pool_(pool), sumWire_(program.artifact()),
      all_(program.state(), VariableWire::ofTraining(program.artifact())),
      read_(program.state(), VariableWire::readByTrainers(program.artifact())),
      apply_(program, *program.artifact().entry(MLCRT_ROLE_TRAIN_APPLY), pool) {}

ParameterServer::~ParameterServer() = default;

void ParameterServer::handle(std::string_view method, IncomingMessage request, Reply reply) {
  if (method == "hello")
    hello(std::move(request), reply);
  else if (method == "load")
    load(std::move(request), reply);
  else if (method == "pull" || method == "fetch")
    pull(std::string(method), request, std::move(reply));
  else if (method == "step")
    step(std::move(request), std::move(reply));
  else if (method == "end")
    end(request, reply);
  else
    reply(absl::UnimplementedError(absl::StrCat("a server has no method '", std::string(method), "'")));
}

void ParameterServer::hello(IncomingMessage request, const Reply &reply) {
  cluster::HelloRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  absl::StatusOr<cluster::HelloReply> admitted = sessions_.admit(control);
  if (!admitted.ok())
    return reply(admitted.status());
  reply(makeMessage(*admitted));
}

static absl::Status checkChief(const Sessions::Task &task, const char *method) {
  if (task.role == "chief")
    return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("'", method, "' is the chief's, not ", task.name(), "'s"));
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

void ParameterServer::load(IncomingMessage request, const Reply &reply) {
  cluster::LoadRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  absl::StatusOr<Sessions::Task> task = sessions_.find(control.session());
  absl::Status allowed = task.ok() ? checkChief(*task, "load") : task.status();
  if (!allowed.ok())
    return reply(allowed);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const cluster::RunPlan &plan = control.plan();
    if (plan_)
      return reply(absl::FailedPreconditionError("this server was loaded already"));
    if (plan.virtual_shards() < 1 || plan.virtual_shards() > 1 << 20 || plan.step() < 0)
      return reply(absl::InvalidArgumentError(
          absl::StrCat("a run of ", plan.virtual_shards(), " virtual shards from step ", plan.step())));
    absl::Status status = all_.receive(request);
    status.Update(request.finish());
    if (!status.ok())
      return reply(status);
    plan_ = plan;
    step_ = plan.step();
    claimed_.assign(plan.virtual_shards(), false);
    tree_ = std::make_unique<SumTree>(program_, pool_, plan.virtual_shards());
  }
  reply(makeMessage(cluster::LoadReply()));
  answerDue();
}

void ParameterServer::end(const IncomingMessage &request, const Reply &reply) {
  cluster::EndRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  absl::StatusOr<Sessions::Task> task = sessions_.find(control.session());
  absl::Status allowed = task.ok() ? checkChief(*task, "end") : task.status();
  if (!allowed.ok())
    return reply(allowed);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!end_)
      end_ = control.reason();
    told_.insert(task->name());
  }
  reply(makeMessage(cluster::EndReply()));
  answerDue();
}

//===----------------------------------------------------------------------===//
// Those who wait
//===----------------------------------------------------------------------===//

template <typename IsDue> std::vector<ParameterServer::Waiter> ParameterServer::takeWaiters(IsDue isDue) {
  std::vector<Waiter> taken, left;
  for (Waiter &waiter : waiters_)
    (isDue(waiter) ? taken : left).push_back(std::move(waiter));
  waiters_ = std::move(left);
  return taken;
}

OutgoingMessage ParameterServer::stateMessage(const std::string &method) {
  cluster::StateReply control;
  control.set_step(step_);
  if (end_)
    control.set_end(end_->empty() ? "ended" : *end_);
  OutgoingMessage message = makeMessage(control);
  if (end_)
    return message;
  if (method == "step")
    OutputWire::send(apply_.outputs(), message);
  (method == "fetch" ? all_ : read_).send(message);
  return message;
}

void ParameterServer::answerDue() {
  std::vector<Waiter> due;
  std::vector<OutgoingMessage> messages;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    due = takeWaiters([&](const Waiter &waiter) {
      return end_ || (plan_ && waiter.step + (waiter.method == "step" ? 1 : 0) <= step_);
    });
    for (const Waiter &waiter : due) {
      messages.push_back(stateMessage(waiter.method));
      if (end_)
        told_.insert(waiter.task);
    }
  }
  for (size_t i = 0; i < due.size(); ++i)
    due[i].reply(std::move(messages[i]));
  changed_.notify_all();
}

void ParameterServer::pull(const std::string &method, const IncomingMessage &request, Reply reply) {
  cluster::PullRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  absl::StatusOr<Sessions::Task> task = sessions_.find(control.session());
  if (!task.ok())
    return reply(task.status());
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (plan_ && control.step() < step_)
      return reply(absl::FailedPreconditionError(
          absl::StrCat("the state of step ", control.step(), " is gone: the server is at step ", step_)));
    waiters_.push_back({method, task->name(), control.step(), Clock::now(), std::move(reply)});
  }
  answerDue();
}

std::string ParameterServer::missing() const {
  if (!plan_)
    return "the chief, which has not begun the run";
  std::vector<std::string> names;
  for (const std::string &trainer : options_.trainers)
    if (!contributed_.count(trainer))
      names.push_back(trainer);
  return absl::StrJoin(names, ", ");
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

absl::Status ParameterServer::claim(const cluster::StepRequest &control) {
  if (!plan_)
    return absl::FailedPreconditionError("a push before the run has begun");
  if (control.step() != step_)
    return absl::FailedPreconditionError(
        absl::StrCat("a push for step ", control.step(), ": the server is at step ", step_));
  const int64_t shards = plan_->virtual_shards(), first = control.first_shard(), last = control.last_shard();
  if (first < 0 || first >= last || last > shards)
    return absl::InvalidArgumentError(absl::StrCat("shards [", first, ", ", last, ") of ", shards));
  for (int64_t shard = first; shard < last; ++shard)
    if (claimed_[shard])
      return absl::AlreadyExistsError(absl::StrCat("shard ", shard, " of step ", step_, " was pushed before"));
  for (const cluster::Node &node : control.nodes()) {
    const bool isLevel = node.level() >= 0 && node.level() <= rootLevel(shards);
    if (!isLevel || node.index() < 0 || node.index() > shards || (node.index() << node.level()) < first ||
        std::min(shards, (node.index() + 1) << node.level()) > last)
      return absl::InvalidArgumentError(absl::StrCat("node ", node.index(), " of level ", node.level(),
                                                     " is not of shards [", first, ", ", last, ")"));
  }
  Symbols symbols(control.symbols().begin(), control.symbols().end());
  if (static_cast<int32_t>(symbols.size()) != program_.artifact().symbolCount() ||
      std::any_of(symbols.begin(), symbols.end(), [](int64_t value) { return value < 0; }))
    return absl::InvalidArgumentError(absl::StrCat("a push with ", symbols.size(), " dimension symbols; expected ",
                                                   program_.artifact().symbolCount(), " numbers >= 0"));
  if (std::find(claimed_.begin(), claimed_.end(), true) != claimed_.end() && symbols != symbols_)
    return absl::FailedPreconditionError(absl::StrCat("a push whose batch has ", absl::StrJoin(symbols, ", "),
                                                      " rows and values; that of others has ",
                                                      absl::StrJoin(symbols_, ", "), ": tasks read different data"));
  const int64_t bytes = sumWire_.bytes(symbols);
  if (bytes < 0 || bytes > options_.maxStepBytes / std::max(1, control.nodes_size()))
    return absl::ResourceExhaustedError(absl::StrCat("a push of ", control.nodes_size(), " sums of ", bytes, " bytes"));
  symbols_ = std::move(symbols);
  std::fill(claimed_.begin() + first, claimed_.begin() + last, true);
  return absl::OkStatus();
}

absl::Status ParameterServer::receive(const cluster::StepRequest &control, IncomingMessage &request,
                                      std::vector<std::unique_ptr<SumSet>> &sums) {
  Symbols symbols(control.symbols().begin(), control.symbols().end());
  for (int i = 0; i < control.nodes_size(); ++i) {
    sums.push_back(std::make_unique<SumSet>());
    if (absl::Status status = sumWire_.receive(request, symbols, *sums.back()); !status.ok())
      return status;
  }
  return request.finish();
}

void ParameterServer::step(IncomingMessage request, Reply reply) {
  cluster::StepRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  absl::StatusOr<Sessions::Task> task = sessions_.find(control.session());
  if (!task.ok())
    return reply(task.status());
  bool isEnded = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isEnded = end_.has_value();
    if (!isEnded)
      if (absl::Status status = claim(control); !status.ok())
        return reply(status);
  }
  // The step waits for these shards, so nothing moves while they are read.
  std::vector<std::unique_ptr<SumSet>> sums;
  absl::Status status = isEnded ? absl::OkStatus() : receive(control, request, sums);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!status.ok()) {
      std::fill(claimed_.begin() + control.first_shard(), claimed_.begin() + control.last_shard(), false);
      return reply(status);
    }
    for (int i = 0; i < static_cast<int>(sums.size()); ++i)
      received_.emplace_back(SumNode{control.nodes(i).level(), control.nodes(i).index()}, std::move(sums[i]));
    if (!isEnded) {
      numShardsHere_ += control.last_shard() - control.first_shard();
      contributed_.insert(task->name());
    }
    waiters_.push_back({"step", task->name(), control.step(), Clock::now(), std::move(reply)});
  }
  if (isEnded)
    answerDue();
  changed_.notify_all();
}

absl::Status ParameterServer::update() {
  CallContext context;
  context.seed = plan_->seed();
  context.step = step_;
  tree_->begin(symbols_, context);
  auto source = [this](SumNode node, SumSet &sums) -> absl::StatusOr<SumTree::Found> {
    auto found =
        std::find_if(received_.begin(), received_.end(), [&](const auto &entry) { return entry.first == node; });
    if (found == received_.end())
      return node.level == 0 ? SumTree::Found::Absent : SumTree::Found::Below;
    std::swap(sums, *found->second);
    return SumTree::Found::Here;
  };
  absl::StatusOr<SumSet *> root = tree_->fold({rootLevel(plan_->virtual_shards()), 0}, source);
  if (!root.ok())
    return root.status();
  if (!*root)
    return absl::InvalidArgumentError(absl::StrCat("step ", step_, " has a batch without rows"));
  SumOperands sums;
  sums.a = *root;
  return apply_.runSums(context, sums, symbols_);
}

absl::StatusOr<std::string> ParameterServer::serve(const std::function<bool()> &isInterrupted) {
  constexpr std::chrono::milliseconds kTick{100}, kFarewell{2000};
  std::optional<Clock::time_point> ended;
  std::unique_lock<std::mutex> lock(mutex_);
  absl::Status failure;
  while (failure.ok()) {
    if (end_) {
      if (!ended)
        ended = Clock::now();
      const bool allKnow = std::all_of(options_.trainers.begin(), options_.trainers.end(),
                                       [&](const std::string &trainer) { return told_.count(trainer) > 0; });
      if (allKnow || Clock::now() - *ended > kFarewell)
        return *end_;
    } else if (plan_ && numShardsHere_ == plan_->virtual_shards()) {
      // Everyone waits for this.
      failure = update();
      if (!failure.ok())
        break;
      ++step_;
      received_.clear();
      contributed_.clear();
      numShardsHere_ = 0;
      std::fill(claimed_.begin(), claimed_.end(), false);
      lock.unlock();
      answerDue();
      lock.lock();
      continue;
    }
    // The first step waits for tasks that come; later ones for tasks that were there.
    const auto patience = plan_ && step_ > plan_->step() ? options_.stallTimeout : options_.startTimeout;
    for (const Waiter &waiter : waiters_)
      if (!end_ && Clock::now() - waiter.since > patience)
        failure = absl::DeadlineExceededError(absl::StrCat(
            waiter.task, " waits since ", std::chrono::duration_cast<std::chrono::seconds>(patience).count(),
            " s at step ", waiter.step, " for ", missing()));
    if (failure.ok() && isInterrupted())
      failure = absl::CancelledError("the server was told to stop");
    if (failure.ok())
      changed_.wait_for(lock, kTick);
  }
  std::vector<Waiter> left = takeWaiters([](const Waiter &) { return true; });
  lock.unlock();
  for (Waiter &waiter : left)
    waiter.reply(failure);
  return failure;
}

} // namespace mlcrt
