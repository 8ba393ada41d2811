// Asynchronous training: who gets which step ticket.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/TicketDesk.h"

#include <algorithm>
#include <iterator>

namespace mlcrt {

static std::map<int64_t, cluster::Ticket> byStep(const cluster::RunPlan &plan) {
  std::map<int64_t, cluster::Ticket> tickets;
  for (const cluster::Ticket &ticket : plan.outstanding())
    tickets.emplace(ticket.step(), ticket);
  return tickets;
}

TicketDesk::TicketDesk(const cluster::RunPlan &plan, NewTicket newTicket, Options options)
    : newTicket_(std::move(newTicket)), options_(std::move(options)), atStart_(byStep(plan)),
      next_(plan.step() + plan.outstanding_size()), again_(atStart_) {}

std::optional<cluster::Ticket> TicketDesk::ticketOf(int64_t step) const {
  auto found = atStart_.find(step);
  return found == atStart_.end() ? newTicket_(step) : found->second;
}

TicketDesk::Answers TicketDesk::takeDue() {
  Answers answers;
  const Clock::time_point now = options_.now();
  std::vector<Waiter> left;
  for (Waiter &waiter : waiting_) {
    cluster::LeaseReply reply;
    std::optional<cluster::Ticket> ticket;
    if (over_) {
      answers.emplace_back(std::move(waiter.answer), *over_);
      continue;
    }
    if (!again_.empty()) {
      ticket = again_.begin()->second;
      again_.erase(again_.begin());
    } else if ((ticket = newTicket_(next_))) {
      ++next_;
    }
    if (ticket) {
      leased_[ticket->step()] = {*ticket, waiter.task};
      given_[waiter.task] = {waiter.number, ticket->step()};
      *reply.mutable_ticket() = *ticket;
    } else if (leased_.empty()) {
      reply.set_end("all steps are done");
    } else if (now - waiter.since < options_.stallTimeout / 4) {
      left.push_back(std::move(waiter));
      continue;
    }
    answers.emplace_back(std::move(waiter.answer), std::move(reply));
  }
  waiting_ = std::move(left);
  return answers;
}

void TicketDesk::send(Answers answers) {
  for (auto &[answer, reply] : answers)
    answer(std::move(reply));
}

void TicketDesk::lease(const std::string &task, Answer answer, int64_t number) {
  Answers answers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    seen_[task] = options_.now();
    auto given = given_.find(task);
    auto kept = number && given != given_.end() && given->second.number == number ? leased_.find(given->second.step)
                                                                                  : leased_.end();
    auto open = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiter &waiter) {
      return number && waiter.task == task && waiter.number == number;
    });
    if (kept != leased_.end() && kept->second.task == task) {
      cluster::LeaseReply reply;
      *reply.mutable_ticket() = kept->second.ticket;
      answers.emplace_back(std::move(answer), std::move(reply));
    } else if (open != waiting_.end()) {
      open->answer = std::move(answer); // nobody hears the one before
    } else {
      waiting_.push_back({task, seen_[task], std::move(answer), number});
    }
    for (auto &due : takeDue())
      answers.push_back(std::move(due));
  }
  send(std::move(answers));
}

void TicketDesk::giveBack(const std::string &task) {
  for (auto it = leased_.begin(); it != leased_.end();) {
    if (it->second.task != task) {
      ++it;
      continue;
    }
    again_.emplace(it->first, it->second.ticket);
    it = leased_.erase(it);
  }
}

void TicketDesk::leave(const std::string &task) {
  Answers answers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    giveBack(task);
    given_.erase(task);
    const auto others = std::stable_partition(waiting_.begin(), waiting_.end(),
                                              [&](const Waiter &waiter) { return waiter.task != task; });
    for (auto gone = others; gone != waiting_.end(); ++gone)
      answers.emplace_back(std::move(gone->answer), absl::CancelledError(task + " has left"));
    waiting_.erase(others, waiting_.end());
    for (auto &due : takeDue())
      answers.push_back(std::move(due));
  }
  send(std::move(answers));
}

void TicketDesk::applied(const TicketSet &tickets) {
  Answers answers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto it = leased_.begin(); it != leased_.end();) {
      if (!tickets.contains(it->first)) {
        ++it;
        continue;
      }
      seen_[it->second.task] = options_.now();
      it = leased_.erase(it);
    }
    // Of a task that was silent and came back.
    for (auto it = again_.begin(); it != again_.end();)
      it = tickets.contains(it->first) ? again_.erase(it) : std::next(it);
    answers = takeDue();
  }
  send(std::move(answers));
}

void TicketDesk::tick() {
  Answers answers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const Clock::time_point now = options_.now();
    for (const auto &[task, seen] : seen_) {
      // Whoever waits for a ticket lives.
      const bool isDead = options_.peers && options_.peers->isDead(task);
      const bool isAlive = options_.peers && options_.peers->isAlive(task);
      bool isSilent = task != options_.self && (isDead || (!isAlive && now - seen > options_.stallTimeout));
      for (const Waiter &waiter : waiting_)
        isSilent = isSilent && waiter.task != task;
      const size_t before = again_.size();
      if (isSilent)
        giveBack(task);
      reclaimed_ += static_cast<int64_t>(again_.size() - before);
    }
    answers = takeDue();
  }
  send(std::move(answers));
}

void TicketDesk::end(const std::string &reason) {
  cluster::LeaseReply reply;
  reply.set_end(reason.empty() ? "ended" : reason);
  Answers answers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    over_ = reply;
    answers = takeDue();
  }
  send(std::move(answers));
}

void TicketDesk::fail(const absl::Status &status) {
  Answers answers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    over_ = status;
    answers = takeDue();
  }
  send(std::move(answers));
}

bool TicketDesk::isOut() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return again_.empty() && !newTicket_(next_);
}

int64_t TicketDesk::reclaimed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return reclaimed_;
}

TicketDesk::Rest TicketDesk::restOf(const TicketSet &applied) const {
  // What a server applied was leased, and tickets are functions of their steps: what was leased since does not matter.
  Rest rest;
  rest.next = applied.end();
  for (const auto &[step, ticket] : atStart_)
    rest.next = std::max(rest.next, step + 1);
  for (int64_t step = applied.below(); step < rest.next; ++step)
    if (std::optional<cluster::Ticket> ticket; !applied.contains(step) && (ticket = ticketOf(step)))
      rest.outstanding.push_back(*ticket);
  return rest;
}

} // namespace mlcrt
