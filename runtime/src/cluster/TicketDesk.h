// Asynchronous training: who gets which step ticket. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_TICKETDESK_H
#define MLCRT_CLUSTER_TICKETDESK_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/cluster/PeerTable.h"
#include "runtime/src/cluster/TicketSet.h"

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// Numbers the steps of a run and leases each, with its batch, to one task. A ticket that was leased is applied by the
/// server, or given back when its task leaves or is silent, and leased again; the server applies a ticket once, whoever
/// pushes it. Tickets go out in order, so those of an epoch are out before any of the next. Thread-safe.
class TicketDesk {
public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    /// A task with tickets that gives no sign of life for so long loses them.
    std::chrono::milliseconds stallTimeout{60000};
    /// A task that never loses its tickets: the one that this desk lives in.
    std::string self;
    std::function<Clock::time_point()> now = [] { return Clock::now(); };
    /// Who lives, if tasks say so: one that does keeps its tickets, one that is dead loses them at once.
    const PeerTable *peers = nullptr;
  };
  /// The ticket of a step that was never leased; nothing after the last step of the run.
  using NewTicket = std::function<std::optional<cluster::Ticket>(int64_t step)>;
  using Answer = std::function<void(absl::StatusOr<cluster::LeaseReply>)>;

  /// Begins with the plan's outstanding tickets.
  TicketDesk(const cluster::RunPlan &plan, NewTicket newTicket, Options options);

  /// One ticket more for `task`: answered at once or later, on any thread; with neither ticket nor end after a part of
  /// the stall timeout. Of the same `number` as the request before, unless that is 0: the same ticket, as the answer
  /// did not arrive.
  void lease(const std::string &task, Answer answer, int64_t number = 0);
  /// The task ends: its tickets are for others, and its requests get none (kCancelled).
  void leave(const std::string &task);
  /// News from the server.
  void applied(const TicketSet &tickets);
  /// Looks at the clock.
  void tick();
  /// Answers all who wait, and who come, with an end or an error.
  void end(const std::string &reason);
  void fail(const absl::Status &status);

  /// Whether all that is left is in someone's hands: whoever asks now waits.
  bool isOut() const;
  /// Tickets that were taken from a silent task.
  int64_t reclaimed() const;
  /// Those up to the last one of `applied` that it lacks, and the first one after it or nothing: what a checkpoint of
  /// that state leaves to do.
  struct Rest {
    std::vector<cluster::Ticket> outstanding;
    int64_t next = 0;
  };
  Rest restOf(const TicketSet &applied) const;

private:
  struct Lease {
    cluster::Ticket ticket;
    std::string task;
  };
  struct Waiter {
    std::string task;
    Clock::time_point since;
    Answer answer;
    int64_t number;
  };
  /// The ticket that a request got.
  struct Given {
    int64_t number, step;
  };
  using Answers = std::vector<std::pair<Answer, absl::StatusOr<cluster::LeaseReply>>>;
  std::optional<cluster::Ticket> ticketOf(int64_t step) const;
  void giveBack(const std::string &task);
  /// Under the lock: what can be answered now.
  Answers takeDue();
  static void send(Answers answers);

  const NewTicket newTicket_;
  const Options options_;
  const std::map<int64_t, cluster::Ticket> atStart_;
  mutable std::mutex mutex_;
  int64_t next_; ///< the first step that was never leased
  std::map<int64_t, cluster::Ticket> again_;
  std::map<int64_t, Lease> leased_;
  std::map<std::string, Clock::time_point> seen_;
  std::map<std::string, Given> given_; ///< by task, the last one
  std::vector<Waiter> waiting_;
  int64_t reclaimed_ = 0;
  std::optional<absl::StatusOr<cluster::LeaseReply>> over_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_TICKETDESK_H
