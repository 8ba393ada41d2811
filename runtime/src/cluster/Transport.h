// How tasks of a cluster talk: calls with a control part and raw bytes beside it. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message is a control part (a serialized protobuf) and a payload: tensors as they lie in memory, one after the
// other, whose order and sizes both sides know. No tensor passes through protobuf, and none is copied before it is
// sent. State machines of the protocol know this interface alone: over sockets or gRPC in a cluster,
// in one process in tests.
#ifndef MLCRT_CLUSTER_TRANSPORT_H
#define MLCRT_CLUSTER_TRANSPORT_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
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

/// The rest of a payload, made while it is sent: how long it becomes is known at its end. One thread makes it, the
/// transport takes it.
class PayloadStream {
public:
  /// `most`: bytes that there will be at most. The peer is told, and takes no more.
  explicit PayloadStream(int64_t most) : most_(most) {}
  int64_t most() const { return most_; }
  /// More bytes, which do not change until the call is done. Nothing is added after the end.
  void add(Slice slice);
  /// That was all.
  void finish() { end(End::Finished); }
  /// It stays unfinished: the call ends with kCancelled.
  void abandon() { end(End::Abandoned); }
  /// Bytes so far.
  int64_t size() const;

  /// For transports.
  enum class Next { Part, End, Wait, Abandoned };
  /// Takes up to `most` bytes if there are `least`, or those before the end. Of less there is to Wait: `ready` is
  /// called once, by who makes the payload, when there is more.
  Next take(int64_t least, int64_t most, std::vector<Slice> &part, std::function<void()> ready);
  /// Nobody waits any more. Whether `ready` was to be called: now it is not.
  bool forget();

private:
  enum class End { None, Finished, Abandoned };
  void end(End how);
  /// Under the lock: who is to be called.
  std::function<void()> wake();

  const int64_t most_;
  mutable std::mutex mutex_;
  std::deque<Slice> slices_;
  int64_t waiting_ = 0, size_ = 0; ///< bytes: in slices_, of all
  int64_t least_ = 0;
  End end_ = End::None;
  std::function<void()> ready_;
};

/// A message to send.
struct OutgoingMessage {
  std::string control;
  std::vector<Slice> payload;
  /// Bytes at the front of the payload that its receiver waits for alone: they may come ahead of others.
  int64_t front = 0;
  /// If set, what follows; of requests alone.
  std::shared_ptr<PayloadStream> rest = nullptr;

  /// Without the rest.
  int64_t payloadSize() const;
};

/// Memory where a payload belongs.
struct Placement {
  struct Span {
    void *data = nullptr;
    int64_t size = 0;
  };
  /// Filled one after the other while the payload arrives, by threads of the transport; nobody reads or writes them
  /// meanwhile. Empty: the payload has no place and is kept in the message.
  std::vector<Span> spans;
  /// The spans are of the front of the payload alone; the rest is kept in the message.
  bool isFront = false;
  /// If set, keeps the spans until the message is gone.
  std::shared_ptr<void> owner;
  /// If set, told how many bytes from the front are there, each time that there are more. Must not block.
  std::function<void(int64_t bytes)> arrived = nullptr;
  /// If set, kept until the message is gone or somebody took it, spans or not: what the payload is charged to.
  std::shared_ptr<void> charge;
};

/// Says where a payload belongs, given the control part and the size of the payload, which is not 0. The spans have
/// that size in all, or, of its front, no more. An error refuses the message: it becomes the call's. Must not block. Of
/// payloads with a rest, whose size is not known when they begin, it is told the most that there will be; they may be
/// charged, but have a place for their front at most.
using PlaceFunction = std::function<absl::StatusOr<Placement>(const std::string &control, int64_t payloadSize)>;

/// Fills a placement, front to back.
class PlacementFiller {
public:
  /// kInvalidArgument unless the spans, if there are any, have `payloadSize` bytes in all, or, of a front, fewer.
  absl::Status begin(Placement placement, int64_t payloadSize);
  bool isPlaced() const { return !placement_.spans.empty(); }
  bool isFront() const { return placement_.isFront; }
  /// Takes of the next `size` bytes those that have a place; returns how many.
  int64_t fill(const void *data, int64_t size);
  /// The same for who writes them: where the next bytes belong, up to `size` of them in no more than so many spans; and
  /// that of `size` bytes those that have a place are there, how many.
  std::vector<Placement::Span> next(int64_t size, size_t most) const;
  int64_t filled(int64_t size);
  /// Whether all places are filled.
  bool isFull() const { return span_ == placement_.spans.size(); }
  /// Tells what was filled.
  void tell() const {
    if (placement_.arrived)
      placement_.arrived(filled_);
  }
  /// The owner of what was filled.
  std::shared_ptr<void> take() { return std::move(placement_.owner); }
  std::shared_ptr<void> takeCharge() { return std::move(placement_.charge); }

private:
  void skipEmpty();
  void advance(int64_t size);

  Placement placement_;
  size_t span_ = 0;
  int64_t offset_ = 0; ///< in that span
  int64_t filled_ = 0;
};

/// A message received. Its payload is read front to back, into the memory where it belongs, unless it was placed.
class IncomingMessage {
public:
  IncomingMessage() = default;
  IncomingMessage(std::string control, std::vector<Slice> payload);
  /// One whose payload is in its place, or its front, before `rest`.
  IncomingMessage(std::string control, std::shared_ptr<void> placed, std::vector<Slice> rest = {});

  const std::string &control() const { return control_; }
  /// The owner of the placement; null without one.
  const std::shared_ptr<void> &placed() const { return placed_; }
  std::shared_ptr<void> takePlaced() { return std::move(placed_); }
  /// Placement::charge; null without one, and after this.
  std::shared_ptr<void> takeCharge() { return std::move(charge_); }
  void setCharge(std::shared_ptr<void> charge) { charge_ = std::move(charge); }
  /// Bytes of the payload that were not read yet, without those that were placed.
  int64_t remaining() const { return remaining_; }
  /// kInvalidArgument, and nothing read, if fewer bytes remain or `size` is negative.
  absl::Status read(void *to, int64_t size);
  /// kInvalidArgument unless all was read: a message of another layout than expected.
  absl::Status finish() const;
  /// Of a reply: how long the peer had the call, from reading the request to its answer; 0 if it did not say.
  std::chrono::nanoseconds heldFor() const { return heldFor_; }
  void setHeldFor(std::chrono::nanoseconds time) { heldFor_ = time; }

private:
  std::string control_;
  std::vector<Slice> payload_;
  std::shared_ptr<void> placed_, charge_;
  int64_t remaining_ = 0;
  size_t slice_ = 0;
  int64_t offset_ = 0; ///< in that slice
  std::chrono::nanoseconds heldFor_{0};
};

/// Answers a call: to be called once, from any thread, at once or later.
using Reply = std::function<void(absl::StatusOr<OutgoingMessage>)>;

/// What a task does with calls; called by several threads at once.
class Service {
public:
  virtual ~Service() = default;
  /// `method` is what the peer asked for, unchecked. Must not block: who has to wait keeps `reply`.
  virtual void handle(std::string_view method, IncomingMessage request, Reply reply) = 0;
  /// Where the payload of a call belongs (PlaceFunction), asked before it arrives; the call may break off after it.
  /// `handle` gets the message when all of it is there, with the owner in `placed`. By default it has no place.
  virtual absl::StatusOr<Placement> place(std::string_view method, const std::string &control, int64_t payloadSize) {
    return Placement();
  }
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
  /// `place`, if set, says where the payload of the reply belongs. The spans are the transport's until `done`, and hold
  /// anything if the call fails.
  virtual void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done,
                     PlaceFunction place = nullptr) = 0;
  /// Ends all calls that are under way with the error `why`, as nobody waits for the peer any more.
  virtual void cancelCalls(const absl::Status &why) = 0;
  /// As start, waiting.
  absl::StatusOr<IncomingMessage> call(std::string_view method, OutgoingMessage request,
                                       std::chrono::milliseconds timeout, PlaceFunction place = nullptr);
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
