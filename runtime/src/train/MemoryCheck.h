// Whether a run fits into memory, told before anything is allocated. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_MEMORYCHECK_H
#define MLCRT_TRAIN_MEMORYCHECK_H

#include "common/machine/MachineLimits.h"
#include "common/machine/MemoryNeed.h"
#include "runtime/src/core/Artifact.h"
#include "runtime/src/core/Devices.h"

namespace mlcrt {

/// The sizes of an artifact's state in one process, without a workspace.
mlc::common::MemoryNeed stateNeed(const Artifact &artifact);

/// The same of a process that evaluates, predicts or exports: without slots, and without tables that are read by rows,
/// which stay in the checkpoint.
mlc::common::MemoryNeed readNeed(const Artifact &artifact);

/// Bytes of workspace that the segments of `entry` need for a batch of `rows` rows; a multi-valued feature counts with
/// one value in each row. It runs compiled code, which the processor must be able to.
int64_t workspaceNeed(const Artifact &artifact, const mlcrt_entry &entry, int64_t rows, int threads);

/// Adds to `need` what lies in the memory of the artifact's devices, if there are any: variables but those of which a
/// device has rows alone, and the workspace of a step of `entry` of as many rows as `need` has, unless that is null.
/// What is per batch besides (features, outputs, sums) is not known ahead.
void addDeviceNeed(const Artifact &artifact, const mlcrt_entry *entry, int threads, mlc::common::MemoryNeed &need);

/// kResourceExhausted (deviceMemoryError, E0502) if that does not fit into what the device takes.
absl::Status checkDeviceMemory(const mlc::common::MemoryNeed &need, const Device &device);

/// {"state_bytes":..,"checkpoint_bytes":..,"workspace_bytes":..,"rows":..,"device_state_bytes":..,
/// "device_workspace_bytes":..}; the last four if they are known.
std::string memoryJson(const mlc::common::MemoryNeed &need);

/// What a run does with the state.
enum class MemoryUse {
  Save, ///< it trains and saves: checkpoints are written from a copy
  Try,  ///< it trains and saves nothing
  Read, ///< it evaluates, predicts or exports
};

/// kInvalidArgument (E0502) if `need` does not fit into what `machine` has: the state, the copy that a checkpoint is
/// written from if the run saves one, and the workspace. `what` is what holds it: "the model", "the shard of ps 1".
absl::Status checkMemory(const Artifact &artifact, const mlc::common::MemoryNeed &need,
                         const mlc::common::MachineLimits &machine, const std::string &what, MemoryUse use);

} // namespace mlcrt

#endif // MLCRT_TRAIN_MEMORYCHECK_H
