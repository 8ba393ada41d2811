//===- SegmentPieces.h - What segments ask their devices for between waits ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_SEGMENTPIECES_H
#define MLCRT_CORE_SEGMENTPIECES_H

#include "absl/status/status.h"
#include "runtime/src/core/Devices.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mlcrt {

/// Of a segment whose host code runs each time, because data decides on sizes or the host has work of its own, and one
/// runner: what it asks its device for between two waits, which the device does as one recording. That is an earlier
/// one of the same kernels, of whatever place in whatever call, with other numbers: the iterations of a loop share one.
/// Where there is none, and as many are kept as may be, launches are asked for one by one. So no data makes recordings
/// without end.
class SegmentPieces : public RecordedPieces {
public:
  /// Recordings that are kept, each of another sequence of kernels: those that come first.
  static constexpr size_t kMost = 12;
  /// Launches and copies of a piece at least: of fewer a recording saves nothing.
  static constexpr int64_t kLeast = 4;

  absl::Status run(Device &device, std::unique_ptr<DeviceRecording> made) override;

private:
  std::vector<std::unique_ptr<DeviceRecording>> kept_; ///< ready
};

} // namespace mlcrt

#endif // MLCRT_CORE_SEGMENTPIECES_H
