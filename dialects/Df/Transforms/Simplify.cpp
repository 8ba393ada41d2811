// df-simplify: rewrites that keep every bit of the results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFSIMPLIFYPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

/// Whether every element of `value` is 1.
static bool isOne(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getOperand();
  return matchPattern(value, m_OneFloat()) || matchPattern(value, m_One());
}

// x * 1 and x / 1 are x. x + 0 is not: it loses the sign of -0.
static LogicalResult multiplyByOne(MulOp op, PatternRewriter &rewriter) {
  if (isOne(op.getRhs()))
    return rewriter.replaceOp(op, op.getLhs()), success();
  if (isOne(op.getLhs()))
    return rewriter.replaceOp(op, op.getRhs()), success();
  return failure();
}
static LogicalResult divideByOne(DivOp op, PatternRewriter &rewriter) {
  return isOne(op.getRhs()) ? (rewriter.replaceOp(op, op.getLhs()), success()) : failure();
}
static LogicalResult doubleNegation(NegOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<NegOp>();
  return inner ? (rewriter.replaceOp(op, inner.getOperand()), success()) : failure();
}

static LogicalResult selectOfEqual(SelectOp op, PatternRewriter &rewriter) {
  if (op.getTrueValue() == op.getFalseValue() || matchPattern(op.getCondition(), m_One()))
    return rewriter.replaceOp(op, op.getTrueValue()), success();
  if (matchPattern(op.getCondition(), m_Zero()))
    return rewriter.replaceOp(op, op.getFalseValue()), success();
  return failure();
}

static LogicalResult composeTransposes(TransposeOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> outer = op.getPermutation();
  if (llvm::equal(outer, llvm::seq<int64_t>(0, outer.size())))
    return rewriter.replaceOp(op, op.getOperand()), success();
  auto inner = op.getOperand().getDefiningOp<TransposeOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> permutation;
  for (int64_t p : outer)
    permutation.push_back(inner.getPermutation()[p]);
  rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getOperand(), permutation);
  return success();
}

static LogicalResult composeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
  // A static shape between two dynamic ones says what neither of them does.
  if (!inner ||
      (inner.getType().hasStaticShape() && !cast<RankedTensorType>(inner.getOperand().getType()).hasStaticShape()))
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getOperand());
  return success();
}

static LogicalResult composeBroadcasts(BroadcastOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> dimensions;
  for (int64_t d : inner.getDimensions())
    dimensions.push_back(op.getDimensions()[d]);
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getOperand(), op.getLike(), dimensions);
  return success();
}

/// A static shape needs no `like`, which may then be dead.
static LogicalResult dropLike(BroadcastOp op, PatternRewriter &rewriter) {
  if (!op.getLike() || !cast<RankedTensorType>(op.getType()).hasStaticShape())
    return failure();
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), op.getOperand(), Value(), op.getDimensions());
  return success();
}

/// Casts of splats, where the operand and the result are integers of more than one bit or floats, and not float to
/// integer.
static LogicalResult castOfConstant(CastOp op, PatternRewriter &rewriter) {
  SplatElementsAttr splat;
  auto to = cast<RankedTensorType>(op.getType());
  if (!to.hasStaticShape() || !matchPattern(op.getOperand(), m_Constant(&splat)))
    return failure();
  Attribute value = splat.getSplatValue<Attribute>();
  auto toFloat = dyn_cast<FloatType>(to.getElementType());
  if (auto number = dyn_cast<FloatAttr>(value); number && toFloat) {
    APFloat converted = number.getValue();
    bool losesInfo;
    converted.convert(toFloat.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    value = FloatAttr::get(toFloat, converted);
  } else if (auto integer = dyn_cast<IntegerAttr>(value); integer && !integer.getType().isInteger(1)) {
    bool isSigned = !integer.getType().isUnsignedInteger();
    if (toFloat) {
      APFloat converted(toFloat.getFloatSemantics());
      converted.convertFromAPInt(integer.getValue(), isSigned, APFloat::rmNearestTiesToEven);
      value = FloatAttr::get(toFloat, converted);
    } else if (!to.getElementType().isInteger(1)) {
      unsigned width = to.getElementType().getIntOrFloatBitWidth();
      value = IntegerAttr::get(to.getElementType(), isSigned ? integer.getValue().sextOrTrunc(width)
                                                             : integer.getValue().zextOrTrunc(width));
    } else {
      return failure();
    }
  } else {
    return failure();
  }
  rewriter.replaceOpWithNewOp<ConstantOp>(op, DenseElementsAttr::get(to, value));
  return success();
}

/// The sizes of a tensor that is element by element like another are those of the other: it need not be computed to be
/// measured.
static LogicalResult sizeOfOperand(SizeOp op, PatternRewriter &rewriter) {
  Operation *maker = op.getOperand().getDefiningOp();
  if (!maker || !maker->hasTrait<OpTrait::Elementwise>())
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getOperandMutable().assign(maker->getOperand(0)); });
  return success();
}

namespace {
struct DfSimplifyPass : mlc::df::impl::DfSimplifyPassBase<DfSimplifyPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(multiplyByOne).add(divideByOne).add(doubleNegation).add(selectOfEqual);
    patterns.add(composeTransposes).add(composeReshapes).add(composeBroadcasts).add(dropLike);
    patterns.add(castOfConstant).add(sizeOfOperand);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
