// df-simplify: ops that only move elements. They meet after element-wise ops, where they cancel, or vanish in
// products. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Transforms/Simplification.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlc::df;

//===-- moves of moves ------------------------------------------------------------------===//

static LogicalResult composeTransposes(TransposeOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> outer = op.getPermutation();
  if (llvm::equal(outer, llvm::seq<int64_t>(0, outer.size())) && op.getOperand().getType() == op.getType())
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

/// A transpose that moves only dimensions of 1 past others keeps the order of the elements.
static LogicalResult transposeOfUnits(TransposeOp op, PatternRewriter &rewriter) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> moved, shape;
  for (int64_t p : op.getPermutation()) {
    shape.push_back(from.getDimSize(p));
    if (from.getDimSize(p) != 1)
      moved.push_back(p);
  }
  // A reshape does not know which dimension is which, where the types know different sizes.
  if (!llvm::is_sorted(moved) || from.clone(shape) != op.getType() ||
      (from.getNumDynamicDims() > 1 && !differInUnits(from.getShape(), shapeOf(op.getType()))))
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
  return success();
}

static LogicalResult composeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
  // A static shape between two dynamic ones says what neither of them does.
  if (!inner ||
      (inner.getType().hasStaticShape() && !cast<RankedTensorType>(inner.getOperand().getType()).hasStaticShape()))
    return failure();
  // Both steps may be possible where the one is not, and the first one may fail where the one does not.
  auto from = cast<RankedTensorType>(inner.getOperand().getType());
  if (inner.mayFail())
    return failure();
  bool isPossible = differInUnits(from.getShape(), op.getType().getShape()) ||
                    (from.getNumDynamicDims() <= 1 && from.getNumDynamicDims() == op.getType().getNumDynamicDims());
  if (!isPossible)
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

//===-- slices and concatenations -----------------------------------------------------------===//

static LogicalResult simplifySlice(SliceOp op, PatternRewriter &rewriter) {
  Value operand = op.getOperand();
  if (!op.getAxis())
    return failure();
  int64_t axis = *op.getAxis(), start = op.getStarts()[axis], size = op.getSize(axis);
  if (auto inner = operand.getDefiningOp<SliceOp>(); inner && inner.getAxis() == axis) {
    rewriter.replaceOpWithNewOp<SliceOp>(op, inner.getOperand(), axis, inner.getStarts()[axis] + start, size);
    return success();
  }
  auto concat = operand.getDefiningOp<ConcatOp>();
  if (!concat || static_cast<int64_t>(concat.getAxis()) != axis)
    return failure();
  // What the range touches; the axis is static.
  SmallVector<Value> parts;
  int64_t begin = 0, first = 0;
  for (Value part : concat.getOperands()) {
    int64_t end = begin + shapeOf(part.getType())[axis];
    if (end > start && begin < start + size) {
      if (parts.empty())
        first = begin;
      parts.push_back(part);
    }
    begin = end;
  }
  if (parts.empty() || parts.size() == concat.getOperands().size())
    return failure();
  Value rest = parts.front();
  if (parts.size() > 1) {
    auto type = cast<RankedTensorType>(rest.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (Value part : ArrayRef(parts).drop_front())
      shape[axis] += shapeOf(part.getType())[axis];
    rest = ConcatOp::create(rewriter, op.getLoc(), type.clone(shape), parts, axis);
  }
  rewriter.replaceOpWithNewOp<SliceOp>(op, rest, axis, start - first, size);
  return success();
}

/// Concatenations in it become part of it, slices that follow each other become one.
static LogicalResult simplifyConcat(ConcatOp op, PatternRewriter &rewriter) {
  auto axis = static_cast<int64_t>(op.getAxis());
  SmallVector<Value> parts;
  bool changed = false;
  for (Value operand : op.getOperands()) {
    auto inner = operand.getDefiningOp<ConcatOp>();
    if (inner && static_cast<int64_t>(inner.getAxis()) == axis && inner->hasOneUse()) {
      llvm::append_range(parts, inner.getOperands());
      changed = true;
      continue;
    }
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getDimSize(axis) == 0 && op.getOperands().size() > 1) {
      changed = true;
      continue;
    }
    auto slice = operand.getDefiningOp<SliceOp>();
    auto last = parts.empty() ? SliceOp() : parts.back().getDefiningOp<SliceOp>();
    if (slice && last && slice.getOperand() == last.getOperand() && slice.getAxis() == axis && last.getAxis() == axis &&
        last.getStarts()[axis] + last.getSize(axis) == slice.getStarts()[axis]) {
      parts.back() = SliceOp::create(rewriter, op.getLoc(), slice.getOperand(), axis, last.getStarts()[axis],
                                     last.getSize(axis) + slice.getSize(axis));
      changed = true;
      continue;
    }
    parts.push_back(operand);
  }
  if (!changed || parts.empty())
    return failure();
  rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), parts, axis);
  return success();
}

//===-- after element-wise ops ---------------------------------------------------------------===//

/// `op` on `operands`, of which the first one that is not a splat has the shape of the result.
static Value applyTo(Operation *op, ArrayRef<Value> operands, RankedTensorType shape, PatternRewriter &rewriter) {
  Operation *moved = rewriter.clone(*op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  rewriter.modifyOpInPlace(moved, [&] {
    moved->setOperands(operands);
    moved->getResult(0).setType(shape.clone(type.getElementType()));
  });
  return moved->getResult(0);
}

/// A splat of the elements of `value` in the shape of `like`, or null if it is not one.
static Value splatInShapeOf(Value like, Value value, PatternRewriter &rewriter) {
  Attribute element = splatValueOf(value);
  if (!element)
    return {};
  auto type = cast<RankedTensorType>(like.getType()).clone(elementType(value.getType()));
  if (type.hasStaticShape())
    return ConstantOp::create(rewriter, value.getLoc(), DenseElementsAttr::get(type, element));
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value number = ConstantOp::create(rewriter, value.getLoc(), DenseElementsAttr::get(scalar, element));
  return BroadcastOp::create(rewriter, value.getLoc(), type, number, like, ArrayRef<int64_t>());
}

static bool isSameMove(TransposeOp a, TransposeOp b) { return a.getPermutation() == b.getPermutation(); }
static bool isSameMove(ReshapeOp a, ReshapeOp b) {
  // Of several dynamic dimensions equal products do not make equal sizes.
  auto type = cast<RankedTensorType>(a.getOperand().getType());
  return sameShape(type, b.getOperand().getType()) &&
         (type.getNumDynamicDims() <= 1 || areKnownEqual(a.getOperand(), b.getOperand()));
}
static bool isSameMove(BroadcastOp a, BroadcastOp b) {
  return a.getDimensions() == b.getDimensions() && sameShape(a.getOperand().getType(), b.getOperand().getType());
}

static Value moveAgain(TransposeOp move, Value x, RankedTensorType type, PatternRewriter &rewriter) {
  return TransposeOp::create(rewriter, move.getLoc(), type, x, move.getPermutation());
}
static Value moveAgain(ReshapeOp move, Value x, RankedTensorType type, PatternRewriter &rewriter) {
  return ReshapeOp::create(rewriter, move.getLoc(), type, x);
}
static Value moveAgain(BroadcastOp move, Value x, RankedTensorType type, PatternRewriter &rewriter) {
  return BroadcastOp::create(rewriter, move.getLoc(), type, x, move.getLike(), move.getDimensions());
}

/// Whether the use needs no element.
static bool isMeasuring(OpOperand &use) {
  auto user = dyn_cast<MeasuringOpInterface>(use.getOwner());
  return user && user.onlyMeasures(use.getOperandNumber());
}

namespace {
/// An element-wise op of what is moved alike, or has one value everywhere, is the moved result of the op.
template <typename Move> struct MoveBehindElementwise : RewritePattern {
  explicit MoveBehindElementwise(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 || !isMemoryEffectFree(op) || mayFail(op))
      return failure();
    Move first;
    for (Value operand : op->getOperands()) {
      auto move = operand.getDefiningOp<Move>();
      bool isSplat = splatValueOf(operand) != nullptr;
      if (!isSplat && (!move || (first && !isSameMove(first, move))))
        return failure();
      // A move with other users stays: the op would then have it twice. Broadcasts make the op's work less.
      if (!isSplat && !isa<BroadcastOp>(move) &&
          !llvm::all_of(move->getUses(), [&](OpOperand &use) { return use.getOwner() == op || isMeasuring(use); }))
        return failure();
      if (!isSplat && !first)
        first = move;
    }
    // Of splats alone that are broadcast to a dynamic shape: the op is then one of a number.
    if (!first && std::is_same_v<Move, BroadcastOp> && op->getNumOperands())
      first = op->getOperand(0).template getDefiningOp<Move>();
    // Sizes that turn out to differ fail the step where the op stands, not a move of it that may not see them. Asked
    // last: their origins may be far.
    if (!first || !sizesAgree(op))
      return failure();
    Value from = first->getOperand(0);
    auto type = cast<RankedTensorType>(from.getType());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(splatValueOf(operand) ? splatInShapeOf(from, operand, rewriter)
                                               : operand.getDefiningOp()->getOperand(0));
    Value moved = applyTo(op, operands, type, rewriter);
    rewriter.replaceOp(op, moveAgain(first, moved, cast<RankedTensorType>(op->getResult(0).getType()), rewriter));
    return success();
  }
};
} // namespace

//===-- into products -----------------------------------------------------------------------------===//

static LogicalResult transposesIntoMatmul(MatmulOp op, PatternRewriter &rewriter) {
  // One that changes nothing, which another pattern takes away, does not turn the factor.
  auto turned = [](Value factor) {
    auto transpose = factor.getDefiningOp<TransposeOp>();
    return transpose && transpose.getPermutation().front() == 1 ? transpose : TransposeOp();
  };
  TransposeOp lhs = turned(op.getLhs()), rhs = turned(op.getRhs());
  if (!lhs && !rhs)
    return failure();
  rewriter.replaceOpWithNewOp<MatmulOp>(op, op.getType(), lhs ? lhs.getOperand() : op.getLhs(),
                                        rhs ? rhs.getOperand() : op.getRhs(), op.getTransposeA() != (lhs != nullptr),
                                        op.getTransposeB() != (rhs != nullptr));
  return success();
}

/// The dimensions `listed` of a transposed operand as those of what is transposed; none if its other dimensions change
/// their order, which is that of the result.
static std::optional<std::pair<SmallVector<int64_t>, SmallVector<int64_t>>>
dimensionsAfter(TransposeOp transpose, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracting) {
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  SmallVector<int64_t> free;
  for (auto [d, p] : llvm::enumerate(permutation))
    if (!llvm::is_contained(batch, static_cast<int64_t>(d)) &&
        !llvm::is_contained(contracting, static_cast<int64_t>(d)))
      free.push_back(p);
  if (!llvm::is_sorted(free))
    return std::nullopt;
  auto map = [&](ArrayRef<int64_t> dimensions) {
    return llvm::map_to_vector(dimensions, [&](int64_t d) { return permutation[d]; });
  };
  return std::pair(SmallVector<int64_t>(map(batch)), SmallVector<int64_t>(map(contracting)));
}

static LogicalResult transposesIntoDotGeneral(DotGeneralOp op, PatternRewriter &rewriter) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  SmallVector<int64_t> lhsBatch(op.getLhsBatch()), rhsBatch(op.getRhsBatch()), lhsInner(op.getLhsContracting()),
      rhsInner(op.getRhsContracting());
  bool changed = false;
  auto absorb = [&](Value &operand, SmallVector<int64_t> &batch, SmallVector<int64_t> &inner) {
    auto transpose = operand.getDefiningOp<TransposeOp>();
    if (!transpose)
      return;
    auto behind = dimensionsAfter(transpose, batch, inner);
    if (!behind)
      return;
    operand = transpose.getOperand();
    std::tie(batch, inner) = *behind;
    changed = true;
  };
  absorb(lhs, lhsBatch, lhsInner);
  absorb(rhs, rhsBatch, rhsInner);
  if (!changed)
    return failure();
  rewriter.replaceOpWithNewOp<DotGeneralOp>(op, op.getType(), lhs, rhs, lhsBatch, rhsBatch, lhsInner, rhsInner);
  return success();
}

void mlc::df::populateSimplifyLayout(RewritePatternSet &patterns) {
  patterns.add(composeTransposes).add(transposeOfUnits).add(composeReshapes).add(composeBroadcasts);
  patterns.add(simplifySlice).add(simplifyConcat);
  patterns
      .add<MoveBehindElementwise<TransposeOp>, MoveBehindElementwise<ReshapeOp>, MoveBehindElementwise<BroadcastOp>>(
          patterns.getContext());
  patterns.add(transposesIntoMatmul).add(transposesIntoDotGeneral);
}
