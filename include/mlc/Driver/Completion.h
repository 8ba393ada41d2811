// Completion of command lines in shells.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_COMPLETION_H
#define MLC_DRIVER_COMPLETION_H

#include "common/cli/CommandLine.h"

#include <string>
#include <vector>

namespace mlc {

/// What a shell ("bash", "zsh" or "fish") reads to complete mlc: it calls the hidden `mlc __complete`.
std::string completionScript(const std::string &shell);

/// What the last of `words` (those after the program, that one perhaps empty or begun) may become: verbs, flags,
/// choices, paths and values of --set by the spec on the line. None: the shell completes files.
std::vector<std::string> completions(const common::CommandTable &table, const std::vector<std::string> &words);

} // namespace mlc

#endif // MLC_DRIVER_COMPLETION_H
