// Decompositions of the cells of recurrent networks: the formulas of their descriptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Decomposition.h"
#include "dialects/Df/IR/DfCellOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

using namespace mlir;

namespace mlc::df {

/// x * kernel + bias.
static Value affine(ExpressionBuilder &b, Value x, Value kernel, Value bias) {
  Value product = b.matmul(x, kernel, false, false);
  return b.add(product, b.broadcast(bias, product, {1}));
}

/// Columns [i * units, (i + 1) * units) of `x`.
static Value block(ExpressionBuilder &b, Value x, int64_t i, int64_t units) {
  return SliceOp::create(b.builder, b.loc, x, /*axis=*/1, i * units, units);
}

static Value decompositionOf(RnnCellOp op, ExpressionBuilder &b) {
  Value sum =
      b.add(affine(b, op.getX(), op.getKernel(), op.getBias()), b.matmul(op.getH(), op.getRecurrent(), false, false));
  return b.unary<TanhOp>(sum);
}

static LogicalResult decompositionOf(LstmCellOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  int64_t units = shapeOf(op.getH().getType())[1];
  Value gates =
      b.add(affine(b, op.getX(), op.getKernel(), op.getBias()), b.matmul(op.getH(), op.getRecurrent(), false, false));
  Value forget = block(b, gates, 1, units);
  if (double bias = op.getForgetBias().convertToDouble())
    forget = b.add(forget, b.splatLike(forget, bias));
  Value kept = b.mul(b.unary<SigmoidOp>(forget), op.getC());
  Value added = b.mul(b.unary<SigmoidOp>(block(b, gates, 0, units)), b.unary<TanhOp>(block(b, gates, 2, units)));
  Value next = b.add(kept, added);
  results.push_back(b.mul(b.unary<SigmoidOp>(block(b, gates, 3, units)), b.unary<TanhOp>(next)));
  results.push_back(next);
  return success();
}

static Value decompositionOf(GruCellOp op, ExpressionBuilder &b) {
  int64_t units = shapeOf(op.getH().getType())[1];
  Value input = affine(b, op.getX(), op.getKernel(), op.getBias());
  Value state = affine(b, op.getH(), op.getRecurrent(), op.getRecurrentBias());
  auto gate = [&](int64_t i) {
    return b.unary<SigmoidOp>(b.add(block(b, input, i, units), block(b, state, i, units)));
  };
  Value update = gate(0), reset = gate(1);
  Value candidate = b.unary<TanhOp>(b.add(block(b, input, 2, units), b.mul(reset, block(b, state, 2, units))));
  Value rest = b.sub(b.splatLike(update, 1), update);
  return b.add(b.mul(update, op.getH()), b.mul(rest, candidate));
}

void attachCellDecompositions(MLIRContext *context) { attachDecompositions<RnnCellOp, LstmCellOp, GruCellOp>(context); }

} // namespace mlc::df
