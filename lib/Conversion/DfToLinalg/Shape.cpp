// Constants, broadcasts and shape ops to tensor and linalg.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlc;

/// An index attribute.
static OpFoldResult index(OpBuilder &b, int64_t v) { return b.getIndexAttr(v); }

OpFoldResult mlc::sizeOf(OpBuilder &b, Location loc, Value tensor, int64_t d) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(d))
    return index(b, type.getDimSize(d));
  return Value(tensor::DimOp::create(b, loc, tensor, d));
}

/// Dimensions that df names, and for strings the one of the pair that a cell becomes, which stays the last. `type` is
/// the df type of the result.
static SmallVector<int64_t> withCellDimension(ArrayRef<int64_t> dimensions, Type type) {
  SmallVector<int64_t> result(dimensions);
  if (isa<df::StringType>(dfElement(type)))
    result.push_back(cast<RankedTensorType>(type).getRank());
  return result;
}

namespace {

/// What has no elements needs no computation.
struct NothingPattern : public ConversionPattern {
  NothingPattern(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), kNothingBenefit, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value>, ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<df::DfDialect>(op->getDialect()) || op->getNumResults() != 1 || !isMemoryEffectFree(op) ||
        isa<RegionBranchOpInterface>(op))
      return failure();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() != 0)
      return failure();
    rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, getTypeConverter()->convertType(type), ValueRange());
    return success();
  }
};

struct ConstantPattern : public OpConversionPattern<df::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!elements)
      return op.emitOpError("must hold dense elements");
    if (elements.getElementType().isInteger(1))
      elements = elements.mapValues(rewriter.getI8Type(), [](const APInt &v) { return v.zext(8); });
    if (elements.getElementType().isUnsignedInteger())
      elements = elements.bitcast(rewriter.getIntegerType(elements.getElementType().getIntOrFloatBitWidth()));
    // A long splat is a loop that stores it, not data of the artifact.
    constexpr int64_t kMostSplatElements = 64;
    if (elements.isSplat() && elements.getNumElements() > kMostSplatElements) {
      Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), elements.getType(), ValueRange());
      rewriter.replaceOp(op, filled(rewriter, op.getLoc(), empty, elements.getSplatValue<TypedAttr>()));
      return success();
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, elements);
    return success();
  }
};

struct BroadcastPattern : public OpConversionPattern<df::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::BroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    auto from = cast<RankedTensorType>(adaptor.getOperand().getType());
    Value empty = adaptor.getLike() ? emptyLike(rewriter, loc, type, adaptor.getLike())
                                    : Value(tensor::EmptyOp::create(rewriter, loc, type, ValueRange()));
    // Unit dimensions that repeat are dropped: the map then projects, which every later stage understands.
    SmallVector<AffineExpr> exprs;
    SmallVector<ReassociationIndices> groups;
    SmallVector<int64_t> kept;
    SmallVector<int64_t> dimensions = withCellDimension(op.getDimensions(), op.getType());
    for (auto [d, target] : llvm::enumerate(dimensions)) {
      bool repeats = from.getDimSize(d) == 1 && type.getDimSize(target) != 1;
      if (!repeats) {
        exprs.push_back(rewriter.getAffineDimExpr(target));
        kept.push_back(from.getDimSize(d));
      }
      if (groups.empty() || (!repeats && exprs.size() > 1))
        groups.push_back({});
      groups.back().push_back(d);
    }
    Value operand = adaptor.getOperand();
    if (kept.size() != static_cast<size_t>(from.getRank())) {
      if (kept.empty())
        groups.clear();
      operand = tensor::CollapseShapeOp::create(rewriter, loc, RankedTensorType::get(kept, from.getElementType()),
                                                operand, groups);
    }
    SmallVector<AffineMap> maps = {AffineMap::get(type.getRank(), 0, exprs, getContext()),
                                   rewriter.getMultiDimIdentityMap(type.getRank())};
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    auto generic = makeGeneric(rewriter, loc, operand, empty, maps, iterators,
                               [](OpBuilder &, ValueRange elements) -> SmallVector<Value> { return {elements[0]}; });
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

/// Sizes that the type of the result says more are checked beside it (`df-require-sizes`). A tensor.cast would tell
/// them of the operand, too, whose size the check looks at: upstream takes it to be right. A slice does not.
struct CastShapePattern : public OpConversionPattern<df::CastShapeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::CastShapeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getOperand();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    auto known = cast<RankedTensorType>(df::joinTypes(x.getType(), type));
    if (known != x.getType()) {
      SmallVector<OpFoldResult> zeros(known.getRank(), index(rewriter, 0)), ones(known.getRank(), index(rewriter, 1)),
          sizes;
      for (auto [d, size] : llvm::enumerate(known.getShape()))
        sizes.push_back(ShapedType::isDynamic(size) ? sizeOf(rewriter, loc, x, static_cast<int64_t>(d))
                                                    : index(rewriter, size));
      x = tensor::ExtractSliceOp::create(rewriter, loc, known, x, zeros, sizes, ones);
    }
    if (known != type)
      x = tensor::CastOp::create(rewriter, loc, type, x);
    rewriter.replaceOp(op, x);
    return success();
  }
};

/// For each dimension other than 1 the ones around it, so that all are in a group; none if there is no such dimension.
static SmallVector<ReassociationIndices> groupsOfUnits(ArrayRef<int64_t> shape) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (size != 1)
      groups.emplace_back(groups.empty() ? leading : ReassociationIndices());
    (groups.empty() ? leading : groups.back()).push_back(static_cast<int64_t>(d));
  }
  return groups;
}

/// A tensor of several dynamic dimensions under a shape that differs in dimensions of 1 alone.
static Value reshapeUnits(OpBuilder &b, Location loc, Value x, RankedTensorType to) {
  auto from = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  for (auto [d, size] : llvm::enumerate(from.getShape()))
    if (size != 1) {
      shape.push_back(size);
      sizes.push_back(sizeOf(b, loc, x, static_cast<int64_t>(d)));
    }
  auto rank = static_cast<int64_t>(shape.size());
  if (rank != from.getRank())
    x = tensor::CollapseShapeOp::create(b, loc, from.clone(shape), x, groupsOfUnits(from.getShape()));
  if (rank == to.getRank())
    return x;
  SmallVector<OpFoldResult> expanded;
  for (int64_t size : to.getShape()) {
    expanded.push_back(size == 1 ? index(b, 1) : sizes.front());
    if (size != 1)
      sizes.erase(sizes.begin());
  }
  return tensor::ExpandShapeOp::create(b, loc, to, x, groupsOfUnits(to.getShape()), expanded);
}

struct ReshapePattern : public OpConversionPattern<df::ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::ReshapeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto from = cast<RankedTensorType>(adaptor.getOperand().getType());
    auto to = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    bool strings = isa<df::StringType>(dfElement(op.getType()));
    if (hasNoElements(to) && !to.hasStaticShape()) {
      rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, to, dynamicSizes(rewriter, loc, adaptor.getOperand()));
      return success();
    }
    if (from.getNumDynamicDims() > 1) {
      rewriter.replaceOp(op, reshapeUnits(rewriter, loc, adaptor.getOperand(), to));
      return success();
    }
    // Through one dimension (strings keep their trailing pair).
    int64_t tail = strings ? 1 : 0;
    auto isDynamic = [](int64_t d) { return ShapedType::isDynamic(d); };
    auto flatSize = [&](RankedTensorType t) {
      int64_t n = 1;
      for (int64_t d : t.getShape().drop_back(tail))
        n = isDynamic(d) || isDynamic(n) ? ShapedType::kDynamic : n * d;
      return n;
    };
    auto flatType = [&](int64_t n) {
      SmallVector<int64_t> shape = {n};
      if (strings)
        shape.push_back(2);
      return RankedTensorType::get(shape, from.getElementType());
    };
    auto reassociation = [&](int64_t rank) {
      SmallVector<ReassociationIndices> groups = {{}};
      for (int64_t d = 0; d < rank - tail; ++d)
        groups[0].push_back(d);
      if (groups[0].empty())
        groups.clear();
      if (strings)
        groups.push_back({rank - 1});
      return groups;
    };
    Value flat = adaptor.getOperand();
    int64_t fromRank = from.getRank() - tail, toRank = to.getRank() - tail;
    if (fromRank == 0)
      flat = tensor::ExpandShapeOp::create(rewriter, loc, flatType(1), flat,
                                           strings ? SmallVector<ReassociationIndices>{{0, 1}}
                                                   : SmallVector<ReassociationIndices>{});
    else if (fromRank != 1)
      flat =
          tensor::CollapseShapeOp::create(rewriter, loc, flatType(flatSize(from)), flat, reassociation(from.getRank()));
    if (flatSize(to) != flatSize(from))
      flat = tensor::CastOp::create(rewriter, loc, flatType(flatSize(to)), flat);
    if (toRank == 0)
      flat = tensor::CollapseShapeOp::create(rewriter, loc, to, flat,
                                             strings ? SmallVector<ReassociationIndices>{{0, 1}}
                                                     : SmallVector<ReassociationIndices>{});
    else if (toRank != 1) {
      SmallVector<OpFoldResult> sizes;
      auto staticProduct = [&](RankedTensorType t) {
        int64_t product = 1;
        for (int64_t d : t.getShape().drop_back(tail))
          product *= isDynamic(d) ? 1 : d;
        return product;
      };
      int64_t known = staticProduct(to);
      for (int64_t d : to.getShape()) {
        if (!isDynamic(d)) {
          sizes.push_back(index(rewriter, d));
          continue;
        }
        if (known == staticProduct(from)) {
          sizes.push_back(dynamicSizes(rewriter, loc, adaptor.getOperand()).front());
          continue;
        }
        Value total = tensor::DimOp::create(rewriter, loc, flat, 0);
        if (known != 1) {
          Value ofRow = arith::ConstantIndexOp::create(rewriter, loc, known);
          if (staticProduct(from) % known != 0)
            emitRequire(rewriter, op,
                        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                              arith::RemUIOp::create(rewriter, loc, total, ofRow),
                                              arith::ConstantIndexOp::create(rewriter, loc, 0)),
                        "rows of " + std::to_string(known) + " cannot hold the elements of the operand");
          total = arith::DivUIOp::create(rewriter, loc, total, ofRow);
        }
        sizes.push_back(total);
      }
      flat = tensor::ExpandShapeOp::create(rewriter, loc, to, flat, reassociation(to.getRank()), sizes);
    }
    rewriter.replaceOp(op, flat);
    return success();
  }
};

struct TransposePattern : public OpConversionPattern<df::TransposeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::TransposeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    SmallVector<int64_t> permutation = withCellDimension(op.getPermutation(), op.getType());
    Value empty = emptyLike(rewriter, loc, type, adaptor.getOperand(), permutation);
    // Dimension i of the result reads dimension permutation[i] of the operand.
    SmallVector<AffineExpr> exprs(type.getRank());
    for (auto [i, p] : llvm::enumerate(permutation))
      exprs[p] = rewriter.getAffineDimExpr(i);
    SmallVector<AffineMap> maps = {AffineMap::get(type.getRank(), 0, exprs, getContext()),
                                   rewriter.getMultiDimIdentityMap(type.getRank())};
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    auto generic = makeGeneric(rewriter, loc, adaptor.getOperand(), empty, maps, iterators,
                               [](OpBuilder &, ValueRange elements) -> SmallVector<Value> { return {elements[0]}; });
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

struct ConcatPattern : public OpConversionPattern<df::ConcatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::ConcatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    int64_t axis = op.getAxis();
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d))
        continue;
      Value size = tensor::DimOp::create(rewriter, loc, adaptor.getOperands()[0], d);
      if (d == axis)
        for (Value operand : adaptor.getOperands().drop_front())
          size = arith::AddIOp::create(rewriter, loc, size, tensor::DimOp::create(rewriter, loc, operand, d));
      sizes.push_back(size);
    }
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, sizes);
    SmallVector<Value> parts = llvm::to_vector(llvm::make_filter_range(
        adaptor.getOperands(), [](Value part) { return !hasNoElements(cast<RankedTensorType>(part.getType())); }));
    if (hasNoElements(type) || parts.empty())
      rewriter.replaceOp(op, empty);
    else
      rewriter.replaceOpWithNewOp<kern::ConcatOp>(op, TypeRange(type), parts, empty, op.getAxis());
    return success();
  }
};

struct SizePattern : public OpConversionPattern<df::SizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::SizeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value size = arith::ConstantIndexOp::create(rewriter, loc, 1);
    for (int64_t d : op.getDimensions())
      size = arith::MulIOp::create(rewriter, loc, size, tensor::DimOp::create(rewriter, loc, adaptor.getOperand(), d));
    rewriter.replaceOp(op, scalarTensor(rewriter, loc, size));
    return success();
  }
};

} // namespace

void mlc::populateShapePatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<NothingPattern>(types, patterns.getContext());
  patterns.add<ConstantPattern, BroadcastPattern, CastShapePattern, ReshapePattern, TransposePattern, ConcatPattern,
               SizePattern>(types, patterns.getContext());
}
