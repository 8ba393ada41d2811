// kern.scan to loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_SCANLOWERING_H
#define LIB_TARGET_CPU_SCANLOWERING_H

#include "VectorBody.h"
#include "dialects/Kern/IR/Kern.h"

namespace mlc {

/// Lowers one scan; what runs its points is a target's.
struct ScanLowering {
  mlir::OpBuilder &b;
  kern::ScanOp op;
  int64_t maxLanes;
  mlir::Location loc;
  IndexMath math;
  llvm::SmallVector<FlatBuffer> buffers; ///< ins, then the out
  int64_t axis, vectorLoop = -1, taskLoop = -1;

  ScanLowering(mlir::OpBuilder &b, kern::ScanOp op, int64_t lanes)
      : b(b), op(op), maxLanes(lanes), loc(op.getLoc()), math{b, loc}, axis(static_cast<int64_t>(op.getAxis())) {
    for (mlir::Value operand : op->getOperands())
      buffers.push_back(flatten(b, loc, operand));
  }

  /// Of all buffers, one that knows the size knows it best.
  Index sizeOf(int64_t d) {
    for (FlatBuffer &buffer : buffers)
      if (known(buffer.sizes[d]))
        return buffer.sizes[d];
    return buffers.back().sizes[d];
  }

  /// All elements of the axis at one position (at `lanes` neighbours) of the other dimensions.
  void emitPoint(mlir::OpBuilder &nested, llvm::SmallVector<Index> position, const Lanes &lanes);
  /// Parallel loops from `loop` on; [begin, end) is the task's part of the task loop.
  void emitLoops(mlir::OpBuilder &nested, int64_t loop, llvm::SmallVector<Index> position, Index begin, Index end);
  void emit();
};

} // namespace mlc

#endif // LIB_TARGET_CPU_SCANLOWERING_H
