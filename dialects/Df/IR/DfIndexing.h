// Shapes of gathers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFINDEXING_H
#define DIALECTS_DF_IR_DFINDEXING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlc::df {

/// The shape of what `df.gather_nd` gathers: the operand's dimensions in order, with those of the indices behind
/// `batch` and before the last one in the place of the first of `axes`, and without the other axes.
llvm::SmallVector<int64_t> gatheredShape(llvm::ArrayRef<int64_t> operand, llvm::ArrayRef<int64_t> indices,
                                         llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> batch);

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFINDEXING_H
