// Gradients of the ops of multi-valued features: each is the other's transpose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/IR/DfRaggedOps.h"

using namespace mlir;

namespace mlc::df {

static LogicalResult gradientOf(SegmentSumOp op, ExpressionBuilder &b, Value g, MutableArrayRef<Value> out) {
  out[0] = b.infer<SegmentRepeatOp>(g, op.getEnds(), op.getValues());
  return success();
}

static LogicalResult gradientOf(SegmentRepeatOp op, ExpressionBuilder &b, Value g, MutableArrayRef<Value> out) {
  out[0] = b.infer<SegmentSumOp>(g, op.getEnds());
  return success();
}

void attachRaggedGradients(MLIRContext *context) { attachRules<SegmentSumOp, SegmentRepeatOp>(context); }

} // namespace mlc::df
