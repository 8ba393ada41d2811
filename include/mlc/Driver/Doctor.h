// mlc doctor: what this machine has and lacks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_DOCTOR_H
#define MLC_DRIVER_DOCTOR_H

#include "common/cli/CommandLine.h"
#include "common/cli/ExitCode.h"

namespace mlc {

/// Looks at CPU, compiler, linker, runtime library, cache, CUDA and TF_CONFIG. The findings go to `text`; Usage if
/// something is missing that mlc needs.
common::ExitCode runDoctor(const common::CommandLine &line, std::string &text);

} // namespace mlc

#endif // MLC_DRIVER_DOCTOR_H
