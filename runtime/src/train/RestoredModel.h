// The model of a trainer with the values of a checkpoint. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_RESTOREDMODEL_H
#define MLCRT_TRAIN_RESTOREDMODEL_H

#include "absl/status/statusor.h"
#include "common/machine/MemoryNeed.h"
#include "runtime/src/checkpoint/CheckpointRows.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/train/TrainRun.h"

#include <cstdint>
#include <memory>
#include <string>

namespace mlcrt {

/// The checkpoint that a verb takes.
struct ChosenCheckpoint {
  std::string path;
  std::string why; ///< for people; empty where nothing has to be said
};

/// The checkpoint that --checkpoint of `line` means: "best", "latest", a step of --model_dir, or a directory. Without
/// it the best of --model_dir where early stopping kept one, but for the verb run; else the newest. `trainCommand` is
/// what makes one. kNotFound (E0401): there is none.
absl::StatusOr<ChosenCheckpoint> checkpointToRun(const RunOptions &options, const std::string &trainCommand);

/// A model with the values of a checkpoint.
struct RestoredModel {
  std::unique_ptr<Program> program;
  std::string checkpoint; ///< its directory
  int64_t step = 0;
  int64_t seed = 0;
  std::unique_ptr<CheckpointRows> rows; ///< tables that are not in the program's state
};

/// kInvalidArgument (E0502), unless there is --force, if the state that the verb holds (`need`), and the workspace of
/// `entry` for `rows` rows (null: none), do not fit into memory.
absl::Status checkReadMemory(const RunContext &context, mlc::common::MemoryNeed need,
                             const mlcrt_entry *entry = nullptr, int64_t rows = 0);

/// Gives variables that no checkpoint holds their initial values if the verb reads them before anything writes to them;
/// others, too, which come from elsewhere.
absl::Status initializeEvalState(const RunContext &context, int64_t seed, Program &program);

/// Gives `program` the values of the checkpoint `directory` that entries which evaluate or predict read; `rows` gets
/// the tables that stay there. Without `rows` all values, of all variables. Errors as restoreModel.
absl::StatusOr<CheckpointManifest> restoreCheckpoint(RunContext &context, const std::string &directory,
                                                     Program &program, std::unique_ptr<CheckpointRows> *rows);

/// The model with the values of context.given, if these are all of it, or of checkpointToRun, and the settings in
/// force; where there is none and options.mayBeInitial, with the values that training would begin with and a warning.
/// kNotFound (E0401): there is
/// none; kFailedPrecondition: of another model; kDataLoss: damaged; kInvalidArgument (E0502): what is read whole does
/// not fit into memory, without
/// --force.
absl::StatusOr<RestoredModel> restoreModel(RunContext &context);

} // namespace mlcrt

#endif // MLCRT_TRAIN_RESTOREDMODEL_H
