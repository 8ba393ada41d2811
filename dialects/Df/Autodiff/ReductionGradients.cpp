// Gradients of reductions, products and fused losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"

using namespace mlir;

namespace mlc::df {

using Gradients = MutableArrayRef<Value>;

/// The value of a reduction's result (or its cotangent) at each element of the operand.
template <typename Op> static Value spread(Op op, GradientBuilder &b, Value reduced) {
  auto rank = static_cast<int64_t>(shapeOf(op.getOperand().getType()).size());
  return b.broadcast(reduced, op.getOperand(), keptDimensions(rank, op.getAxes()));
}

static LogicalResult gradientOf(ReduceSumOp op, GradientBuilder &b, Value g, Gradients out) {
  out[0] = spread(op, b, g);
  return success();
}

/// Shared equally by the elements that reach the extremum; none if it is NaN.
template <typename Op> static LogicalResult extremumGradient(Op op, GradientBuilder &b, Value g, Gradients out) {
  Value reached = b.compare(Comparison::EQ, op.getOperand(), spread(op, b, op.getResult()));
  Value count = b.sum(b.cast(reached, elementType(op.getType())), op.getAxes());
  out[0] = b.select(reached, spread(op, b, b.div(g, count)), b.splatLike(op.getOperand(), 0));
  return success();
}
static LogicalResult gradientOf(ReduceMaxOp op, GradientBuilder &b, Value g, Gradients out) {
  return extremumGradient(op, b, g, out);
}
static LogicalResult gradientOf(ReduceMinOp op, GradientBuilder &b, Value g, Gradients out) {
  return extremumGradient(op, b, g, out);
}

// With C = A'B', dA' = G B'^T and dB' = A'^T G; where an operand is transposed so is its gradient.
static LogicalResult gradientOf(MatmulOp op, GradientBuilder &b, Value g, Gradients out) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  out[0] = ta ? b.matmul(rhs, g, tb, true) : b.matmul(g, rhs, false, !tb);
  out[1] = tb ? b.matmul(g, lhs, true, ta) : b.matmul(lhs, g, !ta, false);
  return success();
}

static LogicalResult gradientOf(SoftmaxOp op, GradientBuilder &b, Value g, Gradients out) {
  Value y = op.getResult();
  int64_t last = static_cast<int64_t>(shapeOf(op.getType()).size()) - 1;
  Value inner = b.sum(b.mul(g, y), {last});
  out[0] = b.mul(y, b.sub(g, b.broadcast(inner, y, keptDimensions(last + 1, {last}))));
  return success();
}

static LogicalResult gradientOf(SoftmaxCrossEntropyOp op, GradientBuilder &b, Value g, Gradients out) {
  Value logits = op.getLogits();
  Value target = OneHotOp::create(b.builder, b.loc, logits.getType(), op.getLabels());
  out[0] = b.mul(b.sub(b.unary<SoftmaxOp>(logits), target), b.broadcast(g, logits, {0}));
  return success();
}

static LogicalResult gradientOf(SigmoidCrossEntropyOp op, GradientBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, b.sub(b.unary<SigmoidOp>(op.getLogits()), op.getLabels()));
  out[1] = b.neg(b.mul(g, op.getLogits()));
  return success();
}

void attachReductionGradients(MLIRContext *context) {
  attachRules<ReduceSumOp, ReduceMaxOp, ReduceMinOp, MatmulOp, SoftmaxOp, SoftmaxCrossEntropyOp, SigmoidCrossEntropyOp>(
      context);
}

} // namespace mlc::df
