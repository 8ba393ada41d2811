// Timelines of several tasks as one file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_TIMELINEMERGE_H
#define MLC_DRIVER_TIMELINEMERGE_H

#include "common/cli/CommandLine.h"
#include "common/cli/ExitCode.h"

namespace mlc {

/// Runs `timeline merge`: writes the events of the files, and of the .json files of the directories, that the line
/// names to its --output. A file may break off, as that of a task that was killed does.
common::ExitCode mergeTimelines(const common::CommandLine &line, common::MessageList &messages);

} // namespace mlc

#endif // MLC_DRIVER_TIMELINEMERGE_H
