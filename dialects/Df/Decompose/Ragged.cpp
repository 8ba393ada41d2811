// Decompositions of the ops of multi-valued features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mlc::df {

/// The rows of `operand` at `indices`, zeros for negative ones.
static Value rowsAt(ExpressionBuilder &b, Value operand, Value indices) {
  return GatherOp::create(b.builder, b.loc, operand, indices);
}

/// The number of each end's row.
static Value rowNumbers(ExpressionBuilder &b, Value ends) {
  auto type = cast<RankedTensorType>(ends.getType());
  return IotaOp::create(b.builder, b.loc, type, type.hasStaticShape() ? Value() : ends, 0);
}
/// A row begins where the one before it ends, the first one at 0.
static Value rowBegins(ExpressionBuilder &b, Value ends) {
  Value row = rowNumbers(b, ends);
  return rowsAt(b, ends, b.sub(row, b.splatLike(row, 1)));
}

static Value decompositionOf(RaggedReduceOp op, ExpressionBuilder &b) {
  RowReduction kind = op.getKind();
  Value values = widen(b, op.getValues()), ends = op.getEnds();
  Type element = elementType(values.getType());
  if (kind == RowReduction::Mean) {
    Value sum = b.infer<RaggedReduceOp>(RowReduction::Sum, values, ends);
    Value lengths = b.sub(ends, rowBegins(b, ends));
    Value counts = b.cast(b.binary<MaximumOp>(lengths, b.splatLike(lengths, 1)), element);
    return narrow(b, b.div(sum, b.broadcast(counts, sum, {0})), op.getType());
  }
  Value ids = b.infer<RaggedRepeatOp>(rowNumbers(b, ends), ends, values);
  Value like = rowsAt(b, values, b.splatLike(ends, -1)); // for its shape
  auto scalar = RankedTensorType::get({}, element);
  Value neutral =
      ConstantOp::create(b.builder, b.loc, DenseElementsAttr::get(scalar, Attribute(neutralOf(kind, element))));
  Value result = combineRows(b, kind, b.broadcast(neutral, like, {}), values, ids);
  return narrow(b, result, op.getType());
}

static LogicalResult decompositionOf(RaggedToDenseOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  Value ends = op.getEnds();
  auto endsType = cast<RankedTensorType>(ends.getType());
  Type i64 = b.builder.getI64Type();
  auto vector = [&](int64_t n) { return RankedTensorType::get({n}, i64); };
  auto scalar = RankedTensorType::get({}, i64);
  Value begins = rowBegins(b, ends);
  Value lengths = b.sub(ends, begins);
  // Of no rows the greatest number there is not.
  Value longest = ReduceMaxOp::create(b.builder, b.loc, scalar, lengths, ArrayRef<int64_t>{0});
  Value rows = SizeOp::create(b.builder, b.loc, scalar, ends, ArrayRef<int64_t>{0});
  SmallVector<Value> sizes;
  for (Value size : {rows, b.binary<MaximumOp>(longest, b.splat(scalar, 0))})
    sizes.push_back(ReshapeOp::create(b.builder, b.loc, vector(1), size));
  Value shape = ConcatOp::create(b.builder, b.loc, vector(2), sizes, 0);
  auto type = RankedTensorType::get({endsType.getDimSize(0), ShapedType::kDynamic}, i64);
  Value begin = DynamicBroadcastOp::create(b.builder, b.loc, type, begins, shape, ArrayRef<int64_t>{0});
  Value time = IotaOp::create(b.builder, b.loc, type, begin, 1);
  Value isValue = b.compare(Comparison::LT, time, b.broadcast(lengths, begin, {0}));
  Value padded = rowsAt(b, op.getValues(), b.select(isValue, b.add(begin, time), b.splatLike(begin, -1)));
  // What was not gathered is zeros.
  DenseElementsAttr filler;
  if (!matchPattern(op.getFiller(), m_Constant(&filler)) || filler != b.builder.getZeroAttr(filler.getType()))
    padded = b.select(b.broadcast(isValue, padded, {0, 1}), padded, b.broadcast(op.getFiller(), padded, {}));
  results.append({padded, lengths});
  return success();
}

void attachRaggedDecompositions(MLIRContext *context) {
  attachDecompositions<RaggedReduceOp, RaggedToDenseOp>(context);
}

} // namespace mlc::df
