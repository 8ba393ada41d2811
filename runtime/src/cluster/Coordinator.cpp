// What the chief does for other training tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/Coordinator.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace mlcrt {

ShardRange shardsOf(int64_t trainer, int64_t trainers, int64_t virtualShards) {
  return {virtualShards * trainer / trainers, virtualShards * (trainer + 1) / trainers};
}

void Coordinator::handle(std::string_view method, IncomingMessage request, Reply reply) {
  if (method == "hello")
    return sessions_.hello(request, reply);
  if (method != "join" && method != "watch" && method != "lease" && method != "leave" && method != "stop")
    return reply(absl::UnimplementedError(absl::StrCat("the chief has no method '", std::string(method), "'")));
  // Control parts of all methods have the session at the same place.
  cluster::LeaveRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  absl::StatusOr<Sessions::Task> task = sessions_.find(control.session());
  if (!task.ok())
    return reply(task.status());
  if (method == "stop")
    return stop(request, *task, reply);
  if (method == "lease" || method == "leave")
    return lease(request, *task, reply, /*leaves=*/method == "leave");
  if (std::find(workers_.begin(), workers_.end(), task->name()) == workers_.end())
    return reply(absl::PermissionDeniedError(absl::StrCat(task->name(), " is no worker")));
  method == "join" ? join(*task, reply) : watch(*task, reply);
}

absl::StatusOr<Placement> Coordinator::place(std::string_view method, const std::string &, int64_t size) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", std::string(method), "' of the chief takes no payload; ", size, " bytes were sent"));
}

cluster::JoinReply Coordinator::replyTo(const std::string &worker) const {
  cluster::JoinReply reply;
  reply.set_end(end_);
  reply.set_exit(exit_);
  if (!end_.empty())
    return reply;
  *reply.mutable_plan() = *plan_;
  const int64_t number = std::find(workers_.begin(), workers_.end(), worker) - workers_.begin() + 1;
  const ShardRange shards = shardsOf(number, plan_->trainers(), plan_->virtual_shards());
  reply.set_first_shard(shards.first);
  reply.set_last_shard(shards.last);
  return reply;
}

void Coordinator::join(const Sessions::Task &task, const Reply &reply) {
  const std::string name = task.name();
  cluster::JoinReply answer;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    joined_[name] = true;
    if (!plan_ && end_.empty()) {
      waiting_[name] = reply;
      return;
    }
    answer = replyTo(name);
  }
  reply(makeMessage(answer));
}

static OutgoingMessage watched(const std::string &end, int exit) {
  cluster::WatchReply reply;
  reply.set_end(end);
  reply.set_exit(exit);
  return makeMessage(reply);
}

void Coordinator::stop(const IncomingMessage &request, const Sessions::Task &task, const Reply &reply) {
  constexpr size_t kShown = 1000; // it goes to logs of all tasks
  cluster::StopRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  if (stopped_)
    stopped_({task.name(), control.reason().substr(0, kShown), control.exit(), control.last_step()});
  reply(makeMessage(cluster::StopReply()));
}

void Coordinator::watch(const Sessions::Task &task, const Reply &reply) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (end_.empty()) {
      watching_[task.name()] = reply;
      return;
    }
  }
  reply(watched(end_, exit_)); // they do not change any more
}

void Coordinator::lease(const IncomingMessage &request, const Sessions::Task &task, const Reply &reply, bool leaves) {
  cluster::LeaseRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  TicketDesk *desk;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    desk = desk_;
  }
  if (!desk)
    return reply(absl::FailedPreconditionError("the chief runs no asynchronous training"));
  if (leaves) {
    desk->leave(task.name());
    return reply(makeMessage(cluster::LeaveReply()));
  }
  auto answer = [reply](absl::StatusOr<cluster::LeaseReply> answer) {
    if (answer.ok())
      reply(makeMessage(*answer));
    else
      reply(answer.status());
  };
  desk->lease(task.name(), answer, control.number());
}

void Coordinator::begin(const cluster::RunPlan &plan, TicketDesk *desk) {
  Replies waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    plan_ = plan;
    desk_ = desk;
    waiting.swap(waiting_);
  }
  for (auto &[worker, reply] : waiting)
    reply(makeMessage(replyTo(worker)));
}

void Coordinator::end(const std::string &reason, int exit) {
  Replies waiting, watching;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!end_.empty())
      return;
    end_ = reason.empty() ? "ended" : reason;
    exit_ = exit;
    waiting.swap(waiting_);
    watching.swap(watching_);
  }
  for (auto &[worker, reply] : waiting)
    reply(makeMessage(replyTo(worker)));
  for (auto &[worker, reply] : watching)
    reply(watched(end_, exit_));
}

void Coordinator::returned(const std::string &task) {
  TicketDesk *desk;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    desk = desk_;
  }
  if (desk)
    desk->leave(task);
}

std::vector<std::string> Coordinator::absent() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  for (const std::string &worker : workers_)
    if (!joined_.count(worker))
      names.push_back(worker);
  return names;
}

} // namespace mlcrt
