// Copies of one kind as a launch over a table of pointers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_LOWERCOPIES_H
#define LIB_CODEGEN_LOWERCOPIES_H

#include "dialects/Kern/IR/Kern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlc {

/// Each kern.copies of a segment becomes a kern.launch that finds its buffers by number in the frame, whose `buffers`
/// these are, or by offset in one of a few. Numbers and offsets are constant tables: code does not grow with the
/// copies, but with the allocations that they are in, whose pointers go to a table on the stack first if there are
/// several. Argument 1 + i of the segment is buffer i. Returns the launches.
llvm::SmallVector<kern::LaunchOp> lowerCopies(mlir::func::FuncOp segment, mlir::Value buffers);

} // namespace mlc

#endif // LIB_CODEGEN_LOWERCOPIES_H
