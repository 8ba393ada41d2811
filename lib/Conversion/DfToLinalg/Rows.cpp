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

/// The element of a scalar.
static Value elementOf(OpBuilder &b, Location loc, Value scalar) {
  return tensor::ExtractOp::create(b, loc, scalar, ValueRange());
}

/// The element before that at index `at`, or `first`.
static Value elementBefore(OpBuilder &b, Location loc, Value vector, Value at, int64_t first) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  Value isFirst = compare(b, loc, arith::CmpIPredicate::eq, at, zero);
  Value before = arith::SelectOp::create(b, loc, isFirst, zero, arith::SubIOp::create(b, loc, at, one));
  return arith::SelectOp::create(b, loc, isFirst, i64Constant(b, loc, first), elementAt(b, loc, vector, before));
}

/// Index `at` as an i64.
static Value numberOf(OpBuilder &b, Location loc, Value at) {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), at);
}

/// Whether index `at` is below a number.
static Value isBelow(OpBuilder &b, Location loc, Value at, Value number) {
  return compare(b, loc, arith::CmpIPredicate::slt, numberOf(b, loc, at), number);
}

/// A condition on element `at` (an index) of a vector.
using ElementTest = llvm::function_ref<Value(OpBuilder &, Value at)>;

/// The least of a byte for each element of a vector, or 1, as a scalar: 1 where `holds` of all of them that are there.
/// Others are not read: nobody may have written them. Any number of tasks look at them, where the vector is.
static Value allHold(OpBuilder &b, Location loc, Value vector, ElementTest isThere, ElementTest holds) {
  Type byte = b.getI8Type();
  Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), byte);
  return makeGeneric(
             b, loc, vector, filled(b, loc, empty, b.getI8IntegerAttr(1)),
             {b.getMultiDimIdentityMap(1), AffineMap::get(1, 0, b.getContext())}, utils::IteratorType::reduction,
             [&](OpBuilder &n, ValueRange elements) -> SmallVector<Value> {
               Value at = linalg::IndexOp::create(n, loc, 0);
               auto good = scf::IfOp::create(
                   n, loc, isThere(n, at),
                   [&](OpBuilder &then, Location) { scf::YieldOp::create(then, loc, holds(then, at)); },
                   [&](OpBuilder &otherwise, Location) {
                     scf::YieldOp::create(otherwise, loc,
                                          arith::ConstantOp::create(otherwise, loc, b.getBoolAttr(true)).getResult());
                   });
               Value found = arith::ExtUIOp::create(n, loc, byte, good.getResult(0));
               return {arith::MinUIOp::create(n, loc, found, elements[1])};
             })
      ->getResult(0);
}

/// A scalar, computed where the tensors are that `element` reads.
static Value scalarOf(OpBuilder &b, Location loc, Type type, llvm::function_ref<Value(OpBuilder &)> element) {
  Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), type);
  return makeGeneric(b, loc, {}, empty, AffineMap::get(0, 0, b.getContext()), {},
                     [&](OpBuilder &n, ValueRange) -> SmallVector<Value> { return {element(n)}; })
      ->getResult(0);
}

/// Whether a byte that stands in a scalar is 1.
static Value isGood(OpBuilder &b, Location loc, Value scalar) {
  return arith::TruncIOp::create(b, loc, b.getI1Type(), elementOf(b, loc, scalar));
}

/// Whether all of `conditions` hold, as a byte.
static Value allOf(OpBuilder &b, Location loc, ArrayRef<Value> conditions) {
  Value all = conditions.front();
  for (Value condition : conditions.drop_front())
    all = both(b, loc, all, condition);
  return arith::ExtUIOp::create(b, loc, b.getI8Type(), all);
}

/// Whether a number of elements of a vector, from data, is one. Negative ones are beyond all.
static Value isCountOf(OpBuilder &b, Location loc, Value count, Value size) {
  return compare(b, loc, arith::CmpIPredicate::ule, elementOf(b, loc, count), size);
}

/// Fails the step unless the byte is 1.
static void require(OpBuilder &b, Operation *op, Value ok, StringRef message) {
  emitRequire(b, op, isGood(b, op->getLoc(), ok), message, /*isContained=*/true);
}

/// The count, or 0 where the byte is not 1: then nothing is counted that must not be.
static Value countIf(OpBuilder &b, Location loc, Value ok, Value count) {
  return scalarOf(b, loc, b.getI64Type(), [&](OpBuilder &n) -> Value {
    return arith::SelectOp::create(n, loc, isGood(n, loc, ok), elementOf(n, loc, count), i64Constant(n, loc, 0));
  });
}

/// Fails the step unless df.group_ids could have made the groups. Returns their number, as what follows is to have it.
static Value requireGroups(df::GroupSumOp op, df::GroupSumOp::Adaptor adaptor, OpBuilder &b) {
  Location loc = op.getLoc();
  Value order = adaptor.getOrder(), ends = adaptor.getEnds(), count = adaptor.getCount();
  Value rows = numRowsOf(b, loc, order), most = numRowsOf(b, loc, ends);
  Value areEnds = allHold(
      b, loc, ends, [&](OpBuilder &n, Value at) { return isBelow(n, loc, at, elementOf(n, loc, count)); },
      [&](OpBuilder &n, Value at) {
        Value end = elementAt(n, loc, ends, at);
        return both(n, loc, compare(n, loc, arith::CmpIPredicate::sgt, end, elementBefore(n, loc, ends, at, 0)),
                    compare(n, loc, arith::CmpIPredicate::sle, end, rows));
      });
  Value areRows = allHold(
      b, loc, order,
      [&](OpBuilder &n, Value at) {
        Value number = arith::MinUIOp::create(n, loc, elementOf(n, loc, count), most);
        Value used = elementBefore(n, loc, ends, arith::IndexCastOp::create(n, loc, n.getIndexType(), number), 0);
        return isBelow(n, loc, at, used);
      },
      [&](OpBuilder &n, Value at) {
        return compare(n, loc, arith::CmpIPredicate::ult, elementAt(n, loc, order, at), rows);
      });
  Value ok = scalarOf(b, loc, b.getI8Type(), [&](OpBuilder &n) {
    return allOf(n, loc, {isGood(n, loc, areEnds), isGood(n, loc, areRows), isCountOf(n, loc, count, most)});
  });
  require(b, op, ok,
          "ends must ascend from 1 to the number of rows, order must name rows, count be from 0 to their number");
  return countIf(b, loc, ok, count);
}

/// Fails the step unless `ends` ascend to the number of `values`. Returns the ends, as what follows is to have them:
/// all values are the last row's where they are wrong.
static Value requireEnds(Operation *op, Value ends, Value values, OpBuilder &b) {
  constexpr char kMessage[] = "ends must ascend from 0 to the number of values";
  Location loc = op->getLoc();
  Value most = numRowsOf(b, loc, values), numEnds = numRowsOf(b, loc, ends), zero = i64Constant(b, loc, 0);
  // Sizes the host knows.
  Value hasRows = compare(b, loc, arith::CmpIPredicate::ne, numEnds, zero);
  emitRequire(b, op, arith::OrIOp::create(b, loc, hasRows, compare(b, loc, arith::CmpIPredicate::eq, most, zero)),
              kMessage);
  auto isLast = [&](OpBuilder &n, Value at) -> Value {
    Value next = arith::AddIOp::create(n, loc, numberOf(n, loc, at), i64Constant(n, loc, 1));
    return compare(n, loc, arith::CmpIPredicate::eq, next, numEnds);
  };
  auto isThere = [&](OpBuilder &n, Value) -> Value { return arith::ConstantOp::create(n, loc, n.getBoolAttr(true)); };
  Value ok = allHold(b, loc, ends, isThere, [&](OpBuilder &n, Value at) {
    Value end = elementAt(n, loc, ends, at);
    Value ascends = both(n, loc, compare(n, loc, arith::CmpIPredicate::sge, end, elementBefore(n, loc, ends, at, 0)),
                         compare(n, loc, arith::CmpIPredicate::sle, end, most));
    Value isMost = compare(n, loc, arith::CmpIPredicate::eq, end, most);
    return both(n, loc, ascends, arith::SelectOp::create(n, loc, isLast(n, at), isMost, ascends));
  });
  require(b, op, ok, kMessage);
  AffineMap identity = b.getMultiDimIdentityMap(1);
  return makeGeneric(b, loc, ends, emptyLike(b, loc, cast<RankedTensorType>(ends.getType()), ends),
                     {identity, identity}, utils::IteratorType::parallel,
                     [&](OpBuilder &n, ValueRange elements) -> SmallVector<Value> {
                       Value at = linalg::IndexOp::create(n, loc, 0);
                       Value instead = arith::SelectOp::create(n, loc, isLast(n, at), most, zero);
                       return {arith::SelectOp::create(n, loc, isGood(n, loc, ok), elements[0], instead)};
                     })
      ->getResult(0);
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
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<Value> operands(adaptor.getOperands());
    if (!isInBounds(op))
      operands.back() = requireGroups(op, adaptor, rewriter);
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
    Value ends = adaptor.getEnds();
    if (!isInBounds(op))
      ends = requireEnds(op, ends, adaptor.getOperands()[values], rewriter);
    auto type = cast<RankedTensorType>(this->getTypeConverter()->convertType(op.getType()));
    Value operands[] = {adaptor.getOperands()[0], ends, emptyLike(rewriter, loc, type, adaptor.getOperands()[like])};
    rewriter.replaceOp(op, Kernel::create(rewriter, loc, TypeRange(type), operands).getResults());
    return success();
  }
};

/// Whether the first `count` elements of an ascending i64 vector have `value` among them.
static Value isAmong(OpBuilder &b, Location loc, Value value, Value vector, Value count) {
  Type index = b.getIndexType();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  Value end = arith::IndexCastOp::create(b, loc, index, count);
  auto search = scf::WhileOp::create(
      b, loc, TypeRange{index, index}, ValueRange{zero, end},
      [&](OpBuilder &n, Location, ValueRange at) {
        scf::ConditionOp::create(n, loc, compare(n, loc, arith::CmpIPredicate::ult, at[0], at[1]), at);
      },
      [&](OpBuilder &n, Location, ValueRange at) {
        Value middle = arith::ShRUIOp::create(n, loc, arith::AddIOp::create(n, loc, at[0], at[1]), one);
        Value isBelow = compare(n, loc, arith::CmpIPredicate::slt, elementAt(n, loc, vector, middle), value);
        Value low = arith::SelectOp::create(n, loc, isBelow, arith::AddIOp::create(n, loc, middle, one), at[0]);
        Value high = arith::SelectOp::create(n, loc, isBelow, at[1], middle);
        scf::YieldOp::create(n, loc, ValueRange{low, high});
      });
  auto found = scf::IfOp::create(
      b, loc, compare(b, loc, arith::CmpIPredicate::ult, search.getResult(0), end),
      [&](OpBuilder &n, Location) {
        Value element = elementAt(n, loc, vector, search.getResult(0));
        scf::YieldOp::create(n, loc, compare(n, loc, arith::CmpIPredicate::eq, element, value));
      },
      [&](OpBuilder &n, Location) {
        scf::YieldOp::create(n, loc, arith::ConstantOp::create(n, loc, n.getBoolAttr(false)).getResult());
      });
  return found.getResult(0);
}

/// Fails the step unless both sides of a merge are rows that ascend, and fit into those of `like` together. Returns how
/// many there are on both sides, as what follows is to have it.
static std::pair<Value, Value> requireRows(df::MergeRowsOp op, df::MergeRowsOp::Adaptor adaptor, OpBuilder &b) {
  Location loc = op.getLoc();
  Value lhs = adaptor.getLhsIds(), rhs = adaptor.getRhsIds();
  Value lhsCount = adaptor.getLhsCount(), rhsCount = adaptor.getRhsCount();
  auto ascend = [&](Value ids, Value count) {
    return allHold(
        b, loc, ids, [&](OpBuilder &n, Value at) { return isBelow(n, loc, at, elementOf(n, loc, count)); },
        [&](OpBuilder &n, Value at) {
          return compare(n, loc, arith::CmpIPredicate::sgt, elementAt(n, loc, ids, at),
                         elementBefore(n, loc, ids, at, -1));
        });
  };
  Value lhsAscends = ascend(lhs, lhsCount), rhsAscends = ascend(rhs, rhsCount);
  Value lhsSize = numRowsOf(b, loc, lhs), rhsSize = numRowsOf(b, loc, rhs);
  Value ok = scalarOf(b, loc, b.getI8Type(), [&](OpBuilder &n) {
    return allOf(n, loc,
                 {isGood(n, loc, lhsAscends), isGood(n, loc, rhsAscends), isCountOf(n, loc, lhsCount, lhsSize),
                  isCountOf(n, loc, rhsCount, rhsSize)});
  });
  require(b, op, ok, "ids must ascend from 0 on, counts be from 0 to their number");
  lhsCount = countIf(b, loc, ok, lhsCount);
  rhsCount = countIf(b, loc, ok, rhsCount);
  if (!adaptor.getLike())
    return {lhsCount, rhsCount};
  // Those of the left that the right has, too, are one row: found by a search for each.
  Value none =
      filled(b, loc, tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), b.getI64Type()), b.getI64IntegerAttr(0));
  auto shared = makeGeneric(
      b, loc, lhs, none, {b.getMultiDimIdentityMap(1), AffineMap::get(1, 0, b.getContext())},
      utils::IteratorType::reduction, [&](OpBuilder &n, ValueRange elements) -> SmallVector<Value> {
        Value at = linalg::IndexOp::create(n, loc, 0), count = elementOf(n, loc, lhsCount);
        auto isShared = scf::IfOp::create(
            n, loc, isBelow(n, loc, at, count),
            [&](OpBuilder &then, Location) {
              Value id = elementAt(then, loc, lhs, at);
              scf::YieldOp::create(then, loc, isAmong(then, loc, id, rhs, elementOf(then, loc, rhsCount)));
            },
            [&](OpBuilder &otherwise, Location) {
              scf::YieldOp::create(otherwise, loc,
                                   arith::ConstantOp::create(otherwise, loc, b.getBoolAttr(false)).getResult());
            });
        return {arith::AddIOp::create(n, loc, elements[1],
                                      arith::ExtUIOp::create(n, loc, n.getI64Type(), isShared.getResult(0)))};
      });
  Value room = numRowsOf(b, loc, adaptor.getLike());
  Value fits = scalarOf(b, loc, b.getI8Type(), [&](OpBuilder &n) {
    Value all = arith::AddIOp::create(n, loc, elementOf(n, loc, lhsCount), elementOf(n, loc, rhsCount));
    Value distinct = arith::SubIOp::create(n, loc, all, elementOf(n, loc, shared->getResult(0)));
    return allOf(n, loc, compare(n, loc, arith::CmpIPredicate::ule, distinct, room));
  });
  require(b, op, fits, "the union has more ids than `like`");
  return {countIf(b, loc, fits, lhsCount), countIf(b, loc, fits, rhsCount)};
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
    Value lhsCount = adaptor.getLhsCount(), rhsCount = adaptor.getRhsCount();
    if (!isInBounds(op))
      std::tie(lhsCount, rhsCount) = requireRows(op, adaptor, rewriter);
    SmallVector<Value> outs;
    for (Type type : op.getResultTypes()) {
      auto shaped = cast<RankedTensorType>(type);
      bool isDynamic = shaped.getRank() != 0 && shaped.isDynamicDim(0);
      outs.push_back(tensor::EmptyOp::create(rewriter, loc, shaped, isDynamic ? ValueRange(capacity) : ValueRange()));
    }
    rewriter.replaceOpWithNewOp<kern::MergeRowsF32Op>(op, adaptor.getLhsIds(), adaptor.getLhsRows(), lhsCount,
                                                      adaptor.getRhsIds(), adaptor.getRhsRows(), rhsCount, elements,
                                                      outs[0], outs[1], outs[2]);
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
    Value count = adaptor.getCount();
    Value ascend = allHold(
        b, loc, ids, [&](OpBuilder &n, Value at) { return isBelow(n, loc, at, elementOf(n, loc, count)); },
        [&](OpBuilder &n, Value at) {
          Value id = elementAt(n, loc, ids, at);
          return both(n, loc, compare(n, loc, arith::CmpIPredicate::sgt, id, elementBefore(n, loc, ids, at, -1)),
                      compare(n, loc, arith::CmpIPredicate::slt, id, numRows));
        });
    Value ok = scalarOf(b, loc, b.getI8Type(), [&](OpBuilder &n) {
      return allOf(n, loc, {isGood(n, loc, ascend), isCountOf(n, loc, count, numIds)});
    });
    require(b, op, ok, "ids must ascend from 0 to the last row of the tables, count be from 0 to their number");
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
