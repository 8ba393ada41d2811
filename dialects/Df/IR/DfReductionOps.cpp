// Verifiers of reductions, products and fused losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

template <typename Op> static LogicalResult verifyReduce(Op op) {
  Type from = op.getOperand().getType();
  if (failed(verifyAxes(op, from, op.getAxes())))
    return failure();
  return verifyTypes(op, fits(op, op.getResult(), withoutAxes(from, op.getAxes())),
                     "(C2) the result must have the remaining dimensions", from, op.getType());
}
LogicalResult ReduceSumOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceMaxOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceMinOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceProdOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceAllOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceAnyOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceLogsumexpOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceMeanOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceL1Op::verify() { return verifyReduce(*this); }
LogicalResult ReduceL2Op::verify() { return verifyReduce(*this); }

LogicalResult ReduceVarianceOp::verify() {
  if (failed(verifyReduce(*this)))
    return failure();
  if (static_cast<int64_t>(getCorrection()) < 0)
    return emitOpError("(C3) 'correction' must not be negative; found ") << static_cast<int64_t>(getCorrection());
  return success();
}

template <typename Op> static LogicalResult verifyArg(Op op) {
  Type from = op.getOperand().getType();
  if (failed(verifyAxis(op, from, op.getAxis())))
    return failure();
  ArrayRef<int64_t> dropped = shapeOf(withoutAxes(from, axisOf(op)));
  return verifyTypes(op, fits(op, op.getResult(), dropped), "(C2) the result must drop the axis", from, op.getType());
}
LogicalResult ArgmaxOp::verify() { return verifyArg(*this); }
LogicalResult ArgminOp::verify() { return verifyArg(*this); }

LogicalResult MatmulOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType()), rhs = cast<RankedTensorType>(getRhs().getType());
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || getType().getRank() != 2)
    return verifyTypes(*this, false, "(C1) ranks must be 2", lhs, rhs);
  bool ta = getTransposeA(), tb = getTransposeB();
  if (!agree(lhs.getDimSize(ta ? 0 : 1), rhs.getDimSize(tb ? 1 : 0)))
    return verifyTypes(*this, false, "(C2) inner dimensions must agree", lhs, rhs);
  if (!agree(getType().getShape(), {lhs.getDimSize(ta ? 1 : 0), rhs.getDimSize(tb ? 0 : 1)}))
    return verifyTypes(*this, false, "(C3) the result must have the outer dimensions", lhs, getType());
  return verifyTypes(*this,
                     lhs.getElementType() == rhs.getElementType() && lhs.getElementType() == getType().getElementType(),
                     "(C4) element types must agree", lhs, rhs);
}

LogicalResult SoftmaxOp::verify() { return verifyAxis(*this, getType(), getAxis()); }
LogicalResult LogSoftmaxOp::verify() { return verifyAxis(*this, getType(), getAxis()); }

LogicalResult SoftmaxCrossEntropyOp::verify() {
  ArrayRef<int64_t> logits = shapeOf(getLogits().getType());
  if (logits.empty() || logits.back() == 0)
    return emitOpError("(C1) logits must have a last dimension, which is not 0; found ") << getLogits().getType();
  if (!fits(*this, getLabels(), logits.drop_back()))
    return verifyTypes(*this, false, "(C2) labels must have the logits' dimensions but the last one",
                       getLabels().getType(), getLogits().getType());
  return verifyTypes(
      *this,
      fits(*this, getResult(), logits.drop_back()) && elementType(getType()) == elementType(getLogits().getType()),
      "(C3) the result must have the labels' shape and the logits' element type", getLogits().getType(), getType());
}

//===-- dimensions ------------------------------------------------------------------------===//

void MatmulOp::mapDimensions(DimensionMapping &map) {
  map.same(getLhs(), getTransposeA() ? 1 : 0, getResult(), 0);
  map.same(getRhs(), getTransposeB() ? 0 : 1, getResult(), 1);
  map.same(getLhs(), getTransposeA() ? 0 : 1, getRhs(), getTransposeB() ? 1 : 0);
}
