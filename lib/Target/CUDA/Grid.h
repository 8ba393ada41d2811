// Launches of threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_GRID_H
#define LIB_TARGET_CUDA_GRID_H

#include "dialects/Kern/IR/Kern.h"
#include "lib/Target/CPU/VectorBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlc::cuda {

/// Threads of a block, and blocks of a launch at most: more elements than these have threads are strided over. Neither
/// changes a result.
inline constexpr int64_t kThreads = 256, kMostBlocks = 4096;

/// A `kern.launch` of threads that stride over [0, count): `body` gets each number once. `enter` is called where a
/// thread begins that has one; `cost` is nanoseconds of one number. No count is a launch of one block that does
/// nothing, so that what is launched does not depend on sizes. Sets the builder's insertion point in the two, and
/// leaves it after the launch.
void forEachPoint(mlir::OpBuilder &b, mlir::Location loc, Index count, double cost,
                  llvm::function_ref<void(Index)> body, llvm::function_ref<void()> enter = nullptr);

/// Takes the row-major `number` apart: the index in each of `sizes`.
llvm::SmallVector<Index> indicesOf(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<Index> sizes, Index number);

/// The product of sizes.
Index product(IndexMath &math, llvm::ArrayRef<Index> sizes);

/// Each emits its op's launch at the insertion point (the op, which the caller then erases).
llvm::LogicalResult lowerGeneric(mlir::OpBuilder &b, mlir::linalg::GenericOp op);
llvm::LogicalResult lowerContract(mlir::OpBuilder &b, kern::ContractOp op);
llvm::LogicalResult lowerTakeRows(mlir::OpBuilder &b, kern::TakeRowsOp op);
llvm::LogicalResult lowerUpdateRows(mlir::OpBuilder &b, kern::UpdateRowsOp op);
llvm::LogicalResult lowerGroupSum(mlir::OpBuilder &b, kern::GroupSumOp op);
llvm::LogicalResult lowerRaggedSum(mlir::OpBuilder &b, kern::RaggedSumOp op);
llvm::LogicalResult lowerRaggedRepeat(mlir::OpBuilder &b, kern::RaggedRepeatOp op);
llvm::LogicalResult lowerScan(mlir::OpBuilder &b, kern::ScanOp op);

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_GRID_H
