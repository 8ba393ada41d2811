// Gradients of general products, convolutions and pooling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/Decompose/AttentionParts.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfConvolutionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

#include <numeric>

using namespace mlir;

namespace mlc::df {

using Gradients = MutableArrayRef<Value>;

/// first, first + 1, ... (count numbers).
static SmallVector<int64_t> range(size_t first, size_t count) {
  SmallVector<int64_t> result(count);
  std::iota(result.begin(), result.end(), static_cast<int64_t>(first));
  return result;
}

/// One side of a product: its batch, contracting and free dimensions.
namespace {
struct Side {
  Value value;
  ArrayRef<int64_t> batch, inner;
  SmallVector<int64_t> free;

  Side(Value value, ArrayRef<int64_t> batch, ArrayRef<int64_t> inner) : value(value), batch(batch), inner(inner) {
    for (int64_t d : keptDimensions(static_cast<int64_t>(shapeOf(value.getType()).size()), batch))
      if (!llvm::is_contained(inner, d))
        free.push_back(d);
  }
};
} // namespace

/// The gradient of `side`: the product of the cotangent, whose dimensions of the other side are `cotangentInner`, and
/// of the other side over that one's free dimensions, permuted as `side` is.
static Value gradientOfSide(ExpressionBuilder &b, const Side &side, const Side &other, Value g,
                            ArrayRef<int64_t> cotangentInner) {
  auto from = cast<RankedTensorType>(side.value.getType());
  // Dimensions of the product: batch, free of `side`, then the contracting ones in the order of `other`'s dimensions.
  SmallVector<int64_t> dims(side.batch);
  llvm::append_range(dims, side.free);
  for (int64_t d : keptDimensions(static_cast<int64_t>(shapeOf(other.value.getType()).size()), other.batch))
    if (auto it = llvm::find(other.inner, d); it != other.inner.end())
      dims.push_back(side.inner[it - other.inner.begin()]);
  SmallVector<int64_t> shape, permutation(dims.size());
  for (auto [i, d] : llvm::enumerate(dims)) {
    shape.push_back(from.getDimSize(d));
    permutation[d] = static_cast<int64_t>(i);
  }
  Value product = DotGeneralOp::create(b.builder, b.loc, g, other.value, range(0, side.batch.size()), other.batch,
                                       cotangentInner, other.free);
  if (llvm::is_sorted(permutation))
    return product;
  return TransposeOp::create(b.builder, b.loc, from, product, permutation);
}

/// Both gradients in the element type of the product, which operands are rounded from once.
static LogicalResult gradientOf(DotGeneralOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Type element = elementType(op.getType());
  if (!isa<FloatType>(element))
    return success();
  auto as = [&](Value x, Type to) { return elementType(x.getType()) == to ? x : b.cast(x, to); };
  Side lhs(as(op.getLhs(), element), op.getLhsBatch(), op.getLhsContracting());
  Side rhs(as(op.getRhs(), element), op.getRhsBatch(), op.getRhsContracting());
  size_t batches = lhs.batch.size();
  out[0] = as(gradientOfSide(b, lhs, rhs, g, range(batches + lhs.free.size(), rhs.free.size())),
              elementType(op.getLhs().getType()));
  out[1] = as(gradientOfSide(b, rhs, lhs, g, range(batches, lhs.free.size())), elementType(op.getRhs().getType()));
  return success();
}

/// What tells the shape of a gradient of `image` where its type does not; null where it does.
static Value likeOf(Value image) {
  return ShapedType::isDynamicShape(shapeOf(image.getType()).drop_front()) ? image : Value();
}

//===-- convolutions: three bilinear maps, each other's gradients --------------------===//

template <typename Op> static Value conv(Op op, ExpressionBuilder &b, Type type, Value image, Value filter) {
  return b.infer<ConvOp>(image, filter, op.getStrides(), op.getPadding(), op.getDilations(), op.getGroups());
}
/// The image's gradient, of the type of `image`.
template <typename Op> static Value transposed(Op op, ExpressionBuilder &b, Value image, Value output, Value filter) {
  return ConvTransposeOp::create(b.builder, b.loc, image.getType(), output, filter, likeOf(image), op.getStrides(),
                                 op.getPadding(), op.getDilations(), op.getGroups());
}
template <typename Op> static Value filterGradient(Op op, ExpressionBuilder &b, Type type, Value image, Value output) {
  return ConvFilterGradientOp::create(b.builder, b.loc, type, image, output, op.getStrides(), op.getPadding(),
                                      op.getDilations(), op.getGroups());
}

static LogicalResult gradientOf(ConvOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = transposed(op, b, op.getImage(), g, op.getFilter());
  out[1] = filterGradient(op, b, op.getFilter().getType(), op.getImage(), g);
  return success();
}
static LogicalResult gradientOf(ConvTransposeOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = conv(op, b, op.getOutput().getType(), g, op.getFilter());
  out[1] = filterGradient(op, b, op.getFilter().getType(), g, op.getOutput());
  return success();
}
static LogicalResult gradientOf(ConvFilterGradientOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = transposed(op, b, op.getImage(), op.getOutput(), g);
  out[1] = conv(op, b, op.getOutput().getType(), op.getImage(), g);
  return success();
}

//===-- pooling ---------------------------------------------------------------------===//

template <typename Op> static Value select(Op op, ExpressionBuilder &b, Type type, Value x, Value positions) {
  return b.infer<PoolSelectOp>(x, positions, op.getWindow(), op.getStrides(), op.getPadding(), op.getDilations());
}
template <typename Op> static Value scatter(Op op, ExpressionBuilder &b, Value image, Value output, Value positions) {
  return PoolScatterOp::create(b.builder, b.loc, image.getType(), output, positions, likeOf(image), op.getWindow(),
                               op.getStrides(), op.getPadding(), op.getDilations());
}

static LogicalResult gradientOf(MaxPoolOp op, ExpressionBuilder &b, Value g, Gradients out) {
  auto positions = cast<RankedTensorType>(op.getType()).clone(b.builder.getI32Type());
  out[0] = scatter(op, b, op.getOperand(), g,
                   MaxPoolPositionsOp::create(b.builder, b.loc, positions, op.getOperand(), op.getWindow(),
                                              op.getStrides(), op.getPadding(), op.getDilations()));
  return success();
}
static LogicalResult gradientOf(PoolSelectOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = scatter(op, b, op.getOperand(), g, op.getPositions());
  return success();
}
static LogicalResult gradientOf(PoolScatterOp op, ExpressionBuilder &b, Value g, Gradients out) {
  out[0] = select(op, b, op.getOutput().getType(), g, op.getPositions());
  return success();
}

//===-- attention -------------------------------------------------------------------===//

/// One op, which computes scores again. The gradient of a mask of floats has the size of the scores: it is that of what
/// attention stands for.
static LogicalResult gradientOf(AttentionOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value mask = op.getMask();
  auto gradients = AttentionGradOp::create(b.builder, b.loc, op.getQuery().getType(), op.getKey().getType(),
                                           op.getValue().getType(), op.getQuery(), op.getKey(), op.getValue(), g, mask,
                                           op.getCausalAttr(), op.getScaleAttr());
  if (auto factors = op->getAttrOfType<PrecisionAttr>(DfDialect::kFactorsAttr)) {
    gradients->setAttr(DfDialect::kFactorsAttr, factors);
    gradients.getCotangentMutable().assign(roundFactor(b.builder, b.loc, g, factors.getValue()));
  }
  for (unsigned i = 0; i < 3; ++i)
    out[i] = gradients.getResult(i);
  if (!mask || elementType(mask.getType()).isInteger(1))
    return success();
  AttentionParts parts(op, b);
  const int64_t own = static_cast<int64_t>(shapeOf(mask.getType()).size());
  out[3] = b.sum(parts.gradientOfProducts(g), range(0, parts.rank - own));
  return success();
}

void attachContractionGradients(MLIRContext *context) {
  attachRules<DotGeneralOp, ConvOp, ConvTransposeOp, ConvFilterGradientOp, MaxPoolOp, PoolSelectOp, PoolScatterOp,
              AttentionOp>(context);
}

} // namespace mlc::df
