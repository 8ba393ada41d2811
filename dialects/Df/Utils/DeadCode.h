// Removal of ops that nothing needs: the passes that cut functions build on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_DEADCODE_H
#define DIALECTS_DF_UTILS_DEADCODE_H

#include "dialects/Df/IR/DfFunctionOps.h"

namespace mlc::df {

/// Erases the ops of `block` (and of regions in it) whose results are unused and that write nothing, until none is
/// left.
void eraseDeadOps(mlir::Block &block);

/// Erases arguments of `function` that have no uses and are features (`df.name`, or a binding of kind feature).
void eraseUnusedFeatures(FunctionOp function);

/// Erases arguments of `function` that have no uses.
void eraseUnusedArguments(FunctionOp function);

/// Calls `visit` with each value from outside `op`'s regions that `op` needs: its operands and what its regions
/// capture.
void forEachUsedValue(mlir::Operation *op, llvm::function_ref<void(mlir::Value)> visit);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_DEADCODE_H
