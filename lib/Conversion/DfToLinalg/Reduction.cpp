// Reductions, products and fused losses to linalg and kern.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArithEmitter.h"
#include "Combine.h"
#include "Conversions.h"
#include "Patterns.h"
#include "dialects/Df/IR/DfBounds.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "mlc/Support/MathExpansion.h"

using namespace mlir;
using namespace mlc;
using utils::IteratorType;

/// Whether a reduction is of unsigned integers.
static bool isUnsigned(Operation *op) { return dfElement(op->getOperand(0).getType()).isUnsignedInteger(); }

/// The neutral element of an addition, multiplication, maximum, minimum, conjunction or disjunction.
static TypedAttr neutral(OpBuilder &b, Operation *op, Type element) {
  if (isa<df::ReduceSumOp>(op))
    return cast<TypedAttr>(b.getZeroAttr(element));
  if (isa<df::ReduceProdOp>(op))
    return b.getOneAttr(element);
  if (isa<df::ReduceAllOp, df::ReduceAnyOp>(op))
    return b.getIntegerAttr(element, isa<df::ReduceAllOp>(op));
  return extreme(b, element, /*lowest=*/isa<df::ReduceMaxOp>(op), isUnsigned(op));
}

/// acc combined with x, in a reduction over `axes`.
static Value combine(OpBuilder &b, Operation *op, ArrayRef<int64_t> axes, Value x, Value acc) {
  Location loc = op->getLoc();
  ArrayRef<int64_t> shape = df::shapeOf(op->getOperand(0).getType());
  if (isa<df::ReduceSumOp>(op))
    return inSumOrder(emitCombination(b, loc, Combination::Sum, acc, x), shape, axes);
  if (isa<df::ReduceProdOp>(op))
    return inSumOrder(emitCombination(b, loc, Combination::Product, acc, x), shape, axes);
  // Truth values are bytes of 0 and 1.
  if (isa<df::ReduceAllOp>(op))
    return arith::AndIOp::create(b, loc, acc, x);
  if (isa<df::ReduceAnyOp>(op))
    return arith::OrIOp::create(b, loc, acc, x);
  return emitCombination(b, loc, isa<df::ReduceMaxOp>(op) ? Combination::Maximum : Combination::Minimum, acc, x,
                         isUnsigned(op));
}

/// Map of a reduction's result: the dimensions that stay.
static AffineMap keptMap(OpBuilder &b, int64_t rank, ArrayRef<int64_t> axes, SmallVector<IteratorType> &iterators,
                         SmallVector<int64_t> &kept) {
  SmallVector<AffineExpr> exprs;
  iterators.assign(rank, IteratorType::parallel);
  for (int64_t d = 0; d < rank; ++d) {
    if (llvm::is_contained(axes, d)) {
      iterators[d] = IteratorType::reduction;
      continue;
    }
    exprs.push_back(b.getAffineDimExpr(d));
    kept.push_back(d);
  }
  return AffineMap::get(rank, 0, exprs, b.getContext());
}

namespace {

template <typename Op> struct ReducePattern : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (isNarrowFloat(op.getType()))
      return failure();
    auto type = cast<RankedTensorType>(this->getTypeConverter()->convertType(op.getType()));
    int64_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
    SmallVector<IteratorType> iterators;
    SmallVector<int64_t> kept;
    AffineMap out = keptMap(rewriter, rank, op.getAxes(), iterators, kept);
    Value init = filled(rewriter, loc, emptyLike(rewriter, loc, type, adaptor.getOperand(), kept),
                        neutral(rewriter, op, type.getElementType()));
    auto generic = makeGeneric(
        rewriter, loc, adaptor.getOperand(), init, {rewriter.getMultiDimIdentityMap(rank), out}, iterators,
        [&](OpBuilder &b, ValueRange x) -> SmallVector<Value> { return {combine(b, op, op.getAxes(), x[0], x[1])}; });
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

template <typename Op, bool IsMax> struct ArgPattern : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (isNarrowFloat(op.getOperand().getType()))
      return failure();
    Type element = dfElement(adaptor.getOperand().getType());
    int64_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank(), axis = df::axisOf(op);
    SmallVector<IteratorType> iterators;
    SmallVector<int64_t> kept;
    AffineMap out = keptMap(rewriter, rank, axis, iterators, kept);
    auto type = cast<RankedTensorType>(op.getType());
    // Position 0 is the answer where no element lies beyond the end of the type's numbers.
    Value start = filled(rewriter, loc, emptyLike(rewriter, loc, type.clone(element), adaptor.getOperand(), kept),
                         extreme(rewriter, element, IsMax, isUnsigned(op)));
    Value position = filled(rewriter, loc, emptyLike(rewriter, loc, type, adaptor.getOperand(), kept),
                            rewriter.getI64IntegerAttr(0));
    auto generic = makeGeneric(
        rewriter, loc, adaptor.getOperand(), {start, position}, {rewriter.getMultiDimIdentityMap(rank), out, out},
        iterators, [&](OpBuilder &b, ValueRange x) -> SmallVector<Value> {
          Value beyond;
          if (isa<FloatType>(element)) {
            // The first NaN is beyond all numbers, and nothing is beyond it.
            auto predicate = IsMax ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT;
            beyond = arith::CmpFOp::create(b, loc, predicate, x[0], x[1]);
            Value number = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, x[1], x[1]);
            beyond = arith::AndIOp::create(b, loc, beyond, number);
          } else {
            using arith::CmpIPredicate;
            CmpIPredicate predicate = isUnsigned(op) ? (IsMax ? CmpIPredicate::ugt : CmpIPredicate::ult)
                                                     : (IsMax ? CmpIPredicate::sgt : CmpIPredicate::slt);
            beyond = arith::CmpIOp::create(b, loc, predicate, x[0], x[1]);
          }
          Value index = arith::IndexCastOp::create(b, loc, b.getI64Type(), linalg::IndexOp::create(b, loc, axis));
          return {arith::SelectOp::create(b, loc, beyond, x[0], x[1]),
                  arith::SelectOp::create(b, loc, beyond, index, x[2])};
        });
    rewriter.replaceOp(op, generic->getResult(1));
    return success();
  }
};

struct MatmulPattern : public OpConversionPattern<df::MatmulOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::MatmulOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> factors = factorsOf(op, adaptor.getOperands(), rewriter);
    auto type = cast<RankedTensorType>(op.getType());
    int64_t rowDim = op.getTransposeA() ? 1 : 0, columnDim = op.getTransposeB() ? 0 : 1;
    SmallVector<Value> sizes;
    if (type.isDynamicDim(0))
      sizes.push_back(tensor::DimOp::create(rewriter, loc, factors[0], rowDim));
    if (type.isDynamicDim(1))
      sizes.push_back(tensor::DimOp::create(rewriter, loc, factors[1], columnDim));
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, sizes);
    auto contract =
        kern::ContractOp::create(rewriter, loc, TypeRange(type), factors[0], factors[1], ValueRange(),
                                 ValueRange(empty), rewriter.getAffineMapArrayAttr({}), op.getTransposeAAttr(),
                                 op.getTransposeBAttr(), ArrayAttr(), UnitAttr(), UnitAttr(), kern::TilingAttr());
    noteTf32(op, contract);
    // f16 and bf16 are computed in f32 and rounded once.
    Type element = type.getElementType(), accumulator = isHalfFloat(element) ? rewriter.getF32Type() : element;
    Value sum = rewriter.createBlock(&contract.getBody(), {}, accumulator, loc)->getArgument(0);
    kern::YieldOp::create(rewriter, loc, emitCast(rewriter, loc, sum, accumulator, element));
    rewriter.replaceOp(op, contract.getResults());
    return success();
  }
};

/// What softmax and its cross entropy share: along an axis, the maximum and the sum of exp(x - maximum).
struct RowExponentials {
  AffineMap identity, row;
  SmallVector<IteratorType> iterators;
  Value maximum, sum;
};

template <typename Fn> static Value withEmitter(OpBuilder &b, Location loc, Type element, Fn fn) {
  if (element.isF64()) {
    ArithEmitter<true> e{b, loc};
    return fn(e);
  }
  ArithEmitter<false> e{b, loc};
  return fn(e);
}

static Value expOfDifference(OpBuilder &b, Location loc, Value x, Value maximum) {
  return withEmitter(b, loc, x.getType(), [&](auto &e) { return expandExp(e, e.sub(x, maximum)); });
}

static RowExponentials makeRowExponentials(OpBuilder &b, Operation *op, Value x, int64_t axis) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(x.getType());
  Type element = type.getElementType();
  int64_t rank = type.getRank();
  RowExponentials r;
  SmallVector<int64_t> kept;
  r.identity = b.getMultiDimIdentityMap(rank);
  r.row = keptMap(b, rank, axis, r.iterators, kept);
  RankedTensorType rows = df::withoutAxes(type, axis);
  ArrayRef<int64_t> shape = type.getShape();
  auto floatType = cast<FloatType>(element);
  Value lowest = filled(b, loc, emptyLike(b, loc, rows, x, kept),
                        b.getFloatAttr(element, APFloat::getInf(floatType.getFloatSemantics(), true)));
  r.maximum = makeGeneric(b, loc, x, lowest, {r.identity, r.row}, r.iterators,
                          [&](OpBuilder &n, ValueRange v) -> SmallVector<Value> {
                            return {arith::MaximumFOp::create(n, loc, v[1], v[0])};
                          })
                  ->getResult(0);
  Value zero = filled(b, loc, emptyLike(b, loc, rows, x, kept), b.getFloatAttr(element, 0.0));
  r.sum = makeGeneric(b, loc, {x, r.maximum}, zero, {r.identity, r.row, r.row}, r.iterators,
                      [&](OpBuilder &n, ValueRange v) -> SmallVector<Value> {
                        Value sum = arith::AddFOp::create(n, loc, v[2], expOfDifference(n, loc, v[0], v[1]));
                        return {inSumOrder(sum, shape, axis)};
                      })
              ->getResult(0);
  return r;
}

struct SoftmaxPattern : public OpConversionPattern<df::SoftmaxOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::SoftmaxOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getOperand();
    if (isNarrowFloat(op.getType()))
      return failure();
    RowExponentials r = makeRowExponentials(rewriter, op, x, df::axisOf(op));
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<IteratorType> parallel(type.getRank(), IteratorType::parallel);
    auto generic = makeGeneric(rewriter, loc, {x, r.maximum, r.sum}, emptyLike(rewriter, loc, type, x),
                               {r.identity, r.row, r.row, r.identity}, parallel,
                               [&](OpBuilder &b, ValueRange v) -> SmallVector<Value> {
                                 return {arith::DivFOp::create(b, loc, expOfDifference(b, loc, v[0], v[1]), v[2])};
                               });
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

struct SoftmaxCrossEntropyPattern : public OpConversionPattern<df::SoftmaxCrossEntropyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::SoftmaxCrossEntropyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getLogits();
    if (isNarrowFloat(op.getType()))
      return failure();
    int64_t axis = cast<RankedTensorType>(x.getType()).getRank() - 1;
    RowExponentials r = makeRowExponentials(rewriter, op, x, axis);
    auto rows = cast<RankedTensorType>(op.getType());
    Type element = rows.getElementType();
    Value zero = filled(rewriter, loc, emptyLike(rewriter, loc, rows, x), rewriter.getFloatAttr(element, 0.0));
    Value labels = adaptor.getLabels();
    if (!op->hasAttr(df::kInBoundsAttr)) {
      Value classes = getValueOrCreateConstantIndexOp(rewriter, loc, sizeOf(rewriter, loc, x, axis));
      labels = emitCheckedIndices(rewriter, op, labels,
                                  arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), classes).getResult(),
                                  /*skipNegative=*/false);
    }
    // x[label] as a sum with one term: a gather that needs no memory.
    Value picked =
        makeGeneric(rewriter, loc, {x, labels}, zero, {r.identity, r.row, r.row}, r.iterators,
                    [&](OpBuilder &b, ValueRange v) -> SmallVector<Value> {
                      Value column =
                          arith::IndexCastOp::create(b, loc, b.getI64Type(), linalg::IndexOp::create(b, loc, axis));
                      Value hit = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, column, v[1]);
                      Value none = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, 0.0));
                      Value one = arith::SelectOp::create(b, loc, hit, v[0], none);
                      return {inSumOrder(arith::AddFOp::create(b, loc, v[2], one), df::shapeOf(x.getType()), axis)};
                    })
            ->getResult(0);
    AffineMap identity = rewriter.getMultiDimIdentityMap(axis);
    SmallVector<IteratorType> parallel(axis, IteratorType::parallel);
    auto generic = makeGeneric(
        rewriter, loc, {r.sum, r.maximum, picked}, emptyLike(rewriter, loc, rows, x),
        {identity, identity, identity, identity}, parallel, [&](OpBuilder &b, ValueRange v) -> SmallVector<Value> {
          return {withEmitter(b, loc, element, [&](auto &e) { return e.sub(e.add(expandLog(e, v[0]), v[1]), v[2]); })};
        });
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

} // namespace

void mlc::populateReductionPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<ReducePattern<df::ReduceSumOp>, ReducePattern<df::ReduceMaxOp>, ReducePattern<df::ReduceMinOp>,
               ReducePattern<df::ReduceProdOp>, ReducePattern<df::ReduceAllOp>, ReducePattern<df::ReduceAnyOp>,
               ArgPattern<df::ArgmaxOp, true>, ArgPattern<df::ArgminOp, false>, MatmulPattern, SoftmaxPattern>(
      types, patterns.getContext());
  patterns.add<SoftmaxCrossEntropyPattern>(types, patterns.getContext(), kChecksOperandsBenefit);
}
