// A task that this one calls. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_PEERLINK_H
#define MLCRT_CLUSTER_PEERLINK_H

#include "runtime/src/cluster/Handshake.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// Asked now and then by who waits; true: nobody waits any more (kCancelled).
using Interrupt = std::function<bool()>;

/// A peer that has let this task in.
class PeerLink {
public:
  /// Says hello, again and again while nobody listens there. Errors of the peer (Sessions::admit), or kUnavailable if
  /// it does not come in `timeout`: why it cannot be reached; kCancelled as `isInterrupted` says.
  static absl::StatusOr<std::unique_ptr<PeerLink>> open(Transport &transport, const std::string &address,
                                                        const std::string &peer, const cluster::HelloRequest &self,
                                                        std::chrono::milliseconds timeout,
                                                        const Interrupt &isInterrupted = nullptr);

  /// Sends a control part that has a session, with a payload; parses the reply's control part. An interruption ends all
  /// calls to this peer.
  template <typename Request, typename Response>
  absl::StatusOr<IncomingMessage> call(const char *method, Request request, std::vector<Slice> payload,
                                       std::chrono::milliseconds timeout, Response &response,
                                       const Interrupt &isInterrupted = nullptr) {
    absl::StatusOr<IncomingMessage> reply =
        await(*connection_, method, makeCall(std::move(request), std::move(payload)), timeout, isInterrupted);
    if (reply.ok())
      if (absl::Status status = parseControl(*reply, response); !status.ok())
        return status;
    return reply;
  }

  /// The same without waiting; `done` as Connection::start says.
  template <typename Request>
  void start(const char *method, Request request, std::vector<Slice> payload, std::chrono::milliseconds timeout,
             Connection::Done done, PlaceFunction place = nullptr, std::shared_ptr<PayloadStream> rest = nullptr) {
    OutgoingMessage message = makeCall(std::move(request), std::move(payload));
    message.rest = std::move(rest);
    connection_->start(method, std::move(message), timeout, std::move(done), std::move(place));
  }

  /// Bytes that a request and its answer may take unasked; none: the peer does not say.
  std::optional<int64_t> credit() const { return credit_; }

  /// Ends all calls that are under way with this error.
  void cancelCalls(const absl::Status &why) { connection_->cancelCalls(why); }

  /// The peer is held for dead: does that, and tells it whoever would try again; an OK status: it lives.
  void setLost(const absl::Status &why) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      lost_ = why;
    }
    if (!why.ok())
      cancelCalls(why);
  }
  absl::Status lost() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return abandoned_.ok() ? lost_ : abandoned_;
  }
  /// The same for good, whether the peer lives or not: there is no run any more.
  void abandon(const absl::Status &why) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      abandoned_ = why;
    }
    cancelCalls(why);
  }

private:
  static absl::StatusOr<IncomingMessage> await(Connection &connection, const char *method, OutgoingMessage request,
                                               std::chrono::milliseconds timeout, const Interrupt &isInterrupted);
  template <typename Request> OutgoingMessage makeCall(Request request, std::vector<Slice> payload) const {
    request.set_session(session_);
    OutgoingMessage message = makeMessage(request);
    message.payload = std::move(payload);
    return message;
  }

  std::unique_ptr<Connection> connection_;
  uint64_t session_ = 0;
  std::optional<int64_t> credit_;
  mutable std::mutex mutex_;
  absl::Status lost_, abandoned_;
};

/// Whether calls to peers that failed are made again. A connection may break at any time, and nobody knows then whether
/// a call arrived: calls are such that once more does not matter (docs/cluster.md), and a connection that broke is made
/// anew. Used by one thread.
class CallRetry {
public:
  explicit CallRetry(std::vector<const PeerLink *> peers) : peers_(std::move(peers)) {}

  /// After a call that ended with `status`: true after a moment, if it may go well now. False for the errors of peers,
  /// for peers that are held for dead or were started again, which becomes the status, and where nobody has listened
  /// for a second.
  bool again(absl::Status &status);

private:
  const std::vector<const PeerLink *> peers_;
  std::optional<std::chrono::steady_clock::time_point> refusedSince_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_PEERLINK_H
