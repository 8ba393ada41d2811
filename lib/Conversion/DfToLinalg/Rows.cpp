// Gathers, grouped ids and row updates to kern.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "ScalarBody.h"
#include "dialects/Df/IR/DfBounds.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlc;

namespace {

struct GroupIdsPattern : public OpConversionPattern<df::GroupIdsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::GroupIdsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> outs;
    for (Type type : op.getResultTypes())
      outs.push_back(emptyLike(rewriter, loc, cast<RankedTensorType>(type), adaptor.getIds()));
    rewriter.replaceOpWithNewOp<kern::UniqueIdsOp>(op, adaptor.getIds(), outs[0], outs[1], outs[2], outs[3]);
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

static Value i64Constant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}
static Value compare(OpBuilder &b, Location loc, arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, loc, predicate, x, y);
}
static Value both(OpBuilder &b, Location loc, Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }

/// Element `at` (an index) of an i64 vector.
static Value elementAt(OpBuilder &b, Location loc, Value vector, Value at) {
  return tensor::ExtractOp::create(b, loc, vector, at);
}

/// A number of elements of an i64 vector, from data: whether it is one, and as an index that is within the vector
/// anyhow.
static std::pair<Value, Value> countWithin(OpBuilder &b, Location loc, Value count, Value vector) {
  Value number = tensor::ExtractOp::create(b, loc, count), size = numRowsOf(b, loc, vector);
  // Negative ones are beyond all.
  Value isWithin = compare(b, loc, arith::CmpIPredicate::ule, number, size);
  Value within = arith::MinUIOp::create(b, loc, number, size);
  return {isWithin, arith::IndexCastOp::create(b, loc, b.getIndexType(), within)};
}

/// Whether the first `count` elements of an i64 vector ascend from `first` on to at most `most`: each is at least the
/// one before, or above it if `strictly`. The second value is the last of them, or `first`.
static std::pair<Value, Value> ascends(OpBuilder &b, Location loc, Value vector, Value count, int64_t first,
                                       bool strictly, Value most) {
  Value start[] = {arith::ConstantOp::create(b, loc, b.getBoolAttr(true)), i64Constant(b, loc, first)};
  auto loop = scf::ForOp::create(b, loc, arith::ConstantIndexOp::create(b, loc, 0), count,
                                 arith::ConstantIndexOp::create(b, loc, 1), start,
                                 [&](OpBuilder &nested, Location, Value at, ValueRange carried) {
                                   Value x = elementAt(nested, loc, vector, at);
                                   auto predicate = strictly ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::sge;
                                   Value ok = both(nested, loc, compare(nested, loc, predicate, x, carried[1]),
                                                   compare(nested, loc, arith::CmpIPredicate::sle, x, most));
                                   scf::YieldOp::create(nested, loc, ValueRange{both(nested, loc, carried[0], ok), x});
                                 });
  return {loop.getResult(0), loop.getResult(1)};
}

/// Fails the step unless df.group_ids could have made the groups.
static void requireGroups(df::GroupSumOp op, df::GroupSumOp::Adaptor adaptor, OpBuilder &b) {
  Location loc = op.getLoc();
  Value order = adaptor.getOrder(), rows = numRowsOf(b, loc, order);
  auto [isCount, count] = countWithin(b, loc, adaptor.getCount(), adaptor.getEnds());
  auto [areEnds, last] = ascends(b, loc, adaptor.getEnds(), count, 0, /*strictly=*/true, rows);
  Value ok = both(b, loc, isCount, areEnds);
  Value used = arith::SelectOp::create(b, loc, ok, last, i64Constant(b, loc, 0));
  auto places = scf::ForOp::create(
      b, loc, arith::ConstantIndexOp::create(b, loc, 0), arith::IndexCastOp::create(b, loc, b.getIndexType(), used),
      arith::ConstantIndexOp::create(b, loc, 1), ok, [&](OpBuilder &nested, Location, Value at, ValueRange carried) {
        Value isRow = compare(nested, loc, arith::CmpIPredicate::ult, elementAt(nested, loc, order, at), rows);
        scf::YieldOp::create(nested, loc, both(nested, loc, carried[0], isRow));
      });
  emitRequire(b, op, places.getResult(0),
              "ends must ascend from 1 to the number of rows, order must name rows, count be from 0 to their number");
}

/// Fails the step unless `ends` ascend to the number of `values`.
static void requireEnds(Operation *op, Value ends, Value values, OpBuilder &b) {
  Location loc = op->getLoc();
  Value most = numRowsOf(b, loc, values);
  auto [ok, last] = ascends(b, loc, ends, getValueOrCreateConstantIndexOp(b, loc, sizeOf(b, loc, ends, 0)), 0,
                            /*strictly=*/false, most);
  emitRequire(b, op, both(b, loc, ok, compare(b, loc, arith::CmpIPredicate::eq, last, most)),
              "ends must ascend from 0 to the number of values");
}

/// Rows by id have a kernel of their own.
struct GatherRowsPattern : public OpConversionPattern<df::GatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type element = dfElement(op.getType());
    if (!op.takesRows() || !(isa<FloatType>(element) || element.isSignlessInteger(64)))
      return failure();
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Value table = adaptor.getOperand(), ids = adaptor.getIndices();
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

struct GroupSumPattern : public OpConversionPattern<df::GroupSumOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::GroupSumOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (!isInBounds(op))
      requireGroups(op, adaptor, rewriter);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<Value> operands(adaptor.getOperands());
    operands.push_back(emptyLike(rewriter, loc, type, adaptor.getValues()));
    rewriter.replaceOp(op, kern::GroupSumOp::create(rewriter, loc, TypeRange(type), operands).getResults());
    return success();
  }
};

/// An op on the values of rows that end at `ends`: operand `values` has their number, `like` the rows of the result.
template <typename Op, typename Kernel, unsigned values, unsigned like>
struct RaggedPattern : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(matchOwnForm(op, rewriter)))
      return failure();
    Location loc = op.getLoc();
    if (!isInBounds(op))
      requireEnds(op, adaptor.getEnds(), adaptor.getOperands()[values], rewriter);
    auto type = cast<RankedTensorType>(this->getTypeConverter()->convertType(op.getType()));
    Value operands[] = {adaptor.getOperands()[0], adaptor.getEnds(),
                        emptyLike(rewriter, loc, type, adaptor.getOperands()[like])};
    rewriter.replaceOp(op, Kernel::create(rewriter, loc, TypeRange(type), operands).getResults());
    return success();
  }
};

/// Fails the step unless both sides of a merge are rows that ascend, and fit into those of `like` together.
static void requireRows(df::MergeRowsOp op, df::MergeRowsOp::Adaptor adaptor, OpBuilder &b) {
  Location loc = op.getLoc();
  Value any = i64Constant(b, loc, std::numeric_limits<int64_t>::max());
  Value isLhs, lhs, isRhs, rhs;
  std::tie(isLhs, lhs) = countWithin(b, loc, adaptor.getLhsCount(), adaptor.getLhsIds());
  std::tie(isRhs, rhs) = countWithin(b, loc, adaptor.getRhsCount(), adaptor.getRhsIds());
  Value lhsAscends = ascends(b, loc, adaptor.getLhsIds(), lhs, -1, /*strictly=*/true, any).first;
  Value rhsAscends = ascends(b, loc, adaptor.getRhsIds(), rhs, -1, /*strictly=*/true, any).first;
  emitRequire(b, op, both(b, loc, both(b, loc, isLhs, isRhs), both(b, loc, lhsAscends, rhsAscends)),
              "ids must ascend from 0 on, counts be from 0 to their number");
  if (!adaptor.getLike())
    return;
  Value room = getValueOrCreateConstantIndexOp(b, loc, sizeOf(b, loc, adaptor.getLike(), 0));
  // Mostly there is room for both, and what is in both need not be counted.
  Value all = arith::AddIOp::create(b, loc, lhs, rhs);
  auto fits = scf::IfOp::create(
      b, loc, compare(b, loc, arith::CmpIPredicate::ule, all, room),
      [&](OpBuilder &nested, Location) {
        scf::YieldOp::create(nested, loc, arith::ConstantOp::create(nested, loc, nested.getBoolAttr(true)).getResult());
      },
      [&](OpBuilder &nested, Location) {
        Value zero = arith::ConstantIndexOp::create(nested, loc, 0),
              one = arith::ConstantIndexOp::create(nested, loc, 1);
        Type index = nested.getIndexType();
        // Positions in both sides, and what is left to be counted once.
        auto walk = scf::WhileOp::create(
            nested, loc, TypeRange{index, index, index}, ValueRange{zero, zero, all},
            [&](OpBuilder &before, Location, ValueRange at) {
              Value more = both(before, loc, compare(before, loc, arith::CmpIPredicate::ult, at[0], lhs),
                                compare(before, loc, arith::CmpIPredicate::ult, at[1], rhs));
              scf::ConditionOp::create(before, loc, more, at);
            },
            [&](OpBuilder &body, Location, ValueRange at) {
              Value x = elementAt(body, loc, adaptor.getLhsIds(), at[0]),
                    y = elementAt(body, loc, adaptor.getRhsIds(), at[1]);
              auto stepIf = [&](arith::CmpIPredicate predicate) -> Value {
                return arith::SelectOp::create(body, loc, compare(body, loc, predicate, x, y), one, zero);
              };
              Value next[] = {arith::AddIOp::create(body, loc, at[0], stepIf(arith::CmpIPredicate::sle)),
                              arith::AddIOp::create(body, loc, at[1], stepIf(arith::CmpIPredicate::sge)),
                              arith::SubIOp::create(body, loc, at[2], stepIf(arith::CmpIPredicate::eq))};
              scf::YieldOp::create(body, loc, next);
            });
        scf::YieldOp::create(nested, loc, compare(nested, loc, arith::CmpIPredicate::ule, walk.getResult(2), room));
      });
  emitRequire(b, op, fits.getResult(0), "the union has more ids than `like`");
}

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
    if (!isInBounds(op))
      requireRows(op, adaptor, rewriter);
    SmallVector<Value> outs;
    for (Type type : op.getResultTypes()) {
      auto shaped = cast<RankedTensorType>(type);
      bool isDynamic = shaped.getRank() != 0 && shaped.isDynamicDim(0);
      outs.push_back(tensor::EmptyOp::create(rewriter, loc, shaped, isDynamic ? ValueRange(capacity) : ValueRange()));
    }
    rewriter.replaceOpWithNewOp<kern::MergeRowsF32Op>(op, adaptor.getLhsIds(), adaptor.getLhsRows(),
                                                      adaptor.getLhsCount(), adaptor.getRhsIds(), adaptor.getRhsRows(),
                                                      adaptor.getRhsCount(), elements, outs[0], outs[1], outs[2]);
    return success();
  }
};

struct RaggedProductPattern : public OpConversionPattern<df::RaggedProductOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::RaggedProductOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!adaptor.getCount())
      return rewriter.notifyMatchFailure(op, "the number of pairs is not bound yet");
    Location loc = op.getLoc();
    Value pairs = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                             tensor::ExtractOp::create(rewriter, loc, adaptor.getCount()));
    Value positions = tensor::EmptyOp::create(rewriter, loc, op.getLhsPositions().getType(), pairs);
    Value rhsPositions = tensor::EmptyOp::create(rewriter, loc, op.getRhsPositions().getType(), pairs);
    Value ends = emptyLike(rewriter, loc, cast<RankedTensorType>(op.getEnds().getType()),
                           adaptor.getLhsEnds() ? adaptor.getLhsEnds() : adaptor.getRhsEnds());
    rewriter.replaceOpWithNewOp<kern::SegmentProductOp>(
        op, adaptor.getLhsEnds(), static_cast<int64_t>(op.getLhsPerRow()), adaptor.getRhsEnds(),
        static_cast<int64_t>(op.getRhsPerRow()), adaptor.getCount(), positions, rhsPositions, ends);
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

  /// Fails the step unless the first `count` ids ascend and are rows of the tables. What stands after them is
  /// undefined. All ids are looked at, each beside the one before: by any number of tasks, where the ids are.
  static void requireIds(df::UpdateRowsOp op, OpAdaptor adaptor, OpBuilder &b) {
    Location loc = op.getLoc();
    Value ids = adaptor.getIds(), numIds = numRowsOf(b, loc, ids);
    Value numRows = numRowsOf(b, loc, adaptor.getTables()[0]);
    Type byte = b.getI8Type();
    auto scalar = [&] { return tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), byte).getResult(); };
    AffineMap one = AffineMap::get(1, 0, b.getContext()), none = AffineMap::get(0, 0, b.getContext());
    auto ascend = makeGeneric(
        b, loc, {ids, adaptor.getCount()}, filled(b, loc, scalar(), b.getI8IntegerAttr(1)),
        {b.getMultiDimIdentityMap(1), one, one}, utils::IteratorType::reduction,
        [&](OpBuilder &n, ValueRange elements) -> SmallVector<Value> {
          Value at = linalg::IndexOp::create(n, loc, 0), first = arith::ConstantIndexOp::create(n, loc, 0);
          Value isFirst = compare(n, loc, arith::CmpIPredicate::eq, at, first);
          Value next = arith::ConstantIndexOp::create(n, loc, 1);
          Value before = arith::SelectOp::create(n, loc, isFirst, first, arith::SubIOp::create(n, loc, at, next));
          Value least =
              arith::SelectOp::create(n, loc, isFirst, i64Constant(n, loc, -1), elementAt(n, loc, ids, before));
          Value number = arith::IndexCastOp::create(n, loc, n.getI64Type(), at);
          Value isNone = compare(n, loc, arith::CmpIPredicate::sge, number, elements[1]);
          Value isRow = both(n, loc, compare(n, loc, arith::CmpIPredicate::sgt, elements[0], least),
                             compare(n, loc, arith::CmpIPredicate::slt, elements[0], numRows));
          Value good = arith::ExtUIOp::create(n, loc, byte, arith::OrIOp::create(n, loc, isNone, isRow));
          return {arith::MinUIOp::create(n, loc, good, elements[2])};
        });
    auto ok = makeGeneric(
        b, loc, {ascend->getResult(0), adaptor.getCount()}, scalar(), {none, none, none}, {},
        [&](OpBuilder &n, ValueRange elements) -> SmallVector<Value> {
          // Negative ones are beyond all.
          Value isCount = compare(n, loc, arith::CmpIPredicate::ule, elements[1], numIds);
          return {arith::AndIOp::create(n, loc, elements[0], arith::ExtUIOp::create(n, loc, byte, isCount))};
        });
    Value found = tensor::ExtractOp::create(b, loc, ok->getResult(0), ValueRange());
    emitRequire(b, op, arith::TruncIOp::create(b, loc, b.getI1Type(), found),
                "ids must ascend from 0 to the last row of the tables, count be from 0 to their number",
                /*isContained=*/true);
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
      // A scalar that was repeated for a variable of the rows' shape is the scalar: cse makes one of both.
      Value scalar = value;
      Operation *repeated = value.getDefiningOp();
      if (isa_and_present<df::BroadcastOp, df::ReshapeOp>(repeated)) // to one element a reshape does the same
        scalar = repeated->getOperand(0);
      if (cast<RankedTensorType>(scalar.getType()).getRank() != 0)
        return op.emitOpError("uses a value of type ") << value.getType() << " from outside; expected scalars";
      Value converted = rewriter.getRemappedValue(scalar);
      if (!converted)
        return failure();
      scalars.push_back(converted);
      arguments.push_back(cast<RankedTensorType>(converted.getType()).getElementType());
    }
    if (!isInBounds(op))
      requireIds(op, adaptor, rewriter);
    auto update =
        kern::UpdateRowsOp::create(rewriter, loc, op.getResultTypes(), adaptor.getIds(), adaptor.getCount(),
                                   adaptor.getRows(), ValueRange(), scalars, adaptor.getTables(), op.getEveryRow());
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
  patterns.add<GroupSumPattern, RaggedPattern<df::RaggedReduceOp, kern::RaggedSumOp, 0, 1>,
               RaggedPattern<df::RaggedRepeatOp, kern::RaggedRepeatOp, 2, 2>, GroupIdsPattern, MergeRowsPattern,
               RaggedProductPattern, UpdateRowsPattern>(types, patterns.getContext(), kChecksOperandsBenefit);
  patterns.add<GatherRowsPattern>(types, patterns.getContext(), kChecksOperandsBenefit + 1);
}
