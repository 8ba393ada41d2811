// Factors of products as a module's precision has them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/RoundFactor.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"

using namespace mlir;
using namespace mlc::df;

FloatType mlc::df::factorType(MLIRContext *context, Precision precision) {
  if (precision == Precision::BF16Mixed)
    return BFloat16Type::get(context);
  if (precision == Precision::F16Mixed)
    return Float16Type::get(context);
  return Float32Type::get(context);
}

/// The nearest number of which the last 13 of 23 bits after the point are 0, of two the one whose last bit is 0. What
/// is not finite stays.
static Value roundToTf32(OpBuilder &b, Location loc, Value factor) {
  ExpressionBuilder e(b, loc);
  auto type = cast<RankedTensorType>(factor.getType());
  Value bits = BitcastOp::create(b, loc, type.clone(b.getIntegerType(32, /*isSigned=*/false)), factor);
  auto number = [&](uint32_t value) { return e.splatLike(bits, value); };
  auto mask = [&](Value x, uint32_t ones) { return e.binary<BitwiseAndOp>(x, number(ones)); };
  constexpr uint32_t kExponent = 0x7f800000, kDropped = 13, kRest = (1u << kDropped) - 1;
  // Half of the last bit that stays, but a little less unless that is 1. A carry goes on to the exponent.
  Value last = mask(e.binary<ShiftRightLogicalOp>(bits, number(kDropped)), 1);
  Value rounded = mask(e.add(e.add(bits, number(kRest >> 1)), last), ~kRest);
  Value isFinite = e.compare(Comparison::NE, mask(bits, kExponent), number(kExponent));
  return BitcastOp::create(b, loc, type, e.select(isFinite, rounded, bits));
}

Value mlc::df::roundFactor(OpBuilder &b, Location loc, Value factor, Precision precision) {
  if (precision == Precision::F32)
    return factor;
  if (precision == Precision::TF32)
    return roundToTf32(b, loc, factor);
  auto type = cast<RankedTensorType>(factor.getType());
  Type half = type.clone(factorType(b.getContext(), precision));
  return CastOp::create(b, loc, type, CastOp::create(b, loc, half, factor));
}
