// The scalar form of the element-wise df ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScalarBody.h"
#include "ArithEmitter.h"
#include "Conversions.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "mlc/Support/MathArc.h"
#include "mlc/Support/MathError.h"
#include "mlc/Support/MathGamma.h"
#include "mlc/Support/MathHyperbolic.h"
#include "mlc/Support/MathNormal.h"
#include "mlc/Support/MathPower.h"
#include "mlc/Support/MathRounding.h"
#include "mlc/Support/MathTrigonometric.h"
#include "mlc/Support/Philox.h"
#include "mlc/Support/PhiloxKey.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc;

bool mlc::isElementwise(Operation *op) {
  // What reads or makes strings has patterns of its own.
  auto isString = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa<df::StringType>(tensor.getElementType());
  };
  if (isa<df::FingerprintOp>(op) || llvm::any_of(op->getOperandTypes(), isString))
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
      .Case([&](df::CeilOp) { return expandCeil(e, x[0]); })
      .Case([&](df::RoundOp) { return e.roundeven(x[0]); })
      .Case([&](df::TruncOp) { return expandTrunc(e, x[0]); })
      .Case([&](df::ReciprocalOp) { return e.div(e.constant(1.0), x[0]); })
      .Case([&](df::RsqrtOp) { return e.div(e.constant(1.0), e.sqrt(x[0])); })
      .Case([&](df::CbrtOp) { return expandCbrt(e, x[0]); })
      .Case([&](df::Expm1Op) { return expandExpm1(e, x[0]); })
      .Case([&](df::Exp2Op) { return expandExp2(e, x[0]); })
      .Case([&](df::Log2Op) { return expandLog2(e, x[0]); })
      .Case([&](df::ErfOp) { return expandErf(e, x[0]); })
      .Case([&](df::ErfcOp) { return expandErfc(e, x[0]); })
      .Case([&](df::ErfInvOp) { return expandErfinv(e, x[0]); })
      .Case([&](df::LgammaOp) { return expandLgamma(e, x[0]); })
      .Case([&](df::DigammaOp) { return expandDigamma(e, x[0]); })
      .Case([&](df::TanOp) { return expandTan(e, x[0]); })
      .Case([&](df::AsinOp) { return expandAsin(e, x[0]); })
      .Case([&](df::AcosOp) { return expandAcos(e, x[0]); })
      .Case([&](df::AtanOp) { return expandAtan(e, x[0]); })
      .Case([&](df::SinhOp) { return expandSinh(e, x[0]); })
      .Case([&](df::CoshOp) { return expandCosh(e, x[0]); })
      .Case([&](df::AsinhOp) { return expandAsinh(e, x[0]); })
      .Case([&](df::AcoshOp) { return expandAcosh(e, x[0]); })
      .Case([&](df::AtanhOp) { return expandAtanh(e, x[0]); })
      .Case([&](df::AddOp) { return e.add(x[0], x[1]); })
      .Case([&](df::SubOp) { return e.sub(x[0], x[1]); })
      .Case([&](df::MulOp) { return e.mul(x[0], x[1]); })
      .Case([&](df::DivOp) { return e.div(x[0], x[1]); })
      .Case([&](df::MaximumOp) { return Value(arith::MaximumFOp::create(b, op->getLoc(), x[0], x[1])); })
      .Case([&](df::MinimumOp) { return Value(arith::MinimumFOp::create(b, op->getLoc(), x[0], x[1])); })
      .Case([&](df::PowOp) { return expandPow(e, x[0], x[1]); })
      .Case([&](df::Atan2Op) { return expandAtan2(e, x[0], x[1]); })
      .Case([&](df::RemOp) { return expandRem(e, x[0], x[1]); })
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

/// The element type of a df operand or result.
static Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

static Value emitCompare(OpBuilder &b, df::CompareOp op, ValueRange x) {
  static constexpr arith::CmpFPredicate floats[] = {arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
                                                    arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
                                                    arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
  static constexpr arith::CmpIPredicate integers[][6] = {
      {arith::CmpIPredicate::eq, arith::CmpIPredicate::ne, arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
       arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge},
      {arith::CmpIPredicate::eq, arith::CmpIPredicate::ne, arith::CmpIPredicate::ult, arith::CmpIPredicate::ule,
       arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge}};
  auto predicate = static_cast<unsigned>(op.getPredicate());
  if (isa<FloatType>(x[0].getType()))
    return arith::CmpFOp::create(b, op.getLoc(), floats[predicate], x[0], x[1]);
  return arith::CmpIOp::create(b, op.getLoc(), integers[elementOf(op.getLhs()).isUnsignedInteger()][predicate], x[0],
                               x[1]);
}

/// As integers, which no target converts on the way.
static Value emitSelect(OpBuilder &b, Location loc, ValueRange x) {
  Type type = x[1].getType();
  if (!isHalfFloat(type))
    return arith::SelectOp::create(b, loc, x[0], x[1], x[2]);
  Type bits = b.getIntegerType(16);
  Value chosen = arith::SelectOp::create(b, loc, x[0], arith::BitcastOp::create(b, loc, bits, x[1]),
                                         arith::BitcastOp::create(b, loc, bits, x[2]));
  return arith::BitcastOp::create(b, loc, type, chosen);
}

Value mlc::emitScalar(OpBuilder &b, Operation *op, ValueRange x) {
  Location loc = op->getLoc();
  Type from = elementOf(op->getOperand(0)), to = elementOf(op->getResult(0));
  if (isa<df::SelectOp>(op))
    return emitSelect(b, loc, x);
  if (isa<df::CastOp>(op))
    return emitCast(b, loc, x[0], from, to);
  if (isa<df::BitcastOp>(op)) {
    Type stored = to.isUnsignedInteger() ? b.getIntegerType(to.getIntOrFloatBitWidth()) : to;
    return x[0].getType() == stored ? x[0] : Value(arith::BitcastOp::create(b, loc, stored, x[0]));
  }
  // f16 and bf16 are computed in f32; a result is rounded once.
  SmallVector<Value> operands;
  for (Value element : x)
    operands.push_back(isHalfFloat(element.getType()) ? widenHalf(b, loc, element) : element);
  Value result;
  if (auto compare = dyn_cast<df::CompareOp>(op))
    result = emitCompare(b, compare, operands);
  else if (operands[0].getType().isF32())
    result = emitFloat<false>(b, op, operands);
  else if (operands[0].getType().isF64())
    result = emitFloat<true>(b, op, operands);
  else
    result = emitInteger(b, op, operands, from.isUnsignedInteger());
  if (!result) {
    op->emitOpError("has no code for ") << from;
    return {};
  }
  return isHalfFloat(to) ? narrowToHalf(b, loc, result, to) : result;
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

/// seed ^ fingerprint, as philoxKey(seed, name) makes it on the host; its own inverse.
static Value keyOf(OpBuilder &b, df::RandomOp op, Value seed) {
  auto name = static_cast<int64_t>(philoxKey(0, op.getName()));
  return arith::XOrIOp::create(b, op.getLoc(), seed,
                               arith::ConstantOp::create(b, op.getLoc(), b.getI64IntegerAttr(name)));
}

/// The low and the high word of an i64.
static std::array<Value, 2> wordsOf(OpBuilder &b, Location loc, Value number) {
  Value shift = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  return {arith::TruncIOp::create(b, loc, b.getI32Type(), number),
          arith::TruncIOp::create(b, loc, b.getI32Type(), arith::ShRUIOp::create(b, loc, number, shift))};
}

Value mlc::emitIterationSeed(OpBuilder &b, Operation *randomOp, Value seed, Value iteration) {
  auto op = cast<df::RandomOp>(randomOp);
  Location loc = op.getLoc();
  auto [low, high] = wordsOf(b, loc, iteration);
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  ArithWordEmitter e{b, loc};
  auto words = philox4x32(e, {low, high, zero, zero}, wordsOf(b, loc, keyOf(b, op, seed)));
  auto widen = [&](Value w) { return Value(arith::ExtUIOp::create(b, loc, b.getI64Type(), w)); };
  Value shift = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  Value key = arith::OrIOp::create(b, loc, widen(words[0]), arith::ShLIOp::create(b, loc, widen(words[1]), shift));
  return keyOf(b, op, key);
}

Value mlc::emitRandom(OpBuilder &b, Operation *randomOp, ValueRange counter, Value seed, Type type) {
  auto op = cast<df::RandomOp>(randomOp);
  ArithWordEmitter e{b, op.getLoc()};
  auto words =
      philox4x32(e, {counter[0], counter[1], counter[2], counter[3]}, wordsOf(b, op.getLoc(), keyOf(b, op, seed)));
  return type.isF64() ? fromWords<true>(b, op, words) : fromWords<false>(b, op, words);
}
