// Asynchronous training: the tickets that a training task gets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/TicketSource.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace mlcrt {

/// Outlives the source: answers may come late.
struct TicketSource::Wait {
  std::mutex mutex;
  std::condition_variable changed;
  bool isStopped = false;
  std::optional<absl::StatusOr<cluster::LeaseReply>> answer;
};

TicketSource::TicketSource(Ask ask, std::shared_ptr<CallRetry> retry)
    : ask_(std::move(ask)), retry_(std::move(retry)), number_(std::make_shared<int64_t>(0)),
      wait_(std::make_shared<Wait>()) {}

TicketSource TicketSource::ofDesk(TicketDesk &desk, std::string task) {
  return TicketSource(
      [&desk, task = std::move(task)](TicketDesk::Answer answer) { desk.lease(task, std::move(answer)); });
}

TicketSource TicketSource::ofPeer(PeerLink &chief, std::chrono::milliseconds timeout) {
  auto number = std::make_shared<int64_t>(0);
  auto ask = [&chief, timeout, number](const TicketDesk::Answer &answer) {
    cluster::LeaseRequest request;
    request.set_number(*number);
    chief.start("lease", request, {}, timeout, [answer](absl::StatusOr<IncomingMessage> reply) {
      cluster::LeaseReply control;
      absl::Status status = reply.ok() ? parseControl(*reply, control) : reply.status();
      if (status.ok())
        answer(control);
      else
        answer(status);
    });
  };
  TicketSource source(ask, std::make_shared<CallRetry>(std::vector<const PeerLink *>{&chief}));
  source.number_ = number;
  return source;
}

absl::StatusOr<std::optional<cluster::Ticket>> TicketSource::next(const std::function<bool()> &isInterrupted) {
  for (bool isAgain = false; true;) {
    {
      std::lock_guard<std::mutex> lock(wait_->mutex);
      if (wait_->isStopped)
        return std::nullopt;
    }
    *number_ += !std::exchange(isAgain, false);
    ask_([wait = wait_](absl::StatusOr<cluster::LeaseReply> answer) {
      std::lock_guard<std::mutex> lock(wait->mutex);
      wait->answer = std::move(answer);
      wait->changed.notify_all();
    });
    std::unique_lock<std::mutex> lock(wait_->mutex);
    while (!wait_->answer) {
      if (wait_->isStopped || isInterrupted())
        return std::nullopt;
      wait_->changed.wait_for(lock, std::chrono::milliseconds(100));
    }
    absl::StatusOr<cluster::LeaseReply> answer = *std::move(wait_->answer);
    wait_->answer.reset();
    lock.unlock();
    if (absl::Status status = answer.status(); !status.ok()) {
      if (!retry_ || isInterrupted() || !retry_->again(status))
        return status;
      isAgain = true;
      continue;
    }
    if (!answer->end().empty())
      return std::nullopt;
    if (answer->has_ticket())
      return answer->ticket();
  }
}

void TicketSource::stop() {
  std::lock_guard<std::mutex> lock(wait_->mutex);
  wait_->isStopped = true;
  wait_->changed.notify_all();
}

} // namespace mlcrt
