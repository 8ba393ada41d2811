// The classes of kern's service ops, and what they share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlc::kern;

#include "dialects/Kern/IR/KernInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernServiceOps.cpp.inc"

void KernDialect::registerServiceOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Kern/IR/KernServiceOps.cpp.inc"
      >();
}

ServiceArgument ServiceArgument::sizeOf(StringAttr text) {
  return constant(Builder(text.getContext()).getI32IntegerAttr(static_cast<int32_t>(text.size())));
}

bool mlc::kern::detail::holdsBytes(Type type) {
  Type element = cast<ShapedType>(type).getElementType();
  return element.isInteger(8) || element.isInteger(1);
}

bool mlc::kern::detail::holdsStrings(Type type) {
  auto shaped = cast<ShapedType>(type);
  return shaped.getElementType().isInteger(64) && shaped.getRank() && shaped.getShape().back() == 2;
}

bool mlc::kern::detail::holdsNumber(Type type) {
  auto shaped = cast<ShapedType>(type);
  return shaped.getElementType().isInteger(64) && shaped.hasStaticShape() && shaped.getNumElements() == 1;
}

SmallVector<Type> mlc::kern::detail::resultTypesOf(ArrayRef<Value> outs) {
  SmallVector<Type> types;
  for (Value out : outs)
    if (isa<TensorType>(out.getType()))
      types.push_back(out.getType());
  return types;
}

LogicalResult mlc::kern::detail::verifyServiceOp(Operation *op) {
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (auto memref = dyn_cast<MemRefType>(type); memref && !isContiguous(memref))
      return op->emitOpError("takes elements that lie one after another; operand ") << i << " is " << type;
  return success();
}
