// df-simplify: identities of element-wise ops, exact for every value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Transforms/Simplification.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlc::df;

Attribute mlc::df::splatValueOf(Value value) {
  while (Operation *maker = value.getDefiningOp()) {
    // The forms in which splats are written. What else moves elements, as a barrier, is not looked through.
    if (!isa<BroadcastOp, ReshapeOp>(maker))
      break;
    value = maker->getOperand(0);
  }
  SplatElementsAttr splat;
  return matchPattern(value, m_Constant(&splat)) ? splat.getSplatValue<Attribute>() : Attribute();
}

//===-- values of constants -----------------------------------------------------------===//

static bool isFloat(Value value) { return isa<FloatType>(elementType(value.getType())); }

static bool isInteger(Value value, int64_t number) {
  auto attr = dyn_cast_or_null<IntegerAttr>(splatValueOf(value));
  return attr && attr.getValue() == APInt(attr.getValue().getBitWidth(), number, /*isSigned=*/true,
                                          /*implicitTrunc=*/true);
}
static bool isFloat(Value value, double number) {
  auto attr = dyn_cast_or_null<FloatAttr>(splatValueOf(value));
  return attr && attr.getValue().bitwiseIsEqual([&] {
    APFloat expected(number);
    bool losesInfo;
    expected.convert(attr.getValue().getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return expected;
  }());
}
static bool isOne(Value value) { return isFloat(value, 1.0) || isInteger(value, 1); }
static bool isTrue(Value value) { return isInteger(value, 1); }
static bool isFalse(Value value) { return isInteger(value, 0); }

static LogicalResult becomes(Operation *op, Value value, PatternRewriter &rewriter) {
  if (!value || value.getType() != op->getResult(0).getType())
    return failure();
  rewriter.replaceOp(op, value);
  return success();
}
/// The other operand where one of both fulfils `condition`.
template <typename Op> static Value otherThan(Op op, llvm::function_ref<bool(Value)> condition) {
  return condition(op.getRhs()) ? op.getLhs() : condition(op.getLhs()) ? op.getRhs() : Value();
}
template <typename Inner> static Value operandOf(Value value) {
  auto inner = value.getDefiningOp<Inner>();
  return inner ? inner->getOperand(0) : Value();
}

//===-- sums and products ---------------------------------------------------------------===//

// x + 0 is not x: it loses the sign of -0. x + -0 is, and x - 0.
static LogicalResult simplifyAdd(AddOp op, PatternRewriter &rewriter) {
  if (Value other = otherThan(op, [](Value v) { return isFloat(v, -0.0) || isInteger(v, 0); }))
    return becomes(op, other, rewriter);
  for (auto [x, y] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())})
    if (Value negated = operandOf<NegOp>(y)) {
      rewriter.replaceOpWithNewOp<SubOp>(op, op.getType(), x, negated);
      return success();
    }
  return failure();
}

static LogicalResult simplifySub(SubOp op, PatternRewriter &rewriter) {
  if (isFloat(op.getRhs(), 0.0) || isInteger(op.getRhs(), 0))
    return becomes(op, op.getLhs(), rewriter);
  auto type = cast<RankedTensorType>(op.getType());
  // Infinity - infinity is NaN.
  if (op.getLhs() == op.getRhs() && !isFloat(op.getLhs()) && type.hasStaticShape()) {
    rewriter.replaceOpWithNewOp<ConstantOp>(op, cast<ElementsAttr>(rewriter.getZeroAttr(type)));
    return success();
  }
  if (Value negated = operandOf<NegOp>(op.getRhs())) {
    rewriter.replaceOpWithNewOp<AddOp>(op, type, op.getLhs(), negated);
    return success();
  }
  return failure();
}

static LogicalResult simplifyMul(MulOp op, PatternRewriter &rewriter) {
  if (Value other = otherThan(op, isOne))
    return becomes(op, other, rewriter);
  for (Value factor : op->getOperands())
    if (isInteger(factor, 0))
      return becomes(op, factor, rewriter);
  if (Value other = otherThan(op, [](Value v) { return isFloat(v, -1.0) || isInteger(v, -1); })) {
    rewriter.replaceOpWithNewOp<NegOp>(op, op.getType(), other);
    return success();
  }
  Value x = operandOf<NegOp>(op.getLhs()), y = operandOf<NegOp>(op.getRhs());
  if (x && y) {
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), x, y);
    return success();
  }
  if (op.getLhs() == op.getRhs()) {
    rewriter.replaceOpWithNewOp<SquareOp>(op, op.getType(), op.getLhs());
    return success();
  }
  return failure();
}

/// A division by a power of two is a product with its inverse, which has the same exact value before it is rounded.
static LogicalResult simplifyDiv(DivOp op, PatternRewriter &rewriter) {
  if (isOne(op.getRhs()))
    return becomes(op, op.getLhs(), rewriter);
  auto divisor = dyn_cast_or_null<FloatAttr>(splatValueOf(op.getRhs()));
  auto constant = op.getRhs().getDefiningOp<ConstantOp>();
  APFloat inverse(0.0);
  if (!divisor || !constant || !divisor.getValue().getExactInverse(&inverse))
    return failure();
  auto type = cast<RankedTensorType>(constant.getType());
  Value factor = ConstantOp::create(
      rewriter, op.getLoc(), DenseElementsAttr::get(type, Attribute(FloatAttr::get(type.getElementType(), inverse))));
  rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), factor);
  return success();
}

//===-- ops that are their own inverse or change nothing the second time -----------------===//

template <typename Op> static LogicalResult involution(Op op, PatternRewriter &rewriter) {
  return becomes(op, operandOf<Op>(op->getOperand(0)), rewriter);
}
template <typename Op> static LogicalResult idempotent(Op op, PatternRewriter &rewriter) {
  return becomes(op, operandOf<Op>(op->getOperand(0)) ? op->getOperand(0) : Value(), rewriter);
}
/// Of floor, ceil, round and trunc any one leaves what another one gives.
template <typename Op> static LogicalResult roundingOfIntegral(Op op, PatternRewriter &rewriter) {
  bool isIntegral = isa_and_present<FloorOp, CeilOp, RoundOp, TruncOp>(op.getOperand().getDefiningOp());
  return becomes(op, isIntegral ? op.getOperand() : Value(), rewriter);
}
template <typename Op> static LogicalResult signIsLost(Op op, PatternRewriter &rewriter) {
  Value inner = operandOf<NegOp>(op.getOperand());
  if (!inner)
    inner = operandOf<AbsOp>(op.getOperand());
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<Op>(op, op.getType(), inner);
  return success();
}
template <typename Op> static LogicalResult ofEqual(Op op, PatternRewriter &rewriter) {
  return op.getLhs() == op.getRhs() ? becomes(op, op.getLhs(), rewriter) : failure();
}

//===-- truth values -----------------------------------------------------------------------===//

static LogicalResult simplifyAnd(LogicalAndOp op, PatternRewriter &rewriter) {
  if (Value other = otherThan(op, isTrue))
    return becomes(op, other, rewriter);
  return becomes(op, isFalse(op.getLhs()) ? op.getLhs() : isFalse(op.getRhs()) ? op.getRhs() : Value(), rewriter);
}
static LogicalResult simplifyOr(LogicalOrOp op, PatternRewriter &rewriter) {
  if (Value other = otherThan(op, isFalse))
    return becomes(op, other, rewriter);
  return becomes(op, isTrue(op.getLhs()) ? op.getLhs() : isTrue(op.getRhs()) ? op.getRhs() : Value(), rewriter);
}

static LogicalResult simplifySelect(SelectOp op, PatternRewriter &rewriter) {
  if (op.getTrueValue() == op.getFalseValue() || isTrue(op.getCondition()))
    return becomes(op, op.getTrueValue(), rewriter);
  if (isFalse(op.getCondition()))
    return becomes(op, op.getFalseValue(), rewriter);
  if (isTrue(op.getTrueValue()) && isFalse(op.getFalseValue()))
    return becomes(op, op.getCondition(), rewriter);
  if (Value negated = operandOf<LogicalNotOp>(op.getCondition())) {
    rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), negated, op.getFalseValue(), op.getTrueValue());
    return success();
  }
  return failure();
}

/// The opposite of a comparison; there is none of lt and the like where a NaN may be.
static LogicalResult notOfComparison(LogicalNotOp op, PatternRewriter &rewriter) {
  auto compare = op.getOperand().getDefiningOp<CompareOp>();
  if (!compare || !compare->hasOneUse())
    return failure();
  Comparison predicate = compare.getPredicate();
  if (isFloat(compare.getLhs()) && predicate != Comparison::EQ && predicate != Comparison::NE)
    return failure();
  Comparison opposite = Comparison::EQ;
  switch (predicate) {
  case Comparison::EQ:
    opposite = Comparison::NE;
    break;
  case Comparison::NE:
    opposite = Comparison::EQ;
    break;
  case Comparison::LT:
    opposite = Comparison::GE;
    break;
  case Comparison::LE:
    opposite = Comparison::GT;
    break;
  case Comparison::GT:
    opposite = Comparison::LE;
    break;
  case Comparison::GE:
    opposite = Comparison::LT;
    break;
  }
  rewriter.replaceOpWithNewOp<CompareOp>(op, op.getType(), opposite, compare.getLhs(), compare.getRhs());
  return success();
}

//===-- casts --------------------------------------------------------------------------------===//

/// Whether each value of `from` is one of `to`.
static bool holdsAll(Type from, Type to) {
  auto f = dyn_cast<FloatType>(from), t = dyn_cast<FloatType>(to);
  if (f && t)
    return APFloat::isRepresentableBy(f.getFloatSemantics(), t.getFloatSemantics());
  auto i = dyn_cast<IntegerType>(from), j = dyn_cast<IntegerType>(to);
  return i && j && i.getSignedness() == j.getSignedness() && i.getWidth() > 1 && i.getWidth() <= j.getWidth();
}

/// What a cast widens it may cast at once.
static LogicalResult castOfWider(CastOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<CastOp>();
  if (!inner || !holdsAll(elementType(inner.getOperand().getType()), elementType(inner.getType())))
    return failure();
  if (inner.getOperand().getType() == op.getType())
    return becomes(op, inner.getOperand(), rewriter);
  rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), inner.getOperand());
  return success();
}

static LogicalResult bitsOfBits(BitcastOp op, PatternRewriter &rewriter) {
  Value inner = operandOf<BitcastOp>(op.getOperand());
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<BitcastOp>(op, op.getType(), inner);
  return success();
}

void mlc::df::populateSimplifyArithmetic(RewritePatternSet &patterns) {
  patterns.add(simplifyAdd).add(simplifySub).add(simplifyMul).add(simplifyDiv);
  patterns.add(involution<NegOp>).add(involution<LogicalNotOp>).add(involution<BitwiseNotOp>);
  patterns.add(idempotent<AbsOp>).add(idempotent<ReluOp>).add(idempotent<SignOp>);
  patterns.add(roundingOfIntegral<FloorOp>).add(roundingOfIntegral<CeilOp>);
  patterns.add(roundingOfIntegral<RoundOp>).add(roundingOfIntegral<TruncOp>);
  patterns.add(signIsLost<SquareOp>).add(signIsLost<AbsOp>);
  patterns.add(ofEqual<MaximumOp>).add(ofEqual<MinimumOp>).add(ofEqual<LogicalAndOp>).add(ofEqual<LogicalOrOp>);
  patterns.add(ofEqual<BitwiseAndOp>).add(ofEqual<BitwiseOrOp>);
  patterns.add(simplifyAnd).add(simplifyOr).add(simplifySelect).add(notOfComparison);
  patterns.add(castOfWider).add(bitsOfBits);
}
