// Decompositions of histograms, quantiles and distances of sequences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Loops.h"
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfStatisticsOps.h"

#include <cmath>

using namespace mlir;

namespace mlc::df {

static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }
static Value both(ExpressionBuilder &b, Value p, Value q) { return b.binary<LogicalAndOp>(p, q); }
static Value isNan(ExpressionBuilder &b, Value x) { return b.compare(Comparison::NE, x, x); }

/// All elements of `x` as a vector.
static Value flat(ExpressionBuilder &b, Value x) {
  RankedTensorType type = typeOf(x);
  const bool hasOneSize =
      llvm::count_if(type.getShape(), ShapedType::isDynamic) <= 1 && !llvm::is_contained(type.getShape(), 0);
  if (type.hasStaticShape() || hasOneSize) {
    int64_t size = type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
    return ReshapeOp::create(b.builder, b.loc, type.clone({size}), x);
  }
  Value target = b.splat(RankedTensorType::get({1}, b.builder.getI64Type()), -1);
  return DynamicReshapeOp::create(b.builder, b.loc, type.clone({ShapedType::kDynamic}), x, target);
}

static Value decompositionOf(HistogramOp op, ExpressionBuilder &b) {
  Type computed = isa<FloatType>(elementType(op.getOperand().getType())) ? Type() : Type(b.builder.getF64Type());
  auto number = [&](Value x) { return computed ? b.cast(x, computed) : widen(b, x); };
  const int64_t bins = shapeOf(op.getType())[0];
  Value x = flat(b, number(op.getOperand())), low = number(op.getLow()), high = number(op.getHigh());
  Value width = b.sub(high, low);
  Value share = b.div(b.sub(x, repeated(b, low, x)), repeated(b, width, x));
  Value scaled = b.unary<FloorOp>(b.mul(share, b.splatLike(x, static_cast<double>(bins))));
  Value last = b.splatLike(x, static_cast<double>(bins - 1));
  Value inside = b.binary<MinimumOp>(b.binary<MaximumOp>(scaled, b.splatLike(x, 0)), last);
  // A number that is not one counts nowhere; without a range there is no bin, which fails the step.
  Value unknown = isNan(b, x);
  Value bin = b.cast(b.select(unknown, b.splatLike(x, 0), inside), b.builder.getI64Type());
  bin = b.select(unknown, b.splatLike(bin, -1), bin);
  Value hasRange = b.compare(Comparison::GT, width, b.splatLike(width, 0));
  bin = b.select(repeated(b, hasRange, bin), bin, b.splatLike(bin, static_cast<double>(bins)));
  return BincountOp::create(b.builder, b.loc, op.getType(), bin, Value());
}

//===-- quantiles ----------------------------------------------------------------------===//

static Value decompositionOf(QuantileOp op, ExpressionBuilder &b) {
  OpBuilder &builder = b.builder;
  const int64_t axis = axisOf(op);
  const QuantileInterpolation between = op.getInterpolation();
  Type f64 = builder.getF64Type(), i64 = builder.getI64Type();
  RankedTensorType type = typeOf(op.getOperand());
  auto sort = build<SortOp>(builder, b.loc, ValueRange{op.getOperand()}, builder.getI64IntegerAttr(axis), UnitAttr());
  if (failed(sort))
    return {};
  Value sorted = (*sort).getResult(0);
  // q (n - 1), in f64, where sizes are exact.
  Value last = b.count(sorted, axis, f64);
  last = b.sub(last, b.splatLike(last, 1));
  Value q = b.cast(op.getQ(), f64), position = b.mul(q, repeated(b, last, q));
  Value below = b.unary<FloorOp>(position), above = b.unary<CeilOp>(position);
  if (between == QuantileInterpolation::Lower)
    above = below;
  else if (between == QuantileInterpolation::Higher)
    below = above;
  else if (between == QuantileInterpolation::Nearest)
    below = above = b.unary<RoundOp>(position);
  // Elements at places, the places in front.
  auto take = [&](Value places) {
    Value taken =
        b.infer<GatherOp>(sorted, places, ArrayRef<int64_t>{axis}, ArrayRef<int64_t>(), /*skip_negative=*/false);
    if (typeOf(places).getRank() == 0 || axis == 0)
      return taken;
    SmallVector<int64_t> permutation = {axis};
    llvm::append_range(permutation, keptDimensions(type.getRank(), axis));
    return b.infer<TransposeOp>(taken, permutation);
  };
  // NaNs are last, and a place that is none fails.
  auto asPlace = [&](Value x) {
    Value isNumber = b.unary<LogicalNotOp>(isNan(b, x));
    return b.cast(b.select(isNumber, x, b.splatLike(x, -1)), i64);
  };
  Value low = widen(b, take(asPlace(below)));
  SmallVector<int64_t> leading;
  if (typeOf(q).getRank() == 1)
    leading.push_back(0);
  Value result = low;
  if (below != above) {
    Value high = widen(b, take(asPlace(above)));
    Value share = between == QuantileInterpolation::Midpoint
                      ? b.select(b.compare(Comparison::EQ, below, above), b.splatLike(q, 0), b.splatLike(q, 0.5))
                      : b.sub(position, below);
    share = b.broadcast(b.cast(share, elementType(low.getType())), low, leading);
    // From the nearer end, as NumPy does; equal ends, infinite ones among them, are the result.
    Value distance = b.sub(high, low), half = b.splatLike(share, 0.5);
    Value fromLow = b.add(low, b.mul(distance, share));
    Value fromHigh = b.sub(high, b.mul(distance, b.sub(b.splatLike(share, 1), share)));
    Value mixed = b.select(b.compare(Comparison::LT, share, half), fromLow, fromHigh);
    result = b.select(b.compare(Comparison::EQ, low, high), low, mixed);
  }
  Value end = b.cast(last, i64), greatest = widen(b, b.infer<GatherOp>(sorted, end, ArrayRef<int64_t>{axis},
                                                                       ArrayRef<int64_t>(), /*skip_negative=*/false));
  auto others = llvm::to_vector(llvm::seq<int64_t>(leading.size(), typeOf(result).getRank()));
  greatest = b.broadcast(greatest, result, others);
  result = b.select(isNan(b, greatest), greatest, result);
  return narrow(b, result, op.getType());
}

//===-- distances ----------------------------------------------------------------------===//

static Value decompositionOf(EditDistanceOp op, ExpressionBuilder &b) {
  OpBuilder &builder = b.builder;
  Type i64 = builder.getI64Type();
  // Rows are known alike of all operands.
  int64_t n = shapeOf(op.getType())[0];
  for (Value operand : op->getOperands())
    n = joinSizes(n, shapeOf(operand.getType())[0]);
  auto withRows = [&](Value x) {
    SmallVector<int64_t> shape(shapeOf(x.getType()));
    shape[0] = n;
    return b.castShape(x, typeOf(x).clone(shape));
  };
  Value hypothesis = withRows(op.getHypothesis()), truth = withRows(op.getTruth());
  auto cut = [&](Value lengths, Value of) {
    Value size = b.count(of, 1, i64);
    lengths = withRows(lengths);
    return b.binary<MinimumOp>(b.binary<MaximumOp>(lengths, b.splatLike(lengths, 0)), repeated(b, size, lengths));
  };
  Value hypothesisLengths = cut(op.getHypothesisLengths(), hypothesis), truthLengths = cut(op.getTruthLengths(), truth);
  auto iota = [&](RankedTensorType type, Value like, int64_t axis) -> Value {
    return IotaOp::create(builder, b.loc, type.clone(i64), type.hasStaticShape() ? Value() : like, axis);
  };
  // Distances of the first j elements of the hypothesis from the first i + 1 of the truth, [n, v]; of none they are i
  // + 1.
  Value places = iota(typeOf(truth), truth, 1);
  Value counts = b.add(places, b.splatLike(places, 1)),
        first = b.compare(Comparison::EQ, places, b.splatLike(places, 0));
  Value elements = b.infer<TransposeOp>(hypothesis, ArrayRef<int64_t>{1, 0});
  auto step = [&](ValueRange in, ValueRange rows) -> Values {
    Value before = in[0], j = repeated(b, in[1], before), next = b.add(j, b.splatLike(j, 1));
    // Without the last elements of both; of no element of the truth the distance is j.
    Value shifted = elementBefore(b, before, 1);
    Value diagonal = b.select(first, j, shifted);
    Value differs = b.cast(b.compare(Comparison::NE, truth, b.broadcast(rows[0], truth, {0})), i64);
    Value direct = b.binary<MinimumOp>(b.add(diagonal, differs), b.add(before, b.splatLike(before, 1)));
    // Insertions add 1 for each element that they go on to: the least of what they may begin at.
    Value least = b.infer<CumminOp>(b.sub(direct, counts), builder.getI64IntegerAttr(1), UnitAttr(), UnitAttr());
    Value after = b.add(counts, b.binary<MinimumOp>(least, next));
    Value goesOn = b.compare(Comparison::LT, j, b.broadcast(hypothesisLengths, before, {0}));
    return {b.select(goesOn, after, before), b.add(in[1], b.splatLike(in[1], 1))};
  };
  Value none = b.splat(RankedTensorType::get({}, i64), 0);
  Value distances = scanOver(b, {counts, none}, elements, /*reverse=*/false, step).front();
  Value atEnd = b.compare(Comparison::EQ, counts, b.broadcast(truthLengths, counts, {0}));
  Value distance = b.sum(b.select(atEnd, distances, b.splatLike(distances, 0)), 1);
  Value isEmpty = b.compare(Comparison::EQ, truthLengths, b.splatLike(truthLengths, 0));
  Type f32 = builder.getF32Type();
  distance = b.cast(b.select(isEmpty, hypothesisLengths, distance), f32);
  if (!op.getNormalize())
    return distance;
  Value length = b.cast(truthLengths, f32), zero = b.splatLike(distance, 0);
  Value isSame = both(b, isEmpty, b.compare(Comparison::EQ, distance, zero));
  return b.select(isSame, zero, b.div(distance, length));
}

void attachStatisticsDecompositions(MLIRContext *context) {
  attachDecompositions<HistogramOp, QuantileOp, EditDistanceOp>(context);
}

} // namespace mlc::df
