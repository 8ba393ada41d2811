// Decompositions of normalizations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfNormalizationOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

using namespace mlir;

namespace mlc::df {

Moments momentsOf(ExpressionBuilder &b, Value x, ArrayRef<int64_t> axes) {
  Value sum = b.sum(x, axes), count = b.count(x, axes, elementType(x.getType()));
  // Of no elements both are 0.
  Value divisor = repeated(b, b.binary<MaximumOp>(count, b.splatLike(count, 1)), sum);
  Moments moments;
  moments.mean = b.div(sum, divisor);
  moments.centered = b.sub(x, spreadOver(b, moments.mean, x, axes));
  moments.variance = b.div(b.sum(b.unary<SquareOp>(moments.centered), axes), divisor);
  return moments;
}

Value l2Normalized(ExpressionBuilder &b, Value x, ArrayRef<int64_t> axes, double epsilon) {
  Value squares = b.sum(b.unary<SquareOp>(x), axes);
  Value norm = b.unary<SqrtOp>(b.binary<MaximumOp>(squares, b.splatLike(squares, epsilon)));
  return b.div(x, spreadOver(b, norm, x, axes));
}

/// sqrt(variance + epsilon).
static Value deviationOf(ExpressionBuilder &b, Value variance, double epsilon) {
  return b.unary<SqrtOp>(plus(b, variance, epsilon));
}

/// x * scale + offset, each along `dimensions` of x where it is given.
static Value scaledAndMoved(ExpressionBuilder &b, Value x, Value scale, Value offset, ArrayRef<int64_t> dimensions) {
  if (scale)
    x = b.mul(x, b.broadcast(widen(b, scale), x, dimensions));
  if (offset)
    x = b.add(x, b.broadcast(widen(b, offset), x, dimensions));
  return x;
}

static LogicalResult decompositionOf(MomentsOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  Moments moments = momentsOf(b, widen(b, op.getOperand()), op.getAxes());
  results.assign(
      {narrow(b, moments.mean, op.getMean().getType()), narrow(b, moments.variance, op.getMean().getType())});
  return success();
}

/// The formula of df.batch_norm_inference for a centered x.
static Value batchNormalized(ExpressionBuilder &b, Value centered, Value variance, Value scale, Value offset,
                             ArrayRef<int64_t> axes, double epsilon) {
  Value deviation = deviationOf(b, variance, epsilon);
  Value factor = b.div(scale ? widen(b, scale) : b.splatLike(deviation, 1), deviation);
  SmallVector<int64_t> kept = keptDimensions(cast<RankedTensorType>(centered.getType()).getRank(), axes);
  return scaledAndMoved(b, centered, factor, offset, kept);
}

static Value decompositionOf(BatchNormInferenceOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getOperand());
  Value centered = b.sub(x, spreadOver(b, widen(b, op.getMean()), x, op.getAxes()));
  return narrow(b,
                batchNormalized(b, centered, widen(b, op.getVariance()), op.getScale(), op.getOffset(), op.getAxes(),
                                op.getEpsilon().convertToDouble()),
                op.getType());
}

static LogicalResult decompositionOf(BatchNormTrainingOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  Moments moments = momentsOf(b, widen(b, op.getOperand()), op.getAxes());
  Value y = batchNormalized(b, moments.centered, moments.variance, op.getScale(), op.getOffset(), op.getAxes(),
                            op.getEpsilon().convertToDouble());
  for (Value value : {y, moments.mean, moments.variance})
    results.push_back(narrow(b, value, op.getOperand().getType()));
  return success();
}

/// (x - mean) / sqrt(variance + epsilon) over `axes`.
static Value normalized(ExpressionBuilder &b, Value x, ArrayRef<int64_t> axes, double epsilon) {
  Moments moments = momentsOf(b, x, axes);
  return b.div(moments.centered, spreadOver(b, deviationOf(b, moments.variance, epsilon), x, axes));
}

static Value decompositionOf(LayerNormOp op, ExpressionBuilder &b) {
  Value y = normalized(b, widen(b, op.getOperand()), op.getAxes(), op.getEpsilon().convertToDouble());
  return narrow(b, scaledAndMoved(b, y, op.getScale(), op.getOffset(), op.getAxes()), op.getType());
}

static Value decompositionOf(InstanceNormOp op, ExpressionBuilder &b) {
  int64_t rank = cast<RankedTensorType>(op.getType()).getRank(), axis = axisOf(op);
  Value y =
      normalized(b, widen(b, op.getOperand()), keptDimensions(rank, {0, axis}), op.getEpsilon().convertToDouble());
  return narrow(b, scaledAndMoved(b, y, op.getScale(), op.getOffset(), axis), op.getType());
}

static Value decompositionOf(RmsNormOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getOperand()), squares = b.sum(b.unary<SquareOp>(x), op.getAxes());
  Value mean = b.div(squares, repeated(b, b.count(x, op.getAxes(), elementType(x.getType())), squares));
  Value y = b.div(x, spreadOver(b, deviationOf(b, mean, op.getEpsilon().convertToDouble()), x, op.getAxes()));
  return narrow(b, scaledAndMoved(b, y, op.getScale(), Value(), op.getAxes()), op.getType());
}

static Value decompositionOf(GroupNormOp op, ExpressionBuilder &b) {
  // Sums by channel first: then only [examples, channels] has to be cut into groups, whatever dimensions are dynamic.
  // The result's type knows the channels.
  Value x = widen(b, b.castShape(op.getOperand(), joinTypes(op.getOperand().getType(), op.getType())));
  auto type = cast<RankedTensorType>(x.getType());
  int64_t axis = axisOf(op), channels = type.getDimSize(axis), groups = static_cast<int64_t>(op.getGroups());
  SmallVector<int64_t> others = keptDimensions(type.getRank(), {0, axis});
  auto byChannel = RankedTensorType::get({type.getDimSize(0), channels}, type.getElementType());
  auto byGroup = RankedTensorType::get({type.getDimSize(0), groups, channels / groups}, type.getElementType());
  Value count =
      b.mul(b.count(x, others, type.getElementType()),
            b.splat(RankedTensorType::get({}, type.getElementType()), static_cast<double>(channels / groups)));
  count = b.binary<MaximumOp>(count, b.splatLike(count, 1));
  /// The mean over each group, at each element of x.
  auto groupMean = [&](Value values) {
    Value grouped = ReshapeOp::create(b.builder, b.loc, byGroup, b.sum(values, others));
    Value sum = b.sum(grouped, {2});
    Value mean = b.broadcast(b.div(sum, repeated(b, count, sum)), grouped, {0, 1});
    return b.broadcast(ReshapeOp::create(b.builder, b.loc, byChannel, mean), x, {0, axis});
  };
  Value centered = b.sub(x, groupMean(x));
  Value variance = groupMean(b.unary<SquareOp>(centered));
  Value y = b.div(centered, deviationOf(b, variance, op.getEpsilon().convertToDouble()));
  return narrow(b, scaledAndMoved(b, y, op.getScale(), op.getOffset(), axis), op.getType());
}

static Value decompositionOf(L2NormalizeOp op, ExpressionBuilder &b) {
  Value y = l2Normalized(b, widen(b, op.getOperand()), op.getAxes(), op.getEpsilon().convertToDouble());
  return narrow(b, y, op.getType());
}

static Value decompositionOf(LocalResponseNormOp op, ExpressionBuilder &b) {
  Value x = widen(b, b.castShape(op.getOperand(), joinTypes(op.getOperand().getType(), op.getType())));
  auto type = cast<RankedTensorType>(x.getType());
  int64_t axis = axisOf(op), low = static_cast<int64_t>(op.getLow()), high = static_cast<int64_t>(op.getHigh());
  Value padded = PadOp::create(b.builder, b.loc, b.unary<SquareOp>(x), axis, low, high);
  // The window as a sum of slices: it is a few channels wide.
  Value energy;
  for (int64_t start = 0; start <= low + high; ++start) {
    Value slice = SliceOp::create(b.builder, b.loc, padded, axis, start, type.getDimSize(axis));
    energy = energy ? b.add(energy, slice) : slice;
  }
  Value base = plus(b, b.mul(energy, b.splatLike(x, op.getAlpha().convertToDouble())), op.getBias().convertToDouble());
  Value power = b.binary<PowOp>(base, b.splatLike(x, op.getBeta().convertToDouble()));
  return narrow(b, b.div(x, power), op.getType());
}

void attachNormalizationDecompositions(MLIRContext *context) {
  attachDecompositions<MomentsOp, BatchNormInferenceOp, BatchNormTrainingOp, LayerNormOp, InstanceNormOp, RmsNormOp,
                       GroupNormOp, L2NormalizeOp, LocalResponseNormOp>(context);
}

} // namespace mlc::df
