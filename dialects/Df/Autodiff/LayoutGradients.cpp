// Gradients of slices, pads and shapes of run time: each is the transpose of a linear map.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

using namespace mlir;

namespace mlc::df {

using Gradients = MutableArrayRef<Value>;

/// The elements of `from` at starts + i * strides, in the shape of `like`; null if its sizes are known to no slice.
/// `after` is how much of each dimension stands after the slice, where that is known.
static Value sliceLike(ExpressionBuilder &b, Value from, Value like, ArrayRef<int64_t> starts,
                       ArrayRef<int64_t> strides, ArrayRef<int64_t> behind = {}) {
  auto type = cast<RankedTensorType>(like.getType());
  if (type.hasStaticShape())
    return b.infer<SliceOp>(from, starts, type.getShape(), strides);
  SmallVector<int64_t> sizes(type.getShape());
  for (auto [d, size] : llvm::enumerate(sizes))
    if (ShapedType::isDynamic(size) && !behind.empty() && starts[d] == 0 && strides[d] == 1 && behind[d] == 0)
      size = -1; // all of it
  if (llvm::none_of(sizes, ShapedType::isDynamic))
    return b.infer<SliceOp>(from, starts, sizes, strides);
  if (llvm::any_of(strides, [](int64_t stride) { return stride != 1; }))
    return {};
  auto vector = RankedTensorType::get({type.getRank()}, b.builder.getI64Type());
  Value places = ConstantOp::create(b.builder, b.loc, DenseIntElementsAttr::get(vector, starts));
  return DynamicSliceOp::create(b.builder, b.loc, type, from, places, like);
}

/// The elements of `x` in the shape of `like`.
static Value reshapeLike(ExpressionBuilder &b, Value x, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  if (x.getType() == type)
    return x;
  auto vector = RankedTensorType::get({type.getRank()}, b.builder.getI64Type());
  return DynamicReshapeOp::create(b.builder, b.loc, type, x,
                                  ShapeOp::create(b.builder, b.loc, vector, like).getResult());
}

static LogicalResult failOnStrides(Operation *op) {
  return op->emitOpError("has no gradient: with strides the sizes must be static");
}

/// The cotangent with zeros where nothing was taken from.
static LogicalResult gradientOf(SliceOp op, ExpressionBuilder &b, Value g, Gradients out) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> high, interior;
  bool isKnown = true;
  for (auto [d, n, start] : llvm::enumerate(from.getShape(), op.getStarts())) {
    int64_t size = op.getSize(d), stride = op.getStride(d);
    isKnown &= op.isWhole(d) || !(ShapedType::isDynamic(n) || ShapedType::isDynamic(size));
    high.push_back(op.isWhole(d) ? 0 : n - start - (size ? (size - 1) * stride + 1 : 0));
    interior.push_back(stride - 1);
  }
  if (isKnown) {
    if (op.getStrides().empty())
      interior.clear();
    out[0] = PadOp::create(b.builder, b.loc, from, g, Value(), op.getStarts(), high, interior);
    return success();
  }
  Value zeros = b.splatLike(op.getOperand(), 0);
  SmallVector<int64_t> strides;
  for (int64_t gap : interior)
    strides.push_back(gap + 1);
  out[0] = b.infer<UpdateSliceOp>(zeros, g, op.getStarts(), strides);
  return success();
}

static LogicalResult gradientOf(UpdateSliceOp op, ExpressionBuilder &b, Value g, Gradients out) {
  // An update of no elements may stand beyond the end, where there is no slice to take.
  if (llvm::is_contained(shapeOf(op.getUpdate().getType()), 0)) {
    out[0] = g;
    return success();
  }
  out[0] = b.infer<UpdateSliceOp>(g, b.splatLike(op.getUpdate(), 0), op.getStarts(), op.getStrides());
  out[1] = sliceLike(b, g, op.getUpdate(), op.getStarts(), op.getStrides());
  return out[1] ? success() : failOnStrides(op);
}

static LogicalResult gradientOf(DynamicSliceOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value zeros = b.splatLike(op.getOperand(), 0);
  out[0] = b.infer<DynamicUpdateSliceOp>(zeros, g, op.getStarts());
  return success();
}

static LogicalResult gradientOf(DynamicUpdateSliceOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value update = op.getUpdate();
  out[0] = b.infer<DynamicUpdateSliceOp>(g, b.splatLike(update, 0), op.getStarts());
  bool isStatic = cast<RankedTensorType>(update.getType()).hasStaticShape();
  out[1] = DynamicSliceOp::create(b.builder, b.loc, update.getType(), g, op.getStarts(), isStatic ? Value() : update);
  return success();
}

static LogicalResult gradientOf(PadOp op, ExpressionBuilder &b, Value g, Gradients out) {
  SmallVector<int64_t> strides;
  for (int64_t d = 0; d < op.getType().getRank(); ++d)
    strides.push_back(op.getGap(d) + 1);
  out[0] = sliceLike(b, g, op.getOperand(), op.getLow(), strides, op.getHigh());
  if (!out[0])
    return failOnStrides(op);
  if (op.getValue())
    out[1] = b.sumAll(b.infer<UpdateSliceOp>(g, b.splatLike(op.getOperand(), 0), op.getLow(), strides));
  return success();
}

static LogicalResult gradientOf(ReverseOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = b.infer<ReverseOp>(g, op.getAxes());
  return success();
}

static LogicalResult gradientOf(DynamicBroadcastOp op, ExpressionBuilder &b, Value g, Gradients out) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand().getType()), to = shapeOf(op.getType());
  SmallVector<int64_t> repeated = keptDimensions(to.size(), op.getDimensions());
  for (auto [i, d] : llvm::enumerate(op.getDimensions()))
    if (from[i] == 1 && to[d] != 1)
      repeated.push_back(d);
  llvm::sort(repeated);
  // The sum lacks the dimensions of 1 and may know less of the others than the operand's type says.
  out[0] = reshapeLike(b, b.sum(g, repeated), op.getOperand());
  return success();
}

static LogicalResult gradientOf(DynamicReshapeOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = reshapeLike(b, g, op.getOperand());
  return success();
}

namespace {
/// The cotangents of the parts beside each other.
struct SplitGradient : DifferentiableOpInterface::ExternalModel<SplitGradient, SplitOp> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder, ValueRange cotangents, Gradients gradients) const {
    auto split = cast<SplitOp>(op);
    if (llvm::none_of(cotangents, [](Value g) { return !!g; }))
      return success();
    ExpressionBuilder b(builder, op->getLoc());
    SmallVector<Value> parts(cotangents);
    for (auto [part, result] : llvm::zip_equal(parts, split.getResults()))
      if (!part)
        part = b.splatLike(result, 0);
    gradients[0] = ConcatOp::create(builder, op->getLoc(), split.getOperand().getType(), parts, split.getAxis());
    return success();
  }
};
} // namespace

void attachLayoutGradients(MLIRContext *context) {
  SplitOp::attachInterface<SplitGradient>(*context);
  attachRules<SliceOp, UpdateSliceOp, DynamicSliceOp, DynamicUpdateSliceOp, PadOp, ReverseOp, DynamicBroadcastOp,
              DynamicReshapeOp>(context);
}

} // namespace mlc::df
