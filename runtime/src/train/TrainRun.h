// The verb train: one run over a model_dir. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_TRAINRUN_H
#define MLCRT_TRAIN_TRAINRUN_H

#include "common/cli/ExitCode.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/core/RunObservation.h"
#include "runtime/src/core/StopToken.h"
#include "runtime/src/train/Configuration.h"
#include "runtime/src/train/GivenState.h"
#include "runtime/src/train/Reporter.h"
#include "runtime/src/train/RunOptions.h"
#include "runtime/src/train/StepObserver.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// The end of a run of train.
struct RunOutcome {
  int64_t step = 0; ///< so many are in the state
  /// "max_steps", "epochs", "early_stopping", "observer", "dry_run", "interrupted", "suspended", "terminated", or
  /// "error".
  std::string reason;
};

/// What all runs of a model have. Runs in one process, each in threads of its own, have nothing else in common.
struct RunContext {
  std::shared_ptr<const Artifact> artifact;
  Configuration &configuration;
  const RunOptions &options;
  Reporter &reporter;
  /// Ends the run at its next step, saved.
  StopToken &stop;
  /// Set by a run of train that got as far as its state.
  std::optional<RunOutcome> outcome = std::nullopt;
  /// Of training and of evaluations, if not null; outlives the run.
  StepObserver *observer = nullptr;
  /// Of evaluations, if not null; outlives the run.
  const GivenState *given = nullptr;
  /// What the run shows of itself, never null.
  std::shared_ptr<RunObservation> observation = std::make_shared<RunObservation>();

  int threads() const { return options.threadCount(); }
  /// What replaces columns of batches, where the observer feeds some; else null.
  std::shared_ptr<FedColumns> fedColumns() const;
  /// A program of the artifact that is observed, and takes of devices what the options allow. `held` and `laterDevices`
  /// as of ProgramOptions.
  absl::StatusOr<std::unique_ptr<Program>> makeProgram(std::vector<RowRange> held = {}, int laterDevices = 0) const;
};

/// A line for each device of a program but hosts, which are opened for it: "device   gpu 0: ...". Errors as of
/// Devices::all.
absl::Status tellDevices(const RunContext &context, Program &program);

/// Trains from the newest checkpoint of --model_dir (or from initial values) until max_steps, the last epoch,
/// `stop` or a loss that is not finite. Saves at the start, each save_checkpoints_steps or _secs, and at the end;
/// evaluates the eval sets that have files. `exitCode` is set for ends that are no error: Success, Interrupted,
/// Terminated.
absl::Status runTrain(RunContext &context, mlc::common::ExitCode &exitCode);

} // namespace mlcrt

#endif // MLCRT_TRAIN_TRAINRUN_H
