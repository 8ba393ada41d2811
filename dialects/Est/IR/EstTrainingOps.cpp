// Verifiers of the ops that stand in functions of df.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Est/IR/Est.h"

using namespace mlir;
using namespace mlc::est;

/// Whether `type` is a scalar of the element type for which `isElement` holds.
template <typename Fn> static bool isScalarOf(Type type, Fn isElement) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getRank() == 0 && isElement(tensor.getElementType());
}

LogicalResult ApplyGradientsOp::verify() {
  if (getVariables().empty() || getVariables().size() != getGradients().size())
    return emitOpError() << "(C1) has " << getGradients().size() << " gradients for " << getVariables().size()
                         << " variables; expected one for each, and a variable at least";
  if (!isScalarOf(getStep().getType(), [](Type type) { return type.isSignlessInteger(64); }))
    return emitOpError() << "(C2) has a step of type " << getStep().getType() << "; expected tensor<i64>";
  if (getLearningRate() && !isScalarOf(getLearningRate().getType(), [](Type type) { return type.isF32(); }))
    return emitOpError() << "(C2) has a learning rate of type " << getLearningRate().getType()
                         << "; expected tensor<f32>";
  return success();
}
