//===- DeviceCollective.h - A library by which devices of a process exchange values -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_DEVICECOLLECTIVE_H
#define MLCRT_CORE_DEVICECOLLECTIVE_H

#include "absl/status/status.h"
#include "runtime/src/core/Program.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace mlcrt {

/// Values of the same dtype and size on all devices of a collective, which become their sum.
struct CollectiveSum {
  int32_t dtype = 0;          ///< mlcrt_dtype
  int64_t count = 0;          ///< elements, > 0
  std::vector<void *> values; ///< in the memory of each device, in their order
};

/// Devices of a process that exchange values by a library of theirs. As devices do (Device), it asks for what it is
/// asked for in the order of each device. After an error of the library, or giveUp(), all else is an error. It ends
/// before the devices do.
class DeviceCollective {
public:
  virtual ~DeviceCollective() = default;

  /// Copies between the devices that this thread asks for (Device::copyFrom) are gathered from now on.
  virtual absl::Status beginCopies() = 0;
  /// Asks for all of them at once.
  virtual absl::Status endCopies() = 0;

  virtual bool canAdd(int32_t dtype) const = 0;
  /// Replaces values by their sums over the devices, whose terms are added in an order that the library chooses: the
  /// bits are its own. kUnimplemented: a dtype that it cannot add.
  virtual absl::Status add(const std::vector<CollectiveSum> &sums) = 0;

  /// The first error of what was asked for until now, as far as it is known.
  virtual absl::Status check() = 0;
  /// Ends what was asked for and does not come to its end, as a device has failed; from any thread.
  virtual void giveUp() = 0;
};

/// How sums go between devices.
struct SumExchange {
  DeviceCollective *collective = nullptr; ///< null: by copies of the devices
  bool isAllReduce = false;               ///< the collective adds them, too, in an order of its own
};

/// Devices of a process beside its first one.
struct OtherDevices {
  std::vector<std::unique_ptr<Program>> programs;
  std::unique_ptr<DeviceCollective> collective; ///< of the first one and these; null: they copy
};

} // namespace mlcrt

#endif // MLCRT_CORE_DEVICECOLLECTIVE_H
