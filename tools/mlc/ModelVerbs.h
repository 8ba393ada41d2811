// What mlc tells of what was compiled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_MLC_MODELVERBS_H
#define TOOLS_MLC_MODELVERBS_H

#include "absl/status/statusor.h"
#include "common/cli/CommandLine.h"
#include "mlc/Driver/Verbs.h"

#include <string>

namespace mlc {

/// What `info` prints of the library or exported model of `model`.
absl::StatusOr<std::string> describeModel(const common::CommandLine &line, const VerbResult &model);

} // namespace mlc

#endif // TOOLS_MLC_MODELVERBS_H
