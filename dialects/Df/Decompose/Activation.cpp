// Decompositions of activation functions: the formulas of DfActivationOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Decomposition.h"
#include "dialects/Df/IR/DfActivationOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfMathOps.h"

using namespace mlir;

namespace mlc::df {

static Value scaled(ExpressionBuilder &b, Value x, double value) { return b.mul(x, b.splatLike(x, value)); }
static Value shifted(ExpressionBuilder &b, Value x, double value) { return b.add(x, b.splatLike(x, value)); }
static Value isPositive(ExpressionBuilder &b, Value x) { return b.compare(Comparison::GT, x, b.splatLike(x, 0)); }

/// alpha (e^(x / beta) - 1): what stands below 0. 0 in the place of what is above keeps the gradient finite there; a
/// minimum would have no gradient for NaN.
static Value exponentialBelow(ExpressionBuilder &b, Value x, double alpha, double beta) {
  Value below = b.select(isPositive(b, x), b.splatLike(x, 0), x);
  if (beta != 1)
    below = b.div(below, b.splatLike(x, beta));
  return scaled(b, b.unary<Expm1Op>(below), alpha);
}

static Value decompositionOf(GeluOp op, ExpressionBuilder &b) {
  Value x = op.getOperand(), half = scaled(b, x, 0.5);
  if (!op.getApproximate())
    return b.mul(half, b.unary<ErfcOp>(scaled(b, x, -0.70710678118654752440)));
  Value cube = b.mul(x, b.unary<SquareOp>(x));
  Value inner = scaled(b, b.add(x, scaled(b, cube, 0.044715)), 0.79788456080286535588);
  return b.mul(half, shifted(b, b.unary<TanhOp>(inner), 1));
}

static Value decompositionOf(EluOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  return b.select(isPositive(b, x), x, exponentialBelow(b, x, op.getAlpha().convertToDouble(), 1));
}

static Value decompositionOf(SeluOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  double alpha = op.getAlpha().convertToDouble(), gamma = op.getGamma().convertToDouble();
  return b.select(isPositive(b, x), scaled(b, x, gamma), exponentialBelow(b, x, alpha * gamma, 1));
}

static Value decompositionOf(CeluOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  double alpha = op.getAlpha().convertToDouble();
  return b.select(isPositive(b, x), x, exponentialBelow(b, x, alpha, alpha));
}

static Value decompositionOf(LeakyReluOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  return b.select(isPositive(b, x), x, scaled(b, x, op.getAlpha().convertToDouble()));
}

static Value decompositionOf(PreluOp op, ExpressionBuilder &b) {
  return b.select(isPositive(b, op.getLhs()), op.getLhs(), b.mul(op.getLhs(), op.getRhs()));
}

/// min(max(alpha x + beta, 0), 1).
static Value hardSigmoid(ExpressionBuilder &b, Value x, double alpha, double beta) {
  Value line = shifted(b, scaled(b, x, alpha), beta);
  return b.binary<MinimumOp>(b.binary<MaximumOp>(line, b.splatLike(x, 0)), b.splatLike(x, 1));
}
static Value decompositionOf(HardSigmoidOp op, ExpressionBuilder &b) {
  return hardSigmoid(b, op.getOperand(), op.getAlpha().convertToDouble(), op.getBeta().convertToDouble());
}
static Value decompositionOf(HardSwishOp op, ExpressionBuilder &b) {
  return b.mul(op.getOperand(), hardSigmoid(b, op.getOperand(), 1.0 / 6, 0.5));
}

static Value decompositionOf(SiluOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  double beta = op.getBeta().convertToDouble();
  return b.mul(x, b.unary<SigmoidOp>(beta == 1 ? x : scaled(b, x, beta)));
}

static Value decompositionOf(MishOp op, ExpressionBuilder &b) {
  return b.mul(op.getOperand(), b.unary<TanhOp>(b.unary<SoftplusOp>(op.getOperand())));
}

static Value decompositionOf(SoftsignOp op, ExpressionBuilder &b) {
  return b.div(op.getOperand(), shifted(b, b.unary<AbsOp>(op.getOperand()), 1));
}

static Value decompositionOf(LogSigmoidOp op, ExpressionBuilder &b) {
  return b.neg(b.unary<SoftplusOp>(b.neg(op.getOperand())));
}

static Value decompositionOf(Relu6Op op, ExpressionBuilder &b) {
  return b.binary<MinimumOp>(b.unary<ReluOp>(op.getOperand()), b.splatLike(op.getOperand(), 6));
}

static Value decompositionOf(ThresholdedReluOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  // A comparison with NaN is false: x itself.
  Value below = b.compare(Comparison::LE, x, b.splatLike(x, op.getAlpha().convertToDouble()));
  return b.select(below, b.splatLike(x, 0), x);
}

void attachActivationDecompositions(MLIRContext *context) {
  attachDecompositions<GeluOp, EluOp, SeluOp, CeluOp, LeakyReluOp, PreluOp, HardSigmoidOp, HardSwishOp, SiluOp, MishOp,
                       SoftsignOp, LogSigmoidOp, Relu6Op, ThresholdedReluOp>(context);
}

} // namespace mlc::df
