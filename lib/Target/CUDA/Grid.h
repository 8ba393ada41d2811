// Launches of threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_GRID_H
#define LIB_TARGET_CUDA_GRID_H

#include "dialects/Kern/IR/Kern.h"
#include "lib/Target/CPU/VectorBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlc::common {
struct KernelTable;
} // namespace mlc::common

namespace mlc::cuda {

/// Threads of a block and of a warp, and blocks of a launch at most whose tasks are smaller than a block: what is more
/// is strided over. None changes a result.
inline constexpr int64_t kThreads = 256, kWarp = 32, kMostBlocks = 4096;

/// What a number of rows counts as that is not known when code is made.
inline constexpr int64_t kUsualRows = 512;

/// Bytes that an access of a thread to the device's memory moves at most.
inline constexpr int64_t kMostAccessBytes = 16;

/// Ops of a body at most of which a thread computes several elements.
inline constexpr int64_t kMostWideOps = 48;

/// The most neighbours, up to `width`, a power of two, of which there is known to be a whole number in `number`.
int64_t wholeWidth(int64_t width, Index number);

/// The memory space of what a block's threads share; a `memref.alloca` there is one for the block.
inline constexpr int64_t kSharedSpace = 3;

/// A `kern.launch` of tasks [0, count), each of which `threads` threads run together: 1, a warp, or a block, which has
/// one task alone. `body` gets a task's number and the thread's own among them. `enter` is called where a thread begins
/// that has a task; `cost` is nanoseconds of one task. No count is a launch of one block that does nothing, so that
/// what is launched does not depend on sizes. Sets the builder's insertion point in the two, and leaves it after the
/// launch.
void forEachTask(mlir::OpBuilder &b, mlir::Location loc, Index count, int64_t threads, double cost,
                 llvm::function_ref<void(Index task, mlir::Value thread)> body,
                 llvm::function_ref<void()> enter = nullptr);

/// Tasks of one thread each.
void forEachPoint(mlir::OpBuilder &b, mlir::Location loc, Index count, double cost,
                  llvm::function_ref<void(Index)> body, llvm::function_ref<void()> enter = nullptr);

/// Runs `body` in the first thread of a task alone.
void inFirstThread(mlir::OpBuilder &b, mlir::Location loc, mlir::Value thread, llvm::function_ref<void()> body);

/// The partials of an interleaved sum, one in each thread of a warp, combined (mlc/Support/SumOrder.h): the first
/// thread gets the result. All threads of the warp are there.
mlir::Value combineWarp(mlir::OpBuilder &b, mlir::Location loc, mlir::vector::CombiningKind kind, mlir::Value partial);

/// The address of an element of a flat buffer, in its memory space.
mlir::Value addressOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flat, Index element);

/// Waits for all threads of the block, and for what they wrote.
void waitForBlock(mlir::OpBuilder &b, mlir::Location loc);

/// Whether the chip that runs the kernel multiplies by warpgroups (wgmma): a constant in the code for a chip.
mlir::Value hasWarpgroups(mlir::OpBuilder &b, mlir::Location loc);

/// Each emits its op's launch at the insertion point (the op, which the caller then erases).
llvm::LogicalResult lowerGeneric(mlir::OpBuilder &b, mlir::linalg::GenericOp op);
/// `warpgroups`: some chip that code is made for has them.
llvm::LogicalResult lowerContract(mlir::OpBuilder &b, kern::ContractOp op, bool warpgroups);
/// A contraction by tiles of the table that blocks multiply in shared memory, by tensor cores or in order, if it is one
/// that they do and pay for. Each returns whether it is.
bool lowerContractToMatrices(mlir::OpBuilder &b, kern::ContractOp op, const common::KernelTable &table,
                             bool warpgroups);
bool lowerContractToTiles(mlir::OpBuilder &b, kern::ContractOp op, const common::KernelTable &table);
llvm::LogicalResult lowerTakeRows(mlir::OpBuilder &b, kern::TakeRowsOp op);
llvm::LogicalResult lowerUpdateRows(mlir::OpBuilder &b, kern::UpdateRowsOp op);
llvm::LogicalResult lowerGroupSum(mlir::OpBuilder &b, kern::GroupSumOp op);
llvm::LogicalResult lowerRaggedSum(mlir::OpBuilder &b, kern::RaggedSumOp op);
llvm::LogicalResult lowerRaggedRepeat(mlir::OpBuilder &b, kern::RaggedRepeatOp op);
llvm::LogicalResult lowerScan(mlir::OpBuilder &b, kern::ScanOp op);

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_GRID_H
