// Calls of C functions that come with a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_EXTERNALCALLS_H
#define LIB_CODEGEN_EXTERNALCALLS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlc {

/// Makes each kern.external_call of the module, on buffers, a call in the LLVM dialect.
void lowerExternalCalls(mlir::ModuleOp module);

} // namespace mlc

#endif // LIB_CODEGEN_EXTERNALCALLS_H
