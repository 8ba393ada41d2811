// The verbs of mlc spec, and what completion asks for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_SPECVERBS_H
#define MLC_DRIVER_SPECVERBS_H

#include "common/cli/CommandLine.h"
#include "common/cli/ExitCode.h"
#include "mlc/Frontend/EstimatorSpec/SpecChange.h"

namespace mlc {

/// The changes of a spec that a command line asks for, in order: --set, --unset, --overlay.
std::vector<frontend::SpecChange> changesOf(const common::CommandLine &line);

/// Whether what the settings of the spec on a command line name is there, as compile looks for it: metrics of early
/// stopping and exporters, variables of checkpoint policies. The spec itself is sound.
bool checkSpecSettings(const common::CommandLine &line, common::MessageList &messages);

/// Runs `spec check` and its siblings. Standard output goes to `text`.
common::ExitCode runSpecVerb(const common::CommandLine &line, common::MessageList &messages, std::string &text);

} // namespace mlc

#endif // MLC_DRIVER_SPECVERBS_H
