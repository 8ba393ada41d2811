// Verifiers of reductions, products and fused losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

template <typename Op> static LogicalResult verifyReduce(Op op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  int64_t last = -1;
  SmallVector<int64_t> kept(from.getShape());
  for (int64_t axis : op.getAxes()) {
    if (axis <= last || axis >= from.getRank())
      return op.emitOpError("(C1) axes must be strictly ascending dimensions of ") << from << "; found " << axis;
    last = axis;
  }
  for (int64_t axis : llvm::reverse(op.getAxes()))
    kept.erase(kept.begin() + axis);
  return verifyTypes(op, op.getType() == RankedTensorType::get(kept, from.getElementType()),
                     "(C2) the result must have the remaining dimensions", from, op.getType());
}
LogicalResult ReduceSumOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceMaxOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceMinOp::verify() { return verifyReduce(*this); }

LogicalResult ArgmaxOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getOperand().getType());
  if (from.empty() || ShapedType::isDynamic(from.back()) || from.back() == 0)
    return emitOpError("(C1) the last dimension must be static and not 0; found ") << getOperand().getType();
  return verifyTypes(*this, shapeOf(getType()) == from.drop_back(), "(C2) the result must drop the last dimension",
                     getOperand().getType(), getType());
}

LogicalResult MatmulOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType()), rhs = cast<RankedTensorType>(getRhs().getType());
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || getType().getRank() != 2)
    return verifyTypes(*this, false, "(C1) ranks must be 2", lhs, rhs);
  bool ta = getTransposeA(), tb = getTransposeB();
  if (lhs.getDimSize(ta ? 0 : 1) != rhs.getDimSize(tb ? 1 : 0))
    return verifyTypes(*this, false, "(C2) inner dimensions must agree", lhs, rhs);
  if (getType().getDimSize(0) != lhs.getDimSize(ta ? 1 : 0) || getType().getDimSize(1) != rhs.getDimSize(tb ? 0 : 1))
    return verifyTypes(*this, false, "(C3) the result must have the outer dimensions", lhs, getType());
  return verifyTypes(*this,
                     lhs.getElementType() == rhs.getElementType() && lhs.getElementType() == getType().getElementType(),
                     "(C4) element types must agree", lhs, rhs);
}

LogicalResult SoftmaxOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getType());
  if (from.empty() || ShapedType::isDynamic(from.back()) || from.back() == 0)
    return emitOpError("(C1) the last dimension must be static and not 0; found ") << getType();
  return success();
}

LogicalResult SoftmaxCrossEntropyOp::verify() {
  ArrayRef<int64_t> logits = shapeOf(getLogits().getType());
  if (logits.size() != 2 || ShapedType::isDynamic(logits[1]) || logits[1] == 0)
    return emitOpError("(C1) logits must be [rows, classes] with static classes; found ") << getLogits().getType();
  if (shapeOf(getLabels().getType()) != logits.drop_back())
    return verifyTypes(*this, false, "(C2) labels must be [rows]", getLabels().getType(), getLogits().getType());
  return verifyTypes(
      *this, shapeOf(getType()) == logits.drop_back() && elementType(getType()) == elementType(getLogits().getType()),
      "(C3) the result must be [rows] of the logits' element type", getLogits().getType(), getType());
}
