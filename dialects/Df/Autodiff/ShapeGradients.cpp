// Gradients of broadcasts and shape ops: each is the transpose of a linear map.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

using namespace mlir;

namespace mlc::df {

using Gradients = MutableArrayRef<Value>;

static LogicalResult gradientOf(BroadcastOp op, ExpressionBuilder &b, Value g, Gradients out) {
  // Sum over the dimensions that repeat the operand: new ones, and those where its dimension is 1.
  ArrayRef<int64_t> from = shapeOf(op.getOperand().getType()), to = shapeOf(op.getType());
  SmallVector<int64_t> repeated = keptDimensions(to.size(), op.getDimensions()), kept;
  for (auto [i, d] : llvm::enumerate(op.getDimensions())) {
    if (from[i] == 1 && to[d] != 1)
      repeated.push_back(d);
    else
      kept.push_back(i);
  }
  llvm::sort(repeated);
  // Bring back the dimensions of 1 that the sum has dropped.
  out[0] = b.broadcast(b.sum(g, repeated), op.getOperand(), kept);
  return success();
}

static LogicalResult gradientOf(ReshapeOp op, ExpressionBuilder &b, Value g, Gradients out) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  if (!from.hasStaticShape() && op.getType().hasStaticShape())
    return op.emitOpError("has no gradient: a static tensor cannot be reshaped to ") << from;
  out[0] = ReshapeOp::create(b.builder, b.loc, from, g);
  return success();
}

static LogicalResult gradientOf(CastShapeOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = CastShapeOp::create(b.builder, b.loc, op.getOperand().getType(), g);
  return success();
}

static LogicalResult gradientOf(TransposeOp op, ExpressionBuilder &b, Value g, Gradients out) {
  SmallVector<int64_t> inverse(op.getPermutation().size());
  for (auto [i, p] : llvm::enumerate(op.getPermutation()))
    inverse[p] = i;
  out[0] = b.infer<TransposeOp>(g, inverse);
  return success();
}

/// The parts of a concatenation whose sizes only run time knows.
static void sliceParts(ConcatOp op, ExpressionBuilder &b, Value g, Gradients out) {
  int64_t axis = op.getAxis(), rank = op.getType().getRank();
  auto vector = RankedTensorType::get({rank}, b.builder.getI64Type());
  SmallVector<int64_t> alongAxis(rank, 0);
  alongAxis[axis] = 1;
  Value along = ConstantOp::create(b.builder, b.loc, DenseIntElementsAttr::get(vector, ArrayRef<int64_t>(alongAxis)));
  Value starts = b.splat(vector, 0);
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    bool isStatic = cast<RankedTensorType>(operand.getType()).hasStaticShape();
    out[i] = DynamicSliceOp::create(b.builder, b.loc, operand.getType(), g, starts, isStatic ? Value() : operand);
    if (i + 1 < op.getOperands().size())
      starts = b.add(starts, b.mul(along, ShapeOp::create(b.builder, b.loc, vector, operand)));
  }
}

static LogicalResult gradientOf(ConcatOp op, ExpressionBuilder &b, Value g, Gradients out) {
  int64_t axis = op.getAxis(), start = 0;
  if (op.getOperands().size() == 1) {
    out[0] = g;
    return success();
  }
  if (op.getType().isDynamicDim(axis)) {
    sliceParts(op, b, g, out);
    return success();
  }
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    auto type = cast<RankedTensorType>(operand.getType());
    out[i] = SliceOp::create(b.builder, b.loc, g, axis, start, type.getDimSize(axis));
    start += type.getDimSize(axis);
  }
  return success();
}

void attachShapeGradients(MLIRContext *context) {
  attachRules<BroadcastOp, CastShapeOp, ReshapeOp, TransposeOp, ConcatOp>(context);
}

} // namespace mlc::df
