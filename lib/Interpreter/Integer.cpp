// Rules of ops on the bits of integers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementwiseRules.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// A rule of an op on two integers: f(bits of x, bits of y, width), both without what extends them.
template <typename OpTy, typename Fn> static void addBits(RuleTable &table, Fn f) {
  table.add<OpTy>([f](OpTy op, Frame &frame) -> LogicalResult {
    // An op on one operand is one on that twice.
    const Tensor &x = frame.tensor(op->getOperand(0)), &y = frame.tensor(op->getOperand(op->getNumOperands() - 1));
    if (failed(requireSameShape(op, x, y)))
      return failure();
    unsigned width = integerWidth(x.getKind());
    uint64_t mask = llvm::maxUIntN(width);
    return frame.set(op.getResult(),
                     zipInteger(x, y, [=](uint64_t a, uint64_t b) { return f(a & mask, b & mask, width); }));
  });
}

void mlc::interp::addIntegerRules(RuleTable &table) {
  addBits<df::BitwiseNotOp>(table, [](uint64_t x, uint64_t, unsigned) { return ~x; });
  addBits<df::BitwiseAndOp>(table, [](uint64_t x, uint64_t y, unsigned) { return x & y; });
  addBits<df::BitwiseOrOp>(table, [](uint64_t x, uint64_t y, unsigned) { return x | y; });
  addBits<df::BitwiseXorOp>(table, [](uint64_t x, uint64_t y, unsigned) { return x ^ y; });
  addBits<df::ShiftLeftOp>(table, [](uint64_t x, uint64_t y, unsigned width) { return y < width ? x << y : 0; });
  addBits<df::ShiftRightLogicalOp>(table,
                                   [](uint64_t x, uint64_t y, unsigned width) { return y < width ? x >> y : 0; });
  addBits<df::ShiftRightArithmeticOp>(table, [](uint64_t x, uint64_t y, unsigned width) {
    return static_cast<uint64_t>(llvm::SignExtend64(x, width) >> std::min<uint64_t>(y, width - 1));
  });
  addBits<df::PopulationCountOp>(
      table, [](uint64_t x, uint64_t, unsigned) { return static_cast<uint64_t>(llvm::popcount(x)); });
  addBits<df::CountLeadingZerosOp>(table, [](uint64_t x, uint64_t, unsigned width) {
    return static_cast<uint64_t>(llvm::countl_zero(x)) - (64 - width);
  });
  table.add<df::BitcastOp>([](df::BitcastOp op, Frame &frame) -> LogicalResult {
    const Tensor &x = frame.tensor(op.getOperand());
    Tensor result(*elementKindOf(cast<RankedTensorType>(op.getType()).getElementType()), x.getShape());
    llvm::copy(x.getBytes(), result.getBytes().begin());
    return frame.set(op.getResult(), std::move(result));
  });
}
