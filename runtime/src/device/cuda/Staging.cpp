//===- Staging.cpp - Copies between a GPU and host memory, by pinned buffers --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/Staging.h"

#include <algorithm>
#include <cstring>

namespace mlcrt {

/// Events that measure no time, which are faster.
static constexpr unsigned kEventDisableTiming = 2;
/// Copies in a buffer begin at multiples of this.
static constexpr int64_t kGrain = 64;

Staging::~Staging() {
  const CudaDriver &driver = context_.driver();
  for (Buffer &buffer : buffers_) {
    if (buffer.event)
      driver.cuEventDestroy_v2(buffer.event);
    if (buffer.memory)
      driver.cuMemFreeHost(buffer.memory);
  }
}

absl::Status Staging::takeMemory() {
  const CudaDriver &driver = context_.driver();
  for (Buffer &buffer : buffers_) {
    if (!buffer.memory) {
      void *memory = nullptr;
      if (absl::Status status =
              context_.check(driver.cuMemHostAlloc(&memory, kBufferBytes, 0), "cuMemHostAlloc", "a buffer for copies");
          !status.ok())
        return status;
      buffer.memory = static_cast<char *>(memory);
    }
    if (!buffer.event)
      if (absl::Status status =
              context_.check(driver.cuEventCreate(&buffer.event, kEventDisableTiming), "cuEventCreate");
          !status.ok())
        return status;
  }
  return absl::OkStatus();
}

void Staging::empty(Buffer &buffer) {
  for (const Arrival &arrival : buffer.arrivals)
    std::memcpy(arrival.to, buffer.memory + arrival.offset, static_cast<size_t>(arrival.bytes));
  buffer.arrivals.clear();
  buffer.used = 0;
  buffer.isFull = false;
}

void Staging::finish() {
  // In the order in which they were filled.
  for (int i = 1; i <= kBuffers; ++i)
    empty(buffers_[(current_ + i) % kBuffers]);
}

void Staging::drop() {
  for (Buffer &buffer : buffers_)
    buffer.arrivals.clear();
  finish();
}

absl::Status Staging::makeRoom() {
  if (!buffers_[kBuffers - 1].event)
    if (absl::Status status = takeMemory(); !status.ok())
      return status;
  Buffer &full = buffers_[current_];
  if (full.used < kBufferBytes)
    return absl::OkStatus();
  const CudaDriver &driver = context_.driver();
  if (absl::Status status = context_.check(driver.cuEventRecord(full.event, stream_), "cuEventRecord"); !status.ok())
    return status;
  full.isFull = true;
  current_ = (current_ + 1) % kBuffers;
  Buffer &next = buffers_[current_];
  if (!next.isFull)
    return absl::OkStatus();
  if (absl::Status status = context_.check(driver.cuEventSynchronize(next.event), "cuEventSynchronize"); !status.ok())
    return status;
  empty(next);
  return absl::OkStatus();
}

absl::Status Staging::toDevice(const void *from, CudaAddress to, int64_t bytes) {
  const char *next = static_cast<const char *>(from);
  while (bytes > 0) {
    if (absl::Status status = makeRoom(); !status.ok())
      return status;
    Buffer &buffer = buffers_[current_];
    const int64_t part = std::min(bytes, kBufferBytes - buffer.used);
    char *const place = buffer.memory + buffer.used;
    std::memcpy(place, next, static_cast<size_t>(part));
    buffer.used = std::min(kBufferBytes, (buffer.used + part + kGrain - 1) / kGrain * kGrain);
    if (absl::Status status = context_.check(
            context_.driver().cuMemcpyHtoDAsync_v2(to, place, static_cast<size_t>(part), stream_), "cuMemcpyHtoDAsync");
        !status.ok())
      return status;
    next += part;
    to += static_cast<CudaAddress>(part);
    bytes -= part;
  }
  return absl::OkStatus();
}

absl::Status Staging::fromDevice(CudaAddress from, void *to, int64_t bytes) {
  char *next = static_cast<char *>(to);
  while (bytes > 0) {
    if (absl::Status status = makeRoom(); !status.ok())
      return status;
    Buffer &buffer = buffers_[current_];
    const int64_t part = std::min(bytes, kBufferBytes - buffer.used);
    if (absl::Status status = context_.check(context_.driver().cuMemcpyDtoHAsync_v2(buffer.memory + buffer.used, from,
                                                                                    static_cast<size_t>(part), stream_),
                                             "cuMemcpyDtoHAsync");
        !status.ok())
      return status;
    buffer.arrivals.push_back({buffer.used, next, part});
    buffer.used = std::min(kBufferBytes, (buffer.used + part + kGrain - 1) / kGrain * kGrain);
    next += part;
    from += static_cast<CudaAddress>(part);
    bytes -= part;
  }
  return absl::OkStatus();
}

bool Staging::isAwaited(const void *begin, int64_t bytes) const {
  const char *const first = static_cast<const char *>(begin);
  for (const Buffer &buffer : buffers_)
    for (const Arrival &arrival : buffer.arrivals)
      if (const char *to = static_cast<const char *>(arrival.to); first < to + arrival.bytes && to < first + bytes)
        return true;
  return false;
}

bool Staging::isAnyAwaited() const {
  return std::any_of(std::begin(buffers_), std::end(buffers_),
                     [](const Buffer &buffer) { return !buffer.arrivals.empty(); });
}

} // namespace mlcrt
