// Ops of the df dialect that save and restore a part of the state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFSAVEOPS_H
#define DIALECTS_DF_IR_DFSAVEOPS_H

#include "dialects/Df/IR/DfStateOps.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfSaveOps.h.inc"

namespace mlc::df {

/// The variables of the symbol table around `op` whose names match `pattern` (`*`: any characters, `?`: one), in its
/// order.
llvm::SmallVector<VariableOp> matchingVariables(mlir::Operation *op, llvm::StringRef pattern);

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFSAVEOPS_H
