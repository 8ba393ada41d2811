// The verb run of a program that is placed on the tasks of a cluster. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_PLACEDRUN_H
#define MLCRT_TRAIN_PLACEDRUN_H

#include "absl/status/statusor.h"
#include "runtime/src/run/RunEntry.h"
#include "runtime/src/train/TrainRun.h"

#include <string>

namespace mlcrt {

/// Whether the program has devices of tasks and TF_CONFIG is set.
bool isPlacedRun(const RunContext &context);

/// Runs this task's parts of the entries, unless `isRestored` after those of its first values, beside the other tasks
/// that have parts: each with the same program, settings and entries, and inputs of the same sizes. Returns what there
/// is to print of the entries whose outputs are here. kInvalidArgument: E0222 for TF_CONFIG, or if a device's task is
/// not of the cluster; E0410, E0411 and E0412 as of training; what failed first in any task.
absl::StatusOr<std::string> runPlaced(RunContext &context, Program &program, RunRequest request, bool isRestored);

} // namespace mlcrt

#endif // MLCRT_TRAIN_PLACEDRUN_H
