// Asynchronous training: the tickets that a training task gets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/TicketSource.h"

#include <condition_variable>
#include <mutex>

namespace mlcrt {

/// Outlives the source: answers may come late.
struct TicketSource::Wait {
  std::mutex mutex;
  std::condition_variable changed;
  bool isStopped = false;
  std::optional<absl::StatusOr<cluster::LeaseReply>> answer;
};

TicketSource::TicketSource(Ask ask) : ask_(std::move(ask)), wait_(std::make_shared<Wait>()) {}

TicketSource TicketSource::ofDesk(TicketDesk &desk, std::string task) {
  return TicketSource(
      [&desk, task = std::move(task)](TicketDesk::Answer answer) { desk.lease(task, std::move(answer)); });
}

TicketSource TicketSource::ofPeer(PeerLink &chief, std::chrono::milliseconds timeout) {
  return TicketSource([&chief, timeout](const TicketDesk::Answer &answer) {
    chief.start("lease", cluster::LeaseRequest(), {}, timeout, [answer](absl::StatusOr<IncomingMessage> reply) {
      cluster::LeaseReply control;
      absl::Status status = reply.ok() ? parseControl(*reply, control) : reply.status();
      if (status.ok())
        answer(control);
      else
        answer(status);
    });
  });
}

absl::StatusOr<std::optional<cluster::Ticket>> TicketSource::next(const std::function<bool()> &isInterrupted) {
  while (true) {
    {
      std::lock_guard<std::mutex> lock(wait_->mutex);
      if (wait_->isStopped)
        return std::nullopt;
    }
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
    if (!answer.ok())
      return answer.status();
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
