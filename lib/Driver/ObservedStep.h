// Programs whose training step tells observers more than others do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_LIB_DRIVER_OBSERVEDSTEP_H
#define MLC_LIB_DRIVER_OBSERVEDSTEP_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlc {

/// The program (functions as built) whose train functions have no results for observers (`fetch/`), as other tasks of a
/// cluster compile it; null if this one has none.
mlir::OwningOpRef<mlir::ModuleOp> withoutFetches(mlir::ModuleOp module);

/// Whether tasks of the two programs, which are segments, can train together: what they send each other, and who
/// updates what, is the same.
bool canTrainTogether(mlir::ModuleOp a, mlir::ModuleOp b);

} // namespace mlc

#endif // MLC_LIB_DRIVER_OBSERVEDSTEP_H
