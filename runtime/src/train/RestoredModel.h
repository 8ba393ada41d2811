// The model of a trainer with the values of a checkpoint. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_RESTOREDMODEL_H
#define MLCRT_TRAIN_RESTOREDMODEL_H

#include "absl/status/statusor.h"
#include "runtime/src/checkpoint/CheckpointRows.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/train/TrainRun.h"

#include <cstdint>
#include <memory>
#include <string>

namespace mlcrt {

/// A model with the values of a checkpoint.
struct RestoredModel {
  std::unique_ptr<Program> program;
  std::string checkpoint; ///< its directory
  int64_t step = 0;
  int64_t seed = 0;
  std::unique_ptr<CheckpointRows> rows; ///< tables that are not in the program's state
};

/// Gives `program` the values of the checkpoint `directory` that entries which evaluate or predict read; `rows` gets
/// the tables that stay there. Without `rows` all values, of all variables. Errors as restoreModel.
absl::StatusOr<CheckpointManifest> restoreCheckpoint(RunContext &context, const std::string &directory,
                                                     Program &program, std::unique_ptr<CheckpointRows> *rows);

/// The model with the values of --checkpoint ("best", "latest", a step of --model_dir, or a directory), and the
/// settings in force. Without it: the best checkpoint of --model_dir where early stopping kept one, else the newest;
/// the verb run takes the newest. kNotFound (E0401): there is none; kFailedPrecondition: of another model; kDataLoss:
/// damaged.
absl::StatusOr<RestoredModel> restoreModel(RunContext &context);

} // namespace mlcrt

#endif // MLCRT_TRAIN_RESTOREDMODEL_H
