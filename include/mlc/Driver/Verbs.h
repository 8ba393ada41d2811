// The verbs of mlc that compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_VERBS_H
#define MLC_DRIVER_VERBS_H

#include "common/cli/CommandLine.h"
#include "common/cli/ExitCode.h"
#include "mlc/Frontend/EstimatorSpec/DataFacts.h"

#include <functional>
#include <optional>

namespace mlc {

struct CompileOptions;

/// What is left to do after a verb.
struct VerbResult {
  common::ExitCode code = common::ExitCode::Success;
  std::string program{};                     ///< if `command` is not empty: the trainer to run
  std::vector<std::string> command{};        ///< its command line, its name first
  std::string library{};                     ///< if not empty: the compiled shared library to describe or to run
  std::string exported{};                    ///< if not empty: the exported model to run the verb on
  std::optional<frontend::DataFacts> data{}; ///< of `spec check --data`: what to check the data of the spec by
};

/// Looks at what a trainer will be called with, and at the manifest that it will have, before it is compiled. False
/// after an error, which is in the messages, with what to exit with.
using BeforeCompile = std::function<bool(const common::CommandLine &trainer, const std::string &manifest,
                                         common::MessageList &messages, common::ExitCode &code)>;

/// Sets what --target, --chip and --host_tables say of a compilation. False after an error, which is in the messages.
bool readTarget(const common::CommandLine &line, CompileOptions &options, common::MessageList &messages);

/// Runs a verb as far as the compiler goes. Standard output goes to `text`, progress of the compiler to stderr,
/// messages to `messages`.
VerbResult runVerb(const common::CommandLine &line, const BeforeCompile &beforeCompile, common::MessageList &messages,
                   std::string &text);

} // namespace mlc

#endif // MLC_DRIVER_VERBS_H
