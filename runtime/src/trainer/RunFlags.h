// The options of a run from a command line. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAINER_RUNFLAGS_H
#define MLCRT_TRAINER_RUNFLAGS_H

#include "common/cli/CommandLine.h"
#include "common/cli/ExitCode.h"
#include "runtime/src/train/RunOptions.h"

#include <string>
#include <vector>

namespace mlcrt {

/// The options that the flags of `line`, parsed by trainerCommands, and the environment (TF_CONFIG, MLC_TOKEN_FILE)
/// say. `command` is argv.
RunOptions runOptions(const mlc::common::CommandLine &line, std::vector<std::string> command);

/// checkBeforeCompile (runtime/src/train/Preflight.h) of `mlc VERB SPEC`, whose flags `line` has.
bool checkFlagsBeforeCompile(const mlc::common::CommandLine &line, const std::string &manifest,
                             mlc::common::MessageList &messages, mlc::common::ExitCode &code);

} // namespace mlcrt

#endif // MLCRT_TRAINER_RUNFLAGS_H
