// How tasks of a cluster talk: calls with a control part and raw bytes beside it. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message is a control part (a serialized protobuf) and a payload: tensors as they lie in memory, one behind the
// other, whose order and sizes both sides know. No tensor passes through protobuf, and none is copied before it is
// sent. State machines of the protocol know this interface alone: over gRPC in a cluster, in one process in tests.
#ifndef MLCRT_CLUSTER_TRANSPORT_H
#define MLCRT_CLUSTER_TRANSPORT_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Bytes of a payload, which do not change until the message is gone. `owner`, if set, keeps them.
struct Slice {
  const void *data = nullptr;
  int64_t size = 0;
  std::shared_ptr<const void> owner;
};

/// A message to send.
struct OutgoingMessage {
  std::string control;
  std::vector<Slice> payload;

  int64_t payloadSize() const;
};

/// A message received. Its payload is read front to back, into the memory where it belongs.
class IncomingMessage {
public:
  IncomingMessage() = default;
  IncomingMessage(std::string control, std::vector<Slice> payload);

  const std::string &control() const { return control_; }
  /// Bytes of the payload that were not read yet.
  int64_t remaining() const { return remaining_; }
  /// kInvalidArgument, and nothing read, if fewer bytes remain or `size` is negative.
  absl::Status read(void *to, int64_t size);
  /// kInvalidArgument unless all was read: a message of another layout than expected.
  absl::Status finish() const;

private:
  std::string control_;
  std::vector<Slice> payload_;
  int64_t remaining_ = 0;
  size_t slice_ = 0;
  int64_t offset_ = 0; ///< in that slice
};

/// Answers a call: to be called once, from any thread, at once or later.
using Reply = std::function<void(absl::StatusOr<OutgoingMessage>)>;

/// What a task does with calls; called by several threads at once.
class Service {
public:
  virtual ~Service() = default;
  /// `method` is what the peer asked for, unchecked. Must not block: who has to wait keeps `reply`.
  virtual void handle(std::string_view method, IncomingMessage request, Reply reply) = 0;
};

/// A service that peers can reach. Destruction refuses new calls, fails those that are not answered (kUnavailable) and
/// returns when none uses the service any more.
class Listener {
public:
  virtual ~Listener() = default;
  /// Where peers reach it; a port 0 is the one that was found.
  virtual const std::string &address() const = 0;
};

/// A peer. Calls may be in flight at once; they are independent of each other.
class Connection {
public:
  using Done = std::function<void(absl::StatusOr<IncomingMessage>)>;
  virtual ~Connection() = default;

  /// `done` gets the reply or the error, once, on another thread: the peer's status; kDeadlineExceeded after `timeout`;
  /// kUnavailable at once if the peer cannot be reached, or when it goes away (the call may or may not have been
  /// handled). Errors name the peer, and why it cannot be reached. The bytes of `request` stay as they are until then.
  virtual void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout,
                     Done done) = 0;
  /// The same, waiting.
  absl::StatusOr<IncomingMessage> call(std::string_view method, OutgoingMessage request,
                                       std::chrono::milliseconds timeout);
};

/// Makes listeners and connections.
class Transport {
public:
  virtual ~Transport() = default;
  /// `address` is "host:port" or "unix:PATH". kUnavailable names the address if it cannot be bound;
  /// kFailedPrecondition if it would be open to others without protection.
  virtual absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) = 0;
  /// `peer` names the task in errors ("ps 0"). Reaches out with the first call, and after a failure with a later one.
  virtual absl::StatusOr<std::unique_ptr<Connection>> connect(const std::string &address, const std::string &peer) = 0;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_TRANSPORT_H
