// Asynchronous training: applies each push as it comes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/AsyncServer.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace mlcrt {

/// Larger numbers of updates in between are counted together.
static constexpr int kStalenessBuckets = 64;

/// The variable that schedules and optimizers take the step from, or -1.
static int32_t findStepVariable(const Artifact &artifact) {
  const int32_t index = artifact.variableIndex("global_step");
  if (index < 0)
    return -1;
  const mlcrt_value &value = artifact.table().variables[index].value;
  return value.dtype == MLCRT_I64 && value.rank == 0 ? index : -1;
}

AsyncServer::AsyncServer(Program &program, ThreadPool &pool, Sessions &sessions, ServerOptions options)
    : ParameterServer(program, sessions, std::move(options), pool),
      stepVariable_(findStepVariable(program.artifact())) {}

void AsyncServer::loaded() { applied_ = TicketSet::atStart(*plan_); }

void AsyncServer::addState(const std::string &method, cluster::StateReply &control, OutgoingMessage &message) {
  lastCall_ = Clock::now();
  *control.mutable_applied() = applied_.message();
  if (method == "progress")
    return;
  // Copies: the next update does not wait for the network.
  if (method == pushMethod())
    OutputWire::sendCopy(apply_.outputs(), message);
  (method == "fetch" ? all_ : read_).sendCopy(message);
}

absl::Status AsyncServer::check(const cluster::PushRequest &control, const Symbols &symbols) const {
  if (!plan_)
    return absl::FailedPreconditionError("a push before the run has begun");
  const int64_t limit = plan_->max_steps();
  if (control.ticket() < 0 || (limit >= 0 && control.ticket() >= limit))
    return absl::InvalidArgumentError(
        absl::StrCat("a push of ticket ", control.ticket(), " in a run of ", limit, " steps"));
  if (control.version() < plan_->step() || control.version() > step_)
    return absl::InvalidArgumentError(
        absl::StrCat("a gradient at step ", control.version(), ": the server is at step ", step_));
  if (applied_.contains(control.ticket()) && staleness_.pushes() == 0)
    return absl::FailedPreconditionError(absl::StrCat("a push of ticket ", control.ticket(), " of an earlier run"));
  return checkSums(symbols, static_cast<int64_t>(options_.trainers.size()));
}

void AsyncServer::push(IncomingMessage request, const std::string &task, Reply reply) {
  auto push = std::make_unique<Push>();
  if (absl::Status status = parseControl(request, push->control); !status.ok())
    return reply(status);
  push->symbols.assign(push->control.symbols().begin(), push->control.symbols().end());
  bool isEnded = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isEnded = end_.has_value();
    if (!isEnded)
      if (absl::Status status = check(push->control, push->symbols); !status.ok())
        return reply(status);
  }
  if (isEnded)
    return addWaiter({pushMethod(), task, push->control.ticket(), Clock::now(), std::move(reply)});
  absl::Status status = sumWire_.receive(request, push->symbols, push->sums);
  status.Update(request.finish());
  if (!status.ok())
    return reply(status);
  push->task = task;
  push->reply = std::move(reply);
  std::unique_ptr<Push> replaced;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // A task has one push at a time: another one means that it gave the first up.
    auto before = std::find_if(queue_.begin(), queue_.end(), [&](const auto &each) { return each->task == task; });
    if (before != queue_.end()) {
      replaced = std::move(*before);
      queue_.erase(before);
    }
    queue_.push_back(std::move(push));
  }
  if (replaced)
    replaced->reply(absl::AbortedError(absl::StrCat(task, " pushed again before it had its answer")));
  changed_.notify_all();
}

void AsyncServer::count(int64_t staleness) {
  while (staleness_.counts_size() <= std::min<int64_t>(staleness, kStalenessBuckets - 1))
    staleness_.add_counts(0);
  const int bucket = static_cast<int>(std::min<int64_t>(staleness, kStalenessBuckets - 1));
  staleness_.set_counts(bucket, staleness_.counts(bucket) + 1);
  staleness_.set_pushes(staleness_.pushes() + 1);
  staleness_.set_sum(staleness_.sum() + staleness);
  staleness_.set_max(std::max(staleness_.max(), staleness));
}

bool AsyncServer::setStepVariable(int64_t from, int64_t to) {
  if (stepVariable_ < 0)
    return false;
  Tensor value;
  program_.state().read(stepVariable_, value);
  if (*value.as<int64_t>() != from)
    return false;
  return program_.state()
      .fill(stepVariable_,
            [to](void *at, int64_t bytes) {
              std::memcpy(at, &to, bytes);
              return absl::OkStatus();
            })
      .ok();
}

absl::Status AsyncServer::apply(const Push &push) {
  CallContext context;
  context.seed = plan_->seed();
  context.step = push.control.ticket();
  // Schedules see the number of the ticket; what the state keeps is the number of updates.
  const bool countsSteps = setStepVariable(step_, context.step);
  SumOperands sums;
  sums.a = &push.sums;
  if (absl::Status status = apply_.runSums(context, sums, push.symbols); !status.ok())
    return status;
  if (countsSteps)
    setStepVariable(context.step + 1, step_ + 1);
  return absl::OkStatus();
}

absl::StatusOr<bool> AsyncServer::advance(std::unique_lock<std::mutex> &lock) {
  if (queue_.empty())
    return false;
  std::unique_ptr<Push> push = std::move(queue_.front());
  queue_.pop_front();
  const bool isRepeated = applied_.contains(push->control.ticket());
  if (isRepeated) {
    staleness_.set_repeated_pushes(staleness_.repeated_pushes() + 1);
  } else {
    lock.unlock();
    absl::Status status = apply(*push);
    lock.lock();
    if (!status.ok()) {
      lock.unlock();
      push->reply(status);
      lock.lock();
      return status;
    }
    count(step_ - push->control.version());
    applied_.insert(push->control.ticket());
    ++step_;
  }
  OutgoingMessage message = stateMessage(pushMethod());
  lock.unlock();
  push->reply(std::move(message));
  lock.lock();
  return true;
}

void AsyncServer::giveUp(std::vector<Waiter> &waiters) {
  for (std::unique_ptr<Push> &push : queue_)
    waiters.push_back({pushMethod(), push->task, push->control.ticket(), Clock::now(), std::move(push->reply)});
  queue_.clear();
}

absl::Status AsyncServer::checkStall() const {
  if (!plan_) {
    for (const Waiter &waiter : waiters_)
      if (Clock::now() - waiter.since > options_.startTimeout)
        return absl::DeadlineExceededError(
            absl::StrCat(waiter.task, " waits for the chief, which has not begun the run"));
    return absl::OkStatus();
  }
  // The chief asks again and again while it lives.
  if (Clock::now() - lastCall_ <= options_.stallTimeout)
    return absl::OkStatus();
  return absl::DeadlineExceededError(absl::StrCat(
      "no task has called since ", std::chrono::duration_cast<std::chrono::seconds>(options_.stallTimeout).count(),
      " s, at step ", step_));
}

} // namespace mlcrt
