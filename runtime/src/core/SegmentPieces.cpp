//===- SegmentPieces.cpp - What segments ask their devices for between waits --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/SegmentPieces.h"

#include <algorithm>
#include <utility>

namespace mlcrt {

absl::Status SegmentPieces::run(Device &device, std::unique_ptr<DeviceRecording> made) {
  if (next_ == places_.size())
    places_.emplace_back();
  std::vector<std::unique_ptr<DeviceRecording>> &kept = places_[next_++];
  if (made->size() < kLeast)
    return device.runOnce(*made);
  const auto like =
      std::find_if(kept.begin(), kept.end(), [&](const auto &recording) { return recording->isLike(*made); });
  if (like == kept.end() && kept.size() == kMost)
    return device.runOnce(*made);
  std::unique_ptr<DeviceRecording> earlier;
  if (like != kept.end()) {
    earlier = std::move(*like);
    kept.erase(like);
  }
  // A device that has no room for another graph does it without.
  if (!device.prepare(*made, std::move(earlier)).ok())
    return device.runOnce(*made);
  kept.push_back(std::move(made));
  return device.replay(*kept.back());
}

} // namespace mlcrt
