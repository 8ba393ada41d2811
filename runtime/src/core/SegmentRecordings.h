//===- SegmentRecordings.h - What segments asked their devices for, to be asked for again -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_SEGMENTRECORDINGS_H
#define MLCRT_CORE_SEGMENTRECORDINGS_H

#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/core/SegmentPieces.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace mlcrt {

class Environment;

/// Of a segment with a device, and one runner. What one that is MLCRT_SEGMENT_CAPTURABLE asks for follows from the dims
/// of its buffers and the addresses that it gets in spaces of its device. Its first call runs, for segments that run
/// once. From the second one on a call with the dims and addresses of an earlier one has the device do again what was
/// recorded then, and another call is recorded: it runs, but launches nothing, and the recording is made of one that is
/// kept, where that is of the same kernels and room for more is gone. So batches of any sizes go by a few graphs, whose
/// numbers change. Another segment, or one that turns out to ask for what cannot be recorded, runs each time; from the
/// second call on what it asks for between two waits is recorded (SegmentPieces).
class SegmentRecordings {
public:
  /// How many recordings are kept; the one that was not used for longest gives way.
  static constexpr size_t kMost = 8;

  explicit SegmentRecordings(const mlcrt_segment &segment)
      : segment_(segment), isPossible_((segment.flags & MLCRT_SEGMENT_CAPTURABLE) != 0) {}

  /// The segment's code, after which the device was asked for everything. Errors of the device that does again what was
  /// recorded; those of a segment that runs are the environment's.
  absl::StatusOr<int32_t> run(Device &device, mlcrt_frame &frame, Environment &environment);

private:
  struct Recording {
    std::vector<int64_t> key; ///< dims and addresses
    std::unique_ptr<DeviceRecording> recording;
    std::vector<int64_t> dims; ///< of all buffers, as the segment left them
    uint64_t lastUse = 0;
  };

  /// The segment, of which the device records pieces if it can.
  absl::StatusOr<int32_t> runInPieces(Device &device, mlcrt_frame &frame);
  Recording *find(const std::vector<int64_t> &key);
  /// The segment as it runs while the device records, ready to be asked for; null: it cannot be recorded.
  Recording *record(Device &device, mlcrt_frame &frame, Environment &environment);
  /// Takes out the recording that one like `made` is made of: of those like it the one not used for longest. Null:
  /// there is room for another, or none is like it, and the one not used for longest of all has given way.
  std::unique_ptr<DeviceRecording> takeEarlier(const DeviceRecording &made);
  void readDims(const mlcrt_frame &frame, std::vector<int64_t> &dims) const;
  void writeDims(const mlcrt_frame &frame, const std::vector<int64_t> &dims) const;

  const mlcrt_segment &segment_;
  std::vector<Recording> recordings_;
  std::vector<int64_t> key_;
  uint64_t uses_ = 0;
  bool hasRun_ = false, isPossible_; ///< to record it as a whole
  SegmentPieces pieces_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_SEGMENTRECORDINGS_H
