// Who sees what each step computes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_STEPOBSERVER_H
#define MLCRT_TRAIN_STEPOBSERVER_H

#include "absl/status/statusor.h"
#include "runtime/src/core/EntryRunner.h"

#include <cstdint>

namespace mlcrt {

/// Gets all outputs of each step of a run of training, in order, from the thread that makes the steps, which waits
/// meanwhile. What a call fails with ends the run, without another save.
class StepObserver {
public:
  virtual ~StepObserver() = default;

  /// Whether training goes on; else this step is the last one, and is saved. `steps`: those done.
  virtual absl::StatusOr<bool> afterStep(int64_t steps, const EntryOutputs &outputs) = 0;
  /// A checkpoint of the whole state begins to be written.
  virtual absl::Status beforeSave(int64_t steps) = 0;
  /// It is there: `steps` are those of beforeSave, though the run learns of it some steps later. Whether training goes
  /// on.
  virtual absl::StatusOr<bool> afterSave(int64_t steps) = 0;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_STEPOBSERVER_H
