// Pooling to linalg: reductions over windows, vectors along the channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Windows.h"
#include "dialects/Df/IR/DfConvolutionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlc;
using utils::IteratorType;

/// -inf or the smallest integer.
static TypedAttr lowest(OpBuilder &b, Type element) {
  if (auto type = dyn_cast<FloatType>(element))
    return b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), true));
  return b.getIntegerAttr(element, APInt::getSignedMinValue(element.getIntOrFloatBitWidth()));
}

namespace {

/// A generic over (n, p.., c | k..): elements of `windowed`, read by `read`, and of `plain` at (n, p.., c) to those of
/// `outs` at (n, p.., c).
struct WindowLoops {
  OpBuilder &b;
  Location loc;
  const df::Window &window;

  unsigned rank() const { return static_cast<unsigned>(window.rank()); }
  unsigned windowLoop() const { return rank() + 2; }

  ValueRange make(ValueRange windowed, ArrayRef<AffineExpr> read, ValueRange plain, ValueRange outs, BodyBuilder body) {
    MLIRContext *context = b.getContext();
    unsigned numLoops = 2 * rank() + 2;
    auto mapOf = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(numLoops, 0, exprs, context); };
    SmallVector<AffineExpr> image = loops(context, 0, 1);
    llvm::append_range(image, read);
    llvm::append_range(image, loops(context, rank() + 1, 1));
    SmallVector<Value> ins(windowed);
    SmallVector<AffineMap> maps(windowed.size(), mapOf(image));
    AffineMap position = mapOf(loops(context, 0, rank() + 2));
    llvm::append_range(ins, plain);
    maps.append(plain.size(), position);
    // It bounds the window's loops; nothing reads it.
    ins.push_back(tensor::EmptyOp::create(b, loc, window.size, b.getI8Type()));
    maps.push_back(mapOf(loops(context, windowLoop(), rank())));
    maps.append(outs.size(), position);
    SmallVector<IteratorType> iterators(rank() + 2, IteratorType::parallel);
    iterators.append(rank(), IteratorType::reduction);
    size_t last = ins.size() - 1;
    auto generic = makeGeneric(b, loc, ins, outs, maps, iterators, [&](OpBuilder &n, ValueRange elements) {
      SmallVector<Value> read(elements);
      read.erase(read.begin() + last);
      return body(n, read);
    });
    return generic->getResults();
  }

  /// The row-major number of the window's position, as i32.
  Value position(OpBuilder &n) const {
    Type i32 = n.getI32Type();
    Value number;
    for (unsigned d = 0; d < rank(); ++d) {
      Value k = arith::IndexCastOp::create(n, loc, i32, linalg::IndexOp::create(n, loc, windowLoop() + d));
      if (number) {
        Value size = arith::ConstantOp::create(n, loc, n.getI32IntegerAttr(static_cast<int32_t>(window.size[d])));
        number = arith::AddIOp::create(n, loc, arith::MulIOp::create(n, loc, number, size), k);
      } else {
        number = k;
      }
    }
    return number;
  }
};

/// The image of a pooling op with `around` where it is padded, and how its windows are read.
template <typename Op> struct PooledImage {
  PooledImage(Op op, Value operand, TypedAttr around, OpBuilder &b)
      : window(poolWindowOf(op)), image(paddedImage(b, op.getLoc(), window, operand, around)),
        sizes(
            outputSizes(b, op.getLoc(), window, operand, cast<RankedTensorType>(operand.getType()).getShape().back())),
        loops{b, op.getLoc(), window} {}

  ValueRange reduce(ValueRange plain, ValueRange outs, BodyBuilder body) {
    return loops.make(image, imageExprs(loops.b.getContext(), window, 1, loops.windowLoop()), plain, outs, body);
  }

  df::Window window;
  Value image;
  SmallVector<OpFoldResult> sizes;
  WindowLoops loops;
};

struct MaxPoolPattern : public OpConversionPattern<df::MaxPoolOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::MaxPoolOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(matchOwnForm(op, rewriter)))
      return failure();
    Location loc = op.getLoc();
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    TypedAttr least = lowest(rewriter, element);
    PooledImage pooled(op, adaptor.getOperand(), least, rewriter);
    Value init = filled(rewriter, loc, emptyOf(rewriter, loc, pooled.sizes, element), least);
    rewriter.replaceOp(op, pooled.reduce({}, init, [&](OpBuilder &n, ValueRange v) -> SmallVector<Value> {
      if (isa<FloatType>(element))
        return {arith::MaximumFOp::create(n, loc, v[1], v[0])};
      return {arith::MaxSIOp::create(n, loc, v[1], v[0])};
    }));
    return success();
  }
};

struct MaxPoolPositionsPattern : public OpConversionPattern<df::MaxPoolPositionsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::MaxPoolPositionsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(matchOwnForm(op, rewriter)))
      return failure();
    Location loc = op.getLoc();
    Type element = cast<RankedTensorType>(adaptor.getOperand().getType()).getElementType();
    TypedAttr least = lowest(rewriter, element);
    PooledImage pooled(op, adaptor.getOperand(), least, rewriter);
    Value best = filled(rewriter, loc, emptyOf(rewriter, loc, pooled.sizes, element), least);
    Value positions = zerosOf(rewriter, loc, pooled.sizes, rewriter.getI32Type());
    ValueRange results = pooled.reduce({}, {best, positions}, [&](OpBuilder &n, ValueRange v) -> SmallVector<Value> {
      Value greater;
      if (isa<FloatType>(element)) {
        // The first NaN is above all numbers, and nothing is above it.
        Value above = arith::CmpFOp::create(n, loc, arith::CmpFPredicate::UGT, v[0], v[1]);
        Value number = arith::CmpFOp::create(n, loc, arith::CmpFPredicate::ORD, v[1], v[1]);
        greater = arith::AndIOp::create(n, loc, above, number);
      } else {
        greater = arith::CmpIOp::create(n, loc, arith::CmpIPredicate::sgt, v[0], v[1]);
      }
      return {arith::SelectOp::create(n, loc, greater, v[0], v[1]),
              arith::SelectOp::create(n, loc, greater, pooled.loops.position(n), v[2])};
    });
    rewriter.replaceOp(op, results[1]);
    return success();
  }
};

struct PoolSelectPattern : public OpConversionPattern<df::PoolSelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::PoolSelectOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(matchOwnForm(op, rewriter)))
      return failure();
    Location loc = op.getLoc();
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    requireOutputSizes(rewriter, op, poolWindowOf(op), adaptor.getOperand(), adaptor.getPositions());
    PooledImage pooled(op, adaptor.getOperand(), cast<TypedAttr>(rewriter.getZeroAttr(element)), rewriter);
    rewriter.replaceOp(op, pooled.reduce(adaptor.getPositions(), zerosOf(rewriter, loc, pooled.sizes, element),
                                         [&](OpBuilder &n, ValueRange v) -> SmallVector<Value> {
                                           Value hit = arith::CmpIOp::create(n, loc, arith::CmpIPredicate::eq, v[1],
                                                                             pooled.loops.position(n));
                                           return {arith::SelectOp::create(n, loc, hit, v[0], v[2])};
                                         }));
    return success();
  }
};

struct PoolScatterPattern : public OpConversionPattern<df::PoolScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::PoolScatterOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(matchOwnForm(op, rewriter)))
      return failure();
    Location loc = op.getLoc();
    df::Window window = poolWindowOf(op);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<OpFoldResult> sizes = imageSizes(rewriter, op, window, type, adaptor.getOutput(), adaptor.getLike());
    auto zero = cast<TypedAttr>(rewriter.getZeroAttr(type.getElementType()));
    SpreadOutput output = spreadOutput(rewriter, loc, window, adaptor.getOutput(), sizes, zero);
    // No window has its maximum at -1.
    SpreadOutput positions =
        spreadOutput(rewriter, loc, window, adaptor.getPositions(), sizes, rewriter.getI32IntegerAttr(-1));
    WindowLoops generic{rewriter, loc, window};
    rewriter.replaceOp(op, generic.make({output.value, positions.value},
                                        spreadExprs(getContext(), window, output.offsets, 1, generic.windowLoop()), {},
                                        zerosOf(rewriter, loc, sizes, type.getElementType()),
                                        [&](OpBuilder &n, ValueRange v) -> SmallVector<Value> {
                                          Value hit = arith::CmpIOp::create(n, loc, arith::CmpIPredicate::eq, v[1],
                                                                            generic.position(n));
                                          Value sum = isa<FloatType>(v[0].getType())
                                                          ? Value(arith::AddFOp::create(n, loc, v[2], v[0]))
                                                          : Value(arith::AddIOp::create(n, loc, v[2], v[0]));
                                          return {arith::SelectOp::create(n, loc, hit, sum, v[2])};
                                        }));
    return success();
  }
};

} // namespace

void mlc::populatePoolingPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<MaxPoolPattern, MaxPoolPositionsPattern, PoolSelectPattern, PoolScatterPattern>(types,
                                                                                               patterns.getContext());
}
