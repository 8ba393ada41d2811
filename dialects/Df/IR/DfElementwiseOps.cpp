// Type rules and verifiers of the element-wise df ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult CompareOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type type = infer.join({op.getLhs(), op.getRhs()}, "requires all operands to have the same type");
  if (!type)
    return failure();
  return infer.result(cast<RankedTensorType>(type).clone(infer.i1()), "(C1) the result must have the operands' shape");
}

LogicalResult SelectOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type type = infer.join({op.getTrueValue(), op.getFalseValue()},
                         "failed to verify that all of {trueValue, falseValue, result} have same type");
  if (!type)
    return failure();
  return infer.sameShape({op.getTrueValue(), op.getFalseValue(), op.getCondition()}, elementType(type),
                         "(C1) the condition must have the result's shape");
}

LogicalResult BitcastOp::verify() {
  Type from = getOperand().getType(), to = getType();
  return verifyTypes(*this, elementType(from).getIntOrFloatBitWidth() == elementType(to).getIntOrFloatBitWidth(),
                     "(C2) the element types must have one width", from, to);
}

SmallVector<Value> SelectOp::getMovedOperands() { return {getTrueValue(), getFalseValue()}; }
bool SelectOp::mayAddZeros() { return false; }
