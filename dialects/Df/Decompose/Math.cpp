// Decompositions of quotients, remainders and tests of numbers: the formulas of DfMathOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Decomposition.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfMathOps.h"

#include <limits>

using namespace mlir;

namespace mlc::df {

static bool isUnsigned(Value x) { return elementType(x.getType()).isUnsignedInteger(); }

/// Whether the remainder `r` is not zero and has another sign than the divisor `y`.
static Value misses(ExpressionBuilder &b, Value r, Value y) {
  Value zero = b.splatLike(r, 0);
  Value differ = b.binary<LogicalXorOp>(b.compare(Comparison::LT, r, zero), b.compare(Comparison::LT, y, zero));
  return b.binary<LogicalAndOp>(b.compare(Comparison::NE, r, zero), differ);
}

static Value decompositionOf(FloorModOp op, ExpressionBuilder &b) {
  Value y = op.getRhs(), r = b.binary<RemOp>(op.getLhs(), y);
  return isUnsigned(r) ? r : b.select(misses(b, r, y), b.add(r, y), r);
}

static Value decompositionOf(FloorDivOp op, ExpressionBuilder &b) {
  Value x = op.getLhs(), y = op.getRhs(), quotient = b.div(x, y);
  if (isa<FloatType>(elementType(op.getType())))
    return b.unary<FloorOp>(quotient);
  if (isUnsigned(x))
    return quotient;
  Value rest = b.sub(x, b.mul(quotient, y));
  return b.select(misses(b, rest, y), b.sub(quotient, b.splatLike(quotient, 1)), quotient);
}

static Value decompositionOf(DivNoNanOp op, ExpressionBuilder &b) {
  // The divisor that is not used must not make the gradient infinite either.
  Value y = op.getRhs(), zero = b.splatLike(y, 0), isZero = b.compare(Comparison::EQ, y, zero);
  return b.select(isZero, zero, b.div(op.getLhs(), b.select(isZero, b.splatLike(y, 1), y)));
}

static Value decompositionOf(XlogyOp op, ExpressionBuilder &b) {
  Value x = op.getLhs(), y = op.getRhs(), zero = b.splatLike(x, 0), isZero = b.compare(Comparison::EQ, x, zero);
  return b.select(isZero, zero, b.mul(x, b.unary<LogOp>(b.select(isZero, b.splatLike(y, 1), y))));
}

static Value decompositionOf(ClampOp op, ExpressionBuilder &b) {
  return b.binary<MinimumOp>(b.binary<MaximumOp>(op.getOperand(), op.getLow()), op.getHigh());
}

static Value decompositionOf(IsNanOp op, ExpressionBuilder &b) {
  return b.compare(Comparison::NE, op.getOperand(), op.getOperand());
}

/// |x| `predicate` infinity.
static Value compareWithInfinity(ExpressionBuilder &b, Comparison predicate, Value x) {
  return b.compare(predicate, b.unary<AbsOp>(x), b.splatLike(x, std::numeric_limits<double>::infinity()));
}
static Value decompositionOf(IsInfOp op, ExpressionBuilder &b) {
  return compareWithInfinity(b, Comparison::EQ, op.getOperand());
}
static Value decompositionOf(IsFiniteOp op, ExpressionBuilder &b) {
  return compareWithInfinity(b, Comparison::LT, op.getOperand());
}

void attachMathDecompositions(MLIRContext *context) {
  attachDecompositions<FloorModOp, FloorDivOp, DivNoNanOp, XlogyOp, ClampOp, IsNanOp, IsInfOp, IsFiniteOp>(context);
}

} // namespace mlc::df
