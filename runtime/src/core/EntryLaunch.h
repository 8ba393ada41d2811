//===- EntryLaunch.h - Steps whose outputs come back while later ones run -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step that is launched writes beside variables lies in one block of its device's memory, so that one copy
// brings all of it. The error slot is first. It is set once, not by each step: one that fails leaves it lowered, so
// that steps which are launched before the host knows update nothing.
#ifndef MLCRT_CORE_ENTRYLAUNCH_H
#define MLCRT_CORE_ENTRYLAUNCH_H

#include "runtime/src/core/EntryRunner.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace mlcrt {

/// A step that was launched.
struct EntryRunner::Launch {
  struct Output {
    int32_t index;
    int32_t dtype;
    Dims dims;
    int64_t offset; ///< in the block
  };
  const BatchView *batch;
  FeatureSlot *slot;
  CallContext context;
  Symbols symbols = {};
  DeviceDownload *download = nullptr; ///< of the block
  std::vector<Output> outputs = {};
  absl::Status status = {}; ///< of launching it
};

struct EntryRunner::Launches {
  const Plan *plan = nullptr; ///< null: steps cannot be launched
  Device *device = nullptr;
  std::array<std::unique_ptr<DeviceDownload>, kMostLaunched> downloads; ///< used in turn
  size_t next = 0;
  DeviceBytes block;
  bool isSlotRaised = false;    ///< what is not settled may have lowered it
  std::vector<int64_t> offsets; ///< of operands in the block; -1: it is elsewhere
  int64_t bytes = 0;            ///< of the block that the step uses
  std::deque<Launch> steps;     ///< not settled, in order
};

} // namespace mlcrt

#endif // MLCRT_CORE_ENTRYLAUNCH_H
