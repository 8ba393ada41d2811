// The kern dialect: kernels between linalg and loops. Include this for its ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERN_H
#define DIALECTS_KERN_IR_KERN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Kern/IR/KernOpsDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernOps.h.inc"

namespace mlc::kern {
/// Name of the `kern.service` that hands a buffer to the frame (KernOps.td).
inline constexpr llvm::StringLiteral kPublish = "publish";

/// Registers how kern ops become ops on memrefs.
void registerBufferization(mlir::DialectRegistry &registry);
} // namespace mlc::kern

#endif // DIALECTS_KERN_IR_KERN_H
