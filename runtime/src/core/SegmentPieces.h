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
/// runner: what it asks its device for between two waits, which the device does as one recording. A piece is that of
/// the same place in an earlier call whose kernels are the same, with other numbers; where there is none, and as many
/// are kept as may be, its launches are asked for one by one. So no data makes recordings without end.
class SegmentPieces : public RecordedPieces {
public:
  /// Sequences of kernels that are kept for each place.
  static constexpr size_t kMost = 8;
  /// Launches and copies of a piece at least: of fewer a recording saves nothing.
  static constexpr int64_t kLeast = 4;

  /// What comes now is the first piece of a call.
  void restart() { next_ = 0; }
  absl::Status run(Device &device, std::unique_ptr<DeviceRecording> made) override;

private:
  std::vector<std::vector<std::unique_ptr<DeviceRecording>>> places_; ///< ready, by the piece's number in its call
  size_t next_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_CORE_SEGMENTPIECES_H
