// Cumulative ops to kern.scan, order statistics to services, searches to loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Combine.h"
#include "Patterns.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlcrt/abi.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;

/// A kern.scan of `ins`, all of `type`. `step` makes the next carried value of the carried one and the elements.
static Value makeScan(ConversionPatternRewriter &rewriter, Location loc, RankedTensorType type, ValueRange ins,
                      TypedAttr initial, int64_t axis, bool exclusive, bool reverse,
                      llvm::function_ref<Value(OpBuilder &, Value, ValueRange)> step) {
  Value empty = emptyLike(rewriter, loc, type, ins[0]);
  auto scan = kern::ScanOp::create(rewriter, loc, TypeRange(type), ins, ValueRange(empty), initial,
                                   rewriter.getI64IntegerAttr(axis), reverse ? rewriter.getUnitAttr() : UnitAttr());
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Type> arguments(ins.size() + 1, type.getElementType());
  Block *body = rewriter.createBlock(&scan.getBody(), {}, arguments, SmallVector<Location>(arguments.size(), loc));
  Value carried = body->getArgument(0), next = step(rewriter, carried, body->getArguments().drop_front());
  kern::YieldOp::create(rewriter, loc, TypeRange(), ValueRange{next, exclusive ? carried : next});
  return scan.getResult(0);
}

namespace {

template <typename Op, Combination how> struct CumulativePattern : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
    if (isNarrowFloat(op.getType()))
      return failure();
    Type element = type.getElementType();
    bool isUnsigned = dfElement(op.getType()).isUnsignedInteger();
    TypedAttr initial = how == Combination::Sum ? cast<TypedAttr>(rewriter.getZeroAttr(element))
                        : how == Combination::Product
                            ? rewriter.getOneAttr(element)
                            : extreme(rewriter, element, how == Combination::Maximum, isUnsigned);
    Value y = makeScan(rewriter, op.getLoc(), type, adaptor.getOperand(), initial, df::axisOf(op), op.getExclusive(),
                       op.getReverse(), [&](OpBuilder &b, Value carried, ValueRange x) {
                         return emitCombination(b, op.getLoc(), how, carried, x[0], isUnsigned);
                       });
    rewriter.replaceOp(op, y);
    return success();
  }
};

struct LinearScanPattern : public OpConversionPattern<df::LinearScanOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::LinearScanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    if (isNarrowFloat(type))
      return failure();
    auto zero = cast<TypedAttr>(rewriter.getZeroAttr(type.getElementType()));
    Value y =
        makeScan(rewriter, op.getLoc(), type, {adaptor.getCoefficients(), adaptor.getOperand()}, zero, df::axisOf(op),
                 op.getExclusive(), op.getReverse(), [&](OpBuilder &b, Value carried, ValueRange x) -> Value {
                   return math::FmaOp::create(b, op.getLoc(), x[0], carried, x[1]);
                 });
    rewriter.replaceOp(op, y);
    return success();
  }
};

/// The services of a sort see a tensor as [outer, size, inner] around its axis.
struct SortServices {
  ConversionPatternRewriter &b;
  Operation *op;
  Location loc;
  int64_t axis;
  Value outer, size, inner, taken; ///< tensor<i64>

  /// `count`: how many of each line are taken, an index; all of them if null.
  SortServices(ConversionPatternRewriter &b, Operation *op, Value like, int64_t rank, int64_t axis, Value count)
      : b(b), op(op), loc(op->getLoc()), axis(axis) {
    auto product = [&](int64_t begin, int64_t end) {
      Value p = arith::ConstantIndexOp::create(b, loc, 1);
      for (int64_t d = begin; d < end; ++d)
        p = arith::MulIOp::create(b, loc, p, tensor::DimOp::create(b, loc, like, d));
      return scalarTensor(b, loc, p);
    };
    outer = product(0, axis);
    size = product(axis, axis + 1);
    inner = product(axis + 1, rank);
    taken = count ? scalarTensor(b, loc, count) : size;
  }

  /// Positions of the first elements in sorted order, in `empty`; null after an error.
  Value positions(Value keys, bool descending, Value empty) {
    auto type = cast<RankedTensorType>(keys.getType());
    Type element = type.getElementType();
    if (dfElement(op->getOperand(0).getType()).isUnsignedInteger()) {
      // The service compares signed integers: with the top bit inverted they are in the order of the unsigned ones.
      AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
      SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
      auto top = b.getIntegerAttr(element, APInt::getSignMask(element.getIntOrFloatBitWidth()));
      keys = makeGeneric(b, loc, keys, {emptyLike(b, loc, type, keys)}, {identity, identity}, iterators,
                         [&](OpBuilder &n, ValueRange x) -> SmallVector<Value> {
                           return {arith::XOrIOp::create(n, loc, x[0], arith::ConstantOp::create(n, loc, top))};
                         })
                 ->getResult(0);
    }
    int32_t dtype = element.isF32()         ? MLCRT_F32
                    : element.isF64()       ? MLCRT_F64
                    : element.isInteger(8)  ? MLCRT_I8
                    : element.isInteger(16) ? MLCRT_I16
                    : element.isInteger(32) ? MLCRT_I32
                    : element.isInteger(64) ? MLCRT_I64
                                            : 0;
    if (!dtype) {
      op->emitOpError("has no code for keys of ") << element;
      return {};
    }
    return kern::SortPositionsOp::create(b, loc, keys, dtype, outer, size, inner, descending, taken, empty)
        .getResult(0);
  }

  /// The elements of `values`, of df element type `element`, at these positions, in `empty`.
  Value take(Value values, Type element, Value positions, Value empty) {
    int64_t bytes = cast<RankedTensorType>(values.getType()).getElementTypeBitWidth() / 8;
    // A string is a pair of words.
    if (isa<df::StringType>(element))
      bytes *= 2;
    return kern::TakeAlongOp::create(b, loc, values, bytes, outer, size, inner, positions, taken, empty).getResult(0);
  }
};

struct ArgsortPattern : public OpConversionPattern<df::ArgsortOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::ArgsortOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    SortServices services(rewriter, op, adaptor.getOperand(), type.getRank(), df::axisOf(op), Value());
    Value y = services.positions(adaptor.getOperand(), op.getDescending(),
                                 emptyLike(rewriter, op.getLoc(), type, adaptor.getOperand()));
    if (!y)
      return failure();
    rewriter.replaceOp(op, y);
    return success();
  }
};

struct SortPattern : public OpConversionPattern<df::SortOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::SortOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value keys = adaptor.getOperands().front();
    auto type = cast<RankedTensorType>(op.getOperands().front().getType());
    SortServices services(rewriter, op, keys, type.getRank(), df::axisOf(op), Value());
    Value positions =
        services.positions(keys, op.getDescending(), emptyLike(rewriter, loc, type.clone(rewriter.getI64Type()), keys));
    if (!positions)
      return failure();
    SmallVector<Value> results;
    for (auto [operand, converted] : llvm::zip(op.getOperands(), adaptor.getOperands())) {
      auto held = cast<RankedTensorType>(getTypeConverter()->convertType(operand.getType()));
      results.push_back(
          services.take(converted, dfElement(operand.getType()), positions, emptyLike(rewriter, loc, held, converted)));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct TopKPattern : public OpConversionPattern<df::TopKOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::TopKOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getOperand();
    auto from = cast<RankedTensorType>(x.getType());
    int64_t axis = df::axisOf(op);
    Value size = tensor::DimOp::create(rewriter, loc, x, axis), k;
    if (op.getCount())
      k = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                     tensor::ExtractOp::create(rewriter, loc, adaptor.getCount(), ValueRange()));
    else
      k = arith::ConstantIndexOp::create(rewriter, loc, static_cast<int64_t>(*op.getK()));
    if (op.getCount() || from.isDynamicDim(axis)) {
      // As unsigned numbers, those below 0 are above every size.
      Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule, k, size);
      emitRequire(rewriter, op, fits, "takes more elements than the axis has, or fewer than 0");
      // Says the same to what plans memory.
      k = arith::MinUIOp::create(rewriter, loc, k, size);
    }
    SortServices services(rewriter, op, x, from.getRank(), axis, k);
    auto empty = [&](Type type) {
      auto result = cast<RankedTensorType>(getTypeConverter()->convertType(type));
      SmallVector<Value> sizes;
      for (int64_t d = 0; d < result.getRank(); ++d)
        if (result.isDynamicDim(d))
          sizes.push_back(d == axis ? k : Value(tensor::DimOp::create(rewriter, loc, x, d)));
      return Value(tensor::EmptyOp::create(rewriter, loc, result, sizes));
    };
    Value positions = services.positions(x, !op.getSmallest(), empty(op.getPositions().getType()));
    if (!positions)
      return failure();
    Value values = services.take(x, from.getElementType(), positions, empty(op.getValues().getType()));
    rewriter.replaceOp(op, {values, positions});
    return success();
  }
};

/// A binary search for each value, inside of one loop over them.
struct SearchsortedPattern : public OpConversionPattern<df::SearchsortedOp> {
  using OpConversionPattern::OpConversionPattern;

  /// Whether x stands before y in the order of df.sort.
  static Value isBelow(OpBuilder &b, Location loc, Value x, Value y, bool isUnsigned) {
    if (!isa<FloatType>(x.getType()))
      return arith::CmpIOp::create(b, loc, isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, x, y);
    Value less = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
    Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, x, x);
    Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, y, y);
    return arith::OrIOp::create(b, loc, less, arith::AndIOp::create(b, loc, isNumber, isNone));
  }

  LogicalResult matchAndRewrite(df::SearchsortedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (isNarrowFloat(op.getValues().getType()))
      return failure();
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    bool isUnsigned = dfElement(op.getValues().getType()).isUnsignedInteger();
    Value sequence = adaptor.getSequence(), values = adaptor.getValues();
    int64_t batch = cast<RankedTensorType>(sequence.getType()).getRank() - 1;
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
          one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    Value size = tensor::DimOp::create(rewriter, loc, sequence, batch);
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    auto search = [&](OpBuilder &b, ValueRange x) -> SmallVector<Value> {
      SmallVector<Value> place;
      for (int64_t d = 0; d < batch; ++d)
        place.push_back(linalg::IndexOp::create(b, loc, d));
      place.push_back(Value());
      auto more = [&](OpBuilder &n, Location, ValueRange bounds) {
        Value isOpen = arith::CmpIOp::create(n, loc, arith::CmpIPredicate::ult, bounds[0], bounds[1]);
        scf::ConditionOp::create(n, loc, isOpen, bounds);
      };
      auto halve = [&](OpBuilder &n, Location, ValueRange bounds) {
        Value middle = arith::AddIOp::create(n, loc, bounds[0], bounds[1]);
        middle = arith::ShRUIOp::create(n, loc, middle, one);
        place.back() = middle;
        Value element = tensor::ExtractOp::create(n, loc, sequence, place);
        // The place is after an element that is below the value; with `right`, that the value is not below.
        bool right = op.getRight();
        Value test = right ? isBelow(n, loc, x[0], element, isUnsigned) : isBelow(n, loc, element, x[0], isUnsigned);
        Value after = arith::AddIOp::create(n, loc, middle, one);
        auto choose = [&](Value ifAfter, Value ifNot) -> Value {
          return arith::SelectOp::create(n, loc, test, right ? ifNot : ifAfter, right ? ifAfter : ifNot);
        };
        scf::YieldOp::create(n, loc, ValueRange{choose(after, bounds[0]), choose(bounds[1], middle)});
      };
      Type index = b.getIndexType();
      auto loop = scf::WhileOp::create(b, loc, TypeRange{index, index}, ValueRange{zero, size}, more, halve);
      return {arith::IndexCastOp::create(b, loc, b.getI64Type(), loop.getResult(0))};
    };
    auto generic = makeGeneric(rewriter, loc, values, emptyLike(rewriter, loc, type, values), {identity, identity},
                               iterators, search);
    if (failed(generic))
      return failure();
    rewriter.replaceOp(op, (*generic)->getResults());
    return success();
  }
};

/// f16 and bf16 are reduced, carried and compared in f32, and results rounded once.
struct WideningPattern : public ConversionPattern {
  WideningPattern(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), kWideningBenefit, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value>, ConversionPatternRewriter &rewriter) const override {
    if (!isa<df::ReduceSumOp, df::ReduceProdOp, df::ReduceMaxOp, df::ReduceMinOp, df::ArgmaxOp, df::ArgminOp,
             df::SoftmaxOp, df::SoftmaxCrossEntropyOp, df::CumsumOp, df::CumprodOp, df::CummaxOp, df::CumminOp,
             df::LinearScanOp, df::SortOp, df::ArgsortOp, df::TopKOp, df::SearchsortedOp, df::GroupSumOp,
             df::RaggedReduceOp, df::MergeRowsOp>(op) ||
        llvm::none_of(op->getOperandTypes(), isNarrowFloat))
      return failure();
    auto wide = [&](Type type) { return cast<RankedTensorType>(type).clone(rewriter.getF32Type()); };
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isNarrowFloat(operand.getType())
                             ? df::CastOp::create(rewriter, op->getLoc(), wide(operand.getType()), operand)
                             : operand);
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(isNarrowFloat(type) ? wide(type) : type);
    OperationState state(op->getLoc(), op->getName(), operands, types, llvm::to_vector(op->getDiscardableAttrs()));
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Operation *widened = rewriter.create(state);
    SmallVector<Value> results;
    for (auto [result, type] : llvm::zip(widened->getResults(), op->getResultTypes()))
      results.push_back(isNarrowFloat(type) ? df::CastOp::create(rewriter, op->getLoc(), type, result) : Value(result));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void mlc::populateOrderPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns
      .add<CumulativePattern<df::CumsumOp, Combination::Sum>, CumulativePattern<df::CumprodOp, Combination::Product>,
           CumulativePattern<df::CummaxOp, Combination::Maximum>, CumulativePattern<df::CumminOp, Combination::Minimum>,
           LinearScanPattern, ArgsortPattern, SortPattern, TopKPattern, SearchsortedPattern>(types,
                                                                                             patterns.getContext());
  patterns.add<WideningPattern>(types, patterns.getContext());
}
