// The artifact's table in the LLVM module of the host's code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_ARTIFACT_ARTIFACTTABLE_H
#define MLC_TARGET_ARTIFACT_ARTIFACTTABLE_H

#include "mlc/Target/Artifact/ArtifactInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace mlc {

/// Appends the artifact's table with mlc_artifact_query, the one symbol that stays visible. `predictImage` is the
/// shared library of the predict entry alone, or empty.
void addArtifactTable(llvm::Module &module, const ArtifactInfo &info, llvm::ArrayRef<char> predictImage = {});

/// What the names of functions and variables begin with that several objects of one artifact share. The runtime that
/// an executable is linked with has names of its own.
inline constexpr llvm::StringLiteral kCodePrefix = "mlc.code.";

} // namespace mlc

#endif // MLC_TARGET_ARTIFACT_ARTIFACTTABLE_H
