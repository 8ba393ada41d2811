// The command mlc. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_MLC_PROGRAM_H
#define TOOLS_MLC_PROGRAM_H

namespace mlc {

/// Runs the command line (common/cli/CommandTable.h, mlcCommands) and returns the exit status; verbs that run a model
/// become its trainer. It is what a program does: it prints, and handles signals.
int programMain(int argc, char **argv);

} // namespace mlc

#endif // TOOLS_MLC_PROGRAM_H
