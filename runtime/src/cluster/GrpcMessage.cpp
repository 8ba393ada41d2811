// Messages as gRPC carries them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/GrpcMessage.h"

#include "runtime/src/cluster/WireNumber.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace mlcrt {

static constexpr size_t kHeadBytes = 16;
static constexpr uint32_t kTakesParts = 1, kIsOpen = 2;

//===----------------------------------------------------------------------===//
// Sending
//===----------------------------------------------------------------------===//

static void addSlices(std::vector<Slice> &slices, std::vector<grpc::Slice> &to) {
  for (Slice &slice : slices) {
    if (slice.size == 0)
      continue;
    // The owner lives as long as gRPC needs the bytes; without one the caller keeps them until the reply.
    auto *owner = new std::shared_ptr<const void>(std::move(slice.owner));
    to.emplace_back(
        const_cast<void *>(slice.data), static_cast<size_t>(slice.size),
        [](void *kept) { delete static_cast<std::shared_ptr<const void> *>(kept); }, owner);
  }
}

grpc::ByteBuffer makeBuffer(std::vector<Slice> slices) {
  std::vector<grpc::Slice> made;
  addSlices(slices, made);
  return grpc::ByteBuffer(made.data(), made.size());
}

MessageParts::MessageParts(OutgoingMessage message, bool inParts, bool takesParts) : inParts_(inParts) {
  std::string head;
  head.reserve(kHeadBytes + message.control.size());
  appendNumber(head, message.control.size(), 4);
  appendNumber(head, (takesParts ? kTakesParts : 0) | (message.rest ? kIsOpen : 0), 4);
  appendNumber(head, static_cast<uint64_t>(message.payloadSize() + (message.rest ? message.rest->most() : 0)), 8);
  // A part more is an event more for both sides: for what else comes much later.
  const bool isAhead = message.front > 0 && message.payloadSize() - message.front >= kLeastPartBytes;
  front_ = isAhead ? static_cast<size_t>(message.front) : 0;
  slices_.emplace_back(head + message.control);
  addSlices(message.payload, slices_);
}

grpc::ByteBuffer MessageParts::next() {
  std::vector<grpc::Slice> part;
  // The head counts for nothing: a part that is full of payload is one of the same size as others.
  size_t left = inParts_ ? static_cast<size_t>(kPartBytes) : SIZE_MAX;
  if (inParts_ && front_ > 0) {
    left = std::min(left, front_);
    front_ -= left;
  }
  if (slice_ == 0 && offset_ == 0)
    part.push_back(slices_[slice_++]);
  for (; slice_ < slices_.size() && left > 0; ++slice_, offset_ = 0) {
    const size_t size = slices_[slice_].size() - offset_;
    if (size > left) {
      part.push_back(slices_[slice_].sub(offset_, offset_ + left));
      offset_ += left;
      break;
    }
    part.push_back(offset_ == 0 ? slices_[slice_] : slices_[slice_].sub(offset_, offset_ + size));
    left -= size;
  }
  return grpc::ByteBuffer(part.data(), part.size());
}

//===----------------------------------------------------------------------===//
// Receiving
//===----------------------------------------------------------------------===//

/// Takes `size` bytes off the front of `slices` from (slice, offset) on; false if there are fewer.
static bool takeFront(const std::vector<grpc::Slice> &slices, size_t &slice, size_t &offset, char *to, size_t size) {
  while (size > 0) {
    if (slice == slices.size())
      return false;
    const size_t some = std::min(size, slices[slice].size() - offset);
    std::memcpy(to, slices[slice].begin() + offset, some);
    to += some;
    size -= some;
    offset += some;
    if (offset == slices[slice].size())
      ++slice, offset = 0;
  }
  return true;
}

absl::Status MessageAssembly::begin(const std::vector<grpc::Slice> &slices, size_t &slice, size_t &offset,
                                    size_t length, const PlaceFunction &place) {
  char head[kHeadBytes];
  if (!takeFront(slices, slice, offset, head, sizeof(head)))
    return absl::InvalidArgumentError("a message of fewer bytes than its head");
  const uint64_t size = readNumber(head, 4);
  const uint64_t payload = readNumber(head + 8, 8);
  if (size > length - sizeof(head))
    return absl::InvalidArgumentError(
        absl::StrCat("a message of ", length, " bytes whose control part would have ", size));
  if (absl::Status status = receiver_.check(size, payload); !status.ok())
    return status;
  if (size > static_cast<uint64_t>(mostControl_))
    return absl::ResourceExhaustedError(absl::StrCat(
        "a control part of ", size, " bytes from a task that did not say hello; at most ", mostControl_, " are taken"));
  takesParts_ = readNumber(head + 4, 4) & kTakesParts;
  std::string control(size, '\0');
  takeFront(slices, slice, offset, control.data(), size);
  return receiver_.begin(std::move(control), static_cast<int64_t>(payload), readNumber(head + 4, 4) & kIsOpen, place);
}

absl::Status MessageAssembly::add(const grpc::ByteBuffer &buffer, const PlaceFunction &place) {
  auto slices = std::make_shared<std::vector<grpc::Slice>>();
  if (!buffer.Dump(slices.get()).ok())
    return absl::InvalidArgumentError("a message that gRPC cannot unpack");
  size_t slice = 0, offset = 0;
  if (!receiver_.hasBegun()) {
    if (absl::Status status = begin(*slices, slice, offset, buffer.Length(), place); !status.ok())
      return status;
  } else if (buffer.Length() == 0) {
    if (!receiver_.isOpen())
      return absl::InvalidArgumentError("an empty part of a message"); // any number of them would not end it
    return receiver_.end();
  }
  for (; slice < slices->size(); ++slice, offset = 0)
    if (const size_t left = (*slices)[slice].size() - offset; left > 0)
      if (absl::Status status = receiver_.add((*slices)[slice].begin() + offset, static_cast<int64_t>(left), slices);
          !status.ok())
        return status;
  receiver_.tell();
  return absl::OkStatus();
}

} // namespace mlcrt
