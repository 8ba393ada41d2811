// The data half of `mlc spec check --data`. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_MLC_CHECKDATA_H
#define TOOLS_MLC_CHECKDATA_H

#include "common/cli/CommandLine.h"
#include "common/cli/Message.h"
#include "mlc/Driver/Verbs.h"

#include "absl/status/status.h"

namespace mlc {

/// Reads the data of a spec with the reader that trains. What they hold goes to `text`, what is wrong with them to
/// `messages`; an error is what kept it from going on.
absl::Status checkData(const common::CommandLine &line, const frontend::DataFacts &facts, std::string &text,
                       common::MessageList &messages);

} // namespace mlc

#endif // TOOLS_MLC_CHECKDATA_H
