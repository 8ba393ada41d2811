// Verifiers of the element-wise df ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult BitcastOp::verify() {
  Type from = getOperand().getType(), to = getType();
  return verifyTypes(*this, elementType(from).getIntOrFloatBitWidth() == elementType(to).getIntOrFloatBitWidth(),
                     "(C2) the element types must have one width", from, to);
}
