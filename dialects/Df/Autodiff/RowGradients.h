// Gradients of tables by rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_AUTODIFF_ROWGRADIENTS_H
#define DIALECTS_DF_AUTODIFF_ROWGRADIENTS_H

#include "dialects/Df/Utils/ExpressionBuilder.h"

namespace mlc::df {

/// What a gather leaves: ids [n] and the cotangents of its rows [n, row shape]. Rows of ids < 0 count for nothing.
struct RowContribution {
  mlir::Value ids, cotangents;
};

/// The sparse gradient of `table` from `contributions` (at least one): rows of equal ids are added in the order of the
/// contributions and, within one, of rows.
mlir::Value buildSparseGradient(ExpressionBuilder &b, mlir::RankedTensorType table,
                                llvm::ArrayRef<RowContribution> contributions);

/// The sum of two sparse gradients of one table of f32.
mlir::Value addSparseGradients(ExpressionBuilder &b, mlir::Value lhs, mlir::Value rhs);

} // namespace mlc::df

#endif // DIALECTS_DF_AUTODIFF_ROWGRADIENTS_H
