// Calls to servers that are answered with tensors. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_STATECALLS_H
#define MLCRT_CLUSTER_STATECALLS_H

#include "runtime/src/cluster/RowWire.h"
#include "runtime/src/cluster/ServerCalls.h"
#include "runtime/src/cluster/TensorWire.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace mlcrt {

class RunObservation;

/// A server as a training task has it, and its part of tensors.
struct ServerTensors {
  PeerLink *link;
  SumWire sums;
  RowWire rows;
  VariableWire all, read;
};

/// One call to each server. Replies bring outputs of a step, rows of tables and variables, in this order: large ones
/// part by part in their place, so that what is in front can be used while the rest is on its way. Used by one thread.
class StateCalls {
public:
  /// What replies bring.
  struct Wanted {
    VariableWire ServerTensors::*variables = nullptr;
    EntryOutputs *outputs = nullptr; ///< of server 0
    const TableIds *rows = nullptr;
    std::vector<AlignedBytes> *pulled = nullptr; ///< where rows go, as RowWire::place
    const RunObservation *observation = nullptr; ///< gets the times of waits; null: nobody looks
  };
  /// Large replies: of those that are smaller a message is one event.
  static constexpr int64_t kLarge = 1 << 20;

  /// What is wanted outlives this. Replies of more than `large` bytes go to their place as they come.
  StateCalls(std::deque<ServerTensors> &servers, const Wanted &wanted, int64_t large = kLarge);
  /// Waits for the end of all calls.
  ~StateCalls();

  /// Calls a server, as PeerLink::start; once more only if the call before failed.
  template <typename Request>
  void start(size_t server, const char *method, const Request &request, std::vector<Slice> payload,
             std::shared_ptr<PayloadStream> rest, std::chrono::milliseconds timeout) {
    begin(server);
    servers_[server].link->start(
        method, request, std::move(payload), timeout,
        [this, server](absl::StatusOr<IncomingMessage> reply) { done(server, std::move(reply)); }, placeOf(server),
        std::move(rest));
  }
  /// Whether a call ended with an error.
  bool hasFailed(size_t server) const;

  /// Waits until all servers have answered, and all but variables is here, or until one fails: its error, while others
  /// may yet answer. OK if the run has ended.
  absl::Status awaitFront();
  /// After that: waits until a variable is here.
  absl::Status awaitVariable(int32_t variable);
  absl::Status awaitAll();
  /// Waits for the end of all calls, whatever it is; false if they take longer.
  bool awaitEnd(std::chrono::milliseconds timeout = std::chrono::milliseconds::max());

  /// After awaitFront: what a server said beside tensors.
  const cluster::StateReply &control(size_t server) const { return calls_[server].control; }
  /// Why the run has ended, and the exit status that goes with it; empty while it goes on.
  const std::string &end() const { return end_; }
  int endExit() const { return endExit_; }
  /// Bytes of tensors that replies bring.
  int64_t bytes() const { return bytes_; }
  /// Bytes that the answer of a server takes there until it was read: of `copies` all of it, `state` if variables do
  /// not lie in memory as they come; else rows alone.
  int64_t answerBytes(size_t server, bool copies, int64_t state) const {
    const Call &call = calls_[server];
    return !copies ? call.rowBytes : call.isPlaceable ? call.bytes : state;
  }

private:
  struct Call {
    std::vector<Placement::Span> front, variables;
    bool isPlaceable = true; ///< variables lie in memory as they come
    int64_t frontBytes = 0, bytes = 0, rowBytes = 0;
    // Under the lock.
    bool isOpen = false;
    bool isPlaced = false; ///< the reply goes to its place
    bool isRead = false;   ///< or was read
    int64_t arrived = 0;
    absl::StatusOr<IncomingMessage> reply = absl::UnknownError("no call");
    cluster::StateReply control;
  };
  /// Where a variable ends in a reply.
  struct Piece {
    size_t server;
    int64_t end;
    bool isTold = false; ///< of the first one: the state knows that the variable changed
  };

  void begin(size_t server);
  PlaceFunction placeOf(size_t server);
  void done(size_t server, absl::StatusOr<IncomingMessage> reply);
  absl::Status read(size_t server);
  /// Tells the state that a variable, which is here, changed; once.
  void tell(int32_t variable);
  /// Waits under the lock, and shows it in the timeline.
  template <typename Condition> void wait(std::unique_lock<std::mutex> &lock, Condition condition);

  std::deque<ServerTensors> &servers_;
  const Wanted wanted_;
  const int64_t large_;
  std::deque<Call> calls_;
  std::vector<std::vector<Piece>> pieces_; ///< by variable
  std::string end_;
  int endExit_ = 0;
  int64_t bytes_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> isAllHere_{false};
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_STATECALLS_H
