// The scalar form of the element-wise df ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScalarBody.h"
#include "ArithEmitter.h"
#include "dialects/Df/IR/Df.h"
#include "mlc/Support/MathExpansion.h"
#include "mlc/Support/MathPower.h"
#include "mlc/Support/MathTrigonometric.h"
#include "mlc/Support/Philox.h"
#include "mlc/Support/PhiloxKey.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc;

bool mlc::isElementwise(Operation *op) {
  // What reads or makes strings has patterns of its own.
  if (isa<df::FingerprintOp, df::IsEmptyOp>(op))
    return false;
  if (op->getNumResults() != 1 ||
      isa<df::StringType>(cast<RankedTensorType>(op->getResult(0).getType()).getElementType()))
    return false;
  return op->hasTrait<OpTrait::Elementwise>() || isa<df::FingerprintCatOp, df::HashBucketOp>(op);
}

/// Element-wise functions of floats of one width.
template <bool Double> static Value emitFloat(OpBuilder &b, Operation *op, ValueRange x) {
  ArithEmitter<Double> e{b, op->getLoc()};
  auto zero = [&] { return e.constant(0.0); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](df::NegOp) { return e.neg(x[0]); })
      .Case([&](df::AbsOp) { return e.abs(x[0]); })
      .Case([&](df::SignOp) { return expandSign(e, x[0]); })
      .Case([&](df::ExpOp) { return expandExp(e, x[0]); })
      .Case([&](df::LogOp) { return expandLog(e, x[0]); })
      .Case([&](df::Log1pOp) { return expandLog1p(e, x[0]); })
      .Case([&](df::SqrtOp) { return e.sqrt(x[0]); })
      .Case([&](df::SquareOp) { return e.mul(x[0], x[0]); })
      .Case([&](df::TanhOp) { return expandTanh(e, x[0]); })
      .Case([&](df::SigmoidOp) { return expandSigmoid(e, x[0]); })
      .Case([&](df::SoftplusOp) { return expandSoftplus(e, x[0]); })
      .Case([&](df::ReluOp) { return e.maximum(zero(), x[0]); })
      .Case([&](df::FloorOp) { return e.floor(x[0]); })
      .Case([&](df::CosOp) { return expandCos(e, x[0]); })
      .Case([&](df::SinOp) { return expandSin(e, x[0]); })
      .Case([&](df::AddOp) { return e.add(x[0], x[1]); })
      .Case([&](df::SubOp) { return e.sub(x[0], x[1]); })
      .Case([&](df::MulOp) { return e.mul(x[0], x[1]); })
      .Case([&](df::DivOp) { return e.div(x[0], x[1]); })
      .Case([&](df::MaximumOp) { return Value(arith::MaximumFOp::create(b, op->getLoc(), x[0], x[1])); })
      .Case([&](df::MinimumOp) { return Value(arith::MinimumFOp::create(b, op->getLoc(), x[0], x[1])); })
      .Case([&](df::PowOp) { return expandPow(e, x[0], x[1]); })
      .Case([&](df::SigmoidCrossEntropyOp) {
        // max(x, 0) - x*y + ln(1 + e^-|x|)
        Value positive = e.maximum(x[0], zero());
        return e.add(e.sub(positive, e.mul(x[0], x[1])), expandSoftplus(e, e.neg(e.abs(x[0]))));
      })
      .Case([&](df::BucketizeOp bucketize) {
        Location loc = op->getLoc();
        Value count = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
        for (double boundary : bucketize.getBoundaries())
          count = arith::AddIOp::create(
              b, loc, count, arith::ExtUIOp::create(b, loc, b.getI64Type(), e.le(e.constant(boundary), x[0])));
        return count;
      })
      .Default([](Operation *) { return Value(); });
}

/// Element-wise functions of integers and booleans.
static Value emitInteger(OpBuilder &b, Operation *op, ValueRange x) {
  Location loc = op->getLoc();
  auto constant = [&](uint64_t v) {
    return Value(arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(static_cast<int64_t>(v))));
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](df::NegOp) {
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(x[0].getType()));
        return Value(arith::SubIOp::create(b, loc, zero, x[0]));
      })
      .Case([&](df::AbsOp) { return Value(math::AbsIOp::create(b, loc, x[0])); })
      .Case<df::SquareOp>([&](auto) { return Value(arith::MulIOp::create(b, loc, x[0], x[0])); })
      .Case([&](df::AddOp) { return Value(arith::AddIOp::create(b, loc, x[0], x[1])); })
      .Case([&](df::SubOp) { return Value(arith::SubIOp::create(b, loc, x[0], x[1])); })
      .Case([&](df::MulOp) { return Value(arith::MulIOp::create(b, loc, x[0], x[1])); })
      .Case([&](df::MaximumOp) { return Value(arith::MaxSIOp::create(b, loc, x[0], x[1])); })
      .Case([&](df::MinimumOp) { return Value(arith::MinSIOp::create(b, loc, x[0], x[1])); })
      .Case([&](df::LogicalNotOp) {
        return Value(arith::XOrIOp::create(b, loc, x[0], arith::ConstantOp::create(b, loc, b.getBoolAttr(true))));
      })
      .Case([&](df::LogicalAndOp) { return Value(arith::AndIOp::create(b, loc, x[0], x[1])); })
      .Case([&](df::LogicalOrOp) { return Value(arith::OrIOp::create(b, loc, x[0], x[1])); })
      .Case([&](df::FingerprintCatOp) {
        ArithEmitter<true> e{b, loc};
        Value m = constant(0xc6a4a7935bd1e995ULL), shift = constant(47);
        auto mix = [&](Value v) { return e.xori(v, e.shrui(v, shift)); };
        Value r = e.xori(x[0], m);
        r = e.xori(r, e.muli(mix(e.muli(x[1], m)), m));
        return mix(e.muli(mix(e.muli(r, m)), m));
      })
      .Case([&](df::HashBucketOp bucket) {
        return Value(arith::RemUIOp::create(b, loc, x[0], constant(bucket.getBuckets())));
      })
      .Default([](Operation *) { return Value(); });
}

static Value emitCompare(OpBuilder &b, df::CompareOp op, ValueRange x) {
  static constexpr arith::CmpFPredicate floats[] = {arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
                                                    arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
                                                    arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
  static constexpr arith::CmpIPredicate integers[] = {arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
                                                      arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
                                                      arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge};
  auto predicate = static_cast<unsigned>(op.getPredicate());
  if (isa<FloatType>(x[0].getType()))
    return arith::CmpFOp::create(b, op.getLoc(), floats[predicate], x[0], x[1]);
  return arith::CmpIOp::create(b, op.getLoc(), integers[predicate], x[0], x[1]);
}

/// Float to integer as df.cast says: towards zero, saturating, 0 of NaN. The hardware's conversion is undefined out of
/// range.
static Value emitFloatToInt(OpBuilder &b, Location loc, Value x, IntegerType to) {
  auto from = cast<FloatType>(x.getType());
  unsigned bits = to.getWidth();
  const llvm::fltSemantics &semantics = from.getFloatSemantics();
  auto floatConstant = [&](const llvm::APFloat &v) {
    return Value(arith::ConstantOp::create(b, loc, FloatAttr::get(from, v)));
  };
  auto intConstant = [&](const llvm::APInt &v) {
    return Value(arith::ConstantOp::create(b, loc, IntegerAttr::get(to, v)));
  };
  // -2^(bits-1) is a number of the format; the upper end is the first number that is out of range.
  llvm::APFloat low(semantics), high(semantics);
  low.convertFromAPInt(llvm::APInt::getSignedMinValue(bits), true, llvm::APFloat::rmNearestTiesToEven);
  high = llvm::neg(low);
  Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, floatConstant(low));
  Value above = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, x, floatConstant(high));
  Value nan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  Value outside = arith::OrIOp::create(b, loc, arith::OrIOp::create(b, loc, below, above), nan);
  Value safe = arith::SelectOp::create(b, loc, outside, floatConstant(llvm::APFloat::getZero(semantics)), x);
  Value result = arith::FPToSIOp::create(b, loc, to, safe);
  result = arith::SelectOp::create(b, loc, below, intConstant(llvm::APInt::getSignedMinValue(bits)), result);
  return arith::SelectOp::create(b, loc, above, intConstant(llvm::APInt::getSignedMaxValue(bits)), result);
}

static Value emitCast(OpBuilder &b, df::CastOp op, Value x) {
  Location loc = op.getLoc();
  Type from = x.getType(), to = cast<RankedTensorType>(op.getType()).getElementType();
  if (from == to)
    return x;
  if (to.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(from));
    if (isa<FloatType>(from))
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, x, zero);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, zero);
  }
  if (isa<FloatType>(from) && isa<FloatType>(to)) {
    if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(b, loc, to, x);
    return arith::TruncFOp::create(b, loc, to, x);
  }
  if (isa<FloatType>(to))
    return from.isInteger(1) ? Value(arith::UIToFPOp::create(b, loc, to, x))
                             : Value(arith::SIToFPOp::create(b, loc, to, x));
  if (isa<FloatType>(from))
    return emitFloatToInt(b, loc, x, cast<IntegerType>(to));
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, loc, to, x);
  return from.isInteger(1) ? Value(arith::ExtUIOp::create(b, loc, to, x))
                           : Value(arith::ExtSIOp::create(b, loc, to, x));
}

Value mlc::emitScalar(OpBuilder &b, Operation *op, ValueRange x) {
  SmallVector<Type> types(x.getTypes());
  types.push_back(cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
  for (Type type : types)
    if (type.isF16() || type.isBF16()) {
      op->emitOpError("has no code for ") << type << " on this target; expected f32 or f64";
      return {};
    }
  Value result;
  if (auto compare = dyn_cast<df::CompareOp>(op))
    result = emitCompare(b, compare, x);
  else if (isa<df::SelectOp>(op))
    result = arith::SelectOp::create(b, op->getLoc(), x[0], x[1], x[2]);
  else if (auto castOp = dyn_cast<df::CastOp>(op))
    result = emitCast(b, castOp, x[0]);
  else if (x[0].getType().isF32())
    result = emitFloat<false>(b, op, x);
  else if (x[0].getType().isF64())
    result = emitFloat<true>(b, op, x);
  else
    result = emitInteger(b, op, x);
  if (!result)
    op->emitOpError("has no code for ") << x[0].getType();
  return result;
}

template <bool Double> static Value fromWords(OpBuilder &b, df::RandomOp op, ArrayRef<Value> words) {
  ArithEmitter<Double> e{b, op.getLoc()};
  Value uniform;
  if constexpr (Double) {
    auto widen = [&](Value w) { return Value(arith::ExtUIOp::create(b, op.getLoc(), b.getI64Type(), w)); };
    uniform = uniformF64FromBits(e, widen(words[0]), widen(words[1]));
  } else {
    uniform = uniformF32FromBits(e, words[0]);
  }
  switch (op.getDistribution()) {
  case df::Distribution::Uniform:
    return uniform;
  case df::Distribution::Normal:
    return normalFromUniform(e, uniform);
  case df::Distribution::TruncatedNormal:
    return truncatedNormalFromUniform(e, uniform);
  }
  return {};
}

Value mlc::emitRandom(OpBuilder &b, Operation *randomOp, ValueRange counter, Value seed, Type type) {
  auto op = cast<df::RandomOp>(randomOp);
  Location loc = op.getLoc();
  // seed ^ fingerprint, as philoxKey(seed, name) makes it on the host.
  auto name = static_cast<int64_t>(philoxKey(0, op.getName()));
  Value key = arith::XOrIOp::create(b, loc, seed, arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(name)));
  Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), key);
  Value high = arith::TruncIOp::create(
      b, loc, b.getI32Type(),
      arith::ShRUIOp::create(b, loc, key, arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32))));
  ArithWordEmitter e{b, loc};
  auto words = philox4x32(e, {counter[0], counter[1], counter[2], counter[3]}, {low, high});
  return type.isF64() ? fromWords<true>(b, op, words) : fromWords<false>(b, op, words);
}
