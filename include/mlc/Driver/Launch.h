// mlc launch: a cluster on this machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_LAUNCH_H
#define MLC_DRIVER_LAUNCH_H

#include "common/cli/CommandLine.h"

namespace mlc {

/// Runs the tasks of the verb launch until all have left; returns the exit status: that of the first task that failed
/// by itself, or else the chief's. SIGINT and SIGTERM go to the chief once, a second one kills all. What is wrong goes
/// to `messages`; what the chief prints to standard output and error, lines about tasks to standard error, or as events
/// to standard output with --json.
int runLaunch(const common::CommandLine &line, common::MessageList &messages);

} // namespace mlc

#endif // MLC_DRIVER_LAUNCH_H
