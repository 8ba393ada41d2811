// Gradients of the ops of multi-valued features: each is the other's transpose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/IR/DfRaggedOps.h"

using namespace mlir;

namespace mlc::df {

/// Of sums: other reductions are composites.
static LogicalResult gradientOf(RaggedReduceOp op, ExpressionBuilder &b, Value g, MutableArrayRef<Value> out) {
  out[0] = b.infer<RaggedRepeatOp>(g, op.getEnds(), op.getValues());
  return success();
}

static LogicalResult gradientOf(RaggedRepeatOp op, ExpressionBuilder &b, Value g, MutableArrayRef<Value> out) {
  out[0] = b.infer<RaggedReduceOp>(RowReduction::Sum, g, op.getEnds());
  return success();
}

void attachRaggedGradients(MLIRContext *context) { attachRules<RaggedReduceOp, RaggedRepeatOp>(context); }

} // namespace mlc::df
