// A server: holds the state of a run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/ParameterServer.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace mlcrt {

ParameterServer::ParameterServer(Program &program, Sessions &sessions, ServerOptions options, ThreadPool &pool)
    : program_(program), options_(std::move(options)), pool_(pool), sumWire_(program.artifact()),
      all_(program.state(), VariableWire::ofTraining(program.artifact())),
      read_(program.state(), VariableWire::readByTrainers(program.artifact())),
      apply_(program, *program.artifact().entry(MLCRT_ROLE_TRAIN_APPLY), pool), sessions_(sessions) {}

ParameterServer::~ParameterServer() = default;

void ParameterServer::handle(std::string_view method, IncomingMessage request, Reply reply) {
  if (method == "hello")
    return sessions_.hello(request, reply);
  const bool isPull = method == "pull" || method == "fetch" || method == "progress";
  if (!isPull && method != pushMethod() && method != "load" && method != "end" && method != "leave")
    return reply(absl::UnimplementedError(absl::StrCat("this server has no method '", std::string(method), "'")));
  // Control parts of all methods have the session at the same place.
  cluster::LeaveRequest any;
  if (absl::Status status = parseControl(request, any); !status.ok())
    return reply(status);
  absl::StatusOr<Sessions::Task> task = sessions_.find(any.session());
  if (!task.ok())
    return reply(task.status());
  if ((method == "load" || method == "end") && task->role != "chief")
    return reply(absl::PermissionDeniedError(
        absl::StrCat("'", std::string(method), "' is the chief's, not ", task->name(), "'s")));
  if (isPull)
    pull(std::string(method), request, *task, std::move(reply));
  else if (method == "load")
    load(std::move(request), reply);
  else if (method == "end")
    end(request, *task, reply);
  else if (method == "leave")
    leave(*task, reply);
  else
    push(std::move(request), task->name(), std::move(reply));
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

void ParameterServer::load(IncomingMessage request, const Reply &reply) {
  cluster::LoadRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
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
    loaded();
  }
  reply(makeMessage(cluster::LoadReply()));
  changed_.notify_all();
}

void ParameterServer::end(const IncomingMessage &request, const Sessions::Task &task, const Reply &reply) {
  cluster::EndRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  cluster::EndReply report;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!end_)
      end_ = control.reason().empty() ? "ended" : control.reason();
    told_.insert(task.name());
    addReport(report);
  }
  reply(makeMessage(report));
  changed_.notify_all();
}

void ParameterServer::leave(const Sessions::Task &task, const Reply &reply) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    told_.insert(task.name());
  }
  reply(makeMessage(cluster::LeaveReply()));
  changed_.notify_all();
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
  OutgoingMessage message;
  if (end_)
    control.set_end(*end_);
  else
    addState(method, control, message);
  message.control = makeMessage(control).control;
  return message;
}

void ParameterServer::answerDue(std::unique_lock<std::mutex> &lock) {
  std::vector<Waiter> due = takeWaiters([this](const Waiter &waiter) { return end_ || (plan_ && isDue(waiter)); });
  if (due.empty())
    return;
  std::vector<OutgoingMessage> messages;
  for (const Waiter &waiter : due) {
    messages.push_back(stateMessage(waiter.method));
    if (end_)
      told_.insert(waiter.task);
  }
  lock.unlock();
  for (size_t i = 0; i < due.size(); ++i)
    due[i].reply(std::move(messages[i]));
  lock.lock();
}

void ParameterServer::addWaiter(Waiter waiter) {
  OutgoingMessage message;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!end_) {
      waiters_.push_back(std::move(waiter));
      changed_.notify_all();
      return;
    }
    // Nobody may serve any more.
    message = stateMessage(waiter.method);
    told_.insert(waiter.task);
  }
  waiter.reply(std::move(message));
  changed_.notify_all();
}

void ParameterServer::pull(const std::string &method, const IncomingMessage &request, const Sessions::Task &task,
                           Reply reply) {
  cluster::PullRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (plan_ && !end_)
      if (absl::Status status = checkPull(control); !status.ok())
        return reply(status);
  }
  addWaiter({method, task.name(), control.step(), Clock::now(), std::move(reply)});
}

absl::Status ParameterServer::checkSums(const Symbols &symbols, int64_t sets) const {
  if (static_cast<int32_t>(symbols.size()) != program_.artifact().symbolCount() ||
      std::any_of(symbols.begin(), symbols.end(), [](int64_t value) { return value < 0; }))
    return absl::InvalidArgumentError(absl::StrCat("a push with ", symbols.size(), " dimension symbols; expected ",
                                                   program_.artifact().symbolCount(), " numbers >= 0"));
  const int64_t bytes = sumWire_.bytes(symbols);
  if (bytes < 0 || bytes > options_.maxStepBytes / std::max<int64_t>(1, sets))
    return absl::ResourceExhaustedError(absl::StrCat("a push of ", sets, " sums of ", bytes, " bytes"));
  return absl::OkStatus();
}

absl::StatusOr<std::string> ParameterServer::serve(const std::function<bool()> &isInterrupted) {
  constexpr std::chrono::milliseconds kTick{100}, kFarewell{2000};
  std::optional<Clock::time_point> ended;
  std::unique_lock<std::mutex> lock(mutex_);
  absl::Status failure;
  while (failure.ok()) {
    if (end_)
      giveUp(waiters_);
    answerDue(lock);
    if (end_) {
      if (!ended)
        ended = Clock::now();
      const bool allKnow = std::all_of(options_.trainers.begin(), options_.trainers.end(),
                                       [&](const std::string &trainer) { return told_.count(trainer) > 0; });
      if (allKnow || Clock::now() - *ended > kFarewell)
        return *end_;
    } else if (plan_) {
      absl::StatusOr<bool> moved = advance(lock);
      if (moved.ok() && *moved)
        continue;
      failure = moved.status();
    }
    if (failure.ok() && !end_)
      failure = checkStall();
    if (failure.ok() && isInterrupted())
      failure = absl::CancelledError("the server was told to stop");
    if (failure.ok())
      changed_.wait_for(lock, kTick);
  }
  giveUp(waiters_);
  std::vector<Waiter> left = takeWaiters([](const Waiter &) { return true; });
  lock.unlock();
  for (Waiter &waiter : left)
    waiter.reply(failure);
  return failure;
}

} // namespace mlcrt
