// Messages, and calls that wait.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/Transport.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <future>

namespace mlcrt {

static int64_t totalSize(const std::vector<Slice> &payload) {
  int64_t size = 0;
  for (const Slice &slice : payload)
    size += slice.size;
  return size;
}

int64_t OutgoingMessage::payloadSize() const { return totalSize(payload); }

IncomingMessage::IncomingMessage(std::string control, std::vector<Slice> payload)
    : control_(std::move(control)), payload_(std::move(payload)), remaining_(totalSize(payload_)) {}

absl::Status IncomingMessage::read(void *to, int64_t size) {
  if (size < 0 || size > remaining_)
    return absl::InvalidArgumentError(
        absl::StrCat("a message has ", remaining_, " more bytes where ", size, " were expected"));
  remaining_ -= size;
  char *out = static_cast<char *>(to);
  while (size > 0) {
    const Slice &slice = payload_[slice_];
    const int64_t some = std::min(size, slice.size - offset_);
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
                                                 std::chrono::milliseconds timeout) {
  std::promise<absl::StatusOr<IncomingMessage>> promise;
  std::future<absl::StatusOr<IncomingMessage>> future = promise.get_future();
  start(method, std::move(request), timeout,
        [&promise](absl::StatusOr<IncomingMessage> reply) { promise.set_value(std::move(reply)); });
  return future.get();
}

} // namespace mlcrt
