// Asynchronous training: applies each push as it comes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/AsyncServer.h"

#include "runtime/src/core/RunObservation.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <thread>

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

AsyncServer::AsyncServer(Program &program, const ShardPlan &plan, const SumRanges &ranges, ThreadPool &pool,
                         Sessions &sessions, ServerOptions options)
    : ParameterServer(program, plan, ranges, sessions, std::move(options), pool),
      stepVariable_(isFirst() ? findStepVariable(program.artifact()) : -1) {}

AsyncServer::~AsyncServer() { unfollow(); }

void AsyncServer::loaded() { applied_ = TicketSet::atStart(*run_); }

void AsyncServer::addState(const std::string &method, const TableIds &rows, cluster::StateReply &control,
                           OutgoingMessage &message) {
  lastCall_ = Clock::now();
  *control.mutable_applied() = applied_.message();
  if (method == "hold")
    heldSince_ = Clock::now();
  if (method == "progress" || method == "hold")
    return;
  // Copies: the next update does not wait for the network.
  if (method == pushMethod() && isFirst())
    OutputWire::sendCopy(update_.outputs(), message);
  rowWire_.sendRows(rows, program_.state(), pool_, message);
  message.front = message.payloadSize(); // the next step begins with it
  if (method != "rows")
    (method == "fetch" ? all_ : read_).sendCopy(message);
}

std::optional<std::pair<Symbols, int64_t>> AsyncServer::sumsOf(const std::string &control) const {
  cluster::PushRequest request;
  if (!request.ParseFromString(control))
    return std::nullopt;
  return std::make_pair(Symbols(request.symbols().begin(), request.symbols().end()),
                        static_cast<int64_t>(options_.trainers.size()));
}

absl::Status AsyncServer::check(const cluster::PushRequest &control, const Symbols &symbols) const {
  if (!run_)
    return absl::AbortedError("a push before the run has begun");
  const int64_t limit = run_->max_steps();
  if (control.ticket() < 0 || (limit >= 0 && control.ticket() >= limit))
    return absl::InvalidArgumentError(
        absl::StrCat("a push of ticket ", control.ticket(), " in a run of ", limit, " steps"));
  // What a task knows is the step of server 0, which others follow.
  if (control.version() < run_->step() || (isFirst() && control.version() > step_))
    return absl::InvalidArgumentError(
        absl::StrCat("a gradient at step ", control.version(), ": the server is at step ", step_));
  if (applied_.contains(control.ticket()) && step_ == run_->step())
    return absl::AbortedError(absl::StrCat("a push of ticket ", control.ticket(), " of an earlier run"));
  return checkSums(symbols, static_cast<int64_t>(options_.trainers.size()));
}

void AsyncServer::push(IncomingMessage request, const std::string &task, Reply reply) {
  auto push = std::make_unique<Push>();
  push->hold = takeHold(request);
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
  absl::Status status = receiveSums(request, push->symbols, push->sums);
  if (status.ok()) {
    absl::StatusOr<TableIds> rows = rowWire_.receiveIds(request);
    status = rows.ok() ? request.finish() : rows.status();
    push->rows = std::move(rows).value_or(TableIds());
  }
  if (!status.ok())
    return reply(status);
  push->task = task;
  push->reply = std::move(reply);
  std::unique_ptr<Push> replaced;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // A task has one push at a time: another one means that it gave the first up.
    auto before = std::find_if(queue_.begin(), queue_.end(), [&](const auto &each) { return each->task == task; });
    if (before != queue_.end() && announced_.count((*before)->control.ticket())) {
      // Server 0 knows of it: it is applied, and this one answered.
      if ((*before)->control.ticket() == push->control.ticket()) {
        std::swap((*before)->reply, push->reply);
        replaced = std::move(push);
      } else {
        (*before)->task.clear();
        queue_.push_back(std::move(push));
      }
    } else {
      if (before != queue_.end()) {
        replaced = std::move(*before);
        queue_.erase(before);
      }
      queue_.push_back(std::move(push));
    }
  }
  if (replaced)
    replaced->reply(absl::AbortedError(absl::StrCat(task, " pushed again before it had its answer")));
  changed_.notify_all();
}

void AsyncServer::count(int64_t staleness) {
  if (RunObservation *run = program_.observation())
    run->metrics().staleness.observe(staleness);
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
  if (!program_.state().read(stepVariable_, value).ok() || *value.as<int64_t>() != from)
    return false;
  return program_.state()
      .fill(stepVariable_,
            [to](void *at, int64_t bytes) {
              std::memcpy(at, &to, bytes);
              return absl::OkStatus();
            })
      .ok();
}

RangeUpdate::Call AsyncServer::callOf(Push &push) const {
  RangeUpdate::Call call;
  call.context.seed = run_->seed();
  call.context.step = push.control.ticket();
  call.sums = push.sums.get();
  call.global = &push.symbols;
  return call;
}

absl::Status AsyncServer::apply(Push &push) {
  const int64_t ticket = push.control.ticket();
  // Schedules see the number of the ticket; what the state keeps is the number of updates.
  const bool countsSteps = setStepVariable(step_, ticket);
  if (push.answer)
    if (absl::Status status = takeValues(/*phase=*/0, push.values, **push.answer); !status.ok())
      return status;
  if (absl::Status status = update(ticket, callOf(push), /*phase=*/push.answer ? 1 : 0); !status.ok())
    return status;
  if (countsSteps)
    setStepVariable(ticket + 1, step_ + 1);
  return absl::OkStatus();
}

std::deque<std::unique_ptr<AsyncServer::Push>>::iterator AsyncServer::findNext() {
  return std::find_if(queue_.begin(), queue_.end(), [this](const std::unique_ptr<Push> &push) {
    const int64_t ticket = push->control.ticket();
    if (applied_.contains(ticket))
      return true;
    if (isFirst())
      return !heldSince_ && areAllAt(ticket, /*phase=*/0);
    return push->answer && (!push->answer->ok() || !push->values.end().empty() || push->values.number() == step_);
  });
}

absl::Status AsyncServer::announce(std::unique_lock<std::mutex> &lock) {
  if (!lost_.empty()) {
    constexpr std::chrono::milliseconds kPause{50};
    lock.unlock();
    std::this_thread::sleep_for(kPause);
    lock.lock();
  }
  for (int64_t ticket : lost_)
    announced_.erase(ticket);
  lost_.clear();
  for (size_t i = 0; i < queue_.size(); ++i) {
    Push &push = *queue_[i];
    const int64_t ticket = push.control.ticket();
    const bool isKnown = announced_.count(ticket) > 0;
    if (isKnown || applied_.contains(ticket))
      continue;
    announced_.insert(ticket);
    lock.unlock();
    absl::StatusOr<RangeUpdate::Part> part = update_.runPartials(/*phase=*/0, callOf(push));
    if (part.ok()) {
      auto bytes = std::make_shared<std::string>(std::move(part->values));
      first_->start("exchange", exchangeRequest(ticket, /*phase=*/0, *part),
                    {{bytes->data(), static_cast<int64_t>(bytes->size()), bytes}},
                    options_.stallTimeout + options_.startTimeout,
                    [this, ticket](absl::StatusOr<IncomingMessage> reply) { answered(ticket, std::move(reply)); });
    }
    lock.lock();
    if (!part.ok())
      return part.status();
  }
  return absl::OkStatus();
}

void AsyncServer::answered(int64_t ticket, absl::StatusOr<IncomingMessage> reply) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // It may have been given up with its run.
    for (std::unique_ptr<Push> &push : queue_)
      if (push->control.ticket() == ticket && !push->answer) {
        if (reply.ok())
          if (absl::Status status = parseControl(*reply, push->values); !status.ok())
            reply = status;
        if (absl::IsUnavailable(reply.status()) && first_ && first_->lost().ok())
          lost_.insert(ticket); // the connection broke: `announce` asks again
        else
          push->answer = std::move(reply);
        break;
      }
  }
  changed_.notify_all();
}

absl::StatusOr<bool> AsyncServer::advance(std::unique_lock<std::mutex> &lock) {
  // A chief that held the state and went away holds it no longer.
  if (heldSince_ && Clock::now() - *heldSince_ > options_.stallTimeout)
    heldSince_.reset();
  if (!isFirst())
    if (absl::Status status = announce(lock); !status.ok())
      return status;
  auto next = findNext();
  if (next == queue_.end())
    return false;
  std::unique_ptr<Push> push = std::move(*next);
  queue_.erase(next);
  const bool isRepeated = applied_.contains(push->control.ticket());
  if (isRepeated) {
    staleness_.set_repeated_pushes(staleness_.repeated_pushes() + 1);
  } else {
    if (push->answer && push->answer->ok() && !push->values.end().empty()) {
      // The chief tells this server, too.
      if (!end_) {
        end_ = push->values.end();
        exit_ = push->values.exit();
      }
      waiters_.push_back({pushMethod(), push->task, push->control.ticket(), Clock::now(), std::move(push->reply)});
      return true;
    }
    lock.unlock();
    absl::Status status = push->answer && !push->answer->ok() ? push->answer->status() : apply(*push);
    lock.lock();
    if (!status.ok()) {
      if (end_) {
        waiters_.push_back({pushMethod(), push->task, push->control.ticket(), Clock::now(), std::move(push->reply)});
        return true;
      }
      lock.unlock();
      push->reply(status);
      lock.lock();
      return status;
    }
    if (isFirst())
      count(step_ - push->control.version());
    applied_.insert(push->control.ticket());
    announced_.erase(push->control.ticket());
    ++step_;
  }
  absl::StatusOr<OutgoingMessage> message = answerTo(pushMethod(), push->task, push->rows, std::move(push->hold));
  keepSpare(std::move(push->sums));
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
  if (!run_) {
    for (const Waiter &waiter : waiters_)
      if (Clock::now() - waiter.since > options_.startTimeout)
        return absl::DeadlineExceededError(
            absl::StrCat(waiter.task, " waits for the chief, which has not begun the run"));
    return absl::OkStatus();
  }
  if (const std::string &chief = options_.trainers.front(); options_.peers && options_.peers->isDead(chief))
    return absl::DeadlineExceededError(absl::StrCat(options_.peers->obituary(chief), ", at step ", step_));
  // The chief asks again and again while it lives.
  if (Clock::now() - lastCall_ <= options_.stallTimeout)
    return absl::OkStatus();
  return absl::DeadlineExceededError(absl::StrCat(
      "no task has called since ", std::chrono::duration_cast<std::chrono::seconds>(options_.stallTimeout).count(),
      " s, at step ", step_));
}

} // namespace mlcrt
