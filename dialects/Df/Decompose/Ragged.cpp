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

static LogicalResult decompositionOf(RaggedToDenseOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  Value ends = op.getEnds();
  auto endsType = cast<RankedTensorType>(ends.getType());
  Type i64 = b.builder.getI64Type();
  auto vector = [&](int64_t n) { return RankedTensorType::get({n}, i64); };
  auto scalar = RankedTensorType::get({}, i64);
  // A row begins where the one before it ends, the first one at 0.
  Value row = IotaOp::create(b.builder, b.loc, endsType, endsType.hasStaticShape() ? Value() : ends, 0);
  Value begins = rowsAt(b, ends, b.sub(row, b.splatLike(row, 1)));
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

void attachRaggedDecompositions(MLIRContext *context) { attachDecompositions<RaggedToDenseOp>(context); }

} // namespace mlc::df
