// Which variables ops read and write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_STATEACCESS_H
#define DIALECTS_DF_UTILS_STATEACCESS_H

#include "dialects/Df/IR/Df.h"
#include "llvm/ADT/SetVector.h"

namespace mlc::df {

/// Names of variables, in the order they were met.
using SymbolSet = llvm::SetVector<mlir::StringAttr>;

/// Variables accessed, in program order.
struct StateAccess {
  SymbolSet reads, writes;
};

/// What `root` and the ops in its regions read and write.
StateAccess getStateAccess(mlir::Operation *root);

/// Whether the op itself names a variable.
bool namesVariable(mlir::Operation *op);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_STATEACCESS_H
