// mlc tune: trials of a spec's settings. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_TUNE_H
#define MLC_DRIVER_TUNE_H

#include "common/cli/CommandLine.h"
#include "common/cli/Message.h"

#include <string>

namespace mlc {

/// Tries settings of a spec by successive halving and writes the best spec; returns the exit status. The table of
/// trials, or with --json an object for each, goes to `text`; what is wrong to `messages`.
int runTune(const common::CommandLine &line, common::MessageList &messages, std::string &text);

} // namespace mlc

#endif // MLC_DRIVER_TUNE_H
