// The artifact's table as constants of an llvm::Module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_ARTIFACTTABLE_H
#define LIB_TARGET_CPU_ARTIFACTTABLE_H

#include "mlc/Target/CPU/ArtifactInfo.h"
#include "llvm/IR/Module.h"

namespace mlc {

/// Adds mlcrt_artifact and all it points to, laid out as mlcrt/abi.h has them, and the function mlc_artifact_query.
void addArtifactTable(llvm::Module &module, const ArtifactInfo &info);

} // namespace mlc

#endif // LIB_TARGET_CPU_ARTIFACTTABLE_H
