// The scalar form of the element-wise df ops on integers and booleans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArithEmitter.h"
#include "Conversions.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc;

namespace {

struct IntegerEmitter {
  OpBuilder &b;
  Location loc;
  Type type;
  bool isUnsigned;

  Value constant(int64_t v) {
    return arith::ConstantOp::create(
        b, loc, IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), v, true, /*implicitTrunc=*/true)));
  }
  Value equal(Value x, int64_t v) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, constant(v)); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, loc, condition, x, y); }
  template <typename Signed, typename Unsigned> Value bySign(Value x, Value y) {
    return isUnsigned ? Value(Unsigned::create(b, loc, x, y)) : Value(Signed::create(b, loc, x, y));
  }

  /// The divisor, but 1 where the machine would trap: where it is 0, which fails the step, and where it is -1.
  Value safeDivisor(Value y) {
    Value traps = equal(y, 0);
    if (!isUnsigned)
      traps = arith::OrIOp::create(b, loc, traps, equal(y, -1));
    return select(traps, constant(1), y);
  }
  Value negated(Value x) { return arith::SubIOp::create(b, loc, constant(0), x); }
  Value quotient(Value x, Value y) {
    Value result = bySign<arith::DivSIOp, arith::DivUIOp>(x, safeDivisor(y));
    return isUnsigned ? result : select(equal(y, -1), negated(x), result);
  }
  Value sign(Value x) {
    auto test = [&](arith::CmpIPredicate predicate) {
      return Value(arith::ExtUIOp::create(b, loc, type, arith::CmpIOp::create(b, loc, predicate, x, constant(0))));
    };
    Value positive = test(isUnsigned ? arith::CmpIPredicate::ne : arith::CmpIPredicate::sgt);
    return isUnsigned ? positive : Value(arith::SubIOp::create(b, loc, positive, test(arith::CmpIPredicate::slt)));
  }
  /// Shifts by amounts that the machine leaves undefined give 0; an arithmetic one shifts by the width less 1.
  template <typename Op> Value shift(Value x, Value y) {
    int64_t width = type.getIntOrFloatBitWidth();
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, y, constant(width));
    if (std::is_same_v<Op, arith::ShRSIOp>)
      return Op::create(b, loc, x, select(inside, y, constant(width - 1)));
    return select(inside, Op::create(b, loc, x, select(inside, y, constant(0))), constant(0));
  }
};

} // namespace

Value mlc::emitInteger(OpBuilder &b, Operation *op, ValueRange x, bool isUnsigned) {
  Location loc = op->getLoc();
  IntegerEmitter e{b, loc, x[0].getType(), isUnsigned};
  auto constant = [&](uint64_t v) {
    return Value(arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(static_cast<int64_t>(v))));
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](df::NegOp) { return e.negated(x[0]); })
      .Case([&](df::AbsOp) { return isUnsigned ? x[0] : Value(math::AbsIOp::create(b, loc, x[0])); })
      .Case([&](df::SignOp) { return e.sign(x[0]); })
      .Case([&](df::SquareOp) { return Value(arith::MulIOp::create(b, loc, x[0], x[0])); })
      .Case([&](df::AddOp) { return Value(arith::AddIOp::create(b, loc, x[0], x[1])); })
      .Case([&](df::SubOp) { return Value(arith::SubIOp::create(b, loc, x[0], x[1])); })
      .Case([&](df::MulOp) { return Value(arith::MulIOp::create(b, loc, x[0], x[1])); })
      .Case([&](df::DivOp) { return e.quotient(x[0], x[1]); })
      .Case([&](df::RemOp) { return e.bySign<arith::RemSIOp, arith::RemUIOp>(x[0], e.safeDivisor(x[1])); })
      .Case([&](df::MaximumOp) { return e.bySign<arith::MaxSIOp, arith::MaxUIOp>(x[0], x[1]); })
      .Case([&](df::MinimumOp) { return e.bySign<arith::MinSIOp, arith::MinUIOp>(x[0], x[1]); })
      .Case([&](df::LogicalNotOp) { return Value(arith::XOrIOp::create(b, loc, x[0], e.constant(1))); })
      .Case([&](df::BitwiseNotOp) { return Value(arith::XOrIOp::create(b, loc, x[0], e.constant(-1))); })
      .Case<df::LogicalAndOp, df::BitwiseAndOp>([&](auto) { return Value(arith::AndIOp::create(b, loc, x[0], x[1])); })
      .Case<df::LogicalOrOp, df::BitwiseOrOp>([&](auto) { return Value(arith::OrIOp::create(b, loc, x[0], x[1])); })
      .Case<df::LogicalXorOp, df::BitwiseXorOp>([&](auto) { return Value(arith::XOrIOp::create(b, loc, x[0], x[1])); })
      .Case([&](df::ShiftLeftOp) { return e.shift<arith::ShLIOp>(x[0], x[1]); })
      .Case([&](df::ShiftRightLogicalOp) { return e.shift<arith::ShRUIOp>(x[0], x[1]); })
      .Case([&](df::ShiftRightArithmeticOp) { return e.shift<arith::ShRSIOp>(x[0], x[1]); })
      .Case([&](df::PopulationCountOp) { return Value(math::CtPopOp::create(b, loc, x[0])); })
      .Case([&](df::CountLeadingZerosOp) { return Value(math::CountLeadingZerosOp::create(b, loc, x[0])); })
      .Case([&](df::FingerprintCatOp) {
        ArithEmitter<true> words{b, loc};
        Value m = constant(0xc6a4a7935bd1e995ULL), shift = constant(47);
        auto mix = [&](Value v) { return words.xori(v, words.shrui(v, shift)); };
        Value r = words.xori(x[0], m);
        r = words.xori(r, words.muli(mix(words.muli(x[1], m)), m));
        return mix(words.muli(mix(words.muli(r, m)), m));
      })
      .Case([&](df::HashBucketOp bucket) {
        return Value(arith::RemUIOp::create(b, loc, x[0], constant(bucket.getBuckets())));
      })
      .Default([](Operation *) { return Value(); });
}
