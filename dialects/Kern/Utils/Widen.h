// Conversion of elements to types that hold all of their values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_UTILS_WIDEN_H
#define DIALECTS_KERN_UTILS_WIDEN_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlc::kern {

/// `x`, a number or a vector of them, as `to`, exactly (see `holds`); zeros extend integers that are unsigned. No
/// target is asked for a conversion that it may leave to a library: bf16 is the upper half of f32, and f16 becomes f32
/// first, by the instruction that every x86-64-v3 has.
inline mlir::Value widen(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Type to, bool isUnsigned) {
  using namespace mlir;
  Type from = getElementTypeOrSelf(x.getType());
  if (from == to)
    return x;
  auto typed = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(x.getType());
    return vector ? Type(vector.clone(element)) : element;
  };
  if (isa<IntegerType>(to))
    return isUnsigned ? Value(arith::ExtUIOp::create(b, loc, typed(to), x))
                      : Value(arith::ExtSIOp::create(b, loc, typed(to), x));
  Type f32 = b.getF32Type();
  if (from.isBF16()) {
    Type i32 = typed(b.getI32Type());
    Value bits = arith::ExtUIOp::create(b, loc, i32, arith::BitcastOp::create(b, loc, typed(b.getI16Type()), x));
    TypedAttr half = b.getI32IntegerAttr(16);
    if (auto vector = dyn_cast<VectorType>(i32))
      half = DenseElementsAttr::get(vector, Attribute(half));
    Value upper = arith::ShLIOp::create(b, loc, bits, arith::ConstantOp::create(b, loc, half));
    return widen(b, loc, arith::BitcastOp::create(b, loc, typed(f32), upper), to, isUnsigned);
  }
  if (from.isF16() && to != f32)
    return widen(b, loc, arith::ExtFOp::create(b, loc, typed(f32), x), to, isUnsigned);
  return arith::ExtFOp::create(b, loc, typed(to), x);
}

} // namespace mlc::kern

#endif // DIALECTS_KERN_UTILS_WIDEN_H
