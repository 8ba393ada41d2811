// How much memory the state and a step of a module take. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_STATESIZE_H
#define LIB_DRIVER_STATESIZE_H

#include "common/machine/MemoryNeed.h"
#include "mlc/Target/Artifact/ArtifactInfo.h"

namespace mlc {

/// Bytes of a variable beyond which no process can address it: 2^47, the user's half of x86-64's address space.
inline constexpr int64_t kMostVariableBytes = int64_t{1} << 47;

/// The sizes of all df.variables, without a workspace.
common::MemoryNeed stateNeed(mlir::ModuleOp module);

/// Fails, at the op, if a df.variable has more than kMostVariableBytes.
mlir::LogicalResult checkStateSize(mlir::ModuleOp module);

/// Bytes of workspace that a train entry needs for a batch of `rows` rows, by the formulas that its compiled segments
/// carry; -1 without such an entry. A multi-valued feature counts with one value in each row.
int64_t workspaceNeed(mlir::ModuleOp module, const ArtifactInfo &info, int64_t rows);

} // namespace mlc

#endif // LIB_DRIVER_STATESIZE_H
