// The dist dialect: placement of df on devices, and programs that talk. Include this for its ops and attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DIST_IR_DIST_H
#define DIALECTS_DIST_IR_DIST_H

#include "dialects/Df/IR/Df.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Dist/IR/DistOpsDialect.h.inc"

namespace mlc::dist {

/// All channels as one effect resource: what a program says and hears keeps its order.
struct ChannelResource : public mlir::SideEffects::Resource::Base<ChannelResource> {
  llvm::StringRef getName() final { return "dist.channels"; }
};

/// Checks what programs say to each other: (C1) to (C3) of `dist.program`. Errors at the ops at fault.
llvm::LogicalResult verifyPrograms(mlir::ModuleOp module);

} // namespace mlc::dist

#define GET_OP_CLASSES
#include "dialects/Dist/IR/DistOps.h.inc"

#endif // DIALECTS_DIST_IR_DIST_H
