// Passes that decide what the artifact's table says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_ARTIFACT_ARTIFACTPASSES_H
#define MLC_TARGET_ARTIFACT_ARTIFACTPASSES_H

#include "mlir/Pass/Pass.h"

namespace mlc {

/// Of an argument that is bound to several features side by side: name and type of each, in their order.
inline constexpr llvm::StringLiteral kColumnsAttr = "mlc.columns";

#define GEN_PASS_DECL
#include "lib/Target/Artifact/ArtifactPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Target/Artifact/ArtifactPasses.h.inc"

} // namespace mlc

#endif // MLC_TARGET_ARTIFACT_ARTIFACTPASSES_H
