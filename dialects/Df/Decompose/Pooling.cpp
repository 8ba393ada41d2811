// Decompositions of pooling that sums: convolutions with filters of ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Decomposition.h"
#include "dialects/Df/IR/DfConvolutionOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfWindow.h"

using namespace mlir;

namespace mlc::df {

/// The sum of each window of `x`, channels apart.
template <typename Op> static Value windowSum(Op op, ExpressionBuilder &b, Value x) {
  RankedTensorType type = op.getType();
  SmallVector<int64_t> shape(op.getWindow());
  // Without channels there is one group, of none.
  int64_t channels = type.getShape().back(), groups = std::max<int64_t>(1, channels);
  shape.append({channels / groups, channels});
  return b.infer<ConvOp>(x, b.splat(RankedTensorType::get(shape, type.getElementType()), 1), op.getStrides(),
                         op.getPadding(), op.getDilations(), groups);
}

/// The number of positions of each window that lie inside of the operand, where the spatial dimensions are static: a
/// constant of the output's spatial shape.
static Value staticCounts(AvgPoolOp op, ExpressionBuilder &b) {
  Window window = poolWindowOf(op);
  ArrayRef<int64_t> in = spatialShape(op.getOperand()), out = spatialShape(op.getResult());
  Type element = op.getType().getElementType();
  int64_t total = 1;
  for (int64_t size : out)
    total *= size;
  SmallVector<Attribute> counts;
  for (int64_t linear = 0; linear < total; ++linear) {
    int64_t rest = linear, count = 1;
    for (int64_t d = window.rank(); d-- > 0;) {
      int64_t start = rest % out[d] * window.strides[d] - window.low[d], inside = 0;
      rest /= out[d];
      for (int64_t k = 0; k < window.size[d]; ++k) {
        int64_t i = start + k * window.dilations[d];
        inside += i >= 0 && i < in[d];
      }
      count *= inside;
    }
    counts.push_back(b.builder.getFloatAttr(element, static_cast<double>(count)));
  }
  return ConstantOp::create(b.builder, b.loc, DenseElementsAttr::get(RankedTensorType::get(out, element), counts));
}

static Value decompositionOf(AvgPoolOp op, ExpressionBuilder &b) {
  Window window = poolWindowOf(op);
  Value sum = windowSum(op, b, op.getOperand());
  bool isPadded = llvm::any_of(op.getPadding(), [](int64_t p) { return p != 0; });
  if (op.getCountIncludePad() || !isPadded)
    return b.div(sum, b.splatLike(sum, static_cast<double>(window.positions())));
  if (ShapedType::isDynamicShape(spatialShape(op.getOperand())))
    return b.div(sum, windowSum(op, b, b.splatLike(op.getOperand(), 1)));
  SmallVector<int64_t> spatial;
  for (int64_t d = 1; d <= window.rank(); ++d)
    spatial.push_back(d);
  return b.div(sum, b.broadcast(staticCounts(op, b), sum, spatial));
}

static Value decompositionOf(LpPoolOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  double p = op.getP().convertToDouble();
  if (p == 1)
    return windowSum(op, b, b.unary<AbsOp>(x));
  if (p == 2)
    return b.unary<SqrtOp>(windowSum(op, b, b.unary<SquareOp>(x)));
  Value sum = windowSum(op, b, b.binary<PowOp>(b.unary<AbsOp>(x), b.splatLike(x, p)));
  return b.binary<PowOp>(sum, b.splatLike(sum, 1 / p));
}

//===-- channels first ------------------------------------------------------------===//

static Value transpose(ExpressionBuilder &b, Value x, ArrayRef<int64_t> order) {
  return b.infer<TransposeOp>(x, order);
}
static Value toChannelsLast(ExpressionBuilder &b, Value x) {
  return transpose(b, x, channelsLast(static_cast<int64_t>(shapeOf(x.getType()).size())));
}
static Value toChannelsFirst(ExpressionBuilder &b, Value x) {
  return transpose(b, x, channelsFirst(static_cast<int64_t>(shapeOf(x.getType()).size())));
}
/// The type of the result with channels last.
template <typename Op> static RankedTensorType innerType(Op op) {
  RankedTensorType type = op.getType();
  return permuted(type, channelsLast(type.getRank()));
}

static Value decompositionOf(ConvChannelsFirstOp op, ExpressionBuilder &b) {
  return toChannelsFirst(b, b.infer<ConvOp>(toChannelsLast(b, op.getImage()), op.getFilter(), op.getStrides(),
                                            op.getPadding(), op.getDilations(), op.getGroups()));
}
static Value decompositionOf(MaxPoolChannelsFirstOp op, ExpressionBuilder &b) {
  return toChannelsFirst(b, b.infer<MaxPoolOp>(toChannelsLast(b, op.getOperand()), op.getWindow(), op.getStrides(),
                                               op.getPadding(), op.getDilations()));
}
static Value decompositionOf(AvgPoolChannelsFirstOp op, ExpressionBuilder &b) {
  return toChannelsFirst(b, b.infer<AvgPoolOp>(toChannelsLast(b, op.getOperand()), op.getWindow(), op.getStrides(),
                                               op.getPadding(), op.getDilations(), op.getCountIncludePad()));
}

void attachPoolingDecompositions(MLIRContext *context) {
  attachDecompositions<AvgPoolOp, LpPoolOp, ConvChannelsFirstOp, MaxPoolChannelsFirstOp, AvgPoolChannelsFirstOp>(
      context);
}

} // namespace mlc::df
