// Verifiers of the element-wise df ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult CompareOp::verify() {
  return verifyTypes(*this, sameShape(getLhs().getType(), getType()), "(C1) the result must have the operands' shape",
                     getLhs().getType(), getType());
}

LogicalResult SelectOp::verify() {
  return verifyTypes(*this, sameShape(getCondition().getType(), getType()),
                     "(C1) the condition must have the result's shape", getCondition().getType(), getType());
}

LogicalResult CastOp::verify() {
  return verifyTypes(*this, sameShape(getOperand().getType(), getType()), "(C1) shapes must be equal",
                     getOperand().getType(), getType());
}

template <typename Op> static LogicalResult verifyTest(Op op) {
  return verifyTypes(op, sameShape(op.getOperand().getType(), op.getType()),
                     "(C1) the result must have the operand's shape", op.getOperand().getType(), op.getType());
}

LogicalResult IsNanOp::verify() { return verifyTest(*this); }
LogicalResult IsInfOp::verify() { return verifyTest(*this); }
LogicalResult IsFiniteOp::verify() { return verifyTest(*this); }

LogicalResult BitcastOp::verify() {
  Type from = getOperand().getType(), to = getType();
  if (failed(verifyTypes(*this, sameShape(from, to), "(C1) shapes must be equal", from, to)))
    return failure();
  return verifyTypes(*this, elementType(from).getIntOrFloatBitWidth() == elementType(to).getIntOrFloatBitWidth(),
                     "(C2) the element types must have one width", from, to);
}
