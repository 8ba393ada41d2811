// Ops on strings to services, before bufferization. A cell is the pair of a pointer and a length.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StringPatterns.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStringOps.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlc/Target/Artifact/ElementType.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlc;
using utils::IteratorType;

static bool holdsStrings(Value tensor) { return isa<df::StringType>(dfElement(tensor.getType())); }

/// The product of the dimensions [begin, end) as a tensor<i64>.
static Value product(OpBuilder &b, Location loc, Value tensor, int64_t begin, int64_t end) {
  Value size = arith::ConstantIndexOp::create(b, loc, 1);
  for (int64_t d = begin; d < end; ++d)
    size = arith::MulIOp::create(b, loc, size, tensor::DimOp::create(b, loc, tensor, d));
  return scalarTensor(b, loc, size);
}

/// The lengths of the cells of a converted string tensor, each as `element` makes it of the i64.
static Value mapLengths(OpBuilder &b, Location loc, Value cells, RankedTensorType type,
                        llvm::function_ref<Value(OpBuilder &, Value)> element) {
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> offsets(rank + 1, b.getIndexAttr(0)), strides(rank + 1, b.getIndexAttr(1)), sizes;
  for (int64_t d = 0; d < rank; ++d)
    sizes.push_back(sizeOf(b, loc, cells, d));
  // The second half of each pair.
  sizes.push_back(b.getIndexAttr(1));
  offsets[rank] = b.getIndexAttr(1);
  auto lengthType = RankedTensorType::get(type.getShape(), b.getI64Type());
  Value lengths = extractPart(b, loc, lengthType, cells, offsets, sizes, strides);
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  return makeGeneric(b, loc, lengths, emptyLike(b, loc, type, lengths), {identity, identity}, iterators,
                     [&](OpBuilder &nested, ValueRange x) -> SmallVector<Value> { return {element(nested, x[0])}; })
      ->getResult(0);
}

namespace {

struct IsEmptyPattern : public OpConversionPattern<df::IsEmptyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::IsEmptyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    rewriter.replaceOp(op, mapLengths(rewriter, loc, adaptor.getOperand(), type, [&](OpBuilder &b, Value length) {
                         Value zero = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
                         return storeElement(b, loc,
                                             arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, length, zero));
                       }));
    return success();
  }
};

struct StringLengthPattern : public OpConversionPattern<df::StringLengthOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::StringLengthOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, mapLengths(rewriter, op.getLoc(), adaptor.getOperand(), cast<RankedTensorType>(op.getType()),
                                      [](OpBuilder &, Value length) { return length; }));
    return success();
  }
};

/// df.select of strings: both halves of a cell's pair by one condition.
struct SelectStringsPattern : public OpConversionPattern<df::SelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::SelectOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<df::StringType>(dfElement(op.getType())))
      return failure();
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    AffineMap pair = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<IteratorType> iterators(type.getRank(), IteratorType::parallel);
    auto generic = makeGeneric(rewriter, loc, {adaptor.getCondition(), adaptor.getTrueValue(), adaptor.getFalseValue()},
                               emptyLike(rewriter, loc, type, adaptor.getTrueValue()),
                               {pair.dropResult(type.getRank() - 1), pair, pair, pair}, iterators,
                               [&](OpBuilder &b, ValueRange x) -> SmallVector<Value> {
                                 Value condition = loadElement(b, loc, x[0], b.getI1Type());
                                 return {arith::SelectOp::create(b, loc, condition, x[1], x[2])};
                               });
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

struct CompareStringsPattern : public OpConversionPattern<df::CompareOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::CompareOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    if (!holdsStrings(op.getLhs()))
      return failure();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Value out = emptyLike(b, op.getLoc(), type, adaptor.getLhs());
    b.replaceOpWithNewOp<kern::CompareStringsOp>(op, adaptor.getLhs(), adaptor.getRhs(),
                                                 static_cast<int32_t>(op.getPredicate()), out);
    return success();
  }
};

/// The bytes of all cells lie one after the other in the artifact.
struct StringConstantPattern : public OpConversionPattern<df::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::ConstantOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    auto elements = dyn_cast<DenseStringElementsAttr>(op.getValue());
    if (!elements)
      return failure();
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    std::string bytes;
    SmallVector<int64_t> sizes;
    for (StringRef text : elements.getRawStringData()) {
      bytes += text;
      sizes.push_back(static_cast<int64_t>(text.size()));
    }
    // One cell of equal ones.
    const bool repeats = elements.isSplat() && elements.getNumElements() != 1;
    auto sizesType = RankedTensorType::get(static_cast<int64_t>(sizes.size()), b.getI64Type());
    Value lengths = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(sizesType, ArrayRef<int64_t>(sizes)));
    Value empty = tensor::EmptyOp::create(b, loc, repeats ? ArrayRef<int64_t>(2) : type.getShape(), b.getI64Type());
    Value cells = kern::ConstantStringsOp::create(b, loc, bytes, lengths, empty).getResult(0);
    if (repeats) {
      AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
      AffineMap pair = AffineMap::get(type.getRank(), 0, b.getAffineDimExpr(type.getRank() - 1));
      SmallVector<IteratorType> iterators(type.getRank(), IteratorType::parallel);
      Value all = tensor::EmptyOp::create(b, loc, type, ValueRange());
      cells = makeGeneric(b, loc, cells, all, {pair, identity}, iterators,
                          [](OpBuilder &, ValueRange x) -> SmallVector<Value> { return {x[0]}; })
                  ->getResult(0);
    }
    b.replaceOp(op, cells);
    return success();
  }
};

/// df.string_lower, df.string_upper and df.string_strip.
template <typename Op, mlcrt_string_map map> struct MapPattern : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value cells = adaptor.getOperand();
    auto type = cast<RankedTensorType>(cells.getType());
    Value count = product(b, loc, cells, 0, type.getRank() - 1);
    b.replaceOpWithNewOp<kern::MapStringsOp>(op, count, map, cells, emptyLike(b, loc, type, cells));
    return success();
  }
};

struct SubstrPattern : public OpConversionPattern<df::SubstrOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::SubstrOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Value cells = adaptor.getOperand();
    Value out = emptyLike(b, op.getLoc(), cast<RankedTensorType>(cells.getType()), cells);
    b.replaceOpWithNewOp<kern::SubstringsOp>(op, adaptor.getStart(), adaptor.getLength(), cells, out);
    return success();
  }
};

struct AsStringPattern : public OpConversionPattern<df::AsStringOp> {
  using OpConversionPattern::OpConversionPattern;
  // Of a narrow float it makes one of f32.
  void initialize() { setHasBoundedRewriteRecursion(); }
  LogicalResult matchAndRewrite(df::AsStringOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto from = cast<RankedTensorType>(op.getOperand().getType());
    if (isNarrowFloat(from)) {
      Value wide = df::CastOp::create(b, loc, from.clone(b.getF32Type()), op.getOperand());
      b.replaceOpWithNewOp<df::AsStringOp>(op, op.getType(), wide, op.getPrecisionAttr());
      return success();
    }
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    int32_t precision = op.getPrecision() ? static_cast<int32_t>(*op.getPrecision()) : -1;
    Value out = emptyLike(b, loc, type, adaptor.getOperand());
    b.replaceOpWithNewOp<kern::FormatNumbersOp>(op, adaptor.getOperand(), *dtypeOf(from.getElementType()), precision,
                                                out);
    return success();
  }
};

struct StringToNumberPattern : public OpConversionPattern<df::StringToNumberOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::StringToNumberOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value cells = adaptor.getOperand();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Value count = product(b, loc, cells, 0, type.getRank()),
          perRow = product(b, loc, cells, std::min<int64_t>(type.getRank(), 1), type.getRank());
    b.replaceOpWithNewOp<kern::ParseNumbersOp>(op, count, perRow, cells, *dtypeOf(dfElement(op.getType())),
                                               nameAndPlace(op), emptyLike(b, loc, type, cells));
    return success();
  }
};

/// Counts the parts, then makes them.
struct SplitPattern : public OpConversionPattern<df::StringSplitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::StringSplitOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value cells = adaptor.getOperand();
    Value noEnds = emptyLike(b, loc, cast<RankedTensorType>(op.getEnds().getType()), cells);
    Value noCount = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), b.getI64Type());
    auto counted = kern::CountPartsOp::create(b, loc, cells, op.getDelimiter(), op.getAnyByte(), op.getSkipEmpty(),
                                              noEnds, noCount);
    Value ends = counted.getResult(0);
    Value count = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                             tensor::ExtractOp::create(b, loc, counted.getResult(1), ValueRange()));
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getValues().getType()));
    auto split = kern::SplitStringsOp::create(b, loc, ends, cells, op.getDelimiter(), op.getAnyByte(),
                                              op.getSkipEmpty(), tensor::EmptyOp::create(b, loc, type, count));
    b.replaceOp(op, {split.getResult(0), ends});
    return success();
  }
};

struct ReduceJoinPattern : public OpConversionPattern<df::ReduceJoinOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::ReduceJoinOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value cells = adaptor.getOperand();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    auto axis = static_cast<int64_t>(op.getAxis());
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(tensor::DimOp::create(b, loc, cells, d < axis ? d : d + 1));
    Value outer = product(b, loc, cells, 0, axis), size = product(b, loc, cells, axis, axis + 1),
          inner = product(b, loc, cells, axis + 1, type.getRank());
    b.replaceOpWithNewOp<kern::JoinStringsOp>(op, outer, size, inner, op.getSeparator(), cells,
                                              tensor::EmptyOp::create(b, loc, type, sizes));
    return success();
  }
};

struct SegmentJoinPattern : public OpConversionPattern<df::SegmentJoinOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::SegmentJoinOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Value count = product(b, loc, adaptor.getValues(), 0, 1);
    b.replaceOpWithNewOp<kern::JoinSegmentsOp>(op, adaptor.getEnds(), count, op.getSeparator(), nameAndPlace(op),
                                               adaptor.getValues(), emptyLike(b, loc, type, adaptor.getEnds()));
    return success();
  }
};

} // namespace

void mlc::populateStringPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  MLIRContext *context = patterns.getContext();
  patterns
      .add<IsEmptyPattern, SelectStringsPattern, StringLengthPattern, MapPattern<df::StringLowerOp, MLCRT_STRING_LOWER>,
           MapPattern<df::StringUpperOp, MLCRT_STRING_UPPER>, MapPattern<df::StringStripOp, MLCRT_STRING_STRIP>,
           SubstrPattern, AsStringPattern, StringToNumberPattern, SplitPattern, ReduceJoinPattern, SegmentJoinPattern>(
          types, context);
  // Before those of numbers.
  patterns.add<CompareStringsPattern, StringConstantPattern>(types, context, /*benefit=*/2);
}
