// Synchronous steps of a task where others may stand in for it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/BackupStepper.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace mlcrt {

/// The calls of a step. A question that nobody waits for any more may outlive it.
class BackupStepper::Calls {
public:
  explicit Calls(size_t servers) : answers(servers) {}

  std::mutex mutex;
  std::condition_variable changed;
  /// Of this task's own push, by server.
  std::vector<Answer<cluster::StateReply>> answers;
  std::set<size_t> unanswered;
  /// Pushes of shards of others on their way.
  int backups = 0;
  struct Broken {
    std::shared_ptr<const Push> push;
    size_t server;
    absl::Status why;
  };
  /// Pushes, of any shards, whose connection broke.
  std::vector<Broken> broken;
  absl::Status failure;
  /// The answer to "late".
  std::optional<absl::StatusOr<IncomingMessage>> late;
};

absl::StatusOr<std::unique_ptr<BackupStepper>> BackupStepper::create(Program &program, ThreadPool &pool,
                                                                     const ServerLinks &servers, int64_t virtualShards,
                                                                     ShardRange shards, BackupOptions::Policy policy,
                                                                     PrepareShards prepare,
                                                                     std::chrono::milliseconds timeout) {
  std::unique_ptr<BackupStepper> stepper(
      new BackupStepper(program, servers, virtualShards, shards, policy, std::move(prepare), timeout));
  if (absl::Status status = stepper->open(pool, virtualShards); !status.ok())
    return status;
  return stepper;
}

absl::StatusOr<std::shared_ptr<const BackupStepper::Push>> BackupStepper::sumShards(ShardRange shards, bool isBackup,
                                                                                    const CallContext &context) {
  auto push = std::make_shared<Push>();
  push->request = requestOf(shards, context);
  push->request.set_is_backup(isBackup);
  push->payloads.resize(servers_.size());
  for (const cluster::Node &node : push->request.nodes()) {
    absl::StatusOr<SumSet *> sums = shardStep_->sum({node.level(), node.index()});
    if (!sums.ok())
      return sums.status();
    for (size_t k = 0; k < servers_.size(); ++k)
      servers_[k].sums.send(**sums, push->payloads[k]);
  }
  for (const OutgoingMessage &payload : push->payloads)
    pushedBytes_ += payload.payloadSize();
  return std::shared_ptr<const Push>(std::move(push));
}

void BackupStepper::startStep(const std::shared_ptr<const Push> &push, size_t server,
                              const std::shared_ptr<Calls> &calls) {
  servers_[server].link->start("step", push->request, push->payloads[server].payload, timeout_,
                               [calls, push, server](absl::StatusOr<IncomingMessage> reply) {
                                 std::lock_guard<std::mutex> lock(calls->mutex);
                                 if (absl::IsUnavailable(reply.status())) {
                                   calls->broken.push_back({push, server, reply.status()});
                                 } else if (push->request.is_backup()) {
                                   --calls->backups;
                                   calls->failure.Update(reply.status());
                                 } else {
                                   calls->unanswered.erase(server);
                                   calls->answers[server].message = std::move(reply);
                                 }
                                 calls->changed.notify_all();
                               });
}

void BackupStepper::startStep(const std::shared_ptr<const Push> &push, const std::shared_ptr<Calls> &calls) {
  {
    std::lock_guard<std::mutex> lock(calls->mutex);
    for (size_t k = 0; k < servers_.size(); ++k)
      push->request.is_backup() ? void(++calls->backups) : void(calls->unanswered.insert(k));
  }
  for (size_t k = 0; k < servers_.size(); ++k)
    startStep(push, k, calls);
}

void BackupStepper::await(std::unique_lock<std::mutex> &lock, CallRetry &retry, const std::shared_ptr<Calls> &calls,
                          const std::function<bool()> &isDone) {
  while (!isDone()) {
    if (calls->broken.empty()) {
      calls->changed.wait(lock, [&] { return isDone() || !calls->broken.empty(); });
      continue;
    }
    // Servers take each shard once, whoever pushes it and however often.
    const std::vector<Calls::Broken> broken = std::exchange(calls->broken, {});
    lock.unlock();
    absl::Status why = broken.front().why;
    const bool again = retry.again(why);
    for (const Calls::Broken &each : broken)
      if (again)
        startStep(each.push, each.server, calls);
    lock.lock();
    for (const Calls::Broken &each : broken)
      if (!again && each.push->request.is_backup()) {
        --calls->backups;
        calls->failure.Update(why);
      } else if (!again) {
        calls->unanswered.erase(each.server);
        calls->answers[each.server].message = why;
      }
  }
}

absl::Status BackupStepper::help(const BatchView &batch, TrainSlots &slots, const CallContext &context,
                                 CallRetry &retry, const std::shared_ptr<Calls> &calls) {
  // A server that is done with the step asks for nothing more; another may still miss shards of a task that stopped
  // between its pushes.
  std::set<size_t> done;
  std::map<size_t, int64_t> got; // the last shard, by server
  int64_t numQuestions = 0;
  std::set<int64_t> computed;
  std::unique_lock<std::mutex> lock(calls->mutex);
  while (!calls->unanswered.empty() && calls->failure.ok()) {
    auto asked =
        std::find_if(calls->unanswered.begin(), calls->unanswered.end(), [&](size_t k) { return !done.count(k); });
    if (asked == calls->unanswered.end())
      break;
    const size_t server = *asked;
    lock.unlock();
    cluster::PullRequest question;
    question.set_step(context.step);
    question.set_question(numQuestions++);
    if (auto last = got.find(server); last != got.end())
      question.set_got(last->second);
    servers_[server].link->start("late", question, {}, timeout_, [calls](absl::StatusOr<IncomingMessage> reply) {
      std::lock_guard<std::mutex> guard(calls->mutex);
      calls->late = std::move(reply);
      calls->changed.notify_all();
    });
    lock.lock();
    await(lock, retry, calls, [&] { return calls->late || calls->unanswered.empty(); });
    if (!calls->late)
      break;
    absl::StatusOr<IncomingMessage> reply = *std::exchange(calls->late, std::nullopt);
    lock.unlock();
    cluster::StateReply control;
    absl::Status status = reply.ok() ? parseControl(*reply, control) : reply.status();
    if (!status.ok() && !retry.again(status))
      return status;
    if (!status.ok()) {
      lock.lock();
      continue;
    }
    if (!control.has_late()) {
      done.insert(server);
      lock.lock();
      continue;
    }
    const ShardRange range = {control.late().first(), control.late().last()};
    if (range.first < 0 || range.last != range.first + 1 || range.last > virtualShards_)
      return absl::InternalError(absl::StrCat("late shards [", range.first, ", ", range.last, ")"));
    got[server] = range.first;
    const bool isMine = range.first >= shards_.first && range.first < shards_.last;
    if (!isMine && computed.insert(range.first).second)
      if (absl::Status prepared = prepare_(batch, slots, context, range); !prepared.ok())
        return prepared;
    absl::StatusOr<std::shared_ptr<const Push>> push = sumShards(range, /*isBackup=*/true, context);
    if (!push.ok())
      return push.status();
    ++recomputed_;
    startStep(*push, calls);
    lock.lock();
  }
  return absl::OkStatus();
}

absl::Status BackupStepper::run(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  if (absl::Status status = shardStep_->begin(batch, slots, context); !status.ok())
    return status;
  absl::StatusOr<std::shared_ptr<const Push>> push = sumShards(shards_, /*isBackup=*/false, context);
  if (!push.ok())
    return push.status();
  auto calls = std::make_shared<Calls>(servers_.size());
  startStep(*push, calls);
  absl::Status helped;
  CallRetry retry = this->retry();
  if (policy_ == BackupOptions::Policy::Redundant)
    helped = help(batch, slots, context, retry, calls);
  {
    // What was sent lies in this step's memory.
    std::unique_lock<std::mutex> lock(calls->mutex);
    await(lock, retry, calls, [&] { return calls->unanswered.empty() && calls->backups == 0; });
    if (helped.ok())
      helped = calls->failure;
  }
  int64_t least = INT64_MAX, most = 0;
  for (Answer<cluster::StateReply> &answer : calls->answers) {
    // A task that stood still for long finds its calls timed out, which the run need not be.
    if (absl::IsDeadlineExceeded(answer.message.status()) && pull(context.step).ok() &&
        (version_ > context.step || isOver())) {
      missed_ += std::max<int64_t>(0, version_ - context.step - 1);
      return absl::OkStatus();
    }
    if (!answer.message.ok())
      return answer.message.status();
    if (absl::Status status = parseControl(*answer.message, answer.control); !status.ok())
      return status;
    least = std::min(least, answer.control.step());
    most = std::max(most, answer.control.step());
    if (!answer.control.end().empty()) {
      ended_ = answer.control.end();
      endedExit_ = answer.control.exit();
    }
  }
  // The end of a run is no error of those who helped.
  if (!ended_.empty())
    return absl::OkStatus();
  if (!helped.ok())
    return helped;
  if (least <= context.step)
    return absl::InternalError(absl::StrCat("a server is at step ", least, " after step ", context.step));
  absl::Status status;
  if (least == most) {
    status = OutputWire::receive(*calls->answers.front().message, results_);
    status.Update(status.ok() ? takeAnswers(calls->answers, &ServerTensors::read) : status);
  } else {
    status = OutputWire::receive(*calls->answers.front().message, results_);
    status.Update(status.ok() ? pull(most) : status);
  }
  missed_ += std::max<int64_t>(0, version_ - context.step - 1);
  return status;
}

absl::Status BackupStepper::takeAlike(const char *method, int64_t step, VariableWire ServerTensors::*variables) {
  // A step of the others takes longer than this: a few attempts are many.
  constexpr int kAttempts = 1000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    cluster::PullRequest request;
    request.set_step(step);
    std::vector<Answer<cluster::StateReply>> answers;
    if (absl::Status status = callAll(method, request, {}, answers); !status.ok())
      return status;
    bool areAlike = true;
    for (const Answer<cluster::StateReply> &answer : answers) {
      if (!answer.control.end().empty()) {
        ended_ = answer.control.end();
        endedExit_ = answer.control.exit();
        return absl::OkStatus();
      }
      step = std::max(step, answer.control.step());
      areAlike &= answer.control.step() == answers.front().control.step();
    }
    if (areAlike)
      return takeAnswers(answers, variables);
  }
  return absl::DeadlineExceededError(absl::StrCat("servers were at one step in none of ", kAttempts, " attempts"));
}

} // namespace mlcrt
