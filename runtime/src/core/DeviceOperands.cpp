//===- DeviceOperands.cpp - Operands of segments in the memory of devices -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/DeviceOperands.h"

#include "runtime/src/core/Environment.h"

#include "absl/strings/str_cat.h"

#include <utility>

namespace mlcrt {

Homes::Homes(const mlcrt_artifact &table, Devices &devices, State &state) : devices_(devices), state_(state) {
  for (int64_t h = 0; h < table.num_homes; ++h)
    homes_[{table.homes[h].variable, table.homes[h].space}].flags = table.homes[h].flags;
}

void Homes::keepValues() {
  keepsValues_ = true;
  state_.fetchBy([this](int32_t variable) { return fetch(variable); });
}

absl::StatusOr<void *> Homes::bring(int32_t variable, int32_t space) {
  const auto it = homes_.find({variable, space});
  if (it == homes_.end())
    return absl::InternalError(absl::StrCat("variable ", variable, " has no home in space ", space));
  Home &home = it->second;
  if (home.flags & MLCRT_HOME_ROWS)
    return absl::UnimplementedError(absl::StrCat("variable '", state_.variable(variable).value.name,
                                                 "' has rows in space '", devices_.space(space).name,
                                                 "', which this runtime does not send; expected: a home of all of it"));
  absl::StatusOr<Device *> device = devices_.ofSpace(space);
  if (!device.ok())
    return device.status();
  const TensorView &value = state_.storage(variable);
  if (absl::Status status = home.memory.reserve(**device, byteCount(value), devices_.space(space).alignment);
      !status.ok())
    return status;
  const uint64_t version = state_.version(variable);
  if (home.version != version) {
    if (absl::Status status = state_.current(variable); !status.ok())
      return status;
    if (absl::Status status = (*device)->copy(Device::Memory::Host, value.data, Device::Memory::Device,
                                              home.memory.data(), byteCount(value));
        !status.ok())
      return status;
    home.version = version;
    home.lost = absl::OkStatus();
  }
  if (!home.lost.ok())
    return home.lost;
  return home.memory.data();
}

bool Homes::isWhole(int32_t variable, const TensorView &host) const {
  const TensorView &value = state_.storage(variable);
  return host.data == value.data && byteCount(host) == byteCount(value);
}

void Homes::isWritten(int32_t variable, int32_t space) {
  homes_.at({variable, space}).version = state_.version(variable);
  if (keepsValues_)
    state_.leave(variable);
}

void Homes::isSpoilt(int32_t variable, int32_t space, const absl::Status &failed) {
  Home &home = homes_.at({variable, space});
  if (!state_.isElsewhere(variable)) {
    home.version = kNoVersion;
    return;
  }
  if (!failed.ok() && home.lost.ok())
    home.lost = withText(failed, absl::StrCat("the value of variable '", state_.variable(variable).value.name,
                                              "' is lost with what failed: ", failed.message()));
}

absl::Status Homes::fetch(int32_t variable) {
  const uint64_t version = state_.version(variable);
  for (auto it = homes_.lower_bound({variable, 0}); it != homes_.end() && it->first.first == variable; ++it) {
    const Home &home = it->second;
    if (home.version != version)
      continue;
    if (!home.lost.ok())
      return home.lost;
    absl::StatusOr<Device *> device = devices_.ofSpace(it->first.second);
    if (!device.ok())
      return device.status();
    const TensorView &value = state_.storage(variable);
    absl::Status status =
        (*device)->copy(Device::Memory::Device, home.memory.data(), Device::Memory::Host, value.data, byteCount(value));
    // After an error, too: what is on its way comes to this memory.
    if (absl::Status done = (*device)->wait(); status.ok())
      status = done;
    return status;
  }
  return absl::InternalError(absl::StrCat("variable '", state_.variable(variable).value.name, "' is in no home"));
}

absl::StatusOr<void *> DeviceOperands::bring(int32_t number, const mlcrt_operand &operand, const TensorView &host,
                                             const void *there) {
  if (operand.source == MLCRT_SOURCE_VARIABLE && homes_.isWhole(operand.index, host))
    return homes_.bring(operand.index, operand.space);
  if (operand.source == MLCRT_SOURCE_VARIABLE)
    if (absl::Status status = homes_.current(operand.index); !status.ok())
      return status;
  absl::StatusOr<Device *> device = devices_.ofSpace(operand.space);
  if (!device.ok())
    return device.status();
  DeviceBytes &memory = operands_[{number, operand.space}];
  const int64_t bytes = byteCount(host);
  if (absl::Status status = memory.reserve(**device, bytes, devices_.space(operand.space).alignment); !status.ok())
    return status;
  if ((operand.access & MLCRT_READ) && bytes > 0)
    if (absl::Status status =
            there ? (*device)->copy(Device::Memory::Device, there, Device::Memory::Device, memory.data(), bytes)
                  : (*device)->copy(Device::Memory::Host, host.data, Device::Memory::Device, memory.data(), bytes);
        !status.ok())
      return status;
  return memory.data();
}

absl::Status DeviceOperands::takeBack(int32_t number, const mlcrt_operand &operand, const TensorView &host) {
  absl::StatusOr<Device *> device = devices_.ofSpace(operand.space);
  if (!device.ok())
    return device.status();
  const bool isVariable = operand.source == MLCRT_SOURCE_VARIABLE && homes_.isWhole(operand.index, host);
  absl::StatusOr<void *> from = operands_[{number, operand.space}].data();
  if (isVariable)
    from = homes_.bring(operand.index, operand.space);
  if (!from.ok())
    return from.status();
  void *to = host.data;
  if (operand.source == MLCRT_SOURCE_ERROR) {
    slot_ = static_cast<std::atomic<uint64_t> *>(host.data);
    to = &error_;
  }
  awaited_ = *device; // spaces of a segment are of one device
  const int64_t bytes = byteCount(host);
  return bytes == 0 || (isVariable && homes_.keepsValues())
             ? absl::OkStatus()
             : (*device)->copy(Device::Memory::Device, *from, Device::Memory::Host, to, bytes);
}

absl::Status DeviceOperands::settle() {
  Device *const device = std::exchange(awaited_, nullptr);
  std::atomic<uint64_t> *const slot = std::exchange(slot_, nullptr);
  if (!device)
    return absl::OkStatus();
  absl::Status status = device->wait();
  if (status.ok() && slot)
    lowerErrorSlot(*slot, error_);
  return status;
}

absl::StatusOr<mlcrt_memory> DeviceOperands::workspace(int32_t number, int32_t space, int64_t bytes) {
  absl::StatusOr<Device *> device = devices_.ofSpace(space);
  if (!device.ok())
    return device.status();
  DeviceBytes &memory = workspaces_[{number, space}];
  if (absl::Status status = memory.reserve(**device, bytes, devices_.space(space).alignment); !status.ok())
    return status;
  return mlcrt_memory{memory.data(), memory.size()};
}

} // namespace mlcrt
