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
  if (method == "join")
    return join(request, reply);
  if (method == "lease" || method == "leave") {
    cluster::LeaseRequest control;
    if (absl::Status status = parseControl(request, control); !status.ok())
      return reply(status);
    absl::StatusOr<Sessions::Task> task = sessions_.find(control.session());
    if (!task.ok())
      return reply(task.status());
    return lease(*task, reply, /*leaves=*/method == "leave");
  }
  if (method != "hello")
    return reply(absl::UnimplementedError(absl::StrCat("the chief has no method '", std::string(method), "'")));
  sessions_.hello(request, reply);
}

cluster::JoinReply Coordinator::replyTo(const std::string &worker) const {
  const int64_t number = std::find(workers_.begin(), workers_.end(), worker) - workers_.begin() + 1;
  const ShardRange shards = shardsOf(number, plan_->trainers(), plan_->virtual_shards());
  cluster::JoinReply reply;
  *reply.mutable_plan() = *plan_;
  reply.set_first_shard(shards.first);
  reply.set_last_shard(shards.last);
  return reply;
}

void Coordinator::join(const IncomingMessage &request, const Reply &reply) {
  cluster::JoinRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  absl::StatusOr<Sessions::Task> task = sessions_.find(control.session());
  if (!task.ok())
    return reply(task.status());
  const std::string name = task->name();
  if (std::find(workers_.begin(), workers_.end(), name) == workers_.end())
    return reply(absl::PermissionDeniedError(absl::StrCat(name, " is no worker")));
  cluster::JoinReply plan;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    joined_[name] = true;
    if (!plan_ && cancelled_.ok()) {
      waiting_[name] = reply;
      return;
    }
    if (cancelled_.ok())
      plan = replyTo(name);
  }
  if (!cancelled_.ok())
    return reply(cancelled_);
  reply(makeMessage(plan));
}

void Coordinator::lease(const Sessions::Task &task, const Reply &reply, bool leaves) {
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
  desk->lease(task.name(), [reply](absl::StatusOr<cluster::LeaseReply> answer) {
    if (answer.ok())
      reply(makeMessage(*answer));
    else
      reply(answer.status());
  });
}

void Coordinator::begin(const cluster::RunPlan &plan, TicketDesk *desk) {
  std::map<std::string, Reply> waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    plan_ = plan;
    desk_ = desk;
    waiting.swap(waiting_);
  }
  for (auto &[worker, reply] : waiting)
    reply(makeMessage(replyTo(worker)));
}

void Coordinator::cancel(const absl::Status &status) {
  std::map<std::string, Reply> waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    cancelled_ = status;
    waiting.swap(waiting_);
  }
  for (auto &[worker, reply] : waiting)
    reply(status);
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
