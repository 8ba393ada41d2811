// Decompositions of reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfReductionOps.h"

using namespace mlir;

namespace mlc::df {

/// The sum over `axes` divided by the number of elements less `correction`.
static Value meanOf(ExpressionBuilder &b, Value x, ArrayRef<int64_t> axes, int64_t correction = 0) {
  Value count = b.count(x, axes, elementType(x.getType())), sum = b.sum(x, axes);
  if (correction)
    count = b.sub(count, b.splatLike(count, static_cast<double>(correction)));
  return b.div(sum, repeated(b, count, sum));
}

static Value decompositionOf(ReduceMeanOp op, ExpressionBuilder &b) {
  return narrow(b, meanOf(b, widen(b, op.getOperand()), op.getAxes()), op.getType());
}

static Value decompositionOf(ReduceVarianceOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getOperand());
  Value centered = b.sub(x, spreadOver(b, meanOf(b, x, op.getAxes()), x, op.getAxes()));
  Value variance = meanOf(b, b.unary<SquareOp>(centered), op.getAxes(), static_cast<int64_t>(op.getCorrection()));
  return narrow(b, variance, op.getType());
}

static Value decompositionOf(ReduceL1Op op, ExpressionBuilder &b) {
  return narrow(b, b.sum(b.unary<AbsOp>(widen(b, op.getOperand())), op.getAxes()), op.getType());
}

static Value decompositionOf(ReduceL2Op op, ExpressionBuilder &b) {
  Value squares = b.sum(b.unary<SquareOp>(widen(b, op.getOperand())), op.getAxes());
  // The slope of the root at 0 is infinite: it is not taken there.
  Value zero = b.splatLike(squares, 0), isZero = b.compare(Comparison::EQ, squares, zero);
  Value root = b.unary<SqrtOp>(b.select(isZero, b.splatLike(squares, 1), squares));
  return narrow(b, b.select(isZero, zero, root), op.getType());
}

/// `x`, and 0 where it is infinite.
static Value finiteOrZero(ExpressionBuilder &b, Value x) {
  double infinity = std::numeric_limits<double>::infinity();
  Value infinite = b.compare(Comparison::EQ, b.unary<AbsOp>(x), b.splatLike(x, infinity));
  return b.select(infinite, b.splatLike(x, 0), x);
}

/// What is subtracted before exponentials are taken: the maximum, and 0 where that is infinite.
static Value offsetOf(ExpressionBuilder &b, Value x, RankedTensorType type, ArrayRef<int64_t> axes) {
  return finiteOrZero(b, b.infer<ReduceMaxOp>(x, axes));
}

static Value decompositionOf(ReduceLogsumexpOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getOperand());
  Value offset = offsetOf(b, x, cast<RankedTensorType>(op.getType()), op.getAxes());
  Value exponentials = b.unary<ExpOp>(b.sub(x, spreadOver(b, offset, x, op.getAxes())));
  return narrow(b, b.add(b.unary<LogOp>(b.sum(exponentials, op.getAxes())), offset), op.getType());
}

static Value decompositionOf(CumlogsumexpOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getOperand());
  IntegerAttr axis = b.builder.getI64IntegerAttr(axisOf(op));
  auto maximum = [&](bool exclusive) -> Value {
    return b.infer<CummaxOp>(x, axis, exclusive ? b.builder.getUnitAttr() : UnitAttr(), op.getReverseAttr());
  };
  // Sums relative to the largest element so far: they shrink where that grows.
  Value before = maximum(/*exclusive=*/true), offset = finiteOrZero(b, maximum(/*exclusive=*/false));
  Value shrinks = b.unary<ExpOp>(b.sub(before, offset)), exponentials = b.unary<ExpOp>(b.sub(x, offset));
  Value sums = b.infer<LinearScanOp>(shrinks, exponentials, axis, op.getExclusiveAttr(), op.getReverseAttr());
  if (op.getExclusive())
    offset = finiteOrZero(b, before);
  return narrow(b, b.add(b.unary<LogOp>(sums), offset), op.getType());
}

static Value decompositionOf(LogSoftmaxOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getOperand());
  int64_t axis = axisOf(op);
  Value maximum = b.infer<ReduceMaxOp>(x, ArrayRef(axis));
  Value below = b.sub(x, spreadOver(b, maximum, x, axis));
  Value logarithm = b.unary<LogOp>(b.sum(b.unary<ExpOp>(below), axis));
  return narrow(b, b.sub(below, spreadOver(b, logarithm, x, axis)), op.getType());
}

void attachReductionDecompositions(MLIRContext *context) {
  attachDecompositions<ReduceMeanOp, ReduceVarianceOp, ReduceL1Op, ReduceL2Op, ReduceLogsumexpOp, CumlogsumexpOp,
                       LogSoftmaxOp>(context);
}

} // namespace mlc::df
