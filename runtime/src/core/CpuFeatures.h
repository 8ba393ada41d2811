//===- CpuFeatures.h - Does this processor have what an artifact was compiled for? --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_CPUFEATURES_H
#define MLCRT_CORE_CPUFEATURES_H

#include "absl/status/status.h"

#include <string_view>

namespace mlcrt {

/// Checks a comma-separated list of LLVM feature names ("avx2,fma", a leading '+' is allowed) against this processor
/// and operating system. kFailedPrecondition names all that are missing, or a name that this runtime does not know.
absl::Status checkCpuFeatures(std::string_view required);

} // namespace mlcrt

#endif // MLCRT_CORE_CPUFEATURES_H
