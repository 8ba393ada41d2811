// The command line of a trainer. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAINER_TRAINER_H
#define MLCRT_TRAINER_TRAINER_H

#include "common/cli/CommandLine.h"
#include "mlcrt/abi.h"

#include <string>

namespace mlcrt {

/// Runs the verb that the command line asks for (common/cli/CommandTable.h, trainerCommands) with a linked-in artifact
/// and returns the exit status (common/cli/ExitCode.h). `table` lives as long as the process; null: of another ABI.
int trainerMain(int argc, char **argv, const mlcrt_artifact *table);

/// Runs `predict` of mlc on the exported model in `directory`; returns the exit status.
int predictExportMain(const mlc::common::CommandLine &line, const std::string &directory);

/// Runs `run` of mlc on a shared library, or on the exported model in a directory; returns the exit status.
int runModelMain(const mlc::common::CommandLine &line, const std::string &path);

} // namespace mlcrt

#endif // MLCRT_TRAINER_TRAINER_H
