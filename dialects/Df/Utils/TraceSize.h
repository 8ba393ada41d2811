// Where the size of a value that a region makes is known outside of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_TRACESIZE_H
#define DIALECTS_DF_UTILS_TRACESIZE_H

#include "dialects/Df/IR/Df.h"

namespace mlc::df {

/// A dimension of a value.
struct SizeOrigin {
  mlir::Value value;
  int64_t dimension;
};

/// A value defined outside of `region`, and its dimension that is as large as the dynamic dimension `d` of `value`,
/// which is defined in `region` or outside. Follows the ops that made the value, and what loops and branches carry.
/// None where an op makes a size of its own.
std::optional<SizeOrigin> traceSize(mlir::Value value, int64_t d, mlir::Region &region);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_TRACESIZE_H
