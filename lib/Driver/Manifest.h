// The manifest of an artifact, which is JSON. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_MANIFEST_H
#define LIB_DRIVER_MANIFEST_H

#include "mlc/Target/Artifact/ArtifactInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace mlc {

/// Adds to the manifest what compiled it, and for which CPU.
void describeBuild(ArtifactInfo &info, const std::string &cpu);

/// The manifest as far as it is known: of a spec that is not lowered yet, its settings and input.
std::string manifestOf(mlir::ModuleOp module);

} // namespace mlc

#endif // LIB_DRIVER_MANIFEST_H
