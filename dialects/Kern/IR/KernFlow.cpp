// Control flow by what a device has computed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/KernFlow.h"

using namespace mlir;
using namespace mlc::kern;

#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernFlow.cpp.inc"

static LogicalResult verifyCondition(Operation *op, Value condition) {
  auto type = cast<MemRefType>(condition.getType());
  if (type.getElementType().isInteger(8) && type.hasStaticShape() && type.getNumElements() == 1)
    return success();
  return op->emitOpError("(C1) the condition must be one i8; found ") << type;
}

LogicalResult BranchOp::verify() {
  if (getSides() < 1 || getSides() > 3)
    return emitOpError("(C2) sides must be in [1, 3]; found ") << getSides();
  return verifyCondition(*this, getCondition());
}

LogicalResult LoopOp::verify() { return verifyCondition(*this, getCondition()); }
