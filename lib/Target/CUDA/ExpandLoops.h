// Loops over single elements that data directs, as what all threads can share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_EXPANDLOOPS_H
#define LIB_TARGET_CUDA_EXPANDLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlc::cuda {

/// Expands loops of a segment on tensors, but those that are known to be short, and where state lies in the host's
/// memory. Iterations each of which combines one element, where data says which (`df.scatter`), become groups by
/// element (`kern.unique_ids`), and each group is combined in the order of its iterations, starting with the old
/// element. Iterations that data chooses, each of which writes the next row (`df.nonzero`), become sums of marks, and
/// each row finds its iteration. No bit changes.
void expandLoops(mlir::func::FuncOp segment);

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_EXPANDLOOPS_H
