// What can be told to be wrong with a run before its code is there and its state is made. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_PREFLIGHT_H
#define MLCRT_TRAIN_PREFLIGHT_H

#include "absl/status/status.h"
#include "common/cli/ExitCode.h"
#include "runtime/src/train/Configuration.h"
#include "runtime/src/train/RunOptions.h"

#include <string>

namespace mlcrt {

/// kInvalidArgument (E0206) if nothing in the settings ends training.
absl::Status requireStop(const mlc::common::SettingsTable &settings);

/// kPermissionDenied (E0405) if the directory `path` is not there and cannot be made, or is no directory that files can
/// be made in. Makes nothing.
absl::Status checkDirectoryWritable(const std::string &path);
/// The same for a file that is to be written.
absl::Status checkFileWritable(const std::string &path);

/// What train, evaluate and predict need of the world: files that match, an end of training, outputs that can be
/// written. `configuration` has `options` applied. Reads names and rights only. Of a task of a cluster
/// nothing is checked: its role tells what it needs.
absl::Status checkRun(const RunOptions &options, const Configuration &configuration);

/// checkRun for `mlc VERB SPEC`, and whether the checkpoint that it takes is there, before anything is compiled:
/// `options` are the trainer's, `manifest` that of the artifact to be. Also what they give settings; a setting that
/// only compiled code has is left to the trainer. False after an error, which is in `messages`, with the exit code in
/// `code`.
bool checkBeforeCompile(const RunOptions &options, const std::string &manifest, mlc::common::MessageList &messages,
                        mlc::common::ExitCode &code);

} // namespace mlcrt

#endif // MLCRT_TRAIN_PREFLIGHT_H
