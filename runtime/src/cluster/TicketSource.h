// Asynchronous training: the tickets that a training task gets. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_TICKETSOURCE_H
#define MLCRT_CLUSTER_TICKETSOURCE_H

#include "runtime/src/cluster/RemoteStepper.h"
#include "runtime/src/cluster/TicketDesk.h"

#include <functional>
#include <memory>
#include <optional>

namespace mlcrt {

/// Asks for one ticket after the other. One thread calls next at a time.
class TicketSource {
public:
  /// Sends the request for a ticket; the answer may come on another thread, or never if the source stops before.
  using Ask = std::function<void(TicketDesk::Answer)>;

  /// Of the chief itself; `desk` outlives the source.
  static TicketSource ofDesk(TicketDesk &desk, std::string task);
  /// Of a worker; `chief` outlives the source.
  static TicketSource ofPeer(PeerLink &chief, std::chrono::milliseconds timeout);

  /// Waits for a ticket; nothing at the end of the run, after stop(), or when `isInterrupted`, asked now and then, says
  /// so.
  absl::StatusOr<std::optional<cluster::Ticket>> next(const std::function<bool()> &isInterrupted);
  /// From any thread: next returns.
  void stop();

private:
  struct Wait;
  explicit TicketSource(Ask ask, std::shared_ptr<CallRetry> retry = nullptr);

  Ask ask_;
  std::shared_ptr<CallRetry> retry_; ///< null: the desk is here
  std::shared_ptr<int64_t> number_;  ///< of the request
  std::shared_ptr<Wait> wait_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_TICKETSOURCE_H
