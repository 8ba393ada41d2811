// Bounds of numbers that follow from data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlc;

bool cuda::isArithmetic(Operation *op) {
  auto areNumbers = [](TypeRange types) {
    return llvm::all_of(types, [](Type type) { return type.isIntOrIndexOrFloat(); });
  };
  return op->getNumRegions() == 0 && op->getNumResults() > 0 && isPure(op) && areNumbers(op->getOperandTypes()) &&
         areNumbers(op->getResultTypes());
}

Value cuda::boundOf(OpBuilder *b, Value number, llvm::function_ref<bool(Value)> isData) {
  if (!isData(number))
    return number;
  Operation *op = number.getDefiningOp();
  if (!op)
    return {};
  const Location loc = op->getLoc();
  auto bound = [&](Value value) { return boundOf(b, value, isData); };
  auto make = [&](auto create) { return b ? Value(create()) : number; };
  auto again = [&](ValueRange operands) {
    return make(
        [&] { return b->create(loc, op->getName().getIdentifier(), operands, number.getType())->getResult(0); });
  };
  if (isa<arith::MinUIOp, arith::MinSIOp>(op)) {
    Value x = bound(op->getOperand(0)), y = bound(op->getOperand(1));
    return x && y ? again({x, y}) : x ? x : y;
  }
  if (isa<arith::MaxUIOp, arith::MaxSIOp, arith::AddIOp, arith::MulIOp>(op)) {
    Value x = bound(op->getOperand(0)), y = bound(op->getOperand(1));
    return x && y ? again({x, y}) : Value();
  }
  // A larger number has fewer zeros in front.
  if (auto zeros = isa<arith::SubIOp>(op) ? op->getOperand(1).getDefiningOp<math::CountLeadingZerosOp>() : nullptr) {
    Value x = bound(op->getOperand(0)), y = bound(zeros.getOperand());
    if (!x || !y)
      return {};
    return make([&] { return arith::SubIOp::create(*b, loc, x, math::CountLeadingZerosOp::create(*b, loc, y)); });
  }
  // The divisor is 1 at least, and what is subtracted 0.
  if (isa<arith::DivUIOp, arith::CeilDivUIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::SubIOp>(
          op)) {
    Value x = bound(op->getOperand(0)), y = op->getOperand(1);
    return x && !isData(y) ? again({x, y}) : x;
  }
  if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    Value x = bound(choice.getTrueValue()), y = bound(choice.getFalseValue());
    if (!x || !y)
      return {};
    return make([&] { return arith::MaxUIOp::create(*b, loc, x, y); });
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    Value x = bound(op->getOperand(0));
    return x ? again(x) : Value();
  }
  return {};
}
