// Messages, and calls that wait.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/Transport.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <utility>

namespace mlcrt {

static int64_t totalSize(const std::vector<Slice> &payload) {
  int64_t size = 0;
  for (const Slice &slice : payload)
    size += slice.size;
  return size;
}

//===----------------------------------------------------------------------===//
// PayloadStream
//===----------------------------------------------------------------------===//

std::function<void()> PayloadStream::wake() {
  if (!ready_ || (waiting_ < least_ && end_ == End::None))
    return nullptr;
  return std::exchange(ready_, nullptr);
}

void PayloadStream::add(Slice slice) {
  if (slice.size == 0)
    return;
  std::function<void()> ready;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    waiting_ += slice.size;
    size_ += slice.size;
    slices_.push_back(std::move(slice));
    ready = wake();
  }
  if (ready)
    ready();
}

void PayloadStream::end(End how) {
  std::function<void()> ready;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    end_ = how;
    ready = wake();
  }
  if (ready)
    ready();
}

int64_t PayloadStream::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return size_;
}

PayloadStream::Next PayloadStream::take(int64_t least, int64_t most, std::vector<Slice> &part,
                                        std::function<void()> ready) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (end_ == End::Abandoned)
    return Next::Abandoned;
  if (waiting_ == 0 && end_ == End::Finished)
    return Next::End;
  if (waiting_ < least && end_ == End::None) {
    least_ = least;
    ready_ = std::move(ready);
    return Next::Wait;
  }
  for (int64_t left = most; left > 0 && !slices_.empty();) {
    Slice &front = slices_.front();
    const int64_t size = std::min(left, front.size);
    part.push_back({front.data, size, front.owner});
    front.data = static_cast<const char *>(front.data) + size;
    front.size -= size;
    left -= size;
    waiting_ -= size;
    if (front.size == 0)
      slices_.pop_front();
  }
  return Next::Part;
}

bool PayloadStream::forget() {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(ready_, nullptr) != nullptr;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

int64_t OutgoingMessage::payloadSize() const { return totalSize(payload); }

IncomingMessage::IncomingMessage(std::string control, std::vector<Slice> payload)
    : control_(std::move(control)), payload_(std::move(payload)), remaining_(totalSize(payload_)) {}

IncomingMessage::IncomingMessage(std::string control, std::shared_ptr<void> placed, std::vector<Slice> rest)
    : IncomingMessage(std::move(control), std::move(rest)) {
  placed_ = std::move(placed);
}

absl::Status PlacementFiller::begin(Placement placement, int64_t payloadSize) {
  int64_t size = 0;
  for (const Placement::Span &span : placement.spans)
    size += span.size;
  if (!placement.spans.empty() && (placement.isFront ? size > payloadSize : size != payloadSize))
    return absl::InvalidArgumentError(
        absl::StrCat("a message has a payload of ", payloadSize, " bytes where ", size, " were expected"));
  placement_ = std::move(placement);
  skipEmpty();
  return absl::OkStatus();
}

void PlacementFiller::skipEmpty() {
  while (span_ < placement_.spans.size() && placement_.spans[span_].size == 0)
    ++span_;
}

void PlacementFiller::advance(int64_t size) {
  filled_ += size;
  offset_ += size;
  if (offset_ == placement_.spans[span_].size) {
    ++span_, offset_ = 0;
    skipEmpty();
  }
}

int64_t PlacementFiller::fill(const void *data, int64_t size) {
  const char *from = static_cast<const char *>(data);
  while (size > 0 && !isFull()) {
    const Placement::Span &span = placement_.spans[span_];
    const int64_t some = std::min(size, span.size - offset_);
    std::memcpy(static_cast<char *>(span.data) + offset_, from, static_cast<size_t>(some));
    from += some;
    size -= some;
    advance(some);
  }
  return from - static_cast<const char *>(data);
}

std::vector<Placement::Span> PlacementFiller::next(int64_t size, size_t most) const {
  std::vector<Placement::Span> spans;
  int64_t offset = offset_;
  for (size_t i = span_; i < placement_.spans.size() && size > 0 && spans.size() < most; ++i, offset = 0) {
    const Placement::Span &span = placement_.spans[i];
    const int64_t some = std::min(size, span.size - offset);
    if (some > 0)
      spans.push_back({static_cast<char *>(span.data) + offset, some});
    size -= some;
  }
  return spans;
}

int64_t PlacementFiller::filled(int64_t size) {
  int64_t left = size;
  while (left > 0 && !isFull()) {
    const int64_t some = std::min(left, placement_.spans[span_].size - offset_);
    left -= some;
    advance(some);
  }
  return size - left;
}

absl::Status IncomingMessage::read(void *to, int64_t size) {
  if (size < 0 || size > remaining_)
    return absl::InvalidArgumentError(
        absl::StrCat("a message has ", remaining_, " more bytes where ", size, " were expected"));
  remaining_ -= size;
  char *out = static_cast<char *>(to);
  while (size > 0) {
    const Slice &slice = payload_[slice_];
    const int64_t some = std::min(size, slice.size - offset_);
    if (some > 0) // an empty slice may have no address
      std::memcpy(out, static_cast<const char *>(slice.data) + offset_, some);
    out += some;
    size -= some;
    offset_ += some;
    if (offset_ == slice.size) {
      payload_[slice_++].owner.reset();
      offset_ = 0;
    }
  }
  return absl::OkStatus();
}

absl::Status IncomingMessage::finish() const {
  if (remaining_ == 0)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a message has ", remaining_, " bytes more than expected"));
}

absl::StatusOr<IncomingMessage> Connection::call(std::string_view method, OutgoingMessage request,
                                                 std::chrono::milliseconds timeout, PlaceFunction place) {
  std::promise<absl::StatusOr<IncomingMessage>> promise;
  std::future<absl::StatusOr<IncomingMessage>> future = promise.get_future();
  start(
      method, std::move(request), timeout,
      [&promise](absl::StatusOr<IncomingMessage> reply) { promise.set_value(std::move(reply)); }, std::move(place));
  return future.get();
}

} // namespace mlcrt
