// Gradients of the element-wise ops. The formulas are the derivatives of the functions in DfElementwiseOps.td; ties and
// kinks are decided as their descriptions say. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/IR/DfElementwiseOps.h"

using namespace mlir;

namespace mlc::df {

using Gradients = MutableArrayRef<Value>;

//===-- one operand ----------------------------------------------------------------===//

static LogicalResult gradientOf(NegOp, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.neg(g);
  return success();
}
static LogicalResult gradientOf(AbsOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, b.unary<SignOp>(op.getOperand()));
  return success();
}
static LogicalResult gradientOf(ExpOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, op.getResult());
  return success();
}
static LogicalResult gradientOf(LogOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.div(g, op.getOperand());
  return success();
}
static LogicalResult gradientOf(Log1pOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.div(g, b.add(b.splatLike(op.getOperand(), 1), op.getOperand()));
  return success();
}
static LogicalResult gradientOf(SqrtOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.div(g, b.add(op.getResult(), op.getResult()));
  return success();
}
static LogicalResult gradientOf(SquareOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, b.add(op.getOperand(), op.getOperand()));
  return success();
}
static LogicalResult gradientOf(TanhOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value y = op.getResult();
  out[0] = b.mul(g, b.sub(b.splatLike(y, 1), b.unary<SquareOp>(y)));
  return success();
}
static LogicalResult gradientOf(SigmoidOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value y = op.getResult();
  out[0] = b.mul(g, b.mul(y, b.sub(b.splatLike(y, 1), y)));
  return success();
}
static LogicalResult gradientOf(SoftplusOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, b.unary<SigmoidOp>(op.getOperand()));
  return success();
}
static LogicalResult gradientOf(ReluOp op, ExpressionBuilder &b, Value g, Gradients out) {
  // The result is positive where the operand is, and is kept for the next layer anyway.
  Value zero = b.splatLike(op.getResult(), 0);
  out[0] = b.select(b.compare(Comparison::GT, op.getResult(), zero), g, zero);
  return success();
}
static LogicalResult gradientOf(CosOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.neg(b.mul(g, b.unary<SinOp>(op.getOperand())));
  return success();
}
static LogicalResult gradientOf(SinOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, b.unary<CosOp>(op.getOperand()));
  return success();
}
// Piecewise constant, or to be taken for constant: no gradient.
static LogicalResult gradientOf(SignOp, ExpressionBuilder &, Value, Gradients) { return success(); }
static LogicalResult gradientOf(StopGradientOp, ExpressionBuilder &, Value, Gradients) { return success(); }
static LogicalResult gradientOf(FloorOp, ExpressionBuilder &, Value, Gradients) { return success(); }

static LogicalResult gradientOf(CastOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Type from = elementType(op.getOperand().getType());
  if (isa<FloatType>(from))
    out[0] = b.cast(g, from);
  return success();
}

//===-- two and three operands --------------------------------------------------------===//

static LogicalResult gradientOf(AddOp, ExpressionBuilder &, Value g, Gradients out) {
  out[0] = out[1] = g;
  return success();
}
static LogicalResult gradientOf(SubOp, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = g;
  out[1] = b.neg(g);
  return success();
}
static LogicalResult gradientOf(MulOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, op.getRhs());
  out[1] = b.mul(g, op.getLhs());
  return success();
}
static LogicalResult gradientOf(DivOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.div(g, op.getRhs());
  out[1] = b.neg(b.mul(out[0], op.getResult()));
  return success();
}
/// The cotangent goes to x where `x predicate y`, else to y.
static LogicalResult routeByComparison(Comparison predicate, Operation *op, ExpressionBuilder &b, Value g,
                                       Gradients out) {
  Value zero = b.splatLike(g, 0), first = b.compare(predicate, op->getOperand(0), op->getOperand(1));
  out[0] = b.select(first, g, zero);
  out[1] = b.select(first, zero, g);
  return success();
}
static LogicalResult gradientOf(MaximumOp op, ExpressionBuilder &b, Value g, Gradients out) {
  return routeByComparison(Comparison::GE, op, b, g, out);
}
static LogicalResult gradientOf(MinimumOp op, ExpressionBuilder &b, Value g, Gradients out) {
  return routeByComparison(Comparison::LE, op, b, g, out);
}
static LogicalResult gradientOf(PowOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value x = op.getLhs(), y = op.getRhs(), zero = b.splatLike(x, 0), one = b.splatLike(x, 1);
  // y * x^(y-1) is 0 * inf at x = y = 0, and ln 0 * 0^y is inf * 0: the limits from the right are 0. For x < 0 the
  // power is not a function of real y: the gradient is 0.
  Value slope = b.mul(y, b.binary<PowOp>(x, b.sub(y, one)));
  out[0] = b.mul(g, b.select(b.compare(Comparison::EQ, y, zero), zero, slope));
  Value logarithm = b.unary<LogOp>(b.select(b.compare(Comparison::LE, x, zero), one, x));
  out[1] = b.mul(g, b.mul(op.getResult(), logarithm));
  return success();
}
static LogicalResult gradientOf(SelectOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value zero = b.splatLike(g, 0);
  out[1] = b.select(op.getCondition(), g, zero);
  out[2] = b.select(op.getCondition(), zero, g);
  return success();
}

void attachElementwiseGradients(MLIRContext *context) {
  attachRules<NegOp, AbsOp, ExpOp, LogOp, Log1pOp, SqrtOp, SquareOp, TanhOp, SigmoidOp, SoftplusOp, ReluOp, CosOp,
              SinOp, SignOp, StopGradientOp, FloorOp, CastOp, AddOp, SubOp, MulOp, DivOp, MaximumOp, MinimumOp, PowOp,
              SelectOp>(context);
}

} // namespace mlc::df
