//===- DeviceValue.h - A value that segments hand on in the memory of a device ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_DEVICEVALUE_H
#define MLCRT_CORE_DEVICEVALUE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/core/Tensor.h"

#include <cstdint>

namespace mlcrt {

/// What a device's memory has of a value whose place in host memory is someone else's: a sum, or an intermediate. It
/// stays there for the next segment of the device, and comes to the host when that asks for it. For one thread at a
/// time, as the value itself.
class DeviceValue {
public:
  /// The address of the value, which in host memory is `host`, in a space of a device; it has the value there if
  /// `isRead`. Errors of the device.
  absl::StatusOr<void *> bring(Devices &devices, int32_t space, const TensorView &host, bool isRead);
  /// Takes the value over from a place of it on another device, in the space of the same number of `others`, host
  /// memory being `host` here. False: the devices are no peers, or that one has an old value; then nothing has
  /// happened.
  absl::StatusOr<bool> copyFrom(Devices &devices, const TensorView &host, const DeviceValue &source, Devices &others);
  /// What bring() gave the address of was written: host memory has an old value from now on.
  void isWritten() { state_ = State::Newer; }
  /// Brings the value to host memory, if that has an old one. Errors of the device.
  absl::Status fetch(Devices &devices, const TensorView &host);
  /// Host memory has the value, and the device an old one.
  void forget() { state_ = State::Old; }

private:
  enum class State {
    Old,  ///< none, or not the value any more
    Same, ///< as host memory
    Newer ///< host memory has an old one
  };
  DeviceBytes memory_;
  int32_t space_ = MLCRT_SPACE_HOST; ///< of memory_; the host: there is none
  State state_ = State::Old;
};

} // namespace mlcrt

#endif // MLCRT_CORE_DEVICEVALUE_H
