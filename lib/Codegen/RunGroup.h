// The functions of a module that run a group of launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_RUNGROUP_H
#define LIB_CODEGEN_RUNGROUP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlc {

/// A launch of a group as i64-sized cells, one part after the other.
struct GroupPart {
  static constexpr int64_t kernel = 0;    ///< address of the kernel (arguments, first, last, worker) -> code
  static constexpr int64_t arguments = 1; ///< address of its cells
  static constexpr int64_t tasks = 2;
  static constexpr int64_t cost = 3; ///< nanoseconds of a task
  static constexpr int64_t cells = 4;
};

/// Makes @run_NAME(frame, parts, count) -> code and @NAME_tasks, what it hands to parallel_for. The tasks of all
/// parts form one range, part by part; if all of it costs less than `threshold` nanoseconds, they run on the caller's
/// thread.
mlir::func::FuncOp makeRunGroup(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name, int64_t threshold);

} // namespace mlc

#endif // LIB_CODEGEN_RUNGROUP_H
