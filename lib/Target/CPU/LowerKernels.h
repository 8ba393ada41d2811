// The lowerings of the kernels, one for each family.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_LOWERKERNELS_H
#define LIB_TARGET_CPU_LOWERKERNELS_H

#include "dialects/Kern/IR/Kern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlc {

/// A named linalg op on memrefs as a linalg.generic, in its place; any other op as it is. Fails, with an error at the
/// op, where there is no such form.
llvm::FailureOr<mlir::Operation *> asGeneric(mlir::RewriterBase &rewriter, mlir::Operation *op);

/// Each emits its op's loops at the insertion point (the op, which the caller then erases). `lanes`: f32 lanes of a
/// vector.
llvm::LogicalResult lowerGeneric(mlir::OpBuilder &b, mlir::linalg::GenericOp op, int64_t lanes);
llvm::LogicalResult lowerContract(mlir::OpBuilder &b, kern::ContractOp op, int64_t lanes);
void lowerPack(mlir::OpBuilder &b, kern::PackOp op, int64_t lanes);
llvm::LogicalResult lowerTakeRows(mlir::OpBuilder &b, kern::TakeRowsOp op, int64_t lanes);
llvm::LogicalResult lowerUpdateRows(mlir::OpBuilder &b, kern::UpdateRowsOp op, int64_t lanes);
llvm::LogicalResult lowerRaggedSum(mlir::OpBuilder &b, kern::RaggedSumOp op, int64_t lanes);
llvm::LogicalResult lowerRaggedRepeat(mlir::OpBuilder &b, kern::RaggedRepeatOp op, int64_t lanes);
llvm::LogicalResult lowerScan(mlir::OpBuilder &b, kern::ScanOp op, int64_t lanes);
llvm::LogicalResult lowerGroupSum(mlir::OpBuilder &b, kern::GroupSumOp op, int64_t lanes);

/// Nanoseconds of a point of a loop over elements, of which not much is known.
inline constexpr double kElementLoopCost = 1000;
/// Emits, at the builder's insertion point, what runs `body` for each of `count` points, in any order.
using RunPoints = llvm::function_ref<void(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult count,
                                          llvm::function_ref<void(mlir::OpFoldResult)> body)>;
/// Replaces the loops over elements of a device's memory in `function` (lib/Codegen/ElementLoops.h): iterations run in
/// their order, but those of which each has elements of its own are points. Iterations that touch elements which data
/// says may be shared out among more points, up to `maxPoints` in all: every one then looks at all of these.
llvm::LogicalResult lowerElementLoops(mlir::func::FuncOp function, RunPoints runPoints, int64_t maxPoints = 1);

} // namespace mlc

#endif // LIB_TARGET_CPU_LOWERKERNELS_H
