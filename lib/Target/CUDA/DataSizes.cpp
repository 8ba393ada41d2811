// Bounds of numbers that follow from data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlc;

bool cuda::isArithmetic(Operation *op) {
  auto areNumbers = [](TypeRange types) {
    return llvm::all_of(types, [](Type type) { return type.isIntOrIndexOrFloat(); });
  };
  return op->getNumRegions() == 0 && op->getNumResults() > 0 && isPure(op) && areNumbers(op->getOperandTypes()) &&
         areNumbers(op->getResultTypes());
}

kern::TransferOp cuda::transferOf(memref::LoadOp load) {
  auto buffer = load.getMemRef().getDefiningOp<memref::AllocOp>();
  if (!buffer || kern::spaceOf(buffer.getType()) != 0 || !buffer.getType().hasStaticShape() ||
      load->getParentOfType<kern::LaunchOp>())
    return {};
  kern::TransferOp filledBy;
  for (Operation *user : buffer->getUsers()) {
    if (isa<memref::LoadOp>(user))
      continue;
    auto transfer = dyn_cast<kern::TransferOp>(user);
    if (!transfer || filledBy || transfer.getSource() == buffer.getResult())
      return {};
    filledBy = transfer;
  }
  return filledBy;
}

bool cuda::isLastState(kern::TransferOp transfer) {
  SmallVector<Value> buffers = {transfer.getSource()};
  llvm::DenseSet<Value> seen;
  // Up to what the source is a part of, and from there down to all parts of it.
  for (Value up = buffers.front(); Operation *op = up.getDefiningOp(); up = op->getOperand(0)) {
    if (!isa<ViewLikeOpInterface, memref::ExtractStridedMetadataOp>(op))
      break;
    buffers.push_back(op->getOperand(0));
  }
  while (!buffers.empty()) {
    Value buffer = buffers.pop_back_val();
    if (!seen.insert(buffer).second)
      continue;
    for (Operation *user : buffer.getUsers()) {
      if (isa<memref::LoadOp, memref::DimOp>(user))
        continue;
      if (isPure(user)) {
        for (Value result : user->getResults())
          if (isa<MemRefType>(result.getType()))
            buffers.push_back(result);
        continue;
      }
      if (auto other = dyn_cast<kern::TransferOp>(user); other && other.getSource() == buffer)
        continue;
      Operation *beside = transfer->getBlock()->findAncestorOpInBlock(*user);
      if (!beside || !beside->isBeforeInBlock(transfer))
        return false;
    }
  }
  return true;
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
