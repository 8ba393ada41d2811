// Slices, pads and shapes of run time to tensor and linalg.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Conversions.h"
#include "Patterns.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlc;

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

static Value sizeValue(OpBuilder &b, Location loc, Value tensor, int64_t d) {
  return getValueOrCreateConstantIndexOp(b, loc, sizeOf(b, loc, tensor, d));
}

static Value asInteger(OpBuilder &b, Location loc, Value index) {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
}

/// Element `i` of an i64 vector as an index.
static Value elementOf(OpBuilder &b, Location loc, Value vector, int64_t i) {
  Value element = tensor::ExtractOp::create(b, loc, vector, constant(b, loc, i));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
}

namespace {

/// A range of a tensor: what tensor.extract_slice and insert_slice take.
struct Range {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  /// Takes all of a dimension of strings' cells.
  void addCells(OpBuilder &b, RankedTensorType converted) {
    if (static_cast<int64_t>(offsets.size()) == converted.getRank())
      return;
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(b.getIndexAttr(converted.getShape().back()));
    strides.push_back(b.getIndexAttr(1));
  }
};

/// The number of places where `size` elements with a stride can start in `whole`: as i64.
Value numStarts(OpBuilder &b, Location loc, Value whole, OpFoldResult size, int64_t stride) {
  Value elements = getValueOrCreateConstantIndexOp(b, loc, size), one = constant(b, loc, 1);
  Value span = arith::MulIOp::create(b, loc, arith::SubIOp::create(b, loc, elements, one), constant(b, loc, stride));
  // Nothing can start at the end, too.
  Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, elements, constant(b, loc, 0));
  span = arith::SelectOp::create(b, loc, none, constant(b, loc, -1), span);
  return asInteger(b, loc, arith::SubIOp::create(b, loc, whole, span));
}

/// The range of `sizes` elements from `starts`, an i64 vector, on: checked against `bounds`.
Range checkedRange(OpBuilder &b, Operation *op, Value starts, ArrayRef<Value> bounds, ArrayRef<OpFoldResult> sizes,
                   ArrayRef<int64_t> strides) {
  Value checked = bounds.empty() ? starts : emitCheckedIndices(b, op, starts, bounds, /*skipNegative=*/false);
  Range range;
  for (auto [d, size, stride] : llvm::enumerate(sizes, strides)) {
    range.offsets.push_back(elementOf(b, op->getLoc(), checked, static_cast<int64_t>(d)));
    range.sizes.push_back(size);
    range.strides.push_back(b.getIndexAttr(stride));
  }
  return range;
}

/// The same where run time knows the starts.
Range dynamicRange(OpBuilder &b, Operation *op, Value whole, Value starts, ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> bounds;
  for (auto [d, size] : llvm::enumerate(sizes))
    bounds.push_back(numStarts(b, op->getLoc(), sizeValue(b, op->getLoc(), whole, d), size, 1));
  return checkedRange(b, op, starts, bounds, sizes, SmallVector<int64_t>(sizes.size(), 1));
}

/// The same where the op names the starts: what `isWithin` needs no check. With `takesNone` a range of no elements is
/// within anywhere.
Range staticRange(OpBuilder &b, Operation *op, Value whole, ArrayRef<int64_t> starts, ArrayRef<OpFoldResult> sizes,
                  ArrayRef<int64_t> strides, ArrayRef<bool> isWithin, bool takesNone) {
  Location loc = op->getLoc();
  Range range;
  if (llvm::is_contained(isWithin, false)) {
    SmallVector<Value> bounds;
    for (auto [d, size, stride] : llvm::enumerate(sizes, strides)) {
      Value any = asInteger(b, loc, constant(b, loc, starts[d] + 1));
      Value bound = any;
      if (!isWithin[d])
        bound = numStarts(b, loc, sizeValue(b, loc, whole, d), size, stride);
      if (!isWithin[d] && takesNone) {
        Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           getValueOrCreateConstantIndexOp(b, loc, size), constant(b, loc, 0));
        bound = arith::SelectOp::create(b, loc, none, any, bound);
      }
      bounds.push_back(bound);
    }
    auto type = RankedTensorType::get({static_cast<int64_t>(starts.size())}, b.getI64Type());
    Value places = arith::ConstantOp::create(b, loc, DenseIntElementsAttr::get(type, starts));
    range = checkedRange(b, op, places, bounds, sizes, strides);
    for (auto [offset, start, within] : llvm::zip(range.offsets, starts, isWithin))
      if (within)
        offset = b.getIndexAttr(start);
    return range;
  }
  for (auto [start, size, stride] : llvm::zip(starts, sizes, strides)) {
    range.offsets.push_back(b.getIndexAttr(start));
    range.sizes.push_back(size);
    range.strides.push_back(b.getIndexAttr(stride));
  }
  return range;
}

/// ceil((n - start) / stride), 0 if that is negative.
OpFoldResult sizeOfRest(OpBuilder &b, Location loc, Value n, int64_t start, int64_t stride) {
  if (start == 0 && stride == 1)
    return n;
  Value left = n;
  if (start)
    left =
        arith::MaxSIOp::create(b, loc, arith::SubIOp::create(b, loc, n, constant(b, loc, start)), constant(b, loc, 0));
  Value rest = stride == 1 ? left : arith::CeilDivUIOp::create(b, loc, left, constant(b, loc, stride)).getResult();
  // No more than there are: that bounds the memory.
  return Value(arith::MinUIOp::create(b, loc, rest, n));
}

struct SlicePattern : public OpConversionPattern<df::SliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::SliceOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Value from = adaptor.getOperand();
    SmallVector<OpFoldResult> sizes;
    SmallVector<bool> isWithin;
    SmallVector<int64_t> starts(op.getStarts()), strides;
    for (auto [d, size] : llvm::enumerate(op.getType().getShape())) {
      bool isDynamic = cast<RankedTensorType>(from.getType()).isDynamicDim(d);
      strides.push_back(op.getStride(d));
      isWithin.push_back(!isDynamic || op.getSizes()[d] == -1);
      if (ShapedType::isDynamic(size))
        sizes.push_back(sizeOfRest(rewriter, loc, sizeValue(rewriter, loc, from, d), starts[d], strides[d]));
      else
        sizes.push_back(rewriter.getIndexAttr(size));
    }
    Range range = staticRange(rewriter, op, from, starts, sizes, strides, isWithin, /*takesNone=*/false);
    // Nothing after the end starts at the end.
    for (auto [d, size] : llvm::enumerate(op.getType().getShape()))
      if (ShapedType::isDynamic(size) && starts[d])
        range.offsets[d] = Value(arith::MinUIOp::create(rewriter, loc, sizeValue(rewriter, loc, from, d),
                                                        constant(rewriter, loc, starts[d])));
    range.addCells(rewriter, type);
    rewriter.replaceOp(op, extractPart(rewriter, loc, type, from, range.offsets, range.sizes, range.strides));
    return success();
  }
};

/// Replaces an op that puts its update into its operand, at `range` of it.
template <typename Op>
LogicalResult replaceByUpdate(Op op, typename Op::Adaptor adaptor, Range range, ConversionPatternRewriter &rewriter) {
  range.addCells(rewriter, cast<RankedTensorType>(adaptor.getOperand().getType()));
  rewriter.replaceOp(op, insertPart(rewriter, op.getLoc(), adaptor.getUpdate(), adaptor.getOperand(), range.offsets,
                                    range.sizes, range.strides));
  return success();
}

struct UpdateSlicePattern : public OpConversionPattern<df::UpdateSliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::UpdateSliceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
    SmallVector<OpFoldResult> sizes;
    SmallVector<bool> isWithin;
    for (auto [d, size] : llvm::enumerate(cast<RankedTensorType>(op.getUpdate().getType()).getShape())) {
      sizes.push_back(sizeOf(rewriter, op.getLoc(), adaptor.getUpdate(), d));
      isWithin.push_back(!ShapedType::isDynamic(size) && !type.isDynamicDim(d));
    }
    Range range = staticRange(rewriter, op, adaptor.getOperand(), op.getStarts(), sizes, op.getStrides(), isWithin,
                              /*takesNone=*/true);
    return replaceByUpdate(op, adaptor, std::move(range), rewriter);
  }
};

struct DynamicSlicePattern : public OpConversionPattern<df::DynamicSliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::DynamicSliceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    SmallVector<OpFoldResult> sizes;
    for (auto [d, size] : llvm::enumerate(op.getType().getShape()))
      sizes.push_back(ShapedType::isDynamic(size) ? sizeOf(rewriter, op.getLoc(), adaptor.getLike(), d)
                                                  : OpFoldResult(rewriter.getIndexAttr(size)));
    Range range = dynamicRange(rewriter, op, adaptor.getOperand(), adaptor.getStarts(), sizes);
    range.addCells(rewriter, type);
    rewriter.replaceOp(
        op, extractPart(rewriter, op.getLoc(), type, adaptor.getOperand(), range.offsets, range.sizes, range.strides));
    return success();
  }
};

struct DynamicUpdateSlicePattern : public OpConversionPattern<df::DynamicUpdateSliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::DynamicUpdateSliceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> sizes;
    for (int64_t d = 0, e = cast<RankedTensorType>(op.getType()).getRank(); d < e; ++d)
      sizes.push_back(sizeOf(rewriter, op.getLoc(), adaptor.getUpdate(), d));
    Range range = dynamicRange(rewriter, op, adaptor.getOperand(), adaptor.getStarts(), sizes);
    return replaceByUpdate(op, adaptor, std::move(range), rewriter);
  }
};

/// A tensor with the element of `scalar`, in strings' cells both words of it, everywhere.
Value filledWith(OpBuilder &b, Location loc, Value empty, Value scalar) {
  if (cast<RankedTensorType>(scalar.getType()).getRank() == 0)
    return linalg::FillOp::create(b, loc, tensor::ExtractOp::create(b, loc, scalar).getResult(), empty).getResult(0);
  return makeIndexed(b, loc, empty, [&](OpBuilder &nested, ValueRange index) -> Value {
    return tensor::ExtractOp::create(nested, loc, scalar, index.back());
  });
}

struct PadPattern : public OpConversionPattern<df::PadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::PadOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Value from = adaptor.getOperand();
    Range range;
    SmallVector<Value> sizes;
    for (auto [d, low, high] : llvm::enumerate(op.getLow(), op.getHigh())) {
      int64_t interior = op.getGap(d);
      range.offsets.push_back(rewriter.getIndexAttr(low));
      range.sizes.push_back(sizeOf(rewriter, loc, from, d));
      range.strides.push_back(rewriter.getIndexAttr(interior + 1));
      if (!type.isDynamicDim(d))
        continue;
      Value n = sizeValue(rewriter, loc, from, d), size = n;
      if (interior) {
        Value one = constant(rewriter, loc, 1);
        Value gaps = arith::SubIOp::create(rewriter, loc, arith::MaxUIOp::create(rewriter, loc, n, one), one);
        size = arith::AddIOp::create(rewriter, loc, size,
                                     arith::MulIOp::create(rewriter, loc, gaps, constant(rewriter, loc, interior)));
      }
      if (low + high)
        size = arith::AddIOp::create(rewriter, loc, size, constant(rewriter, loc, low + high));
      sizes.push_back(size);
    }
    range.addCells(rewriter, type);
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, sizes);
    Value padding = adaptor.getValue()
                        ? filledWith(rewriter, loc, empty, adaptor.getValue())
                        : filled(rewriter, loc, empty, cast<TypedAttr>(rewriter.getZeroAttr(type.getElementType())));
    rewriter.replaceOp(op, insertPart(rewriter, loc, from, padding, range.offsets, range.sizes, range.strides));
    return success();
  }
};

struct ReversePattern : public OpConversionPattern<df::ReverseOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::ReverseOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value from = adaptor.getOperand();
    SmallVector<Value> last;
    for (int64_t d : op.getAxes())
      last.push_back(
          arith::SubIOp::create(rewriter, loc, sizeValue(rewriter, loc, from, d), constant(rewriter, loc, 1)));
    Value empty = emptyLike(rewriter, loc, cast<RankedTensorType>(from.getType()), from);
    rewriter.replaceOp(op, makeIndexed(rewriter, loc, empty, [&](OpBuilder &b, ValueRange index) -> Value {
                         SmallVector<Value> place(index);
                         for (auto [d, end] : llvm::zip(op.getAxes(), last))
                           place[d] = arith::SubIOp::create(b, loc, end, index[d]);
                         return tensor::ExtractOp::create(b, loc, from, place);
                       }));
    return success();
  }
};

struct IotaPattern : public OpConversionPattern<df::IotaOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::IotaOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Type element = type.getElementType();
    Value empty = adaptor.getLike() ? emptyLike(rewriter, loc, type, adaptor.getLike())
                                    : Value(tensor::EmptyOp::create(rewriter, loc, type, ValueRange()));
    rewriter.replaceOp(op, makeIndexed(rewriter, loc, empty, [&](OpBuilder &b, ValueRange index) -> Value {
                         Value place = arith::IndexCastOp::create(b, loc, b.getI64Type(), index[op.getAxis()]);
                         return emitCast(b, loc, place, b.getI64Type(), element);
                       }));
    return success();
  }
};

struct ShapePattern : public OpConversionPattern<df::ShapeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::ShapeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < op.getType().getDimSize(0); ++d)
      sizes.push_back(asInteger(rewriter, op.getLoc(), sizeValue(rewriter, op.getLoc(), adaptor.getOperand(), d)));
    rewriter.replaceOpWithNewOp<tensor::FromElementsOp>(op, op.getType(), sizes);
    return success();
  }
};

Value isEqual(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
}

/// Fails the step if a tensor of `type` with these dynamic sizes has more bytes than addresses: what is asked for is
/// data, and a loop over it would not end.
void requireAddressable(OpBuilder &b, Operation *op, RankedTensorType type, ArrayRef<Value> sizes) {
  constexpr int64_t kMostBytes = int64_t(1) << 47;
  Location loc = op->getLoc();
  int64_t known = (type.getElementTypeBitWidth() + 7) / 8;
  for (int64_t size : type.getShape())
    known *= ShapedType::isDynamic(size) ? 1 : size;
  // What is left of them for the sizes yet to come; a size of 0 leaves room for any.
  Value rest = constant(b, loc, known ? kMostBytes / known : kMostBytes), one = constant(b, loc, 1), isNothing;
  for (Value size : sizes) {
    rest = arith::DivUIOp::create(b, loc, rest, arith::MaxUIOp::create(b, loc, size, one));
    Value isZero = isEqual(b, loc, size, constant(b, loc, 0));
    isNothing = isNothing ? Value(arith::OrIOp::create(b, loc, isNothing, isZero)) : isZero;
  }
  Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, rest, one);
  emitRequire(b, op, arith::OrIOp::create(b, loc, fits, isNothing),
              "the shape has more elements than memory could hold");
}

struct DynamicBroadcastPattern : public OpConversionPattern<df::DynamicBroadcastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::DynamicBroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Value from = adaptor.getOperand(), zero = constant(rewriter, loc, 0);
    ArrayRef<int64_t> dimensions = op.getDimensions();
    auto operandType = cast<RankedTensorType>(op.getOperand().getType());
    auto repeats = [&](size_t i) { return operandType.getDimSize(i) == 1; };
    Value ok = arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
    auto require = [&](Value condition) { ok = arith::AndIOp::create(rewriter, loc, ok, condition); };
    // Sizes that another tensor or the type has are taken from there, so that nothing is read beyond an end.
    SmallVector<Value> sizes;
    for (auto [d, size] : llvm::enumerate(op.getType().getShape())) {
      Value asked = elementOf(rewriter, loc, adaptor.getShape(), d), taken;
      if (!ShapedType::isDynamic(size))
        require(isEqual(rewriter, loc, asked, taken = constant(rewriter, loc, size)));
      const auto *place = llvm::find(dimensions, static_cast<int64_t>(d));
      if (place != dimensions.end() && !repeats(place - dimensions.begin()))
        require(isEqual(rewriter, loc, asked, taken = sizeValue(rewriter, loc, from, place - dimensions.begin())));
      if (!ShapedType::isDynamic(size))
        continue;
      if (!taken) {
        require(arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sge, asked, zero));
        taken = arith::MaxSIOp::create(rewriter, loc, asked, zero);
      }
      sizes.push_back(taken);
    }
    emitRequire(rewriter, op, ok, "the shape is not one of the result's type that the operand can be repeated to");
    if (sizes.size() > 0)
      requireAddressable(rewriter, op, type, sizes);
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, sizes);
    rewriter.replaceOp(op, makeIndexed(rewriter, loc, empty, [&](OpBuilder &b, ValueRange index) -> Value {
                         SmallVector<Value> place;
                         for (auto [i, d] : llvm::enumerate(dimensions))
                           place.push_back(repeats(i) ? constant(b, loc, 0) : index[d]);
                         // Cells of strings.
                         if (static_cast<int64_t>(place.size()) < cast<RankedTensorType>(from.getType()).getRank())
                           place.push_back(index.back());
                         return tensor::ExtractOp::create(b, loc, from, place);
                       }));
    return success();
  }
};

struct DynamicReshapePattern : public OpConversionPattern<df::DynamicReshapeOp> {
  using OpConversionPattern::OpConversionPattern;

  static ReassociationIndices allOf(int64_t rank) { return llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)); }

  LogicalResult matchAndRewrite(df::DynamicReshapeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (isa<df::StringType>(dfElement(op.getType())))
      return op.emitOpError("has no code for strings");
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Value from = adaptor.getOperand(), zero = constant(rewriter, loc, 0), one = constant(rewriter, loc, 1),
          minusOne = constant(rewriter, loc, -1);
    auto fromType = cast<RankedTensorType>(from.getType());
    Value elements = one;
    for (int64_t d = 0; d < fromType.getRank(); ++d)
      elements = rewriter.createOrFold<arith::MulIOp>(loc, elements, sizeValue(rewriter, loc, from, d));

    // The elements are divided by one size after another, as a product of sizes may be beyond 64 bits. How many of them
    // are -1, which is what the others leave, and how many 0.
    Value rest = elements, open = zero, zeros = zero,
          ok = arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
    auto require = [&](Value condition) { ok = arith::AndIOp::create(rewriter, loc, ok, condition); };
    auto counted = [&](Value count, Value condition) -> Value {
      return arith::AddIOp::create(rewriter, loc, count, arith::SelectOp::create(rewriter, loc, condition, one, zero));
    };
    SmallVector<Value> asked, isOpen;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      asked.push_back(elementOf(rewriter, loc, adaptor.getShape(), d));
      isOpen.push_back(isEqual(rewriter, loc, asked.back(), minusOne));
      require(arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sge, asked.back(), minusOne));
      open = counted(open, isOpen.back());
      zeros = counted(zeros, isEqual(rewriter, loc, asked.back(), zero));
      Value divisor = arith::MaxSIOp::create(rewriter, loc, asked.back(), one);
      require(isEqual(rewriter, loc, arith::RemUIOp::create(rewriter, loc, rest, divisor), zero));
      rest = arith::DivUIOp::create(rewriter, loc, rest, divisor);
    }
    require(arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule, open, one));
    SmallVector<Value> sizes;
    for (auto [d, size] : llvm::enumerate(asked)) {
      sizes.push_back(arith::SelectOp::create(rewriter, loc, isOpen[d], rest, size));
      if (!type.isDynamicDim(d))
        require(isEqual(rewriter, loc, sizes.back(), constant(rewriter, loc, type.getDimSize(d))));
    }
    // With an open size of no elements of the others any would do.
    Value isClosed = isEqual(rewriter, loc, open, zero), hasNone = isEqual(rewriter, loc, zeros, zero);
    require(arith::OrIOp::create(rewriter, loc, isClosed, hasNone));
    Value nothing = arith::SelectOp::create(rewriter, loc, hasNone, isEqual(rewriter, loc, rest, one),
                                            isEqual(rewriter, loc, elements, zero));
    require(arith::SelectOp::create(rewriter, loc, isClosed, nothing,
                                    arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true))));
    emitRequire(rewriter, op, ok, "the shape does not hold the elements of the operand");
    SmallVector<OpFoldResult> shape;
    SmallVector<Value> dynamic;
    for (auto [d, size] : llvm::enumerate(type.getShape())) {
      shape.push_back(rewriter.getIndexAttr(size));
      if (!ShapedType::isDynamic(size))
        continue;
      dynamic.push_back(arith::SelectOp::create(rewriter, loc, ok, sizes[d], zero));
      shape.back() = dynamic.back();
    }
    if (hasNoElements(fromType) || hasNoElements(type)) {
      rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, type, dynamic);
      return success();
    }

    Value flat = from;
    auto flatType = [&](int64_t n) { return RankedTensorType::get({n}, type.getElementType()); };
    bool isFixed = fromType.hasStaticShape();
    if (fromType.getRank() == 0)
      flat = tensor::ExpandShapeOp::create(rewriter, loc, flatType(1), flat, SmallVector<ReassociationIndices>{});
    else if (fromType.getRank() != 1)
      flat = tensor::CollapseShapeOp::create(rewriter, loc,
                                             flatType(isFixed ? fromType.getNumElements() : ShapedType::kDynamic), flat,
                                             SmallVector<ReassociationIndices>{allOf(fromType.getRank())});
    if (type.hasStaticShape()) {
      // As many elements as there are, so that a shape that fails reads none beyond the end.
      int64_t size = type.getNumElements();
      if (cast<RankedTensorType>(flat.getType()).getDimSize(0) != size) {
        OpFoldResult begin = rewriter.getIndexAttr(0), stride = rewriter.getIndexAttr(1),
                     count = Value(arith::MinUIOp::create(rewriter, loc, elements, constant(rewriter, loc, size)));
        Value part = extractPart(rewriter, loc, flatType(ShapedType::kDynamic), flat, begin, count, stride);
        Value whole = tensor::EmptyOp::create(rewriter, loc, flatType(size), ValueRange());
        flat = insertPart(rewriter, loc, part, whole, begin, count, stride);
      }
    } else {
      flat = tensor::CastOp::create(rewriter, loc, flatType(ShapedType::kDynamic), flat);
    }
    if (type.getRank() == 0) {
      rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, type, flat, SmallVector<ReassociationIndices>{});
      return success();
    }
    if (type.getRank() == 1) {
      rewriter.replaceOp(op, flat);
      return success();
    }
    if (dynamic.size() == 1) {
      rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
          op, type, flat, SmallVector<ReassociationIndices>{allOf(type.getRank())}, shape);
      return success();
    }
    // A view of one size as several that only the call knows has no code in MLIR: the elements are copied.
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, dynamic);
    rewriter.replaceOp(op, makeIndexed(rewriter, loc, empty, [&](OpBuilder &b, ValueRange index) -> Value {
                         Value place = index.front();
                         for (int64_t d = 1; d < type.getRank(); ++d) {
                           Value size = getValueOrCreateConstantIndexOp(b, loc, shape[d]);
                           place = arith::MulIOp::create(b, loc, place, size);
                           place = arith::AddIOp::create(b, loc, place, index[d]);
                         }
                         return tensor::ExtractOp::create(b, loc, flat, place);
                       }));
    return success();
  }
};

} // namespace

void mlc::populateLayoutPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<PadPattern, ReversePattern, IotaPattern, ShapePattern>(types, patterns.getContext());
  patterns.add<SlicePattern, UpdateSlicePattern, DynamicSlicePattern, DynamicUpdateSlicePattern,
               DynamicBroadcastPattern, DynamicReshapePattern>(types, patterns.getContext(), kChecksOperandsBenefit);
}
