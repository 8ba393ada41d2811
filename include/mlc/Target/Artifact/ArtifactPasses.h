// Passes that decide what the artifact's table says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_ARTIFACT_ARTIFACTPASSES_H
#define MLC_TARGET_ARTIFACT_ARTIFACTPASSES_H

#include "mlir/Pass/Pass.h"

namespace mlc {

#define GEN_PASS_DECL
#include "lib/Target/Artifact/ArtifactPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Target/Artifact/ArtifactPasses.h.inc"

} // namespace mlc

#endif // MLC_TARGET_ARTIFACT_ARTIFACTPASSES_H
