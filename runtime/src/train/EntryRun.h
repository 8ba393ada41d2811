// The verb run: one execution of an entry. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_ENTRYRUN_H
#define MLCRT_TRAIN_ENTRYRUN_H

#include "absl/status/status.h"
#include "runtime/src/train/TrainRun.h"

namespace mlcrt {

/// Runs the entry --entry on --input (and --feed) arrays, with the values of --checkpoint or of the newest checkpoint
/// of --model_dir, else with initial ones of --seed. Errors as restoreModel and runEntry.
absl::Status runEntryOnce(RunContext &context);

/// The same of a program that is there already, an exported model's. `step` is that of its state.
absl::Status runEntryOnce(RunContext &context, Program &program, int64_t seed, int64_t step);

} // namespace mlcrt

#endif // MLCRT_TRAIN_ENTRYRUN_H
