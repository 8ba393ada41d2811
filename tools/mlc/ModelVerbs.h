// The verbs of mlc that load what was compiled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_MLC_MODELVERBS_H
#define TOOLS_MLC_MODELVERBS_H

#include "absl/status/statusor.h"
#include "common/CommandLine.h"
#include "mlc/Driver/Verbs.h"

#include <string>

namespace mlc {

/// Runs `info` or `run` on the library or exported model of `model`; returns what there is to print.
absl::StatusOr<std::string> runOnModel(const common::CommandLine &line, const VerbResult &model);

} // namespace mlc

#endif // TOOLS_MLC_MODELVERBS_H
