// Conversions between number types. No target is asked for one that it may leave to a library: bf16 is rounded here,
// f16 by the instruction that every x86-64-v3 has, from f32 alone. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "Conversions.h"
#include "dialects/Kern/Utils/Widen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlc;

namespace {

/// Short forms of the ops used below.
struct Emitter {
  OpBuilder &b;
  Location loc;

  Type integer(unsigned width) { return b.getIntegerType(width); }
  Value constant(Type type, const APInt &value) {
    return arith::ConstantOp::create(b, loc, IntegerAttr::get(type, value));
  }
  Value constant(Type type, uint64_t value) {
    return constant(type, APInt(type.getIntOrFloatBitWidth(), value, false, /*implicitTrunc=*/true));
  }
  Value constant(FloatType type, const APFloat &value) {
    return arith::ConstantOp::create(b, loc, FloatAttr::get(type, value));
  }
  template <typename Op> Value binary(Value x, Value y) { return Op::create(b, loc, x, y); }
  template <typename Op> Value binary(Value x, uint64_t y) { return Op::create(b, loc, x, constant(x.getType(), y)); }
  template <typename Op> Value convert(Type type, Value x) { return Op::create(b, loc, type, x); }
  Value bitcast(Type type, Value x) { return convert<arith::BitcastOp>(type, x); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, loc, condition, x, y); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, uint64_t y) {
    return compare(predicate, x, constant(x.getType(), y));
  }

  Value widenHalf(Value x) { return kern::widen(b, loc, x, b.getF32Type(), /*isUnsigned=*/false); }
  Value narrowToHalf(Value x, Type type);
  Value narrowToOdd(Value x);
  Value floatOfInteger(Value x, bool isUnsigned, FloatType to);
  Value integerOfFloat(Value x, unsigned width, bool isUnsigned);
};

Value Emitter::narrowToHalf(Value x, Type type) {
  if (type.isF16())
    return convert<arith::TruncFOp>(type, x);
  Value bits = bitcast(integer(32), x);
  // Half of the last place, less one where the number is even, carries into what stays.
  Value even = binary<arith::AndIOp>(binary<arith::ShRUIOp>(bits, 16), 1);
  Value rounded = binary<arith::AddIOp>(bits, binary<arith::AddIOp>(even, 0x7fff));
  // A NaN stays one whatever bits are cut off.
  Value quiet = binary<arith::OrIOp>(bits, 0x400000);
  Value chosen = select(compare(arith::CmpFPredicate::UNO, x, x), quiet, rounded);
  return bitcast(type, convert<arith::TruncIOp>(integer(16), binary<arith::ShRUIOp>(chosen, 16)));
}

/// f64 to f32 so that rounding the result again rounds the number itself: an inexact result is the neighbour whose last
/// bit is set, which no tie has.
Value Emitter::narrowToOdd(Value x) {
  Type f32 = b.getF32Type(), f64 = b.getF64Type(), i32 = integer(32);
  Value nearest = convert<arith::TruncFOp>(f32, x);
  Value back = convert<arith::ExtFOp>(f64, nearest);
  Value bits = bitcast(i32, nearest);
  auto magnitude = [&](Value v) { return Value(math::AbsFOp::create(b, loc, v)); };
  Value above = compare(arith::CmpFPredicate::OGT, magnitude(back), magnitude(x));
  Value down = binary<arith::SubIOp>(bits, convert<arith::ExtUIOp>(i32, above));
  Value inexact = compare(arith::CmpFPredicate::ONE, back, x);
  return bitcast(f32, binary<arith::OrIOp>(down, convert<arith::ExtUIOp>(i32, inexact)));
}

Value Emitter::floatOfInteger(Value x, bool isUnsigned, FloatType to) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  auto exactly = [&](Value v, Type type) {
    return isUnsigned ? convert<arith::UIToFPOp>(type, v) : convert<arith::SIToFPOp>(type, v);
  };
  // Small ones through i32: vectors of bytes are converted one by one otherwise.
  if (width < 32) {
    x = isUnsigned ? convert<arith::ExtUIOp>(integer(32), x) : convert<arith::ExtSIOp>(integer(32), x);
    isUnsigned = false;
  }
  if (!isHalfFloat(to))
    return exactly(x, to);
  if (width < 32)
    return narrowToHalf(exactly(x, b.getF32Type()), to);
  if (width == 64) {
    // Of numbers that f64 does not hold, the last bits are drawn together into one below all that the result keeps.
    constexpr uint64_t low = 0xfff, exact = uint64_t(1) << 53;
    Value some = compare(arith::CmpIPredicate::ne, binary<arith::AndIOp>(x, low), 0);
    Value sticky = binary<arith::ShLIOp>(convert<arith::ExtUIOp>(integer(64), some), 11);
    Value drawn = binary<arith::OrIOp>(binary<arith::AndIOp>(x, ~low), sticky);
    Value offset = isUnsigned ? x : binary<arith::AddIOp>(x, exact);
    Value fits = compare(arith::CmpIPredicate::ult, offset, isUnsigned ? exact : 2 * exact);
    x = select(fits, x, drawn);
  }
  return narrowToHalf(narrowToOdd(exactly(x, b.getF64Type())), to);
}

/// Towards zero, saturating, 0 of NaN. The hardware's conversion is undefined out of range.
Value Emitter::integerOfFloat(Value x, unsigned width, bool isUnsigned) {
  auto from = cast<FloatType>(x.getType());
  Type to = integer(width);
  const llvm::fltSemantics &semantics = from.getFloatSemantics();
  APInt least = isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  APInt most = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  // The lower end is a number of the format; the upper end is the first number that is out of range.
  APFloat low(semantics), high(semantics);
  low.convertFromAPInt(least, true, APFloat::rmNearestTiesToEven);
  high.convertFromAPInt(APInt::getOneBitSet(width + 1, isUnsigned ? width : width - 1), false,
                        APFloat::rmNearestTiesToEven);
  Value below = compare(arith::CmpFPredicate::OLT, x, constant(from, low));
  Value above = compare(arith::CmpFPredicate::OGE, x, constant(from, high));
  Value nan = compare(arith::CmpFPredicate::UNO, x, x);
  Value outside = binary<arith::OrIOp>(binary<arith::OrIOp>(below, above), nan);
  Value safe = select(outside, constant(from, APFloat::getZero(semantics)), x);
  Value result;
  if (width < 32)
    result = convert<arith::TruncIOp>(to, convert<arith::FPToSIOp>(integer(32), safe));
  else
    result = isUnsigned ? convert<arith::FPToUIOp>(to, safe) : convert<arith::FPToSIOp>(to, safe);
  result = select(below, constant(to, least), result);
  return select(above, constant(to, most), result);
}

} // namespace

Value mlc::widenHalf(OpBuilder &b, Location loc, Value element) { return Emitter{b, loc}.widenHalf(element); }

Value mlc::narrowToHalf(OpBuilder &b, Location loc, Value element, Type type) {
  return Emitter{b, loc}.narrowToHalf(element, type);
}

Value mlc::emitCast(OpBuilder &b, Location loc, Value x, Type from, Type to) {
  Emitter e{b, loc};
  if (from == to)
    return x;
  if (isHalfFloat(from)) {
    x = e.widenHalf(x);
    from = x.getType();
    if (from == to)
      return x;
  }
  if (to.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(x.getType()));
    return isa<FloatType>(from) ? e.compare(arith::CmpFPredicate::UNE, x, zero)
                                : e.compare(arith::CmpIPredicate::ne, x, zero);
  }
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (auto toFloat = dyn_cast<FloatType>(to)) {
    if (!isa<FloatType>(from))
      return e.floatOfInteger(x, isUnsigned, toFloat);
    if (isHalfFloat(to))
      return e.narrowToHalf(from.isF64() ? e.narrowToOdd(x) : x, to);
    return from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth() ? e.convert<arith::ExtFOp>(to, x)
                                                                     : e.convert<arith::TruncFOp>(to, x);
  }
  unsigned width = to.getIntOrFloatBitWidth(), held = x.getType().getIntOrFloatBitWidth();
  if (isa<FloatType>(from))
    return e.integerOfFloat(x, width, to.isUnsignedInteger());
  if (held == width)
    return x;
  if (held > width)
    return e.convert<arith::TruncIOp>(e.integer(width), x);
  return isUnsigned ? e.convert<arith::ExtUIOp>(e.integer(width), x) : e.convert<arith::ExtSIOp>(e.integer(width), x);
}
