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
  int64_t channels = type.getDimSize(channelDimension(op, type.getRank())), groups = std::max<int64_t>(1, channels);
  shape.append({channels / groups, channels});
  return b.infer<ConvOp>(x, b.splat(RankedTensorType::get(shape, type.getElementType()), 1), op.getStrides(),
                         op.getPadding(), op.getDilations(), groups, op.getChannelsFirst());
}

/// The number of positions of each window that lie inside of the operand, where the spatial dimensions are static: a
/// constant of the output's spatial shape.
static Value staticCounts(AvgPoolOp op, ExpressionBuilder &b) {
  Window window = poolWindowOf(op);
  ArrayRef<int64_t> in = spatialShape(toChannelsLast(op, op.getOperand().getType())),
                    out = spatialShape(toChannelsLast(op, op.getType()));
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
  if (ShapedType::isDynamicShape(spatialShape(toChannelsLast(op, op.getOperand().getType()))))
    return b.div(sum, windowSum(op, b, b.splatLike(op.getOperand(), 1)));
  SmallVector<int64_t> spatial;
  for (int64_t s = 0; s < window.rank(); ++s)
    spatial.push_back(spatialDimension(op, s));
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

void attachPoolingDecompositions(MLIRContext *context) { attachDecompositions<AvgPoolOp, LpPoolOp>(context); }

} // namespace mlc::df
