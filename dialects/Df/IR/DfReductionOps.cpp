// Type rules and verifiers of reductions, products and fused losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult ReduceVarianceOp::verify() {
  if (static_cast<int64_t>(getCorrection()) < 0)
    return emitOpError("(C3) 'correction' must not be negative; found ") << static_cast<int64_t>(getCorrection());
  return success();
}

LogicalResult MatmulOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType()), rhs = cast<RankedTensorType>(op.getRhs().getType());
  if (failed(infer.require(lhs.getRank() == 2 && rhs.getRank() == 2, "(C1) ranks must be 2", lhs, rhs)))
    return failure();
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  if (failed(infer.require(agree(lhs.getDimSize(ta ? 0 : 1), rhs.getDimSize(tb ? 1 : 0)),
                           "(C2) inner dimensions must agree", lhs, rhs)) ||
      failed(infer.require(lhs.getElementType() == rhs.getElementType(), "(C4) element types must agree", lhs, rhs)))
    return failure();
  SmallVector<int64_t> shape{lhs.getDimSize(ta ? 1 : 0), rhs.getDimSize(tb ? 0 : 1)};
  return infer.result(lhs.clone(shape), "(C3) the result must have the outer dimensions");
}

LogicalResult SoftmaxOp::verify() { return verifyAxis(*this, getType(), getAxis()); }
LogicalResult LogSoftmaxOp::verify() { return verifyAxis(*this, getType(), getAxis()); }

LogicalResult SoftmaxCrossEntropyOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto logits = cast<RankedTensorType>(op.getLogits().getType());
  ArrayRef<int64_t> shape = logits.getShape();
  if (shape.empty() || shape.back() == 0)
    return infer.error("(C1) logits must have a last dimension, which is not 0; found ") << logits;
  Type labels = op.getLabels().getType();
  if (failed(infer.require(infer.fits(op.getLabels(), RankedTensorType::get(shape.drop_back(), infer.i64())),
                           "(C2) labels must have the logits' dimensions but the last one", labels, logits)))
    return failure();
  auto examples = cast<RankedTensorType>(joinTypes(labels, RankedTensorType::get(shape.drop_back(), infer.i64())));
  return infer.result(examples.clone(logits.getElementType()),
                      "(C3) the result must have the labels' shape and the logits' element type");
}

std::optional<BoundedIds> SoftmaxCrossEntropyOp::getBoundedIds() {
  return BoundedIds{&getLabelsMutable(), getLogits(), getLogits().getType().getRank() - 1, /*mayBeNone=*/false,
                    "label"};
}

//===-- dimensions ------------------------------------------------------------------------===//

void MatmulOp::mapDimensions(DimensionMapping &map) {
  map.same(getLhs(), getTransposeA() ? 1 : 0, getResult(), 0);
  // Not its columns: a product with one column is another sum.
  map.parallel(getResult(), 0);
  map.same(getRhs(), getTransposeB() ? 0 : 1, getResult(), 1);
  map.same(getLhs(), getTransposeA() ? 0 : 1, getRhs(), getTransposeB() ? 1 : 0);
}
