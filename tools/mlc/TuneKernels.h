// mlc tune-kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_MLC_TUNEKERNELS_H
#define TOOLS_MLC_TUNEKERNELS_H

#include "common/cli/CommandLine.h"
#include "common/cli/ExitCode.h"
#include "common/cli/Message.h"

#include <string>

namespace mlc {

/// Compiles a product's kernels of each tile, measures them on the GPU, and writes the table of the fastest, or puts it
/// into `text`; or writes the kernels alone. Progress goes to stderr, what is wrong to `messages`.
common::ExitCode tuneKernels(const common::CommandLine &line, common::MessageList &messages, std::string &text);

} // namespace mlc

#endif // TOOLS_MLC_TUNEKERNELS_H
