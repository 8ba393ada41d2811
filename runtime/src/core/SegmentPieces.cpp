//===- SegmentPieces.cpp - What segments ask their devices for between waits --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/SegmentPieces.h"

#include <algorithm>
#include <utility>

namespace mlcrt {

absl::Status SegmentPieces::run(Device &device, std::unique_ptr<DeviceRecording> made) {
  if (made->size() < kLeast)
    return device.runOnce(*made);
  const auto like =
      std::find_if(kept_.begin(), kept_.end(), [&](const auto &recording) { return recording->isLike(*made); });
  if (like == kept_.end() && kept_.size() == kMost)
    return device.runOnce(*made);
  std::unique_ptr<DeviceRecording> earlier;
  if (like != kept_.end()) {
    earlier = std::move(*like);
    kept_.erase(like);
  }
  // A device that has no room for another graph does it without.
  if (!device.prepare(*made, std::move(earlier)).ok())
    return device.runOnce(*made);
  kept_.push_back(std::move(made));
  return device.replay(*kept_.back());
}

} // namespace mlcrt
