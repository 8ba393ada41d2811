// A message as its bytes come.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/MessageReceiver.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <malloc.h>
#include <new>

namespace mlcrt {

void keepFreedMemory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
  ::mallopt(M_TOP_PAD, 4 << 20);
#endif
}

absl::Status MessageReceiver::check(uint64_t controlSize, uint64_t payloadSize) const {
  if (controlSize > static_cast<uint64_t>(kMostControlBytes))
    return absl::ResourceExhaustedError(absl::StrCat("a message with a control part of ", controlSize,
                                                     " bytes; at most ", kMostControlBytes, " are taken"));
  if (payloadSize > static_cast<uint64_t>(maxBytes_) || controlSize > static_cast<uint64_t>(maxBytes_) - payloadSize)
    return absl::ResourceExhaustedError(
        absl::StrCat("a message of ", controlSize, " and ", payloadSize, " bytes; at most ", maxBytes_, " are taken"));
  return absl::OkStatus();
}

absl::Status MessageReceiver::begin(std::string control, int64_t payloadSize, bool isOpen, const PlaceFunction &place) {
  control_ = std::move(control);
  payloadSize_ = payloadSize;
  isOpen_ = isOpen;
  hasBegun_ = true;
  if (!place || payloadSize == 0)
    return absl::OkStatus();
  absl::StatusOr<Placement> placement = place(control_, payloadSize);
  if (!placement.ok())
    return placement.status();
  if (isOpen && !placement->spans.empty() && !placement->isFront)
    return absl::InvalidArgumentError("a payload that belongs somewhere came without its size");
  return filler_.begin(*std::move(placement), payloadSize);
}

absl::Status MessageReceiver::expect(int64_t size) const {
  if (size <= payloadSize_ - received_)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a message has more than the ", payloadSize_, " bytes it announced"));
}

absl::Status MessageReceiver::add(const void *data, int64_t size, const std::shared_ptr<const void> &owner) {
  if (absl::Status status = expect(size); !status.ok())
    return status;
  const int64_t placed = filler_.fill(data, size);
  if (placed < size)
    kept_.push_back({static_cast<const char *>(data) + placed, size - placed, owner});
  received_ += size;
  return absl::OkStatus();
}

void MessageReceiver::room(int64_t size, std::vector<Placement::Span> &spans) {
  constexpr size_t kMostSpans = 63;
  for (const Placement::Span &span : filler_.next(size, kMostSpans)) {
    spans.push_back(span);
    size -= span.size;
  }
  if (size == 0 || spans.size() == kMostSpans)
    return;
  if (blockUsed_ == blockSize_) {
    blockSize_ = std::min(size, kPartBytes);
    blockUsed_ = 0;
    block_.reset(static_cast<char *>(::operator new(static_cast<size_t>(blockSize_))),
                 [](char *block) { ::operator delete(block); });
  }
  spans.push_back({block_.get() + blockUsed_, std::min(size, blockSize_ - blockUsed_)});
}

void MessageReceiver::written(int64_t size) {
  received_ += size;
  size -= filler_.filled(size);
  if (size == 0)
    return;
  if (blockUsed_ > 0)
    kept_.back().size += size;
  else
    kept_.push_back({block_.get(), size, block_});
  blockUsed_ += size;
}

absl::Status MessageReceiver::end() {
  if (!isOpen_ && received_ < payloadSize_)
    return absl::InvalidArgumentError(
        absl::StrCat("a message ends after ", received_, " of the ", payloadSize_, " bytes it announced"));
  if (filler_.isPlaced() && !filler_.isFull())
    return absl::InvalidArgumentError(
        absl::StrCat("a message ends after ", received_, " bytes, where more have a place"));
  isEnded_ = true;
  return absl::OkStatus();
}

IncomingMessage MessageReceiver::take() {
  IncomingMessage message(std::move(control_), filler_.take(), std::move(kept_));
  message.setCharge(filler_.takeCharge());
  return message;
}

} // namespace mlcrt
