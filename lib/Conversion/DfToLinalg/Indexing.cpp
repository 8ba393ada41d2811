// Gathers, scatters and what data says the shape of: reads and writes at indices that a service has checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Conversions.h"
#include "Patterns.h"
#include "dialects/Df/IR/DfBounds.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;

Value mlc::emitCheckedIndices(OpBuilder &b, Operation *op, Value indices, ArrayRef<Value> bounds, bool skipNegative) {
  Location loc = op->getLoc();
  auto type = RankedTensorType::get({static_cast<int64_t>(bounds.size())}, b.getI64Type());
  Value limits = tensor::FromElementsOp::create(b, loc, type, bounds);
  // Where nothing is taken or put nothing reads the checked indices, and yet they must be right.
  auto isNothing = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && hasNoElements(tensor);
  };
  bool isRead = llvm::none_of(op->getResultTypes(), isNothing) && llvm::none_of(op->getOperandTypes(), isNothing);
  auto check = kern::CheckIndicesOp::create(b, loc, limits, skipNegative, nameAndPlace(op), indices);
  check.setMustRun(!isRead);
  return check.getResult(0);
}

Value mlc::makeIndexed(OpBuilder &b, Location loc, Value empty, ElementBuilder element) {
  int64_t rank = cast<RankedTensorType>(empty.getType()).getRank();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto generic = makeGeneric(b, loc, {}, empty, b.getMultiDimIdentityMap(rank), iterators,
                             [&](OpBuilder &nested, ValueRange) -> SmallVector<Value> {
                               SmallVector<Value> index;
                               for (int64_t d = 0; d < rank; ++d)
                                 index.push_back(linalg::IndexOp::create(nested, loc, d));
                               return {element(nested, index)};
                             });
  return generic->getResult(0);
}

static Value indexConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

namespace {

/// Where the elements of a gather or scatter lie.
struct Places {
  Value indices;
  ArrayRef<int64_t> axes, batch;
  int64_t operandRank, numPlaces;
  bool skipNegative;

  /// The element of the operand for an index of what is gathered (a last dimension of strings' cells stays the last),
  /// and whether a component is negative (null without `skipNegative`); those are taken as 0.
  std::pair<SmallVector<Value>, Value> at(OpBuilder &b, Location loc, ValueRange index) const {
    SmallVector<Value> place(operandRank), between;
    size_t next = 0, length = numPlaces;
    for (int64_t d = 0; d < operandRank; ++d) {
      if (d == axes.front()) {
        llvm::append_range(between, index.slice(next, length));
        next += length;
      } else if (!llvm::is_contained(axes, d)) {
        place[d] = index[next++];
      }
    }
    SmallVector<Value> from;
    for (int64_t d : batch)
      from.push_back(place[d]);
    llvm::append_range(from, between);
    if (axes.size() > 1)
      from.push_back(Value());
    Value zero = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0)), isNegative;
    for (auto [j, d] : llvm::enumerate(axes)) {
      if (axes.size() > 1)
        from.back() = indexConstant(b, loc, static_cast<int64_t>(j));
      Value component = tensor::ExtractOp::create(b, loc, indices, from);
      if (skipNegative) {
        Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, component, zero);
        isNegative = isNegative ? Value(arith::OrIOp::create(b, loc, isNegative, below)) : below;
        component = arith::MaxSIOp::create(b, loc, component, zero);
      }
      place[d] = arith::IndexCastOp::create(b, loc, b.getIndexType(), component);
    }
    llvm::append_range(place, index.drop_front(next));
    return {place, isNegative};
  }
};

/// The indices of a gather or scatter, checked where data may get them wrong.
template <typename Op> Value checkedIndices(OpBuilder &b, Op op, typename Op::Adaptor adaptor) {
  if (op->hasAttr(df::kInBoundsAttr))
    return adaptor.getIndices();
  SmallVector<Value> bounds;
  for (int64_t d : op.getAxes()) {
    Value size = getValueOrCreateConstantIndexOp(b, op.getLoc(), sizeOf(b, op.getLoc(), adaptor.getOperand(), d));
    bounds.push_back(arith::IndexCastOp::create(b, op.getLoc(), b.getI64Type(), size));
  }
  return emitCheckedIndices(b, op, adaptor.getIndices(), bounds, op.getSkipNegative());
}

/// The places of a gather or scatter.
template <typename Op> Places checkedPlaces(OpBuilder &b, Op op, typename Op::Adaptor adaptor) {
  return {checkedIndices(b, op, adaptor),
          op.getAxes(),
          op.getBatch(),
          cast<RankedTensorType>(op.getOperand().getType()).getRank(),
          op.getNumPlaces(),
          op.getSkipNegative()};
}

struct GatherPattern : public OpConversionPattern<df::GatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Places places = checkedPlaces(rewriter, op, adaptor);
    SmallVector<Value> sizes;
    auto addSize = [&](Value tensor, int64_t d) {
      if (cast<RankedTensorType>(tensor.getType()).isDynamicDim(d))
        sizes.push_back(tensor::DimOp::create(rewriter, loc, tensor, d));
    };
    for (int64_t d = 0; d < places.operandRank; ++d) {
      if (d == op.getAxes().front())
        for (int64_t s = 0; s < places.numPlaces; ++s)
          addSize(adaptor.getIndices(), s + static_cast<int64_t>(op.getBatch().size()));
      else if (!llvm::is_contained(op.getAxes(), d))
        addSize(adaptor.getOperand(), d);
    }
    auto gather = [&](OpBuilder &outer) {
      Value empty = tensor::EmptyOp::create(outer, loc, type, sizes);
      return makeIndexed(outer, loc, empty, [&](OpBuilder &b, ValueRange index) -> Value {
        auto [place, isNegative] = places.at(b, loc, index);
        Value element = tensor::ExtractOp::create(b, loc, adaptor.getOperand(), place);
        if (!isNegative)
          return element;
        Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
        return arith::SelectOp::create(b, loc, isNegative, zero, element);
      });
    };
    // A dimension of nothing has no element to read for an index that is skipped.
    Value isNothing;
    for (int64_t d : op.getAxes())
      if (int64_t size = cast<RankedTensorType>(op.getOperand().getType()).getDimSize(d);
          op.getSkipNegative() && (size == 0 || ShapedType::isDynamic(size))) {
        Value length = getValueOrCreateConstantIndexOp(rewriter, loc, sizeOf(rewriter, loc, adaptor.getOperand(), d));
        Value none =
            arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, length, indexConstant(rewriter, loc, 0));
        isNothing = isNothing ? Value(arith::OrIOp::create(rewriter, loc, isNothing, none)) : none;
      }
    if (!isNothing) {
      rewriter.replaceOp(op, gather(rewriter));
      return success();
    }
    auto branch = scf::IfOp::create(
        rewriter, loc, isNothing,
        [&](OpBuilder &b, Location) {
          Value empty = tensor::EmptyOp::create(b, loc, type, sizes);
          scf::YieldOp::create(b, loc, filled(b, loc, empty, cast<TypedAttr>(b.getZeroAttr(type.getElementType()))));
        },
        [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, gather(b)); });
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};

/// x combined with y, elements of the df type.
Value combine(OpBuilder &b, Location loc, df::ScatterKind kind, Type element, Value x, Value y) {
  // f16 and bf16 in f32, rounded once for each update.
  if (isHalfFloat(element) && kind != df::ScatterKind::Set)
    return narrowToHalf(b, loc, combine(b, loc, kind, b.getF32Type(), widenHalf(b, loc, x), widenHalf(b, loc, y)),
                        element);
  bool isFloat = isa<FloatType>(element), isUnsigned = element.isUnsignedInteger();
  switch (kind) {
  case df::ScatterKind::Set:
    return y;
  case df::ScatterKind::Add:
    return isFloat ? Value(arith::AddFOp::create(b, loc, x, y)) : arith::AddIOp::create(b, loc, x, y);
  case df::ScatterKind::Mul:
    return isFloat ? Value(arith::MulFOp::create(b, loc, x, y)) : arith::MulIOp::create(b, loc, x, y);
  case df::ScatterKind::Min:
    if (isFloat)
      return arith::MinimumFOp::create(b, loc, x, y);
    return isUnsigned ? Value(arith::MinUIOp::create(b, loc, x, y)) : arith::MinSIOp::create(b, loc, x, y);
  case df::ScatterKind::Max:
    if (isFloat)
      return arith::MaximumFOp::create(b, loc, x, y);
    return isUnsigned ? Value(arith::MaxUIOp::create(b, loc, x, y)) : arith::MaxSIOp::create(b, loc, x, y);
  }
  return {};
}

/// Loops over all elements of `tensor`, row-major, that carry `values`.
SmallVector<Value> makeElementLoops(OpBuilder &b, Location loc, Value tensor, ValueRange values,
                                    llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange)> body) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  if (rank == 0)
    return body(b, {}, values);
  SmallVector<Value> begins(rank, indexConstant(b, loc, 0)), steps(rank, indexConstant(b, loc, 1)), ends;
  for (int64_t d = 0; d < rank; ++d)
    ends.push_back(getValueOrCreateConstantIndexOp(b, loc, sizeOf(b, loc, tensor, d)));
  scf::LoopNest nest = scf::buildLoopNest(b, loc, begins, ends, steps, values,
                                          [&](OpBuilder &nested, Location, ValueRange index, ValueRange carried) {
                                            SmallVector<Value> next = body(nested, index, carried);
                                            return scf::ValueVector(next.begin(), next.end());
                                          });
  return llvm::to_vector(nest.results);
}

/// In order, so that of several updates of one place each sees the one before.
struct ScatterPattern : public OpConversionPattern<df::ScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::ScatterOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = dfElement(op.getType());
    Places places = checkedPlaces(rewriter, op, adaptor);
    SmallVector<Value> results = makeElementLoops(
        rewriter, loc, adaptor.getUpdates(), adaptor.getOperand(),
        [&](OpBuilder &b, ValueRange index, ValueRange carried) -> SmallVector<Value> {
          auto found = places.at(b, loc, index);
          auto combined = [&](OpBuilder &inner) -> Value {
            Value update = tensor::ExtractOp::create(inner, loc, adaptor.getUpdates(), index), old;
            if (op.getKind() != df::ScatterKind::Set)
              old = tensor::ExtractOp::create(inner, loc, carried[0], found.first);
            update = combine(inner, loc, op.getKind(), element, old, update);
            return tensor::InsertOp::create(inner, loc, update, carried[0], found.first);
          };
          if (!found.second)
            return {combined(b)};
          auto branch = scf::IfOp::create(
              b, loc, found.second, [&](OpBuilder &skipped, Location) { scf::YieldOp::create(skipped, loc, carried); },
              [&](OpBuilder &taken, Location) { scf::YieldOp::create(taken, loc, combined(taken)); });
          return {branch.getResult(0)};
        });
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct NonzeroPattern : public OpConversionPattern<df::NonzeroOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::NonzeroOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value mask = adaptor.getOperand();
    Value zero = indexConstant(rewriter, loc, 0);
    auto isTrue = [&](OpBuilder &b, ValueRange index) {
      return loadElement(b, loc, tensor::ExtractOp::create(b, loc, mask, index), b.getI1Type());
    };
    int64_t rank = cast<RankedTensorType>(mask.getType()).getRank();
    // Counted as a reduction, by several tasks; only the places are written one after the other.
    auto scalar = RankedTensorType::get({}, rewriter.getI64Type());
    Value none = filled(rewriter, loc, tensor::EmptyOp::create(rewriter, loc, scalar, ValueRange()),
                        rewriter.getI64IntegerAttr(0));
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::reduction);
    auto counts = makeGeneric(rewriter, loc, mask, none,
                              {rewriter.getMultiDimIdentityMap(rank), AffineMap::get(rank, 0, rewriter.getContext())},
                              iterators, [&](OpBuilder &b, ValueRange x) -> SmallVector<Value> {
                                Value isOne = loadElement(b, loc, x[0], b.getI1Type());
                                Value one = arith::ExtUIOp::create(b, loc, b.getI64Type(), isOne);
                                return {arith::AddIOp::create(b, loc, x[1], one)};
                              });
    Value count = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                             tensor::ExtractOp::create(rewriter, loc, counts->getResult(0)));
    Value elements = indexConstant(rewriter, loc, 1);
    for (int64_t d = 0; d < rank; ++d)
      elements = rewriter.createOrFold<arith::MulIOp>(
          loc, elements, getValueOrCreateConstantIndexOp(rewriter, loc, sizeOf(rewriter, loc, mask, d)));
    // No more than there are elements: that bounds the memory.
    Value rows = arith::MinUIOp::create(rewriter, loc, count, elements);
    Value empty = tensor::EmptyOp::create(rewriter, loc, op.getType(), rows);
    SmallVector<Value> results = makeElementLoops(
        rewriter, loc, mask, {empty, zero},
        [&](OpBuilder &b, ValueRange index, ValueRange carried) -> SmallVector<Value> {
          auto branch = scf::IfOp::create(
              b, loc, isTrue(b, index),
              [&](OpBuilder &then, Location) {
                Value places = carried[0];
                for (int64_t d = 0; d < rank; ++d) {
                  Value coordinate = arith::IndexCastOp::create(then, loc, then.getI64Type(), index[d]);
                  places = tensor::InsertOp::create(then, loc, coordinate, places,
                                                    ValueRange{carried[1], indexConstant(then, loc, d)});
                }
                Value next = arith::AddIOp::create(then, loc, carried[1], indexConstant(then, loc, 1));
                scf::YieldOp::create(then, loc, ValueRange{places, next});
              },
              [&](OpBuilder &otherwise, Location) { scf::YieldOp::create(otherwise, loc, carried); });
          return llvm::to_vector(ValueRange(branch.getResults()));
        });
    rewriter.replaceOp(op, results[0]);
    return success();
  }
};

struct UniquePattern : public OpConversionPattern<df::UniqueOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::UniqueOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
    Value outs[3];
    for (Value &out : outs)
      out = emptyLike(rewriter, loc, type, adaptor.getOperand());
    auto scalar = RankedTensorType::get({}, rewriter.getI64Type());
    auto service = kern::UniqueValuesOp::create(rewriter, loc, adaptor.getOperand(), op.getSorted(), outs[0], outs[1],
                                                outs[2], tensor::EmptyOp::create(rewriter, loc, scalar, ValueRange()));
    Value count = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                             tensor::ExtractOp::create(rewriter, loc, service.getResult(3)));
    count = arith::MinUIOp::create(
        rewriter, loc, count,
        getValueOrCreateConstantIndexOp(rewriter, loc, sizeOf(rewriter, loc, adaptor.getOperand(), 0)));
    auto first = [&](Value all) {
      auto part = RankedTensorType::get({ShapedType::kDynamic}, rewriter.getI64Type());
      return extractPart(rewriter, loc, part, all, OpFoldResult(rewriter.getIndexAttr(0)), OpFoldResult(count),
                         OpFoldResult(rewriter.getIndexAttr(1)));
    };
    rewriter.replaceOp(op, {first(service.getResult(0)), service.getResult(1), first(service.getResult(2))});
    return success();
  }
};

struct RequirePattern : public OpConversionPattern<df::RequireOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::RequireOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value element = tensor::ExtractOp::create(rewriter, op.getLoc(), adaptor.getCondition());
    emitRequire(rewriter, op, loadElement(rewriter, op.getLoc(), element, rewriter.getI1Type()), op.getMessage());
    rewriter.eraseOp(op);
    return success();
  }
};

struct RequireSameSizePattern : public OpConversionPattern<df::RequireSameSizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::RequireSameSizeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto sizeOfIt = [&](Value value, uint64_t d) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, sizeOf(rewriter, loc, value, static_cast<int64_t>(d)));
    };
    Value same =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, sizeOfIt(adaptor.getLhs(), op.getLhsDimension()),
                              sizeOfIt(adaptor.getRhs(), op.getRhsDimension()));
    emitRequire(rewriter, loc, op.getUser(), same, op.getMessage());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mlc::populateIndexingPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<GatherPattern, ScatterPattern, NonzeroPattern, UniquePattern, RequirePattern, RequireSameSizePattern>(
      types, patterns.getContext(), kChecksOperandsBenefit);
}
