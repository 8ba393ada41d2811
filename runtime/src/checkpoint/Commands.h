// The verbs "ckpt ls|show|verify|diff|convert", the same in mlc and in every trainer. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_COMMANDS_H
#define MLCRT_CHECKPOINT_COMMANDS_H

#include "common/cli/CommandLine.h"
#include "common/cli/ExitCode.h"
#include "common/cli/Message.h"

#include <string>

namespace mlcrt {

/// What a command has to say; nothing is printed here.
struct CommandOutput {
  std::string text;                  ///< for stdout, with line ends
  std::string note;                  ///< one line for stderr, or empty
  mlc::common::MessageList messages; ///< for stderr
  mlc::common::ExitCode code = mlc::common::ExitCode::Success;
};

/// Whether `verb` is one of these.
bool isCheckpointCommand(const std::string &verb);
/// Runs it. Exit codes: verify: Corrupt if anything is damaged; diff: Differs if the two are not equal.
CommandOutput runCheckpointCommand(const mlc::common::CommandLine &line);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_COMMANDS_H
