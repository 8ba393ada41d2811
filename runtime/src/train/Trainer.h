// The command line of a trainer. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_TRAINER_H
#define MLCRT_TRAIN_TRAINER_H

#include "mlcrt/abi.h"

namespace mlcrt {

/// Runs the verb that the command line asks for (common/CommandTable.h, trainerCommands) with a linked-in artifact and
/// returns the exit status (common/ExitCode.h). `table` lives as long as the process; null: of another ABI.
int trainerMain(int argc, char **argv, const mlcrt_artifact *table);

} // namespace mlcrt

#endif // MLCRT_TRAIN_TRAINER_H
