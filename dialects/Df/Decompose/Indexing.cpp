// Decompositions of what is made of gathers and scatters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStatisticsOps.h"

using namespace mlir;

namespace mlc::df {

static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

static SmallVector<int64_t> firstDimensions(int64_t count) { return llvm::to_vector(llvm::seq<int64_t>(0, count)); }

/// With `x` of the operand's dimensions, the axis after the others.
static Value withAxisLast(ExpressionBuilder &b, Value x, int64_t axis) {
  RankedTensorType type = typeOf(x);
  if (axis + 1 == type.getRank())
    return x;
  SmallVector<int64_t> permutation = keptDimensions(type.getRank(), {axis}), shape;
  permutation.push_back(axis);
  for (int64_t d : permutation)
    shape.push_back(type.getDimSize(d));
  return b.infer<TransposeOp>(x, permutation);
}

// Each position has its own index: all dimensions but the axis are common to operand and indices.

static Value decompositionOf(TakeAlongAxisOp op, ExpressionBuilder &b) {
  auto axis = static_cast<int64_t>(op.getAxis());
  return b.infer<GatherOp>(op.getOperand(), withAxisLast(b, op.getIndices(), axis), ArrayRef<int64_t>{axis},
                           keptDimensions(op.getType().getRank(), {axis}), /*skip_negative=*/false);
}

static Value decompositionOf(ScatterAlongAxisOp op, ExpressionBuilder &b) {
  auto axis = static_cast<int64_t>(op.getAxis());
  return b.infer<ScatterOp>(op.getKind(), op.getOperand(), withAxisLast(b, op.getIndices(), axis), op.getUpdates(),
                            ArrayRef<int64_t>{axis}, keptDimensions(op.getType().getRank(), {axis}),
                            /*skip_negative=*/false);
}

TypedAttr neutralOf(RowReduction kind, Type element) {
  bool isMax = kind == RowReduction::Max, isMin = kind == RowReduction::Min;
  double number = kind == RowReduction::Prod ? 1 : 0;
  if (auto type = dyn_cast<FloatType>(element)) {
    if (isMax || isMin)
      return FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/isMax));
    return FloatAttr::get(type, number);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  if (isMax || isMin) {
    bool isUnsigned = element.isUnsignedInteger();
    APInt limit = isMax ? (isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width))
                        : (isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
    return IntegerAttr::get(element, limit);
  }
  return IntegerAttr::get(element, static_cast<int64_t>(number));
}

/// `value` in every element of a tensor of `type`, of `rows` ([1], or null where the type says how many), whose
/// dimensions after the first are those of `like`.
static Value filledRows(ExpressionBuilder &b, RankedTensorType type, TypedAttr value, Value rows, Value like) {
  if (type.hasStaticShape())
    return ConstantOp::create(b.builder, b.loc, DenseElementsAttr::get(type, Attribute(value)));
  int64_t rank = type.getRank();
  auto vector = [&](int64_t n) { return RankedTensorType::get({n}, b.builder.getI64Type()); };
  if (!rows)
    rows = ConstantOp::create(b.builder, b.loc, DenseIntElementsAttr::get(vector(1), type.getDimSize(0)));
  Value whole = rows;
  if (rank > 1) {
    Value shape = ShapeOp::create(b.builder, b.loc, vector(rank), like);
    Value others = SliceOp::create(b.builder, b.loc, shape, 0, 1, rank - 1);
    whole = ConcatOp::create(b.builder, b.loc, vector(rank), ValueRange{rows, others}, 0);
  }
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value element = ConstantOp::create(b.builder, b.loc, DenseElementsAttr::get(scalar, Attribute(value)));
  return DynamicBroadcastOp::create(b.builder, b.loc, type, element, whole, ArrayRef<int64_t>());
}

Value combineRows(ExpressionBuilder &b, RowReduction kind, Value start, Value values, Value ids) {
  ScatterKind combiner = kind == RowReduction::Prod  ? ScatterKind::Mul
                         : kind == RowReduction::Max ? ScatterKind::Max
                         : kind == RowReduction::Min ? ScatterKind::Min
                                                     : ScatterKind::Add;
  return b.infer<ScatterOp>(combiner, start, ids, values, ArrayRef<int64_t>{0}, ArrayRef<int64_t>(),
                            /*skip_negative=*/true);
}

static Value decompositionOf(SegmentReduceOp op, ExpressionBuilder &b) {
  RowReduction kind = op.getKind();
  RankedTensorType type = op.getType();
  Value ids = op.getIds(), values = op.getValues();
  Value start = filledRows(b, type, neutralOf(kind, type.getElementType()), Value(), values);
  Value result = combineRows(b, kind, start, values, ids);
  if (kind != RowReduction::Mean)
    return result;
  auto counts = RankedTensorType::get({type.getDimSize(0)}, type.getElementType());
  Value ones = b.cast(b.splatLike(ids, 1), type.getElementType());
  Value count = b.binary<MaximumOp>(combineRows(b, kind, b.splat(counts, 0), ones, ids), b.splat(counts, 1));
  return b.div(result, b.broadcast(count, result, {0}));
}

/// What stands where `mask` is true.
static Value select(ExpressionBuilder &b, RankedTensorType type, Value operand, Value mask) {
  int64_t rank = typeOf(mask).getRank();
  auto places = RankedTensorType::get({ShapedType::kDynamic, rank}, b.builder.getI64Type());
  Value indices = NonzeroOp::create(b.builder, b.loc, places, mask);
  if (rank == 1)
    indices = ReshapeOp::create(b.builder, b.loc, places.clone({ShapedType::kDynamic}), indices);
  return b.infer<GatherOp>(operand, indices, firstDimensions(rank), ArrayRef<int64_t>(), /*skip_negative=*/false);
}

static Value decompositionOf(BooleanMaskOp op, ExpressionBuilder &b) {
  return select(b, op.getType(), op.getOperand(), op.getMask());
}

static LogicalResult decompositionOf(DynamicPartitionOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  for (auto [k, type] : llvm::enumerate(op.getResultTypes())) {
    Value number = b.splatLike(op.getParts(), static_cast<double>(k));
    results.push_back(
        select(b, cast<RankedTensorType>(type), op.getOperand(), b.compare(Comparison::EQ, op.getParts(), number)));
  }
  return success();
}

/// Tensors one after another along the first dimension.
static Value concatRows(ExpressionBuilder &b, ValueRange parts) {
  int64_t rows = 0;
  for (Value part : parts) {
    int64_t size = typeOf(part).getDimSize(0);
    rows = ShapedType::isDynamic(size) || ShapedType::isDynamic(rows) ? ShapedType::kDynamic : rows + size;
  }
  SmallVector<int64_t> shape(typeOf(parts[0]).getShape());
  shape[0] = rows;
  return b.infer<ConcatOp>(parts, 0);
}

static Value decompositionOf(DynamicStitchOp op, ExpressionBuilder &b) {
  RankedTensorType type = op.getType();
  Value indices = concatRows(b, op.getIndices()), data = concatRows(b, op.getData());
  Type i64 = b.builder.getI64Type();
  auto scalar = RankedTensorType::get({}, i64);
  // Of no index, and of negative ones alone, there are no rows.
  Value last = ReduceMaxOp::create(b.builder, b.loc, scalar, indices, ArrayRef<int64_t>{0});
  Value count = b.add(b.binary<MaximumOp>(last, b.splat(scalar, -1)), b.splat(scalar, 1));
  Value rows = ReshapeOp::create(b.builder, b.loc, RankedTensorType::get({1}, i64), count);
  auto zero = cast<TypedAttr>(b.builder.getZeroAttr(type.getElementType()));
  return b.infer<ScatterOp>(ScatterKind::Set, filledRows(b, type, zero, rows, data), indices, data,
                            ArrayRef<int64_t>{0}, ArrayRef<int64_t>(), /*skip_negative=*/false);
}

static Value decompositionOf(ReverseSequenceOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  RankedTensorType type = typeOf(x).clone(b.builder.getI64Type());
  Value place = IotaOp::create(b.builder, b.loc, type, type.hasStaticShape() ? Value() : x, op.getSeqAxis());
  Value length = b.broadcast(op.getLengths(), x, {static_cast<int64_t>(op.getBatchAxis())});
  Value mirrored = b.sub(b.sub(length, b.splatLike(place, 1)), place);
  Value from = b.select(b.compare(Comparison::LT, place, length), mirrored, place);
  return b.infer<TakeAlongAxisOp>(x, from, op.getSeqAxis());
}

static Value decompositionOf(BincountOp op, ExpressionBuilder &b) {
  Value weights = op.getWeights() ? Value(op.getWeights()) : b.splatLike(op.getIds(), 1);
  return SegmentReduceOp::create(b.builder, b.loc, op.getType(), RowReduction::Sum, weights, op.getIds());
}

void attachIndexingDecompositions(MLIRContext *context) {
  attachDecompositions<TakeAlongAxisOp, ScatterAlongAxisOp, SegmentReduceOp, BooleanMaskOp, DynamicPartitionOp,
                       DynamicStitchOp, ReverseSequenceOp, BincountOp>(context);
}

} // namespace mlc::df
