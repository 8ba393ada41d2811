// df-simplify: sizes and shapes that are known. A value whose shape is known is computed with its static type; where a
// dynamic type is asked for, df.dynamic_reshape gives it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Transforms/Simplification.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::df;

/// A static shape needs no `like`, which may then be dead.
static LogicalResult dropLike(BroadcastOp op, PatternRewriter &rewriter) {
  if (!op.getLike() || !cast<RankedTensorType>(op.getType()).hasStaticShape())
    return failure();
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), op.getOperand(), Value(), op.getDimensions());
  return success();
}
static LogicalResult dropLikeOfIota(IotaOp op, PatternRewriter &rewriter) {
  if (!op.getLike() || !cast<RankedTensorType>(op.getType()).hasStaticShape())
    return failure();
  rewriter.replaceOpWithNewOp<IotaOp>(op, op.getType(), Value(), op.getAxis());
  return success();
}

/// A value of the shape of `value` that is known earlier: a tensor that is element by element like another, or as large
/// as another, need not be computed to be measured.
static Value sameShapeAs(Value value) {
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->getNumRegions() != 0)
    return {};
  DimensionMapping map = getDimensions(maker);
  // Its type must know what the value's does.
  auto isLike = [&](Value operand) {
    return isa<RankedTensorType>(operand.getType()) && rankOf(operand) == rankOf(value) &&
           llvm::all_of(llvm::seq<int64_t>(0, rankOf(value)), [&](int64_t d) {
             Dimension own{value, d}, other{operand, d};
             return llvm::is_contained(map.get(own), other) && (other.isStatic() || !own.isStatic());
           });
  };
  auto operands = llvm::make_filter_range(maker->getOperands(), isLike);
  return operands.empty() ? Value() : *operands.begin();
}
template <typename Op> static LogicalResult sizeOfOperand(Op op, PatternRewriter &rewriter) {
  Value other = sameShapeAs(op.getOperand());
  if (!other)
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getOperandMutable().assign(other); });
  return success();
}
template <typename Op> static LogicalResult likeOther(Op op, PatternRewriter &rewriter) {
  Value other = op.getLike() ? sameShapeAs(op.getLike()) : Value();
  if (!other || !elementType(other.getType()).isIntOrFloat())
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getLikeMutable().assign(other); });
  return success();
}

namespace {
/// Ends of chains of `sameShapeAs`, each link of which is followed once.
class ShapeSources {
public:
  /// `stop` tells which values are not to be the end.
  explicit ShapeSources(llvm::function_ref<bool(Value)> stop) : stop(stop) {}
  Value get(Value value) {
    SmallVector<Value> path;
    for (auto known = sources.find(value); known == sources.end(); known = sources.find(value)) {
      path.push_back(value);
      Value other = sameShapeAs(value);
      if (!other || stop(other))
        break;
      value = other;
    }
    Value source = sources.try_emplace(value, value).first->second;
    for (Value each : path)
      sources.try_emplace(each, source);
    return source;
  }

private:
  llvm::function_ref<bool(Value)> stop;
  llvm::DenseMap<Value, Value> sources;
};
} // namespace

void mlc::df::measureSources(Operation *root) {
  auto set = [](MutableOperandRange measured, ShapeSources &sources) {
    if (!measured.empty())
      measured.assign(sources.get(measured[0].get()));
  };
  ShapeSources sizes([](Value) { return false; });
  ShapeSources likes([](Value value) { return !elementType(value.getType()).isIntOrFloat(); });
  root->walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<SizeOp, ShapeOp>([&](auto measure) { set(measure.getOperandMutable(), sizes); })
        .Case<BroadcastOp, IotaOp>([&](auto shaped) { set(shaped.getLikeMutable(), likes); });
  });
}

/// The sizes of a transposed tensor are those of the tensor.
static LogicalResult sizeOfTransposed(SizeOp op, PatternRewriter &rewriter) {
  auto transpose = op.getOperand().getDefiningOp<TransposeOp>();
  if (!transpose)
    return failure();
  SmallVector<int64_t> dimensions;
  for (int64_t d : op.getDimensions())
    dimensions.push_back(transpose.getPermutation()[d]);
  llvm::sort(dimensions);
  rewriter.replaceOpWithNewOp<SizeOp>(op, op.getType(), transpose.getOperand(), dimensions);
  return success();
}

//===-- shapes of run time that are constant ---------------------------------------------===//

/// The sizes that a constant vector says.
static std::optional<SmallVector<int64_t>> sizesOf(Value shape) {
  DenseIntElementsAttr sizes;
  if (!matchPattern(shape, m_Constant(&sizes)))
    return std::nullopt;
  SmallVector<int64_t> result;
  for (const APInt &size : sizes.getValues<APInt>())
    result.push_back(size.getSExtValue());
  return result;
}

/// The static value that a df.dynamic_reshape only gives a type that says less, or null.
static Value knownShape(Value value) {
  auto reshape = value.getDefiningOp<DynamicReshapeOp>();
  if (!reshape || cast<RankedTensorType>(reshape.getType()).hasStaticShape())
    return {};
  auto sizes = sizesOf(reshape.getShape());
  auto from = cast<RankedTensorType>(reshape.getOperand().getType());
  return sizes && from.hasStaticShape() && from.getShape() == ArrayRef<int64_t>(*sizes) ? reshape.getOperand()
                                                                                        : Value();
}

/// `value`, of static shape, under the type `type`, which may say less.
static Value withType(Value value, Type type, PatternRewriter &rewriter) {
  if (value.getType() == type)
    return value;
  ArrayRef<int64_t> shape = shapeOf(value.getType());
  auto vector = RankedTensorType::get({static_cast<int64_t>(shape.size())}, rewriter.getI64Type());
  Value sizes = ConstantOp::create(rewriter, value.getLoc(), DenseElementsAttr::get(vector, shape));
  return DynamicReshapeOp::create(rewriter, value.getLoc(), type, value, sizes);
}

/// Whether a value of shape `shape` may have the type `type`.
static bool fits(ArrayRef<int64_t> shape, Type type) {
  return llvm::equal(shape, shapeOf(type),
                     [](int64_t size, int64_t of) { return size == of || ShapedType::isDynamic(of); });
}

static LogicalResult reshapeToKnown(DynamicReshapeOp op, PatternRewriter &rewriter) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  auto sizes = sizesOf(op.getShape());
  if (!sizes || !from.hasStaticShape() || knownShape(op.getResult()))
    return failure();
  // One size of -1 is what the others leave.
  int64_t known = 1, open = -1;
  for (auto [d, size] : llvm::enumerate(*sizes)) {
    if (size < -1 || (size == -1 && open >= 0))
      return failure();
    if (size == -1)
      open = d;
    else
      known *= size;
  }
  if (open >= 0) {
    if (known == 0 || from.getNumElements() % known)
      return failure();
    (*sizes)[open] = from.getNumElements() / known;
    known = from.getNumElements();
  }
  // What fails, fails when it is run.
  if (known != from.getNumElements() || !fits(*sizes, op.getType()))
    return failure();
  Value value = ReshapeOp::create(rewriter, op.getLoc(), from.clone(*sizes), op.getOperand());
  rewriter.replaceOp(op, withType(value, op.getType(), rewriter));
  return success();
}

static LogicalResult broadcastToKnown(DynamicBroadcastOp op, PatternRewriter &rewriter) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  auto sizes = sizesOf(op.getShape());
  if (!sizes || !from.hasStaticShape() || !llvm::all_of(*sizes, [](int64_t size) { return size >= 0; }) ||
      !fits(*sizes, op.getType()))
    return failure();
  for (auto [size, d] : llvm::zip(from.getShape(), op.getDimensions()))
    if (size != 1 && size != (*sizes)[d])
      return failure();
  Value value =
      BroadcastOp::create(rewriter, op.getLoc(), from.clone(*sizes), op.getOperand(), Value(), op.getDimensions());
  rewriter.replaceOp(op, withType(value, op.getType(), rewriter));
  return success();
}

namespace {
/// Of an element-wise op all shapes are known if one is.
struct ElementwiseOfKnown : RewritePattern {
  explicit ElementwiseOfKnown(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
      return failure();
    Value known;
    for (Value operand : op->getOperands())
      if (Value value = knownShape(operand))
        known = value;
    if (!known)
      return failure();
    auto shape = cast<RankedTensorType>(known.getType());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Value value = knownShape(operand);
      if (value && !sameShape(value.getType(), shape))
        return failure();
      // Others have to have that shape; whether they do is checked.
      operands.push_back(value ? value : withShape(operand, shape, rewriter));
    }
    Operation *copy = rewriter.clone(*op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    rewriter.modifyOpInPlace(copy, [&] {
      copy->setOperands(operands);
      copy->getResult(0).setType(shape.clone(type.getElementType()));
    });
    rewriter.replaceOp(op, withType(copy->getResult(0), type, rewriter));
    return success();
  }

private:
  static Value withShape(Value value, RankedTensorType shape, PatternRewriter &rewriter) {
    auto vector = RankedTensorType::get({shape.getRank()}, rewriter.getI64Type());
    Value sizes = ConstantOp::create(rewriter, value.getLoc(), DenseElementsAttr::get(vector, shape.getShape()));
    return DynamicReshapeOp::create(rewriter, value.getLoc(), shape.clone(elementType(value.getType())), value, sizes);
  }
};
} // namespace

static LogicalResult broadcastLikeKnown(BroadcastOp op, PatternRewriter &rewriter) {
  Value like = op.getLike() ? knownShape(op.getLike()) : Value();
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  if (!like || !from.hasStaticShape())
    return failure();
  ArrayRef<int64_t> shape = shapeOf(like.getType());
  for (auto [size, d] : llvm::zip(from.getShape(), op.getDimensions()))
    if (size != 1 && size != shape[d])
      return failure();
  Value value =
      BroadcastOp::create(rewriter, op.getLoc(), from.clone(shape), op.getOperand(), Value(), op.getDimensions());
  rewriter.replaceOp(op, withType(value, op.getType(), rewriter));
  return success();
}
static LogicalResult iotaLikeKnown(IotaOp op, PatternRewriter &rewriter) {
  Value like = op.getLike() ? knownShape(op.getLike()) : Value();
  if (!like)
    return failure();
  auto type = cast<RankedTensorType>(op.getType()).clone(shapeOf(like.getType()));
  Value value = IotaOp::create(rewriter, op.getLoc(), type, Value(), op.getAxis());
  rewriter.replaceOp(op, withType(value, op.getType(), rewriter));
  return success();
}
static LogicalResult transposeOfKnown(TransposeOp op, PatternRewriter &rewriter) {
  Value known = knownShape(op.getOperand());
  if (!known)
    return failure();
  auto from = cast<RankedTensorType>(known.getType());
  SmallVector<int64_t> shape;
  for (int64_t p : op.getPermutation())
    shape.push_back(from.getDimSize(p));
  Value value = TransposeOp::create(rewriter, op.getLoc(), from.clone(shape), known, op.getPermutation());
  rewriter.replaceOp(op, withType(value, op.getType(), rewriter));
  return success();
}
template <typename Op> static LogicalResult reductionOfKnown(Op op, PatternRewriter &rewriter) {
  Value known = knownShape(op.getOperand());
  if (!known)
    return failure();
  auto type = withoutAxes(known.getType(), op.getAxes()).clone(elementType(op.getType()));
  Value value = Op::create(rewriter, op.getLoc(), type, known, op.getAxes());
  rewriter.replaceOp(op, withType(value, op.getType(), rewriter));
  return success();
}
/// Sizes of what is known are.
template <typename Op> static LogicalResult measureKnown(Op op, PatternRewriter &rewriter) {
  Value known = knownShape(op.getOperand());
  if (!known)
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getOperandMutable().assign(known); });
  return success();
}
/// Of shapes of run time one after another only the last counts, where the one before could not fail.
static LogicalResult reshapeOfKnown(DynamicReshapeOp op, PatternRewriter &rewriter) {
  Value known = knownShape(op.getOperand());
  if (!known)
    return failure();
  rewriter.replaceOpWithNewOp<DynamicReshapeOp>(op, op.getType(), known, op.getShape());
  return success();
}

void mlc::df::populateSimplifyShapes(RewritePatternSet &patterns) {
  patterns.add(dropLike).add(dropLikeOfIota).add(sizeOfOperand<SizeOp>).add(sizeOfOperand<ShapeOp>);
  patterns.add(likeOther<BroadcastOp>).add(likeOther<IotaOp>).add(sizeOfTransposed);
  patterns.add(reshapeToKnown).add(broadcastToKnown).add(broadcastLikeKnown).add(iotaLikeKnown).add(transposeOfKnown);
  patterns.add(reductionOfKnown<ReduceSumOp>).add(reductionOfKnown<ReduceMaxOp>).add(reductionOfKnown<ReduceMinOp>);
  patterns.add(measureKnown<SizeOp>).add(measureKnown<ShapeOp>).add(reshapeOfKnown);
  patterns.add<ElementwiseOfKnown>(patterns.getContext());
}
