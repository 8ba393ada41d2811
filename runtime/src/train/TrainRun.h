// The verb train: one run over a model_dir. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_TRAINRUN_H
#define MLCRT_TRAIN_TRAINRUN_H

#include "common/cli/CommandLine.h"
#include "common/cli/ExitCode.h"
#include "runtime/src/train/Configuration.h"
#include "runtime/src/train/Reporter.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// How the user calls `verb`: "mlc evaluate census.pbtxt" (from --called_as of `line`), or `program` and the verb.
std::string commandText(const mlc::common::CommandLine &line, const std::string &program, const std::string &verb);

/// What all verbs that run a model have.
struct RunContext {
  std::shared_ptr<const Artifact> artifact;
  Configuration &configuration;
  const mlc::common::CommandLine &line;
  Reporter &reporter;
  /// argv, for run.json; the first is the program.
  std::vector<std::string> command;
  /// Set by a run of train that fails: the step that it reached.
  std::optional<int64_t> failedStep = std::nullopt;

  /// --threads, or the processors this process may use.
  int threads() const;
  /// commandText of this run.
  std::string commandFor(const std::string &verb) const;
};

/// Trains from the newest checkpoint of --model_dir (or from initial values) until max_steps, the last epoch, a signal
/// or a loss that is not finite. Saves at the start, each save_checkpoints_steps or _secs, and at the end; evaluates
/// the eval sets that have files. `exitCode` is set for ends that are no error: Success, Interrupted, Terminated.
absl::Status runTrain(RunContext &context, mlc::common::ExitCode &exitCode);

} // namespace mlcrt

#endif // MLCRT_TRAIN_TRAINRUN_H
