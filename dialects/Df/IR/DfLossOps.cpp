// Verifiers of losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult HuberLossOp::verify() {
  if (!(getDelta().convertToDouble() > 0))
    return emitOpError("(C1) 'delta' must be positive; found ") << getDelta().convertToDouble();
  return success();
}

LogicalResult PoissonLossOp::verify() {
  double epsilon = getEpsilon().convertToDouble();
  if (!(epsilon >= 0) || (getLogInput() && epsilon != 0))
    return emitOpError("(C1) 'epsilon' must not be negative, and 0 with 'log_input'; found ") << epsilon;
  return success();
}

template <typename Op> static LogicalResult verifyAxisLoss(Op op) {
  Type from = op->getOperand(0).getType();
  if (failed(verifyAxis(op, from, op.getAxis())))
    return failure();
  return verifyTypes(op, op.getType() == withoutAxes(from, axisOf(op)), "(C2) the result must drop the axis", from,
                     op.getType());
}
LogicalResult KlDivergenceOp::verify() { return verifyAxisLoss(*this); }
LogicalResult CosineDistanceOp::verify() { return verifyAxisLoss(*this); }

LogicalResult SoftLabelCrossEntropyOp::verify() {
  if (failed(verifyAxisLoss(*this)))
    return failure();
  double smoothing = getLabelSmoothing().convertToDouble();
  if (!(smoothing >= 0 && smoothing <= 1))
    return emitOpError("(C3) 'label_smoothing' must be in [0, 1]; found ") << smoothing;
  return success();
}

LogicalResult ReduceLossOp::verify() {
  auto losses = cast<RankedTensorType>(getLosses().getType());
  if (getWeights() && getWeights().getType() != losses)
    return verifyTypes(*this, false, "(C1) weights must have the losses' type", getWeights().getType(), losses);
  RankedTensorType expected =
      getReduction() == LossReduction::None ? losses : RankedTensorType::get({}, losses.getElementType());
  return verifyTypes(*this, getType() == expected,
                     "(C2) the result must be a scalar, or for 'none' of the losses' type", losses, getType());
}
