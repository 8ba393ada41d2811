// Gathers, grouped ids and row updates to kern.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "ScalarBody.h"
#include "dialects/Df/IR/DfBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlc;

namespace {

struct UniquePattern : public OpConversionPattern<df::UniqueOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::UniqueOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> outs;
    for (Type type : op.getResultTypes())
      outs.push_back(emptyLike(rewriter, loc, cast<RankedTensorType>(type), adaptor.getIds()));
    auto service = kern::ServiceOp::create(rewriter, loc, op.getResultTypes(), rewriter.getStringAttr("unique_ids"),
                                           rewriter.getStringAttr("bmbbbb"), ValueRange(adaptor.getIds()), outs,
                                           rewriter.getDenseI64ArrayAttr({}), rewriter.getStrArrayAttr({}));
    rewriter.replaceOp(op, service.getResults());
    return success();
  }
};

/// Whether the ids of an op are known to be in range.
static bool isInBounds(Operation *op) { return op->hasAttr(df::kInBoundsAttr); }

/// The size of dimension 0 as an i64.
static Value numRowsOf(OpBuilder &b, Location loc, Value tensor) {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                    getValueOrCreateConstantIndexOp(b, loc, sizeOf(b, loc, tensor, 0)));
}

struct TakeRowsPattern : public OpConversionPattern<df::TakeRowsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::TakeRowsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Value table = adaptor.getTable(), ids = adaptor.getIds();
    auto take = [&](OpBuilder &b) -> Value {
      Value operands[] = {table, ids, emptyLike(b, loc, type, ids)};
      return kern::TakeRowsOp::create(b, loc, TypeRange(type), operands)->getResult(0);
    };
    if (isInBounds(op)) {
      rewriter.replaceOp(op, take(rewriter));
      return success();
    }
    ids = emitCheckedIndices(rewriter, op, ids, numRowsOf(rewriter, loc, table), /*skipNegative=*/true);
    if (cast<RankedTensorType>(table.getType()).getDimSize(0) > 0) {
      rewriter.replaceOp(op, take(rewriter));
      return success();
    }
    // A table of nothing has no row to read for ids that mean none.
    Value isNothing = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, numRowsOf(rewriter, loc, table),
                                            arith::ConstantOp::create(rewriter, loc, rewriter.getI64IntegerAttr(0)));
    auto branch = scf::IfOp::create(
        rewriter, loc, isNothing,
        [&](OpBuilder &b, Location) {
          Value empty = emptyLike(b, loc, type, ids);
          scf::YieldOp::create(b, loc, filled(b, loc, empty, cast<TypedAttr>(b.getZeroAttr(type.getElementType()))));
        },
        [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, take(b)); });
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};

/// An op that is one kernel: its operand `like` has the rows of the result; the kernel takes those before `numIns`.
template <typename Op, typename Kernel, unsigned numIns, unsigned like>
struct RowKernelPattern : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<Value> operands(adaptor.getOperands().take_front(numIns));
    operands.push_back(emptyLike(rewriter, op.getLoc(), type, adaptor.getOperands()[like]));
    rewriter.replaceOp(op, Kernel::create(rewriter, op.getLoc(), TypeRange(type), operands).getResults());
    return success();
  }
};

struct MergeRowsPattern : public OpConversionPattern<df::MergeRowsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::MergeRowsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto rows = cast<RankedTensorType>(op.getRows().getType());
    int64_t elements = 1;
    for (int64_t d : rows.getShape().drop_front())
      elements *= d;
    // Room for the rows of `like`, or of both sides.
    Value capacity;
    if (rows.isDynamicDim(0) && adaptor.getLike())
      capacity = tensor::DimOp::create(rewriter, loc, adaptor.getLike(), 0);
    else if (rows.isDynamicDim(0))
      capacity = arith::AddIOp::create(rewriter, loc, tensor::DimOp::create(rewriter, loc, adaptor.getLhsIds(), 0),
                                       tensor::DimOp::create(rewriter, loc, adaptor.getRhsIds(), 0));
    SmallVector<Value> outs;
    for (Type type : op.getResultTypes()) {
      auto shaped = cast<RankedTensorType>(type);
      bool isDynamic = shaped.getRank() != 0 && shaped.isDynamicDim(0);
      outs.push_back(tensor::EmptyOp::create(rewriter, loc, shaped, isDynamic ? ValueRange(capacity) : ValueRange()));
    }
    auto service =
        kern::ServiceOp::create(rewriter, loc, op.getResultTypes(), rewriter.getStringAttr("merge_rows_f32"),
                                rewriter.getStringAttr("bbvbbvlbbb"), adaptor.getOperands().take_front(6), outs,
                                rewriter.getDenseI64ArrayAttr({elements}), rewriter.getStrArrayAttr({}));
    rewriter.replaceOp(op, service.getResults());
    return success();
  }
};

struct SegmentProductPattern : public OpConversionPattern<df::SegmentProductOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::SegmentProductOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value pairs = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                             tensor::ExtractOp::create(rewriter, loc, adaptor.getCount()));
    Value positions = tensor::EmptyOp::create(rewriter, loc, op.getLhsPositions().getType(), pairs);
    SmallVector<Value> ins,
        outs = {positions, tensor::EmptyOp::create(rewriter, loc, op.getRhsPositions().getType(), pairs)};
    std::string signature;
    auto addSide = [&](Value ends) {
      signature += ends ? "bl" : "zl";
      if (ends)
        ins.push_back(ends);
    };
    addSide(adaptor.getLhsEnds());
    addSide(adaptor.getRhsEnds());
    outs.push_back(emptyLike(rewriter, loc, cast<RankedTensorType>(op.getEnds().getType()), ins.front()));
    ins.push_back(adaptor.getCount());
    auto service =
        kern::ServiceOp::create(rewriter, loc, op.getResultTypes(), rewriter.getStringAttr("segment_product"),
                                rewriter.getStringAttr(signature + "mvbbb"), ins, outs,
                                rewriter.getDenseI64ArrayAttr(
                                    {static_cast<int64_t>(op.getLhsPerRow()), static_cast<int64_t>(op.getRhsPerRow())}),
                                rewriter.getStrArrayAttr({}));
    rewriter.replaceOp(op, service.getResults());
    return success();
  }
};

struct UpdateRowsPattern : public OpConversionPattern<df::UpdateRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  /// The scalar form of the region: rows become elements, broadcasts of captured scalars the scalars, which are the
  /// last arguments.
  LogicalResult convertBody(df::UpdateRowsOp op, Block *body, ArrayRef<Value> captured,
                            const llvm::SmallMapVector<Value, TypedAttr, 4> &constants,
                            ConversionPatternRewriter &rewriter) const {
    IRMapping mapping;
    for (auto &[value, number] : constants)
      mapping.map(value, arith::ConstantOp::create(rewriter, op.getLoc(), number));
    Block &from = op.getBody().front();
    for (auto [row, element] : llvm::zip(from.getArguments(), body->getArguments()))
      mapping.map(row, element);
    for (auto [i, value] : llvm::enumerate(captured))
      mapping.map(value,
                  loadElement(rewriter, op.getLoc(), body->getArgument(body->getNumArguments() - captured.size() + i),
                              dfElement(value.getType())));
    for (Operation &inner : from) {
      SmallVector<Value> operands;
      for (Value operand : inner.getOperands())
        operands.push_back(mapping.lookupOrDefault(operand));
      if (isa<df::YieldOp>(inner)) {
        kern::YieldOp::create(rewriter, inner.getLoc(), operands);
        return success();
      }
      if (auto constant = dyn_cast<df::ConstantOp>(inner)) {
        auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
        if (!splat)
          return inner.emitOpError("must be a splat in an update of rows");
        mapping.map(constant.getResult(),
                    arith::ConstantOp::create(rewriter, inner.getLoc(), splat.getSplatValue<TypedAttr>()));
        continue;
      }
      if (auto broadcast = dyn_cast<df::BroadcastOp>(inner)) {
        if (!broadcast.getDimensions().empty() && broadcast.getOperand().getType() != broadcast.getType())
          return inner.emitOpError("must repeat a scalar in an update of rows");
        mapping.map(broadcast.getResult(), operands[0]);
        continue;
      }
      if (!isElementwise(&inner))
        return inner.emitOpError("has no code in an update of rows; expected an element-wise op");
      Value result = emitScalar(rewriter, &inner, operands);
      if (!result)
        return failure();
      mapping.map(inner.getResult(0), result);
    }
    return failure();
  }

  /// The first `count` ids checked, and how many they are. What stands behind them is undefined, so it is no id.
  static Value checkedIds(df::UpdateRowsOp op, OpAdaptor adaptor, OpBuilder &b) {
    Location loc = op.getLoc();
    Value all = adaptor.getIds();
    auto type = cast<RankedTensorType>(all.getType());
    Value one = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
    Value most = arith::AddIOp::create(b, loc, numRowsOf(b, loc, all), one);
    Value count = emitCheckedIndices(b, op, adaptor.getCount(), most, /*skipNegative=*/false);
    Value number = arith::IndexCastOp::create(b, loc, b.getIndexType(), tensor::ExtractOp::create(b, loc, count));
    Value first = makeIndexed(b, loc, emptyLike(b, loc, type, all), [&](OpBuilder &nested, ValueRange index) -> Value {
      Value isId = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::ult, index[0], number);
      Value zero = arith::ConstantOp::create(nested, loc, nested.getI64IntegerAttr(0));
      return arith::SelectOp::create(nested, loc, isId, tensor::ExtractOp::create(nested, loc, all, index), zero);
    });
    // Negative ones are none of an update.
    return emitCheckedIndices(b, op, first, numRowsOf(b, loc, adaptor.getTables()[0]), /*skipNegative=*/false);
  }

  LogicalResult matchAndRewrite(df::UpdateRowsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    // By block, not by region: arguments of the function whose types change stand in no region until the conversion
    // ends.
    llvm::SetVector<Value> captured;
    Block *rows = &op.getBody().front();
    for (Operation &inner : *rows)
      for (Value operand : inner.getOperands())
        if (operand.getParentBlock() != rows)
          captured.insert(operand);
    Type element = dfElement(op.getTables()[0].getType());
    SmallVector<Type> arguments(op.getTables().size() + 1, element);
    if (op.getEveryRow())
      arguments.push_back(rewriter.getI1Type());
    SmallVector<Value> scalars;
    // A constant that stands outside is one of the body.
    llvm::SmallMapVector<Value, TypedAttr, 4> constants;
    for (Value value : captured)
      if (auto constant = value.getDefiningOp<df::ConstantOp>())
        if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
          constants[value] = splat.getSplatValue<TypedAttr>();
    captured.remove_if([&](Value value) { return constants.contains(value); });
    for (Value value : captured) {
      if (cast<RankedTensorType>(value.getType()).getRank() != 0)
        return op.emitOpError("uses a value of type ") << value.getType() << " from outside; expected scalars";
      Value converted = rewriter.getRemappedValue(value);
      if (!converted)
        return failure();
      scalars.push_back(converted);
      arguments.push_back(cast<RankedTensorType>(converted.getType()).getElementType());
    }
    Value ids = adaptor.getIds();
    if (!isInBounds(op))
      ids = checkedIds(op, adaptor, rewriter);
    auto update =
        kern::UpdateRowsOp::create(rewriter, loc, op.getResultTypes(), ids, adaptor.getCount(), adaptor.getRows(),
                                   ValueRange(), scalars, adaptor.getTables(), op.getEveryRow());
    SmallVector<Location> locations(arguments.size(), loc);
    Block *body = rewriter.createBlock(&update.getBody(), {}, arguments, locations);
    if (failed(convertBody(op, body, captured.getArrayRef(), constants, rewriter)))
      return failure();
    rewriter.replaceOp(op, update.getResults());
    return success();
  }
};

} // namespace

void mlc::populateRowsPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<TakeRowsPattern, RowKernelPattern<df::GroupSumOp, kern::GroupSumOp, 4, 0>,
               RowKernelPattern<df::SegmentSumOp, kern::SegmentSumOp, 2, 1>,
               RowKernelPattern<df::SegmentRepeatOp, kern::SegmentRepeatOp, 2, 2>, UniquePattern, MergeRowsPattern,
               SegmentProductPattern, UpdateRowsPattern>(types, patterns.getContext());
}
