// Shapes of gathers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFINDEXING_H
#define DIALECTS_DF_IR_DFINDEXING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlc::df {

/// The number of dimensions of indices of `rank` between `batch` and the components, which one axis alone has not.
int64_t numPlaces(int64_t rank, llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> batch);

/// The shape of what `df.gather` gathers: the operand's dimensions in order, with those of the indices after `batch`
/// and before the components in the place of the first of `axes`, and without the other axes.
llvm::SmallVector<int64_t> gatheredShape(llvm::ArrayRef<int64_t> operand, llvm::ArrayRef<int64_t> indices,
                                         llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> batch);

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFINDEXING_H
