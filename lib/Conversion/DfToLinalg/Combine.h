// How reductions and cumulative ops combine numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_DFTOLINALG_COMBINE_H
#define LIB_CONVERSION_DFTOLINALG_COMBINE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlc {

enum class Combination { Sum, Product, Maximum, Minimum };

/// -inf or the smallest integer of a number type (`lowest`), or the other end; `element` is signless, `isUnsigned` says
/// how it is meant.
inline mlir::TypedAttr extreme(mlir::OpBuilder &b, mlir::Type element, bool lowest, bool isUnsigned = false) {
  if (auto type = llvm::dyn_cast<mlir::FloatType>(element))
    return b.getFloatAttr(type, llvm::APFloat::getInf(type.getFloatSemantics(), lowest));
  unsigned bits = element.getIntOrFloatBitWidth();
  if (isUnsigned)
    return b.getIntegerAttr(element, lowest ? llvm::APInt::getZero(bits) : llvm::APInt::getMaxValue(bits));
  return b.getIntegerAttr(element,
                          lowest ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getSignedMaxValue(bits));
}

/// x combined with y: numbers of one type, whose integers may be meant unsigned.
inline mlir::Value emitCombination(mlir::OpBuilder &b, mlir::Location loc, Combination how, mlir::Value x,
                                   mlir::Value y, bool isUnsigned = false) {
  using namespace mlir::arith;
  bool isFloat = llvm::isa<mlir::FloatType>(x.getType());
  switch (how) {
  case Combination::Sum:
    return isFloat ? mlir::Value(AddFOp::create(b, loc, x, y)) : mlir::Value(AddIOp::create(b, loc, x, y));
  case Combination::Product:
    return isFloat ? mlir::Value(MulFOp::create(b, loc, x, y)) : mlir::Value(MulIOp::create(b, loc, x, y));
  case Combination::Maximum:
    if (isUnsigned)
      return MaxUIOp::create(b, loc, x, y);
    return isFloat ? mlir::Value(MaximumFOp::create(b, loc, x, y)) : mlir::Value(MaxSIOp::create(b, loc, x, y));
  case Combination::Minimum:
    if (isUnsigned)
      return MinUIOp::create(b, loc, x, y);
    return isFloat ? mlir::Value(MinimumFOp::create(b, loc, x, y)) : mlir::Value(MinSIOp::create(b, loc, x, y));
  }
  llvm_unreachable("all combinations are covered");
}

} // namespace mlc

#endif // LIB_CONVERSION_DFTOLINALG_COMBINE_H
