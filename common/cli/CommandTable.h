// The verbs and flags of mlc and of every trainer, as data. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_COMMANDTABLE_H
#define MLC_COMMON_COMMANDTABLE_H

#include "common/cli/CommandLine.h"

namespace mlc::common {

/// The verbs of a trainer; `program` is the name it is called by.
CommandTable trainerCommands(std::string program);

/// The verbs of mlc: those of the trainer with a SPEC before their flags, and the compiler's.
CommandTable mlcCommands();

/// The flags that the trainer's `verb` knows, of those in `line`, written out for another command line
/// ("--name=value"), with `sets` for --set: how `mlc train` calls the trainer it made.
std::vector<std::string> trainerArguments(const CommandLine &line, const std::vector<std::string> &sets);

} // namespace mlc::common

#endif // MLC_COMMON_COMMANDTABLE_H
