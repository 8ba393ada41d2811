// General products and convolutions to kern.contract; products that have no columns to linalg.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Conversions.h"
#include "Windows.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfConvolutionOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlc;
using utils::IteratorType;

namespace {
/// The element types of a product in df: of both sides, of its sums and of the result.
struct ProductTypes {
  Operation *op; ///< of df
  Type lhs, rhs, sum, result;

  /// A product of factors that may be narrower than what it is computed in.
  ProductTypes(Operation *op, Value lhs, Value rhs, Type element)
      : op(op), lhs(dfElement(lhs.getType())), rhs(dfElement(rhs.getType())), sum(element), result(element) {}
  /// f16 and bf16 are computed in f32 and rounded once.
  ProductTypes(df::DotGeneralOp op, Value lhs, Value rhs)
      : op(op), lhs(dfElement(op.getLhs().getType())), rhs(dfElement(op.getRhs().getType())),
        result(dfElement(op.getType())) {
    sum = isHalfFloat(result) ? Float32Type::get(op.getContext()) : result;
    // Signs are lost in conversion, halves are not.
    for (auto [type, value] : {std::pair(&this->lhs, lhs), std::pair(&this->rhs, rhs)})
      if (Type narrow = cast<RankedTensorType>(value.getType()).getElementType(); isHalfFloat(narrow))
        *type = narrow;
  }
};
} // namespace

SmallVector<Value> mlc::factorsOf(Operation *op, ValueRange converted, ConversionPatternRewriter &rewriter,
                                  unsigned count) {
  SmallVector<Value> operands(converted);
  for (unsigned i = 0; i < count; ++i) {
    auto cast = op->getOperand(i).getDefiningOp<df::CastOp>();
    if (cast && isHalfFloat(dfElement(cast.getOperand().getType())) && dfElement(cast.getType()).isF32())
      operands[i] = rewriter.getRemappedValue(cast.getOperand());
  }
  return operands;
}

void mlc::noteTf32(Operation *product, kern::ContractOp contract) {
  auto precision = product->getAttrOfType<df::PrecisionAttr>(df::DfDialect::kFactorsAttr);
  if (precision && precision.getValue() == df::Precision::TF32)
    contract->setAttr(kern::kTf32Attr, UnitAttr::get(contract.getContext()));
}

/// A kern.contract of `maps` (lhs, rhs, out) whose result has `sizes`.
static Value makeContract(OpBuilder &b, Location loc, const ProductTypes &types, Value lhs, Value rhs,
                          ArrayRef<OpFoldResult> sizes, ArrayRef<AffineMap> maps) {
  Value empty = emptyOf(b, loc, sizes, types.result);
  auto unsignedIf = [&](Type type) { return type.isUnsignedInteger() ? b.getUnitAttr() : UnitAttr(); };
  auto contract =
      kern::ContractOp::create(b, loc, TypeRange(empty.getType()), lhs, rhs, ValueRange(), ValueRange(empty),
                               b.getAffineMapArrayAttr({}), UnitAttr(), UnitAttr(), b.getAffineMapArrayAttr(maps),
                               unsignedIf(types.lhs), unsignedIf(types.rhs), kern::TilingAttr());
  noteTf32(types.op, contract);
  OpBuilder::InsertionGuard guard(b);
  Value sum = b.createBlock(&contract.getBody(), {}, types.sum, loc)->getArgument(0);
  kern::YieldOp::create(b, loc, emitCast(b, loc, sum, types.sum, types.result));
  return contract.getResults()[0];
}

/// The same sum of products as loops: where there are no columns that could share what is loaded. `inner` of a product
/// of vectors: the dimensions of lhs and rhs that are summed, in the order of sums; without them products are added by
/// FMAs, one after the other.
static Value makeProductLoops(OpBuilder &b, Location loc, const ProductTypes &types, Value lhs, Value rhs,
                              ArrayRef<OpFoldResult> sizes, ArrayRef<AffineMap> maps,
                              std::optional<std::pair<ArrayRef<int64_t>, ArrayRef<int64_t>>> inner = std::nullopt) {
  SmallVector<IteratorType> iterators(maps[2].getNumDims(), IteratorType::reduction);
  for (AffineExpr e : maps[2].getResults())
    iterators[cast<AffineDimExpr>(e).getPosition()] = IteratorType::parallel;
  auto generic = makeGeneric(b, loc, {lhs, rhs}, zerosOf(b, loc, sizes, types.sum), maps, iterators,
                             [&](OpBuilder &n, ValueRange v) -> SmallVector<Value> {
                               Value x = emitCast(n, loc, v[0], types.lhs, types.sum),
                                     y = emitCast(n, loc, v[1], types.rhs, types.sum);
                               if (!isa<FloatType>(types.sum))
                                 return {arith::AddIOp::create(n, loc, v[2], arith::MulIOp::create(n, loc, x, y))};
                               if (inner) {
                                 Value sum = arith::AddFOp::create(n, loc, v[2], arith::MulFOp::create(n, loc, x, y));
                                 // What lies across in one operand is not read along neighbours.
                                 bool isAlong = sumsNeighbours(df::shapeOf(lhs.getType()), inner->first);
                                 return {isAlong ? inSumOrder(sum, df::shapeOf(rhs.getType()), inner->second) : sum};
                               }
                               return {math::FmaOp::create(n, loc, x, y, v[2])};
                             });
  Value result = generic->getResult(0);
  if (types.sum == types.result)
    return result;
  SmallVector<AffineMap> identity(2, b.getMultiDimIdentityMap(static_cast<unsigned>(sizes.size())));
  SmallVector<IteratorType> parallel(sizes.size(), IteratorType::parallel);
  return makeGeneric(b, loc, result, emptyOf(b, loc, sizes, types.result), identity, parallel,
                     [&](OpBuilder &n, ValueRange v) -> SmallVector<Value> {
                       return {emitCast(n, loc, v[0], types.sum, types.result)};
                     })
      ->getResult(0);
}

/// `x` with dimension `d` as [size / parts..]: its last but one dimension keeps what the static `last` leaves.
static Value split(OpBuilder &b, Location loc, Value x, int64_t d, int64_t first, int64_t second) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    auto at = static_cast<int64_t>(shape.size());
    groups.push_back(i == d ? ReassociationIndices{at, at + 1} : ReassociationIndices{at});
    if (i == d)
      shape.append({first, second});
    else
      shape.push_back(type.getDimSize(i));
  }
  return tensor::ExpandShapeOp::create(b, loc, RankedTensorType::get(shape, type.getElementType()), x, groups);
}

/// `x` with dimensions [d, d + count) as one.
static Value merged(OpBuilder &b, Location loc, Value x, int64_t d, int64_t count) {
  if (count == 1)
    return x;
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0, rank = cast<RankedTensorType>(x.getType()).getRank(); i < rank; ++i) {
    if (i > d && i < d + count)
      groups.back().push_back(i);
    else
      groups.push_back({i});
  }
  return tensor::CollapseShapeOp::create(b, loc, x, groups);
}

namespace {

/// f16 and bf16 are computed in f32 and rounded once.
template <typename Op> struct WidenPattern : public OpConversionPattern<Op> {
  WidenPattern(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern<Op>(types, context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    auto isHalf = [](Type t) { return dfElement(t).isF16() || dfElement(t).isBF16(); };
    auto wide = [&](Type t) { return cast<RankedTensorType>(t).clone(rewriter.getF32Type()); };
    if (!llvm::any_of(op->getOperandTypes(), isHalf))
      return failure();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isHalf(operand.getType())
                             ? Value(df::CastOp::create(rewriter, op.getLoc(), wide(operand.getType()), operand))
                             : operand);
    Type type = op.getType();
    OperationState state(op.getLoc(), op->getName(), operands, isHalf(type) ? wide(type) : type, op->getAttrs());
    Value result = rewriter.create(state)->getResult(0);
    rewriter.replaceOp(op, isHalf(type) ? Value(df::CastOp::create(rewriter, op.getLoc(), type, result)) : result);
    return success();
  }
};

struct DotGeneralPattern : public OpConversionPattern<df::DotGeneralOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::DotGeneralOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> factors = factorsOf(op, adaptor.getOperands(), rewriter);
    Value lhs = factors[0], rhs = factors[1];
    auto type = cast<RankedTensorType>(op.getType());
    auto lhsRank = cast<RankedTensorType>(lhs.getType()).getRank(),
         rhsRank = cast<RankedTensorType>(rhs.getType()).getRank();
    const ProductTypes types(op, lhs, rhs);
    SmallVector<int64_t> lhsFree = freeOf(lhsRank, op.getLhsBatch(), op.getLhsContracting());
    SmallVector<int64_t> rhsFree = freeOf(rhsRank, op.getRhsBatch(), op.getRhsContracting());
    SmallVector<int64_t> rhsBatch(op.getRhsBatch()), rhsInner(op.getRhsContracting());
    SmallVector<OpFoldResult> sizes;
    for (int64_t d : op.getLhsBatch())
      sizes.push_back(dimOf(rewriter, loc, lhs, d));
    for (int64_t d : lhsFree)
      sizes.push_back(dimOf(rewriter, loc, lhs, d));
    for (int64_t d : rhsFree)
      sizes.push_back(dimOf(rewriter, loc, rhs, d));
    SmallVector<OpFoldResult> resultSizes(sizes);
    auto columns = static_cast<int64_t>(rhsFree.size());
    // Sums of fewer bits than a lane has are loops of whole vectors.
    bool isContract = types.sum.getIntOrFloatBitWidth() >= 32 && columns > 0;
    if (isContract && columns > 1) {
      // One loop of columns: they must be neighbours in rhs.
      if (rhsFree.back() - rhsFree.front() != columns - 1) {
        SmallVector<int64_t> permutation(rhsBatch);
        llvm::append_range(permutation, rhsInner);
        llvm::append_range(permutation, rhsFree);
        SmallVector<OpFoldResult> permuted;
        for (int64_t d : permutation)
          permuted.push_back(dimOf(rewriter, loc, rhs, d));
        rhs = linalg::TransposeOp::create(
                  rewriter, loc, rhs,
                  emptyOf(rewriter, loc, permuted, cast<RankedTensorType>(rhs.getType()).getElementType()), permutation)
                  ->getResult(0);
        int64_t next = 0;
        for (SmallVector<int64_t> *list : {&rhsBatch, &rhsInner, &rhsFree})
          for (int64_t &d : *list)
            d = next++;
      }
      int64_t first = rhsFree.front();
      rhs = merged(rewriter, loc, rhs, first, columns);
      for (SmallVector<int64_t> *list : {&rhsBatch, &rhsInner})
        for (int64_t &d : *list)
          d -= d > first ? columns - 1 : 0;
      rhsFree = {first};
      rhsRank -= columns - 1;
      sizes.resize(sizes.size() - columns);
      sizes.push_back(dimOf(rewriter, loc, rhs, first));
    }
    // Loops: those of the result, then the inner ones.
    auto outer = static_cast<unsigned>(sizes.size());
    auto numLoops = outer + static_cast<unsigned>(rhsInner.size());
    SmallVector<AffineExpr> l(lhsRank), r(rhsRank);
    unsigned next = 0;
    for (auto [x, y] : llvm::zip(op.getLhsBatch(), rhsBatch))
      l[x] = r[y] = rewriter.getAffineDimExpr(next++);
    for (int64_t d : lhsFree)
      l[d] = rewriter.getAffineDimExpr(next++);
    for (int64_t d : rhsFree)
      r[d] = rewriter.getAffineDimExpr(next++);
    for (auto [x, y] : llvm::zip(op.getLhsContracting(), rhsInner))
      l[x] = r[y] = rewriter.getAffineDimExpr(next++);
    MLIRContext *context = getContext();
    AffineMap maps[] = {AffineMap::get(numLoops, 0, l, context), AffineMap::get(numLoops, 0, r, context),
                        AffineMap::get(numLoops, 0, loops(context, 0, outer), context)};
    Value result = isContract ? makeContract(rewriter, loc, types, lhs, rhs, sizes, maps)
                              : makeProductLoops(rewriter, loc, types, lhs, rhs, sizes, maps,
                                                 std::pair(op.getLhsContracting(), ArrayRef<int64_t>(rhsInner)));
    if (isContract && columns > 1) {
      SmallVector<ReassociationIndices> groups;
      for (int64_t i = 0, rank = type.getRank(); i < rank; ++i) {
        if (i > rank - columns)
          groups.back().push_back(i);
        else
          groups.push_back({i});
      }
      result = tensor::ExpandShapeOp::create(rewriter, loc, type, result, groups, resultSizes);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

  static SmallVector<int64_t> freeOf(int64_t rank, ArrayRef<int64_t> batch, ArrayRef<int64_t> inner) {
    SmallVector<int64_t> result;
    for (int64_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(inner, d))
        result.push_back(d);
    return result;
  }
};

/// A convolution as a product of an image (or output) read through the window and of the other operand. Loops are those
/// of the result, the inner ones after them.
template <typename Op> struct ConvolutionPattern : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  /// Channels of a group on both sides and how many groups there are.
  struct Channels {
    int64_t groups, in, out;
    /// One channel makes one: there is no sum over channels.
    bool isDepthwise() const { return groups > 1 && in == 1 && out == 1; }
  };

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(matchOwnForm(op, rewriter)))
      return failure();
    Location loc = op.getLoc();
    ArrayRef<int64_t> filter = filterShape(op);
    auto groups = static_cast<int64_t>(op.getGroups());
    Channels channels = {groups, filter[filter.size() - 2], filter.back() / groups};
    SmallVector<Value> operands = factorsOf(op, adaptor.getOperands(), rewriter);
    rewriter.replaceOp(op, convert(op, typename Op::Adaptor(operands, op), rewriter, loc, windowOf(op), channels));
    return success();
  }

  static ArrayRef<int64_t> filterShape(df::ConvOp op) { return df::shapeOf(op.getFilter().getType()); }
  static ArrayRef<int64_t> filterShape(df::ConvTransposeOp op) { return df::shapeOf(op.getFilter().getType()); }
  static ArrayRef<int64_t> filterShape(df::ConvFilterGradientOp op) { return df::shapeOf(op.getType()); }

  /// Channels as [groups, channels of a group], if there are several groups.
  static Value grouped(OpBuilder &b, Location loc, Value x, const Channels &channels, int64_t each) {
    int64_t last = cast<RankedTensorType>(x.getType()).getRank() - 1;
    return channels.groups == 1 ? x : split(b, loc, x, last, channels.groups, each);
  }
  static AffineMap map(OpBuilder &b, unsigned numLoops, std::initializer_list<ArrayRef<AffineExpr>> parts) {
    SmallVector<AffineExpr> exprs;
    for (ArrayRef<AffineExpr> part : parts)
      llvm::append_range(exprs, part);
    return AffineMap::get(numLoops, 0, exprs, b.getContext());
  }
  static TypedAttr zero(OpBuilder &b, Value x) {
    return cast<TypedAttr>(b.getZeroAttr(cast<RankedTensorType>(x.getType()).getElementType()));
  }
  /// [.., groups, each] of a result for [.., groups * each].
  static SmallVector<OpFoldResult> groupedSizes(OpBuilder &b, SmallVector<OpFoldResult> sizes, const Channels &channels,
                                                int64_t each) {
    if (channels.groups > 1) {
      sizes.back() = b.getIndexAttr(channels.groups);
      sizes.push_back(b.getIndexAttr(each));
    }
    return sizes;
  }
  static Value ungrouped(OpBuilder &b, Location loc, Value x, const Channels &channels) {
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    return channels.groups == 1 ? x : merged(b, loc, x, rank - 2, 2);
  }

  /// Forward: (n, p.., [g,] o | k.., c).
  static Value convert(df::ConvOp op, df::ConvOp::Adaptor adaptor, OpBuilder &b, Location loc, const df::Window &window,
                       const Channels &channels) {
    Value image = paddedImage(b, loc, window, adaptor.getImage(), zero(b, adaptor.getImage()));
    SmallVector<OpFoldResult> sizes = outputSizes(b, loc, window, adaptor.getImage(), channels.groups * channels.out);
    return product(b, loc, window, channels, op, image, adaptor.getFilter(), sizes, std::nullopt);
  }

  /// Transposed: (n, i.., [g,] c | k.., o).
  static Value convert(df::ConvTransposeOp op, df::ConvTransposeOp::Adaptor adaptor, OpBuilder &b, Location loc,
                       const df::Window &window, const Channels &channels) {
    SmallVector<OpFoldResult> sizes = imageSizes(b, op, window, op.getType(), adaptor.getOutput(), adaptor.getLike());
    // With a stride most of the spread output is zeros. Products of them are saved by a product for each phase, if
    // these are few enough to be worth their code.
    constexpr int64_t kMostPhases = 9;
    int64_t phases = 1;
    for (int64_t stride : window.strides)
      phases *= stride;
    if (phases > 1 && phases <= kMostPhases && !channels.isDepthwise())
      return byPhases(b, loc, window, channels, op, adaptor.getOutput(), adaptor.getFilter(), sizes);
    SpreadOutput spread = spreadOutput(b, loc, window, adaptor.getOutput(), sizes, zero(b, adaptor.getOutput()));
    return product(b, loc, window, channels, op, spread.value, adaptor.getFilter(), sizes, spread.offsets);
  }

  /// A product for each phase, put between the others.
  static Value byPhases(OpBuilder &b, Location loc, const df::Window &window, const Channels &channels, Operation *op,
                        Value output, Value filter, ArrayRef<OpFoldResult> sizes) {
    Phases phases = phasesOf(b, loc, window, output, sizes, zero(b, output));
    Type element = dfElement(op->getResult(0).getType());
    Value image = phases.areAll ? emptyOf(b, loc, sizes, element) : zerosOf(b, loc, sizes, element);
    for (const Phase &phase : phases.phases) {
      SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)), strides(sizes.size(), b.getIndexAttr(1));
      SmallVector<OpFoldResult> extents(sizes), filterOffsets = offsets, filterStrides = strides;
      SmallVector<OpFoldResult> filterExtents =
          getAsIndexOpFoldResult(b.getContext(), cast<RankedTensorType>(filter.getType()).getShape());
      for (int64_t d = 0; d < window.rank(); ++d) {
        offsets[d + 1] = b.getIndexAttr(phase.first[d]);
        strides[d + 1] = b.getIndexAttr(window.strides[d]);
        extents[d + 1] = phase.sizes[d];
        filterOffsets[d] = b.getIndexAttr(phase.filterFirst[d]);
        filterStrides[d] = b.getIndexAttr(phase.filterSteps[d]);
        filterExtents[d] = b.getIndexAttr(phase.window.size[d]);
      }
      RankedTensorType partType =
          tensor::ExtractSliceOp::inferResultType(cast<RankedTensorType>(filter.getType()), filterExtents);
      Value part = extractPart(b, loc, partType, filter, filterOffsets, filterExtents, filterStrides);
      Value result = product(b, loc, phase.window, channels, op, phases.output, part, extents, phase.offsets);
      image = insertPart(b, loc, result, image, offsets, extents, strides);
    }
    return image;
  }

  /// The product of both for the convolution `op`: `offsets` are those of a spread output, or none for an image.
  static Value product(OpBuilder &b, Location loc, const df::Window &window, const Channels &channels, Operation *op,
                       Value from, Value filter, ArrayRef<OpFoldResult> sizes,
                       std::optional<ArrayRef<int64_t>> offsets) {
    MLIRContext *context = b.getContext();
    Type element = dfElement(op->getResult(0).getType());
    auto rank = static_cast<unsigned>(window.rank());
    bool isTransposed = offsets.has_value();
    auto read = [&](unsigned windowLoop) {
      return isTransposed ? spreadExprs(context, window, *offsets, 1, windowLoop)
                          : imageExprs(context, window, 1, windowLoop);
    };
    auto loop = [&](unsigned d) { return loops(context, d, 1); };
    if (channels.isDepthwise()) {
      // (n, p.., c | k..)
      unsigned c = rank + 1, k = rank + 2, numLoops = 2 * rank + 2;
      Value apart = merged(b, loc, filter, rank, 2);
      return makeProductLoops(b, loc, ProductTypes(op, from, apart, element), from, apart, sizes,
                              {map(b, numLoops, {loop(0), read(k), loop(c)}),
                               map(b, numLoops, {loops(context, k, rank), loop(c)}),
                               map(b, numLoops, {loops(context, 0, rank + 2)})});
    }
    bool isGrouped = channels.groups > 1;
    int64_t inner = isTransposed ? channels.out : channels.in, column = isTransposed ? channels.in : channels.out;
    // (n, p.., [g,] column | k.., inner)
    unsigned g = rank + 1, n = rank + 1 + isGrouped, k = n + 1, c = k + rank, numLoops = c + 1;
    SmallVector<AffineExpr> group = isGrouped ? loop(g) : SmallVector<AffineExpr>();
    SmallVector<AffineExpr> last = isTransposed ? loop(c) : loop(n), before = isTransposed ? loop(n) : loop(c);
    AffineMap maps[] = {map(b, numLoops, {loop(0), read(k), group, loop(c)}),
                        map(b, numLoops, {loops(context, k, rank), before, group, last}),
                        map(b, numLoops, {loops(context, 0, n + 1)})};
    Value result = makeContract(b, loc, ProductTypes(op, from, filter, element), grouped(b, loc, from, channels, inner),
                                grouped(b, loc, filter, channels, channels.out),
                                groupedSizes(b, SmallVector<OpFoldResult>(sizes), channels, column), maps);
    return ungrouped(b, loc, result, channels);
  }

  /// Of the filter: (k.., c, [g,] o | n, p..).
  static Value convert(df::ConvFilterGradientOp op, df::ConvFilterGradientOp::Adaptor adaptor, OpBuilder &b,
                       Location loc, const df::Window &window, const Channels &channels) {
    MLIRContext *context = b.getContext();
    auto rank = static_cast<unsigned>(window.rank());
    Value output = adaptor.getOutput();
    requireOutputSizes(b, op, window, adaptor.getImage(), output);
    Value image = paddedImage(b, loc, window, adaptor.getImage(), zero(b, adaptor.getImage()));
    auto loop = [&](unsigned d) { return loops(context, d, 1); };
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(context, op.getType().getShape());
    if (channels.isDepthwise()) {
      // (k.., c | n, p..)
      unsigned c = rank, n = rank + 1, p = rank + 2, numLoops = 2 * rank + 2;
      sizes.erase(sizes.end() - 2);
      Value result = makeProductLoops(
          b, loc, ProductTypes(op, image, output, dfElement(op.getType())), image, output, sizes,
          {map(b, numLoops, {loop(n), imageExprs(context, window, p, 0), loop(c)}),
           map(b, numLoops, {loops(context, n, rank + 1), loop(c)}), map(b, numLoops, {loops(context, 0, rank + 1)})});
      return split(b, loc, result, rank, 1, channels.groups);
    }
    bool isGrouped = channels.groups > 1;
    unsigned c = rank, g = rank + 1, o = rank + 1 + isGrouped, n = o + 1, p = n + 1, numLoops = p + rank;
    SmallVector<AffineExpr> group = isGrouped ? loop(g) : SmallVector<AffineExpr>();
    AffineMap maps[] = {map(b, numLoops, {loop(n), imageExprs(context, window, p, 0), group, loop(c)}),
                        map(b, numLoops, {loops(context, n, rank + 1), group, loop(o)}),
                        map(b, numLoops, {loops(context, 0, o + 1)})};
    Value result = makeContract(
        b, loc, ProductTypes(op, image, output, dfElement(op.getType())), grouped(b, loc, image, channels, channels.in),
        grouped(b, loc, output, channels, channels.out), groupedSizes(b, sizes, channels, channels.out), maps);
    return ungrouped(b, loc, result, channels);
  }
};

} // namespace

void mlc::populateContractionPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<DotGeneralPattern, ConvolutionPattern<df::ConvOp>, ConvolutionPattern<df::ConvTransposeOp>,
               ConvolutionPattern<df::ConvFilterGradientOp>>(types, patterns.getContext());
  patterns.add<WidenPattern<df::ConvOp>, WidenPattern<df::ConvTransposeOp>, WidenPattern<df::ConvFilterGradientOp>,
               WidenPattern<df::MaxPoolOp>, WidenPattern<df::MaxPoolPositionsOp>, WidenPattern<df::PoolSelectOp>,
               WidenPattern<df::PoolScatterOp>>(types, patterns.getContext());
}
