//===- SegmentRecordings.h - What segments asked their devices for, to be asked for again -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_SEGMENTRECORDINGS_H
#define MLCRT_CORE_SEGMENTRECORDINGS_H

#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/core/Devices.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace mlcrt {

class Environment;

/// Of a segment that is MLCRT_SEGMENT_CAPTURABLE, and one runner. What it asks for follows from the dims of its buffers
/// and the addresses that it gets in spaces of its device. Where these occur a first time the segment runs, so that its
/// device finds kernels; the second time it runs and is recorded; from then on the device does again what was recorded.
/// A segment that turns out to ask for what cannot be recorded runs each time.
class SegmentRecordings {
public:
  /// How many sets of dims and addresses are kept; the one that was not used for longest gives way.
  static constexpr size_t kMost = 8;

  explicit SegmentRecordings(const mlcrt_segment &segment) : segment_(segment) {}

  /// The segment's code, after which the device was asked for everything. Errors of the device that does again what was
  /// recorded; those of a segment that runs are the environment's.
  absl::StatusOr<int32_t> run(Device &device, mlcrt_frame &frame, Environment &environment);

private:
  struct Recording {
    std::vector<int64_t> key;                   ///< dims and addresses
    std::unique_ptr<DeviceRecording> recording; ///< null: not yet
    std::vector<int64_t> dims;                  ///< of all buffers, as the segment left them
    uint64_t lastUse = 0;
  };

  Recording *find(const std::vector<int64_t> &key);
  /// The segment as it runs while the device records; false: it cannot be recorded.
  bool record(Device &device, mlcrt_frame &frame, Environment &environment, Recording &into);
  void readDims(const mlcrt_frame &frame, std::vector<int64_t> &dims) const;
  void writeDims(const mlcrt_frame &frame, const std::vector<int64_t> &dims) const;

  const mlcrt_segment &segment_;
  std::vector<Recording> recordings_;
  std::vector<int64_t> key_;
  uint64_t uses_ = 0;
  bool isPossible_ = true;
};

} // namespace mlcrt

#endif // MLCRT_CORE_SEGMENTRECORDINGS_H
