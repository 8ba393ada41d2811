// Messages as gRPC carries them. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message is one or more byte buffers. The first begins with a head (little endian: u32 size of the control part, u32
// flags, u64 size of the payload) and the control part; behind it, and in all further buffers, is the payload. Large
// payloads go in parts, so that memory for one part is all that receiving needs where the payload has a place. Of a
// payload that is made while it is sent the size is the most that it may become, and an empty buffer ends it.
#ifndef MLCRT_CLUSTER_GRPCMESSAGE_H
#define MLCRT_CLUSTER_GRPCMESSAGE_H

#include "runtime/src/cluster/Transport.h"

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

namespace mlcrt {

/// Bytes of a part. Parts that stay in a cache between the copies from and to sockets and memory; fewer cost more
/// calls of gRPC.
inline constexpr int64_t kPartBytes = 1 << 20;
/// Bytes of a control part at most.
inline constexpr int64_t kMostControlBytes = 1 << 20;

/// Of a payload that is made while it is sent as many bytes are worth a part: fewer wait for more.
inline constexpr int64_t kLeastPartBytes = 1 << 18;

/// Slices as gRPC has them; their bytes stay where they are.
grpc::ByteBuffer makeBuffer(std::vector<Slice> slices);

/// Cuts a message, without its rest, into byte buffers. Bytes of the payload stay where they are.
class MessageParts {
public:
  /// `takesParts`: whether the reply may come in parts. Without `inParts` there is one buffer.
  MessageParts(OutgoingMessage message, bool inParts, bool takesParts = false);

  bool isDone() const { return slice_ == slices_.size(); }
  /// The next buffer: the first one always, others while there are some.
  grpc::ByteBuffer next();

private:
  std::vector<grpc::Slice> slices_;
  bool inParts_;
  size_t front_; ///< bytes of the payload that are a part of their own, unless they were taken
  size_t slice_ = 0, offset_ = 0;
};

/// Puts a message together from buffers as they come.
class MessageAssembly {
public:
  /// `maxBytes` bounds control part and payload.
  explicit MessageAssembly(int64_t maxBytes) : maxBytes_(maxBytes) {}

  /// Takes a buffer. `place` as in Transport.h; may be null. kInvalidArgument or kResourceExhausted for what no sender
  /// writes, or the error of `place`; nothing is to be added behind an error.
  absl::Status add(const grpc::ByteBuffer &buffer, const PlaceFunction &place);
  bool isComplete() const { return hasHead_ && (isOpen_ ? isEnded_ : received_ == payloadSize_); }
  /// Whether the sender takes a reply in parts.
  bool takesParts() const { return takesParts_; }
  /// Once it is complete.
  IncomingMessage take();

private:
  absl::Status readHead(const std::vector<grpc::Slice> &slices, size_t &slice, size_t &offset, size_t length);

  const int64_t maxBytes_;
  bool hasHead_ = false, takesParts_ = false;
  bool isOpen_ = false, isEnded_ = false; ///< a payload made while it was sent, and whether that was all
  std::string control_;
  int64_t payloadSize_ = 0, received_ = 0; ///< of an open one: the most it may have
  PlacementFiller filler_;
  std::vector<Slice> kept_; ///< what has no place
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_GRPCMESSAGE_H
