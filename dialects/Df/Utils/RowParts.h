// Sparse gradients in parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_ROWPARTS_H
#define DIALECTS_DF_UTILS_ROWPARTS_H

#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"

namespace mlc::df {

/// A gradient of rows in parts; rows from the count on are undefined.
UnpackRowsOp unpackRows(ExpressionBuilder &b, mlir::Value gradient);

/// Where the rows before the count end, and those after it, as the values of two rows.
mlir::Value rowEnds(ExpressionBuilder &b, UnpackRowsOp parts);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_ROWPARTS_H
