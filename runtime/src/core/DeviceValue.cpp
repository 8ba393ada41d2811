//===- DeviceValue.cpp - A value that segments hand on in the memory of a device ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/DeviceValue.h"

#include <utility>

namespace mlcrt {

absl::StatusOr<void *> DeviceValue::bring(Devices &devices, int32_t space, const TensorView &host, bool isRead) {
  absl::StatusOr<Device *> device = devices.ofSpace(space);
  if (!device.ok())
    return device.status();
  if (space != space_) {
    if (isRead)
      if (absl::Status status = fetch(devices, host); !status.ok())
        return status;
    memory_ = DeviceBytes();
    space_ = space;
    state_ = State::Old;
  }
  const int64_t bytes = byteCount(host);
  // What a reader gets is not larger than what was written.
  if (state_ == State::Old || !isRead)
    if (absl::Status status = memory_.reserve(**device, bytes, devices.space(space).alignment); !status.ok())
      return status;
  if (isRead && state_ == State::Old) {
    if (bytes > 0)
      if (absl::Status status =
              (*device)->copy(Device::Memory::Host, host.data, Device::Memory::Device, memory_.data(), bytes);
          !status.ok())
        return status;
    state_ = State::Same;
  }
  return memory_.data();
}

absl::StatusOr<bool> DeviceValue::copyFrom(Devices &devices, const TensorView &host, const DeviceValue &source,
                                           Devices &others) {
  if (source.state_ == State::Old)
    return false;
  absl::StatusOr<Device *> to = devices.ofSpace(source.space_), from = others.ofSpace(source.space_);
  for (const absl::StatusOr<Device *> &device : {to, from})
    if (!device.ok())
      return device.status();
  if (!(*to)->peerGroup() || (*to)->peerGroup() != (*from)->peerGroup())
    return false;
  absl::StatusOr<void *> place = bring(devices, source.space_, host, /*isRead=*/false);
  if (!place.ok())
    return place.status();
  if (const int64_t bytes = byteCount(host); bytes > 0)
    if (absl::Status status = (*to)->copyFrom(**from, source.memory_.data(), *place, bytes); !status.ok())
      return status;
  isWritten();
  return true;
}

absl::Status DeviceValue::fetch(Devices &devices, const TensorView &host) {
  if (state_ != State::Newer)
    return absl::OkStatus();
  absl::StatusOr<Device *> device = devices.ofSpace(space_);
  if (!device.ok())
    return device.status();
  absl::Status status;
  if (const int64_t bytes = byteCount(host); bytes > 0)
    status = (*device)->copy(Device::Memory::Device, memory_.data(), Device::Memory::Host, host.data, bytes);
  // After an error, too: what is on its way comes to this memory.
  if (absl::Status done = (*device)->wait(); status.ok())
    status = done;
  if (status.ok())
    state_ = State::Same;
  return status;
}

} // namespace mlcrt
