// Pings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/Heartbeats.h"

#include "runtime/src/core/RunObservation.h"

#include <algorithm>
#include <csignal>
#include <utility>
#include <vector>

namespace mlcrt {

cluster::Life currentLife(const RunObservation *run) {
  cluster::Life life;
  if (!run)
    return life;
  const TaskMetrics &metrics = run->metrics();
  const RunObservation::Activity activity = run->activity();
  life.set_step(metrics.globalStep.value());
  life.set_activity(activity.name);
  life.set_activity_milliseconds(activity.lasts.count());
  life.set_examples(metrics.examples.value());
  life.set_bytes(metrics.exchangedBytes.value());
  life.set_staleness_sum(metrics.staleness.sum());
  life.set_staleness_count(metrics.staleness.count());
  return life;
}

void HeartbeatService::handle(std::string_view method, IncomingMessage request, Reply reply) {
  const bool isPing = method == "ping";
  if (!isPing && method != "leave" && method != "end")
    return service_.handle(method, std::move(request), std::move(reply));
  // Control parts of all methods have the session at the same place.
  cluster::PingRequest control;
  absl::Status status = parseControl(request, control);
  absl::StatusOr<Sessions::Task> task = status.ok() ? sessions_.find(control.session()) : status;
  if (!isPing) {
    if (task.ok())
      table_.left(task->name());
    return service_.handle(method, std::move(request), std::move(reply));
  }
  if (!task.ok())
    return reply(task.status());
  table_.heard(task->name(), control.life());
  table_.noteSilent();
  cluster::PingReply answer;
  *answer.mutable_life() = currentLife(table_.observation());
  answer.set_stall(table_.stall());
  reply(makeMessage(answer));
}

void Heartbeats::add(const std::string &peer, PeerLink &link) {
  // It has just let this task in.
  table_.heard(peer, cluster::Life());
  std::lock_guard<std::mutex> lock(shared_->mutex);
  targets_.push_back(std::make_unique<Target>(Target{peer, &link}));
  if (thread_.joinable()) {
    shared_->changed.notify_all();
    return;
  }
  // Signals are for the thread that trains.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Heartbeats::stop() {
  {
    std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->isStopped = true;
  }
  shared_->changed.notify_all();
  if (thread_.joinable())
    thread_.join();
}

void Heartbeats::ping(Target &target) {
  cluster::PingRequest request;
  *request.mutable_life() = currentLife(table_.observation());
  target.link->start("ping", request, {}, interval_,
                     [this, shared = shared_, &target](absl::StatusOr<IncomingMessage> reply) {
                       cluster::PingReply control;
                       std::lock_guard<std::mutex> lock(shared->mutex);
                       if (shared->isStopped)
                         return;
                       target.isToRepeat = absl::IsUnavailable(reply.status());
                       if (!reply.ok() || !parseControl(*reply, control).ok())
                         return;
                       table_.heard(target.peer, control.life());
                       target.link->setLost(absl::OkStatus());
                       if (!control.stall().empty() && control.stall() != target.stall)
                         table_.warn(target.peer + " says: " + control.stall());
                       target.stall = control.stall();
                     });
}

std::vector<Heartbeats::Target *> Heartbeats::takeLost() {
  std::vector<Target *> lost;
  for (const std::unique_ptr<Target> &target : targets_)
    if (std::exchange(target->isToRepeat, false))
      lost.push_back(target.get());
  return lost;
}

void Heartbeats::run() {
  // A connection that breaks is made anew: that is no heartbeat missed.
  constexpr std::chrono::milliseconds kLook{100};
  std::unique_lock<std::mutex> lock(shared_->mutex);
  while (!shared_->isStopped) {
    std::vector<Target *> targets;
    for (const std::unique_ptr<Target> &target : targets_)
      targets.push_back(target.get());
    lock.unlock();
    table_.noteSilent();
    for (Target *target : targets) {
      if (table_.isDead(target->peer))
        target->link->setLost(absl::DeadlineExceededError(table_.obituary(target->peer)));
      ping(*target);
    }
    lock.lock();
    // A new one is pinged at once: it does not know yet that this task lives.
    const auto next = std::chrono::steady_clock::now() + interval_;
    auto isDue = [&] { return shared_->isStopped || targets.size() < targets_.size(); };
    while (!isDue() && std::chrono::steady_clock::now() < next) {
      shared_->changed.wait_for(lock, std::min<std::chrono::milliseconds>(kLook, interval_), isDue);
      const std::vector<Target *> lost = takeLost();
      lock.unlock();
      for (Target *target : lost)
        ping(*target);
      lock.lock();
    }
  }
}

} // namespace mlcrt
