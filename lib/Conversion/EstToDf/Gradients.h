// What happens to gradients between the loss and the update rule: regularizers, then a bound. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_GRADIENTS_H
#define LIB_CONVERSION_ESTTODF_GRADIENTS_H

#include "dialects/Df/IR/DfStateOps.h"
#include "lib/Conversion/EstToDf/Columns.h"

namespace mlc::est2df {

/// Adds the gradients of the regularizers of `variables` to `gradients`, one of each, dense or rows: after all sums
/// over the batch, so that they count once per step. Where a regularizer acts on a whole table, the gradient becomes
/// dense. Returns what the regularizers add to the loss, a scalar of f32; null if there is none.
mlir::Value addRegularizers(GraphBuilder &builder, llvm::ArrayRef<TrainedVariable> variables,
                            llvm::MutableArrayRef<mlir::Value> gradients);

/// What the regularizers of `variables` are of the whole variables, a scalar of f32; null if there is none.
mlir::Value sumRegularizers(GraphBuilder &builder, llvm::ArrayRef<TrainedVariable> variables);

/// Cuts or scales the gradients of an optimizer's variables, dense or rows, as it asks for.
void clipGradients(GraphBuilder &builder, est::OptimizerAttr optimizer, llvm::MutableArrayRef<mlir::Value> gradients);

/// Warns if the table `variable` is so large that a dense pass over it at every step costs; `why` there is one.
void warnOfDensePass(df::VariableOp variable, const llvm::Twine &why);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_GRADIENTS_H
