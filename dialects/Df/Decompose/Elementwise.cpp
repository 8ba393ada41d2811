// Decompositions of element-wise ops: the formulas of their descriptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Decomposition.h"
#include "dialects/Df/IR/DfElementwiseOps.h"

using namespace mlir;

namespace mlc::df {

static Value decompositionOf(SquaredDifferenceOp op, ExpressionBuilder &b) {
  return b.unary<SquareOp>(b.sub(op.getLhs(), op.getRhs()));
}

static Value decompositionOf(StopGradientOp op, ExpressionBuilder &) { return op.getOperand(); }

void attachElementwiseDecompositions(MLIRContext *context) {
  attachDecompositions<SquaredDifferenceOp, StopGradientOp>(context);
}

} // namespace mlc::df
