// Gradients of the functions of floats. The formulas are those of DfMathOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"

using namespace mlir;

namespace mlc::df {

using Gradients = MutableArrayRef<Value>;

static constexpr double kLn2 = 0.693147180559945309417;
static constexpr double kTwoOverRootPi = 1.12837916709551257390;

// Piecewise constant: no gradient.
static LogicalResult gradientOf(CeilOp, ExpressionBuilder &, Value, Gradients) { return success(); }
static LogicalResult gradientOf(RoundOp, ExpressionBuilder &, Value, Gradients) { return success(); }
static LogicalResult gradientOf(TruncOp, ExpressionBuilder &, Value, Gradients) { return success(); }

/// x * value.
static Value scaled(ExpressionBuilder &b, Value x, double value) { return b.mul(x, b.splatLike(x, value)); }
/// x + value.
static Value shifted(ExpressionBuilder &b, Value x, double value) { return b.add(x, b.splatLike(x, value)); }

static LogicalResult gradientOf(ReciprocalOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.neg(b.mul(g, b.unary<SquareOp>(op.getResult())));
  return success();
}
static LogicalResult gradientOf(RsqrtOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value y = op.getResult();
  out[0] = b.mul(scaled(b, g, -0.5), b.mul(y, b.unary<SquareOp>(y)));
  return success();
}
static LogicalResult gradientOf(CbrtOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, b.div(op.getResult(), scaled(b, op.getOperand(), 3)));
  return success();
}
static LogicalResult gradientOf(Expm1Op op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, shifted(b, op.getResult(), 1));
  return success();
}
static LogicalResult gradientOf(Exp2Op op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, scaled(b, op.getResult(), kLn2));
  return success();
}
static LogicalResult gradientOf(Log2Op op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.div(g, scaled(b, op.getOperand(), kLn2));
  return success();
}
/// e^(-x^2).
static Value bell(ExpressionBuilder &b, Value x) { return b.unary<ExpOp>(b.neg(b.unary<SquareOp>(x))); }
static LogicalResult gradientOf(ErfOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, scaled(b, bell(b, op.getOperand()), kTwoOverRootPi));
  return success();
}
static LogicalResult gradientOf(ErfcOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, scaled(b, bell(b, op.getOperand()), -kTwoOverRootPi));
  return success();
}
static LogicalResult gradientOf(TanOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, shifted(b, b.unary<SquareOp>(op.getResult()), 1));
  return success();
}
/// 1 - x^2.
static Value oneLessSquare(ExpressionBuilder &b, Value x) { return b.sub(b.splatLike(x, 1), b.unary<SquareOp>(x)); }
static LogicalResult gradientOf(AsinOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.div(g, b.unary<SqrtOp>(oneLessSquare(b, op.getOperand())));
  return success();
}
static LogicalResult gradientOf(AcosOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.neg(b.div(g, b.unary<SqrtOp>(oneLessSquare(b, op.getOperand()))));
  return success();
}
static LogicalResult gradientOf(AtanOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.div(g, shifted(b, b.unary<SquareOp>(op.getOperand()), 1));
  return success();
}
static LogicalResult gradientOf(SinhOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, b.unary<CoshOp>(op.getOperand()));
  return success();
}
static LogicalResult gradientOf(CoshOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, b.unary<SinhOp>(op.getOperand()));
  return success();
}
static LogicalResult gradientOf(AsinhOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.div(g, b.unary<SqrtOp>(shifted(b, b.unary<SquareOp>(op.getOperand()), 1)));
  return success();
}
static LogicalResult gradientOf(AcoshOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.div(g, b.unary<SqrtOp>(shifted(b, b.unary<SquareOp>(op.getOperand()), -1)));
  return success();
}
static LogicalResult gradientOf(AtanhOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.div(g, oneLessSquare(b, op.getOperand()));
  return success();
}
static LogicalResult gradientOf(Atan2Op op, ExpressionBuilder &b, Value g, Gradients out) {
  Value y = op.getLhs(), x = op.getRhs();
  Value part = b.div(g, b.add(b.unary<SquareOp>(y), b.unary<SquareOp>(x)));
  out[0] = b.mul(part, x);
  out[1] = b.neg(b.mul(part, y));
  return success();
}
static LogicalResult gradientOf(RemOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = g;
  out[1] = b.neg(b.mul(g, b.unary<TruncOp>(b.div(op.getLhs(), op.getRhs()))));
  return success();
}

void attachMathGradients(MLIRContext *context) {
  attachRules<CeilOp, RoundOp, TruncOp, ReciprocalOp, RsqrtOp, CbrtOp, Expm1Op, Exp2Op, Log2Op, ErfOp, ErfcOp, TanOp,
              AsinOp, AcosOp, AtanOp, SinhOp, CoshOp, AsinhOp, AcoshOp, AtanhOp, Atan2Op, RemOp>(context);
}

} // namespace mlc::df
