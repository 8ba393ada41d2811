// Sums over rows whose columns stay apart, by blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_COLUMNSUMS_H
#define LIB_TARGET_CUDA_COLUMNSUMS_H

#include "lib/Target/CPU/GenericLowering.h"

namespace mlc::cuda {

/// Emits the launch of a reduction over rows whose columns stay apart, loops merged, as blocks each of which has a
/// stripe of columns: one warp combines rows in their order, a thread a column, while the others evaluate the next
/// ones. Returns false, with no launch emitted, if it is none of these, or threads that have a column each do as well.
bool lowerColumnSums(GenericLowering &lowering);

/// Whether this is the shared memory of blocks of such a launch, which is the same for all of them.
bool isMemoryOfColumnSums(mlir::Operation *op);

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_COLUMNSUMS_H
