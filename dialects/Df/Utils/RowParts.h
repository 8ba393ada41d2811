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

/// The sum of `values`, which has an element, or a row of them, for each row of `parts`, over the rows before the
/// count: in their order, so that it does not depend on how many rows there is room for. A scalar.
mlir::Value sumRows(ExpressionBuilder &b, UnpackRowsOp parts, mlir::Value values);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_ROWPARTS_H
