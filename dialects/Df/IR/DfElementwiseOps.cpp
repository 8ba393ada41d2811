// Verifiers of the element-wise df ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
