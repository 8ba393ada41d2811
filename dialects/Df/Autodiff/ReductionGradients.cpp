// Gradients of reductions, products and fused losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfReductionOps.h"

using namespace mlir;

namespace mlc::df {

using Gradients = MutableArrayRef<Value>;

/// The value of a reduction's result (or its cotangent) at each element of the operand.
template <typename Op> static Value spread(Op op, ExpressionBuilder &b, Value reduced) {
  auto rank = static_cast<int64_t>(shapeOf(op.getOperand().getType()).size());
  return b.broadcast(reduced, op.getOperand(), keptDimensions(rank, op.getAxes()));
}

static LogicalResult gradientOf(ReduceSumOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = spread(op, b, g);
  return success();
}

/// Shared equally by the elements that reach the extremum; none if it is NaN.
template <typename Op> static LogicalResult extremumGradient(Op op, ExpressionBuilder &b, Value g, Gradients out) {
  Value reached = b.compare(Comparison::EQ, op.getOperand(), spread(op, b, op.getResult()));
  Value count = b.sum(b.cast(reached, elementType(op.getType())), op.getAxes());
  out[0] = b.select(reached, spread(op, b, b.div(g, count)), b.splatLike(op.getOperand(), 0));
  return success();
}
static LogicalResult gradientOf(ReduceMaxOp op, ExpressionBuilder &b, Value g, Gradients out) {
  return extremumGradient(op, b, g, out);
}
static LogicalResult gradientOf(ReduceMinOp op, ExpressionBuilder &b, Value g, Gradients out) {
  return extremumGradient(op, b, g, out);
}

/// The product of the others, whatever is 0: along each axis of those before and those after.
static LogicalResult gradientOf(ReduceProdOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value x = op.getOperand(), rest = x, others;
  auto rank = static_cast<int64_t>(shapeOf(x.getType()).size());
  SmallVector<int64_t> reduced;
  for (int64_t axis : llvm::reverse(op.getAxes())) {
    auto upTo = [&](bool reverse) -> Value {
      return b.infer<CumprodOp>(rest, b.builder.getI64IntegerAttr(axis), b.builder.getUnitAttr(),
                                reverse ? b.builder.getUnitAttr() : UnitAttr());
    };
    Value along = b.broadcast(b.mul(upTo(false), upTo(true)), x, keptDimensions(rank, reduced));
    others = others ? b.mul(others, along) : along;
    rest = b.infer<ReduceProdOp>(rest, ArrayRef<int64_t>(axis));
    reduced.insert(reduced.begin(), axis);
  }
  Value whole = spread(op, b, g);
  out[0] = others ? b.mul(whole, others) : whole;
  return success();
}

static LogicalResult gradientOf(ReduceLogsumexpOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value share = b.unary<ExpOp>(b.sub(op.getOperand(), spread(op, b, op.getResult())));
  out[0] = b.mul(spread(op, b, g), share);
  return success();
}

// With C = A'B', dA' = G B'^T and dB' = A'^T G; where an operand is transposed so is its gradient.
static LogicalResult gradientOf(MatmulOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  out[0] = ta ? b.matmul(rhs, g, tb, true) : b.matmul(g, rhs, false, !tb);
  out[1] = tb ? b.matmul(g, lhs, true, ta) : b.matmul(lhs, g, !ta, false);
  return success();
}

/// The sum over the axis of a softmax at each of its elements.
template <typename Op> static Value spreadSum(Op op, ExpressionBuilder &b, Value x) {
  int64_t axis = axisOf(op);
  return b.broadcast(b.sum(x, axis), x, keptDimensions(cast<RankedTensorType>(x.getType()).getRank(), axis));
}

static LogicalResult gradientOf(SoftmaxOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value y = op.getResult();
  out[0] = b.mul(y, b.sub(g, spreadSum(op, b, b.mul(g, y))));
  return success();
}

static LogicalResult gradientOf(LogSoftmaxOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.sub(g, b.mul(b.unary<ExpOp>(op.getResult()), spreadSum(op, b, g)));
  return success();
}

/// 1 at each row's class, else 0, of the logits' type.
static Value oneHotOf(ExpressionBuilder &b, Value logits, Value labels) {
  auto type = cast<RankedTensorType>(logits.getType());
  int64_t axis = type.getRank() - 1;
  if (!type.isDynamicDim(axis))
    return OneHotOp::create(b.builder, b.loc, type, labels);
  Type i64 = b.builder.getI64Type();
  Value ones = b.cast(b.splatLike(logits, 1), i64);
  Value position = b.infer<CumsumOp>(ones, b.builder.getI64IntegerAttr(axis), /*exclusive=*/b.builder.getUnitAttr(),
                                     /*reverse=*/UnitAttr());
  Value hit = b.compare(Comparison::EQ, position, b.broadcast(labels, logits, keptDimensions(axis + 1, axis)));
  return b.cast(hit, type.getElementType());
}

static LogicalResult gradientOf(SoftmaxCrossEntropyOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value logits = op.getLogits();
  int64_t axis = cast<RankedTensorType>(logits.getType()).getRank() - 1;
  Value share = b.infer<SoftmaxOp>(logits, /*axis=*/IntegerAttr());
  out[0] =
      b.mul(b.sub(share, oneHotOf(b, logits, op.getLabels())), b.broadcast(g, logits, keptDimensions(axis + 1, axis)));
  return success();
}

static LogicalResult gradientOf(SigmoidCrossEntropyOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, b.sub(b.unary<SigmoidOp>(op.getLogits()), op.getLabels()));
  out[1] = b.neg(b.mul(g, op.getLogits()));
  return success();
}

void attachReductionGradients(MLIRContext *context) {
  attachRules<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ReduceLogsumexpOp, MatmulOp, SoftmaxOp, LogSoftmaxOp,
              SoftmaxCrossEntropyOp, SigmoidCrossEntropyOp>(context);
}

} // namespace mlc::df
