//===- SegmentRecordings.cpp - What segments asked their devices for, to be asked for again -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/SegmentRecordings.h"

#include "runtime/src/core/Environment.h"

#include <algorithm>
#include <utility>

namespace mlcrt {

void SegmentRecordings::readDims(const mlcrt_frame &frame, std::vector<int64_t> &dims) const {
  for (int32_t i = 0; i < segment_.num_operands; ++i)
    dims.insert(dims.end(), frame.buffers[i].dims, frame.buffers[i].dims + frame.buffers[i].rank);
}

void SegmentRecordings::writeDims(const mlcrt_frame &frame, const std::vector<int64_t> &dims) const {
  auto next = dims.begin();
  for (int32_t i = 0; i < segment_.num_operands; next += frame.buffers[i++].rank)
    std::copy_n(next, frame.buffers[i].rank, frame.buffers[i].dims);
}

SegmentRecordings::Recording *SegmentRecordings::find(const std::vector<int64_t> &key) {
  for (Recording &recording : recordings_)
    if (recording.key == key)
      return &recording;
  return nullptr;
}

std::unique_ptr<DeviceRecording> SegmentRecordings::takeEarlier(const DeviceRecording &made) {
  if (recordings_.size() < kMost)
    return nullptr;
  auto oldest = recordings_.end(), like = recordings_.end();
  for (auto it = recordings_.begin(); it != recordings_.end(); ++it) {
    if (oldest == recordings_.end() || it->lastUse < oldest->lastUse)
      oldest = it;
    if (it->recording->isLike(made) && (like == recordings_.end() || it->lastUse < like->lastUse))
      like = it;
  }
  std::unique_ptr<DeviceRecording> earlier;
  if (like != recordings_.end())
    earlier = std::move(like->recording);
  recordings_.erase(like != recordings_.end() ? like : oldest);
  return earlier;
}

SegmentRecordings::Recording *SegmentRecordings::record(Device &device, mlcrt_frame &frame, Environment &environment) {
  if (!device.beginRecording().ok())
    return nullptr;
  std::vector<int64_t> before;
  readDims(frame, before);
  const int32_t code = segment_.run(&frame);
  absl::StatusOr<std::unique_ptr<DeviceRecording>> recorded = device.endRecording();
  if (code == MLCRT_OK && recorded.ok()) {
    std::unique_ptr<DeviceRecording> earlier = takeEarlier(**recorded);
    if (device.prepare(**recorded, std::move(earlier)).ok()) {
      Recording &made = recordings_.emplace_back();
      made.key = key_;
      made.recording = *std::move(recorded);
      readDims(frame, made.dims);
      return &made;
    }
  }
  // Nothing was done: it runs as if this had not been tried.
  static_cast<void>(environment.take());
  writeDims(frame, before);
  return nullptr;
}

absl::StatusOr<int32_t> SegmentRecordings::runInPieces(Device &device, mlcrt_frame &frame) {
  if (!device.beginPieces(pieces_).ok())
    return segment_.run(&frame);
  const int32_t code = segment_.run(&frame);
  if (absl::Status status = device.endPieces(); code == MLCRT_OK && !status.ok())
    return status;
  return code;
}

absl::StatusOr<int32_t> SegmentRecordings::run(Device &device, mlcrt_frame &frame, Environment &environment) {
  if (!std::exchange(hasRun_, true))
    return segment_.run(&frame);
  if (!isPossible_)
    return runInPieces(device, frame);
  key_.clear();
  readDims(frame, key_);
  for (int32_t i = 0; i < segment_.num_operands; ++i)
    if (segment_.operands[i].space != MLCRT_SPACE_HOST)
      key_.push_back(reinterpret_cast<int64_t>(frame.buffers[i].data));
  for (int64_t w = 0; w < segment_.num_workspaces; ++w)
    if (segment_.workspaces[w].space != MLCRT_SPACE_HOST)
      key_.push_back(reinterpret_cast<int64_t>(frame.workspaces[w].data));
  Recording *recording = find(key_);
  if (recording)
    writeDims(frame, recording->dims);
  else
    recording = record(device, frame, environment);
  if (!recording) {
    isPossible_ = false;
    recordings_.clear();
    return runInPieces(device, frame);
  }
  recording->lastUse = ++uses_;
  if (absl::Status status = device.replay(*recording->recording); !status.ok())
    return status;
  return MLCRT_OK;
}

} // namespace mlcrt
