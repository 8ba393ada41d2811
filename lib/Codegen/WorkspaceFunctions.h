// The functions that tell the sizes of workspaces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_WORKSPACEFUNCTIONS_H
#define LIB_CODEGEN_WORKSPACEFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlc {

/// The memory spaces that a segment has workspaces in, ascending: its last arguments. An error if what a formula says,
/// or an argument is, cannot be.
mlir::FailureOr<llvm::SmallVector<int64_t>> findWorkspaces(mlir::func::FuncOp segment);

/// Makes @name.workspace(symbols, threads) -> bytes, and @name.workspace.K for space K > 0, of the slots' formulas.
void makeWorkspaceFunctions(mlir::func::FuncOp segment, llvm::ArrayRef<int64_t> spaces);

} // namespace mlc

#endif // LIB_CODEGEN_WORKSPACEFUNCTIONS_H
