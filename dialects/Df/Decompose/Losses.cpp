// Decompositions of losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfLossOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

#include <cmath>

using namespace mlir;

namespace mlc::df {

static Value times(ExpressionBuilder &b, Value x, double y) { return b.mul(x, b.splatLike(x, y)); }

static Value decompositionOf(AbsoluteDifferenceOp op, ExpressionBuilder &b) {
  return b.unary<AbsOp>(b.sub(op.getPredictions(), op.getLabels()));
}

static Value decompositionOf(LogCoshErrorOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getPredictions()), y = widen(b, op.getLabels());
  Value error = b.unary<AbsOp>(b.sub(x, y));
  Value small = b.unary<Log1pOp>(b.unary<ExpOp>(times(b, error, -2)));
  return narrow(b, plus(b, b.add(error, small), -std::log(2.0)), op.getType());
}

static Value decompositionOf(HingeLossOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getPredictions()), y = widen(b, op.getLabels());
  return narrow(b, b.unary<ReluOp>(b.sub(b.splatLike(x, 1), b.mul(x, y))), op.getType());
}

static Value decompositionOf(HuberLossOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getPredictions()), y = widen(b, op.getLabels());
  double delta = op.getDelta().convertToDouble();
  // c (e - c/2) for c = min(e, delta): the parabola up to delta, the line after it.
  Value error = b.unary<AbsOp>(b.sub(x, y));
  Value cut = b.binary<MinimumOp>(error, b.splatLike(error, delta));
  return narrow(b, b.mul(cut, b.sub(error, times(b, cut, 0.5))), op.getType());
}

static Value decompositionOf(PoissonLossOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getPredictions()), y = widen(b, op.getLabels()), loss;
  if (op.getLogInput()) {
    loss = b.sub(b.unary<ExpOp>(x), b.mul(x, y));
  } else {
    double epsilon = op.getEpsilon().convertToDouble();
    loss = b.sub(x, b.mul(y, b.unary<LogOp>(epsilon ? plus(b, x, epsilon) : x)));
  }
  return narrow(b, loss, op.getType());
}

static Value decompositionOf(KlDivergenceOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getPredictions()), y = widen(b, op.getLabels()), zero = b.splatLike(y, 0);
  Value none = b.compare(Comparison::EQ, y, zero), one = b.splatLike(y, 1);
  // Where a label is 0 neither logarithm is taken of what it might be undefined for.
  auto logarithm = [&](Value p) { return b.unary<LogOp>(b.select(none, one, p)); };
  Value terms = b.mul(y, b.sub(logarithm(y), logarithm(x)));
  return narrow(b, b.sum(b.select(none, zero, terms), axisOf(op)), op.getType());
}

static Value decompositionOf(CosineDistanceOp op, ExpressionBuilder &b) {
  int64_t axis = axisOf(op);
  constexpr double kSquaredNorm = 1e-12;
  Value x = l2Normalized(b, widen(b, op.getPredictions()), axis, kSquaredNorm);
  Value y = l2Normalized(b, widen(b, op.getLabels()), axis, kSquaredNorm);
  Value cosine = b.sum(b.mul(x, y), axis);
  return narrow(b, b.sub(b.splatLike(cosine, 1), cosine), op.getType());
}

static Value decompositionOf(SoftLabelCrossEntropyOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getLogits()), p = widen(b, op.getLabels());
  int64_t axis = axisOf(op);
  if (double smoothing = op.getLabelSmoothing().convertToDouble()) {
    Value classes = b.count(x, axis, elementType(x.getType()));
    Value share = b.div(b.splatLike(classes, smoothing), classes);
    p = b.add(times(b, p, 1 - smoothing), repeated(b, share, p));
  }
  Value logarithms = b.infer<LogSoftmaxOp>(x, b.builder.getI64IntegerAttr(axis));
  return narrow(b, b.neg(b.sum(b.mul(p, logarithms), axis)), op.getType());
}

static Value decompositionOf(ReduceLossOp op, ExpressionBuilder &b) {
  Value losses = widen(b, op.getLosses()), weights = widen(b, op.getWeights());
  Value weighted = weights ? b.mul(weights, losses) : losses;
  if (op.getReduction() == LossReduction::None)
    return narrow(b, weighted, op.getType());
  Value sum = b.sumAll(weighted), divisor;
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(losses.getType()).getRank()));
  switch (op.getReduction()) {
  case LossReduction::None:
  case LossReduction::Sum:
    return narrow(b, sum, op.getType());
  case LossReduction::SumOverSize:
    break;
  case LossReduction::SumOverWeights:
    divisor = weights ? b.sumAll(weights) : Value();
    break;
  case LossReduction::SumOverNonzeroWeights:
    if (weights) {
      Value counts = b.compare(Comparison::NE, weights, b.splatLike(weights, 0));
      divisor = b.sumAll(b.cast(counts, elementType(weights.getType())));
    }
    break;
  }
  if (!divisor)
    divisor = b.count(losses, all, elementType(losses.getType()));
  Value zero = b.splatLike(divisor, 0), nothing = b.compare(Comparison::EQ, divisor, zero);
  // 1 in place of a divisor of 0, so that no gradient comes through an undefined quotient.
  Value quotient = b.div(sum, b.select(nothing, b.splatLike(divisor, 1), divisor));
  return narrow(b, b.select(nothing, zero, quotient), op.getType());
}

namespace {
/// Logits of the true classes, [n, t], and of the sampled ones, [n, s].
struct SampledLogits {
  Value ofTrue, ofSampled;
};
} // namespace

/// What both sampled losses are made of. Accidental hits get a logit whose exponential is 0.
template <typename Op> static SampledLogits sampledLogits(Op op, ExpressionBuilder &b) {
  Value inputs = widen(b, op.getInputs()), trueWeights = widen(b, op.getTrueWeights());
  Type element = elementType(inputs.getType());
  auto logCount = [&](Value expected) { return b.unary<LogOp>(b.cast(expected, element)); };
  Value products = b.mul(b.broadcast(inputs, trueWeights, {0, 2}), trueWeights);
  Value ofTrue = b.sub(b.add(b.sum(products, 2), widen(b, op.getTrueBiases())), logCount(op.getTrueExpected()));
  Value ofSampled = b.matmul(inputs, widen(b, op.getSampledWeights()), false, true);
  Value offset = b.sub(widen(b, op.getSampledBiases()), logCount(op.getSampledExpected()));
  ofSampled = b.add(ofSampled, b.broadcast(offset, ofSampled, {1}));
  if (!op.getRemoveAccidentalHits())
    return {ofTrue, ofSampled};
  auto labels = cast<RankedTensorType>(op.getLabels().getType());
  Value classes = b.broadcast(op.getSampled(), ofSampled, {1}), hits;
  for (int64_t j = 0; j < labels.getDimSize(1); ++j) {
    Value column = SliceOp::create(b.builder, b.loc, op.getLabels(), 1, j, 1);
    Value label = ReshapeOp::create(b.builder, b.loc, labels.clone({labels.getDimSize(0)}), column);
    Value hit = b.compare(Comparison::EQ, b.broadcast(label, ofSampled, {0}), classes);
    hits = hits ? b.binary<LogicalOrOp>(hits, hit) : hit;
  }
  constexpr double kNothing = -3.4028234663852886e38;
  return {ofTrue, b.select(hits, b.splatLike(ofSampled, kNothing), ofSampled)};
}

static Value decompositionOf(SampledSoftmaxLossOp op, ExpressionBuilder &b) {
  auto [ofTrue, ofSampled] = sampledLogits(op, b);
  ArrayRef<int64_t> shape = shapeOf(ofTrue.getType());
  auto all =
      RankedTensorType::get({shape[0], shape[1] + shapeOf(ofSampled.getType())[1]}, elementType(ofTrue.getType()));
  Value logits = ConcatOp::create(b.builder, b.loc, all, ValueRange{ofTrue, ofSampled}, 1);
  Value sum = b.infer<ReduceLogsumexpOp>(logits, ArrayRef<int64_t>{1});
  return narrow(b, b.sub(sum, times(b, b.sum(ofTrue, 1), 1.0 / static_cast<double>(shape[1]))), op.getType());
}

static Value decompositionOf(NceLossOp op, ExpressionBuilder &b) {
  auto [ofTrue, ofSampled] = sampledLogits(op, b);
  auto entropy = [&](Value logits, double label) {
    return b.sum(b.binary<SigmoidCrossEntropyOp>(logits, b.splatLike(logits, label)), 1);
  };
  Value loss = b.add(entropy(ofTrue, 1.0 / static_cast<double>(shapeOf(ofTrue.getType())[1])), entropy(ofSampled, 0));
  return narrow(b, loss, op.getType());
}

void attachLossDecompositions(MLIRContext *context) {
  attachDecompositions<AbsoluteDifferenceOp, LogCoshErrorOp, HingeLossOp, HuberLossOp, PoissonLossOp, KlDivergenceOp,
                       CosineDistanceOp, SoftLabelCrossEntropyOp, ReduceLossOp, SampledSoftmaxLossOp, NceLossOp>(
      context);
}

} // namespace mlc::df
