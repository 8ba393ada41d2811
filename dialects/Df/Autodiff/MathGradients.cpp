// Gradients of the functions of floats. The formulas are those of DfMathOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfRandomOps.h"

using namespace mlir;

namespace mlc::df {

using Gradients = MutableArrayRef<Value>;

static constexpr double kLn2 = 0.693147180559945309417;
static constexpr double kTwoOverRootPi = 1.12837916709551257390;

// Piecewise constant: no gradient.
static LogicalResult gradientOf(CeilOp, ExpressionBuilder &, Value, Gradients) { return success(); }
static LogicalResult gradientOf(RoundOp, ExpressionBuilder &, Value, Gradients) { return success(); }
static LogicalResult gradientOf(TruncOp, ExpressionBuilder &, Value, Gradients) { return success(); }

// A draw by acceptance is no function of the concentration that one could differentiate.
static LogicalResult gradientOf(RandomGammaOp, ExpressionBuilder &, Value, Gradients) { return success(); }

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
  // 1 / (3 y^2): infinite at 0, 0 at infinities.
  out[0] = b.div(g, scaled(b, b.unary<SquareOp>(op.getResult()), 3));
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
static LogicalResult gradientOf(ErfInvOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value slope = b.unary<ExpOp>(b.unary<SquareOp>(op.getResult()));
  out[0] = b.mul(g, scaled(b, slope, 1 / kTwoOverRootPi));
  return success();
}
static LogicalResult gradientOf(LgammaOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, b.unary<DigammaOp>(op.getOperand()));
  return success();
}
/// psi'(x), the derivative of digamma, of ops that have gradients themselves: ten fractions and the asymptotic series
/// after them, for x < 0 by psi'(x) + psi'(1 - x) = (pi / sin(pi x))^2.
static Value trigamma(ExpressionBuilder &b, Value x) {
  constexpr double pi = 3.14159265358979323846;
  constexpr int kSteps = 10;
  // B(2k)
  constexpr double kBernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6};
  Value isNegative = b.compare(Comparison::LT, x, b.splatLike(x, 0));
  Value y = b.select(isNegative, shifted(b, b.neg(x), 1), x);
  Value z = b.unary<ReciprocalOp>(shifted(b, y, kSteps)), square = b.unary<SquareOp>(z);
  Value series = b.splatLike(x, *std::rbegin(kBernoulli));
  for (size_t k = std::size(kBernoulli) - 1; k-- > 0;)
    series = shifted(b, b.mul(series, square), kBernoulli[k]);
  Value value = b.add(b.add(z, scaled(b, square, 0.5)), b.mul(b.mul(z, square), series));
  for (int step = kSteps; step-- > 0;)
    value = b.add(value, b.unary<SquareOp>(b.unary<ReciprocalOp>(step == 0 ? y : shifted(b, y, step))));
  // Where x is not negative 1/2 stands for it: an unused infinity would make the gradient of this NaN.
  Value turn = b.select(isNegative, b.sub(x, b.unary<RoundOp>(x)), b.splatLike(x, 0.5));
  Value ratio = scaled(b, b.unary<ReciprocalOp>(b.unary<SinOp>(scaled(b, turn, pi))), pi);
  return b.select(isNegative, b.sub(b.unary<SquareOp>(ratio), value), value);
}
static LogicalResult gradientOf(DigammaOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.mul(g, trigamma(b, op.getOperand()));
  return success();
}
/// dP/da and dP/dx of the incomplete gamma function P(a, x), times g.
static void igammaGradient(ExpressionBuilder &b, Value a, Value x, Value g, Gradients out) {
  Value density = b.sub(b.mul(shifted(b, a, -1), b.unary<LogOp>(x)), b.add(x, b.unary<LgammaOp>(a)));
  out[0] = b.mul(g, b.binary<IgammaGradAOp>(a, x));
  out[1] = b.mul(g, b.unary<ExpOp>(density));
}
static LogicalResult gradientOf(IgammaOp op, ExpressionBuilder &b, Value g, Gradients out) {
  igammaGradient(b, op.getLhs(), op.getRhs(), g, out);
  return success();
}
static LogicalResult gradientOf(IgammacOp op, ExpressionBuilder &b, Value g, Gradients out) {
  igammaGradient(b, op.getLhs(), op.getRhs(), b.neg(g), out);
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
  attachRules<CeilOp, RoundOp, TruncOp, ReciprocalOp, RsqrtOp, CbrtOp, Expm1Op, Exp2Op, Log2Op, ErfOp, ErfcOp, ErfInvOp,
              LgammaOp, DigammaOp, IgammaOp, IgammacOp, TanOp, AsinOp, AcosOp, AtanOp, SinhOp, CoshOp, AsinhOp, AcoshOp,
              AtanhOp, Atan2Op, RemOp, RandomGammaOp>(context);
}

} // namespace mlc::df
