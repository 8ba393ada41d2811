// A message as its bytes come, for transports. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_MESSAGERECEIVER_H
#define MLCRT_CLUSTER_MESSAGERECEIVER_H

#include "runtime/src/cluster/Transport.h"

namespace mlcrt {

/// Bytes of a payload that are sent at once. Parts that stay in a cache between the copies from and to sockets and
/// memory; fewer cost more calls.
inline constexpr int64_t kPartBytes = 1 << 20;
/// Bytes of a control part at most.
inline constexpr int64_t kMostControlBytes = 1 << 20;
/// The same of all open calls of a connection, of a peer that was let in and of one that was not.
inline constexpr int64_t kOpenControlBytes = 16 << 20, kStrangerControlBytes = 1 << 16;
/// Of a payload that is made while it is sent as many bytes are worth a part: fewer wait for more.
inline constexpr int64_t kLeastPartBytes = 1 << 18;

/// Calls of one connection that a listener has at once.
inline constexpr int kMostCalls = 256;

/// Asks malloc to keep what is freed. Payloads without a place are taken from it, part by part: where it hands that
/// back to the kernel each time, more time goes to page faults than to copies. glibc's thresholds grow to these values
/// by themselves when large blocks are freed; here they are so from the beginning.
void keepFreedMemory();

/// Checks a message and puts its payload where it belongs. One thread at a time.
class MessageReceiver {
public:
  /// `maxBytes` bounds control part and payload.
  explicit MessageReceiver(int64_t maxBytes) : maxBytes_(maxBytes) {}

  /// What a sender announces, before it is taken: kResourceExhausted if that is too much.
  absl::Status check(uint64_t controlSize, uint64_t payloadSize) const;
  /// Begins with a control part. `isOpen`: the payload is made while it is sent, `payloadSize` is the most. `place` may
  /// be null; its error refuses the message.
  absl::Status begin(std::string control, int64_t payloadSize, bool isOpen, const PlaceFunction &place);
  bool hasBegun() const { return hasBegun_; }
  bool isOpen() const { return isOpen_; }

  /// The next bytes; `owner` keeps those that have no place. kInvalidArgument beyond what was announced.
  absl::Status add(const void *data, int64_t size, const std::shared_ptr<const void> &owner);
  /// Instead, for all bytes of a message, without a copy: where up to `size` bytes more, which were announced, are to
  /// be written (64 spans at most); and that so many of them are there.
  void room(int64_t size, std::vector<Placement::Span> &spans);
  void written(int64_t size);
  /// kInvalidArgument if so many bytes more are not announced.
  absl::Status expect(int64_t size) const;
  /// That was all. kInvalidArgument if it was not, or a place stays empty.
  absl::Status end();
  /// Tells who placed the payload what is there.
  void tell() const {
    if (filler_.isPlaced())
      filler_.tell();
  }

  /// Whether the end has come; of a payload whose size is known, when it is there.
  bool isComplete() const { return hasBegun_ && (isOpen_ ? isEnded_ : received_ == payloadSize_); }
  /// Once it is complete.
  IncomingMessage take();

private:
  const int64_t maxBytes_;
  bool hasBegun_ = false, isOpen_ = false, isEnded_ = false;
  std::string control_;
  int64_t payloadSize_ = 0, received_ = 0; ///< of an open one: the most it may have
  PlacementFiller filler_;
  std::vector<Slice> kept_; ///< what has no place
  /// Memory for more of that: after the last slice of kept_.
  std::shared_ptr<char> block_;
  int64_t blockSize_ = 0, blockUsed_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_MESSAGERECEIVER_H
