// Messages as gRPC carries them. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message is one or more byte buffers. The first begins with a head (little endian: u32 size of the control part, u32
// flags, u64 size of the payload) and the control part; after it, and in all further buffers, is the payload. Large
// payloads go in parts, so that memory for one part is all that receiving needs where the payload has a place. Of a
// payload that is made while it is sent the size is the most that it may become, and an empty buffer ends it.
#ifndef MLCRT_CLUSTER_GRPCMESSAGE_H
#define MLCRT_CLUSTER_GRPCMESSAGE_H

#include "runtime/src/cluster/MessageReceiver.h"

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

namespace mlcrt {

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
  explicit MessageAssembly(int64_t maxBytes) : receiver_(maxBytes) {}
  /// Bounds the control part further.
  void boundControl(int64_t bytes) { mostControl_ = bytes; }

  /// Takes a buffer. `place` as in Transport.h; may be null. kInvalidArgument or kResourceExhausted for what no sender
  /// writes, or the error of `place`; nothing is to be added after an error.
  absl::Status add(const grpc::ByteBuffer &buffer, const PlaceFunction &place);
  bool isComplete() const { return receiver_.isComplete(); }
  /// Whether the sender takes a reply in parts.
  bool takesParts() const { return takesParts_; }
  /// Once it is complete.
  IncomingMessage take() { return receiver_.take(); }

private:
  absl::Status begin(const std::vector<grpc::Slice> &slices, size_t &slice, size_t &offset, size_t length,
                     const PlaceFunction &place);

  MessageReceiver receiver_;
  int64_t mostControl_ = kMostControlBytes;
  bool takesParts_ = false;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_GRPCMESSAGE_H
