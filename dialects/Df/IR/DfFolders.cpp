// Folders of the df ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return {};
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return {};
}

/// A splat of `value` under the static type `type`, or null.
static OpFoldResult refold(Attribute value, RankedTensorType type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(value);
  if (!splat || !type.hasStaticShape())
    return {};
  // Strings have no bits to resize.
  if (auto strings = dyn_cast<DenseStringElementsAttr>(value))
    return DenseElementsAttr::get(type, strings.getRawStringData().front());
  return splat.resizeSplat(type);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  auto from = cast<RankedTensorType>(getOperand().getType());
  if (from == getType() && from.hasStaticShape())
    return getOperand();
  return refold(adaptor.getOperand(), cast<RankedTensorType>(getType()));
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return refold(adaptor.getOperand(), getType());
}

OpFoldResult SizeOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> shape = shapeOf(getOperand().getType());
  int64_t size = 1;
  for (int64_t d : getDimensions()) {
    if (ShapedType::isDynamic(shape[d]))
      return {};
    size *= shape[d];
  }
  return DenseElementsAttr::get(getType(), size);
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getOperands().size() == 1 && getOperands().front().getType() == getType())
    return getOperands().front();
  return {};
}

LogicalResult UnpackRowsOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto pack = getOperand().getDefiningOp<PackRowsOp>();
  if (!pack || TypeRange(pack.getOperands()) != TypeRange(getResultTypes()))
    return failure();
  results.assign({pack.getIds(), pack.getRows(), pack.getCount()});
  return success();
}
