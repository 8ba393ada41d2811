// Queues of the df dialect and the ops on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFQUEUEOPS_H
#define DIALECTS_DF_IR_DFQUEUEOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfQueueOps.h.inc"

namespace mlc::df {

/// (C2) of `df.dequeue`: whether `sizes`, which may be null, fits the results of `op`. Error at `op`.
llvm::LogicalResult verifySizes(mlir::Operation *op, mlir::ArrayAttr sizes);

/// Whether the op itself puts into a queue, takes out of one, closes or asks one.
inline bool namesQueue(mlir::Operation *op) {
  return llvm::isa<EnqueueOp, EnqueueManyOp, DequeueOp, DequeueManyOp, DequeueUpToOp, QueueCloseOp, QueueSizeOp,
                   QueueIsClosedOp>(op);
}

/// The first op in `root`, itself included, that names a queue, or null; without `channels` one whose queue is no
/// channel between devices.
mlir::Operation *findQueueOp(mlir::Operation *root, bool channels = true);

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFQUEUEOPS_H
