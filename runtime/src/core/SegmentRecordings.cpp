//===- SegmentRecordings.cpp - What segments asked their devices for, to be asked for again -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/SegmentRecordings.h"

#include "runtime/src/core/Environment.h"

#include <algorithm>

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

bool SegmentRecordings::record(Device &device, mlcrt_frame &frame, Environment &environment, Recording &into) {
  if (!device.beginRecording().ok())
    return false;
  std::vector<int64_t> before, after;
  readDims(frame, before);
  const int32_t code = segment_.run(&frame);
  absl::StatusOr<std::unique_ptr<DeviceRecording>> recorded = device.endRecording();
  if (code == MLCRT_OK && recorded.ok()) {
    readDims(frame, after);
    into.recording = *std::move(recorded);
    into.dims = std::move(after);
    return true;
  }
  // Nothing was done: it runs as if this had not been tried.
  static_cast<void>(environment.take());
  writeDims(frame, before);
  return false;
}

absl::StatusOr<int32_t> SegmentRecordings::run(Device &device, mlcrt_frame &frame, Environment &environment) {
  if (!isPossible_)
    return segment_.run(&frame);
  key_.clear();
  readDims(frame, key_);
  for (int32_t i = 0; i < segment_.num_operands; ++i)
    if (segment_.operands[i].space != MLCRT_SPACE_HOST)
      key_.push_back(reinterpret_cast<int64_t>(frame.buffers[i].data));
  for (int64_t w = 0; w < segment_.num_workspaces; ++w)
    if (segment_.workspaces[w].space != MLCRT_SPACE_HOST)
      key_.push_back(reinterpret_cast<int64_t>(frame.workspaces[w].data));
  Recording *known = find(key_);
  if (!known) {
    if (recordings_.size() < kMost)
      recordings_.emplace_back();
    known = &*std::min_element(recordings_.begin(), recordings_.end(),
                               [](const Recording &a, const Recording &b) { return a.lastUse < b.lastUse; });
    *known = Recording();
    known->key = key_;
    known->lastUse = ++uses_;
    return segment_.run(&frame);
  }
  known->lastUse = ++uses_;
  if (!known->recording && !record(device, frame, environment, *known)) {
    isPossible_ = false;
    recordings_.clear();
    return segment_.run(&frame);
  }
  writeDims(frame, known->dims);
  if (absl::Status status = device.replay(*known->recording); !status.ok())
    return status;
  return MLCRT_OK;
}

} // namespace mlcrt
