// Gathers and updates of rows: what the lowerings of targets share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RowLowering.h"
#include "mlc/Support/SumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlc;

FailureOr<int64_t> mlc::rowElements(Operation *op, const FlatBuffer &buffer) {
  int64_t elements = 1;
  for (int64_t d = static_cast<int64_t>(buffer.sizes.size()) - 1; d >= 1; --d) {
    auto size = known(buffer.sizes[d]), stride = known(buffer.strides[d]);
    if (!size || !stride || *stride != elements)
      return op->emitOpError("needs rows of static size, contiguous in memory");
    elements *= *size;
  }
  return elements;
}

/// Rows of up to so many vectors are no loop: more of them are in flight at once, and so are the misses of their
/// tables.
static constexpr int64_t kMaxUnrolledVectors = 8;

void mlc::forEachVector(OpBuilder &b, Location loc, int64_t elements, int64_t lanes,
                        llvm::function_ref<void(Index, const Lanes &)> body) {
  if (elements < lanes / 2) {
    makeLoop(b, loc, b.getIndexAttr(0), b.getIndexAttr(elements), 1, [&](OpBuilder &, Index c) { body(c, Lanes()); });
    return;
  }
  int64_t whole = elements / lanes * lanes;
  if (whole <= kMaxUnrolledVectors * lanes)
    for (int64_t c = 0; c < whole; c += lanes)
      body(b.getIndexAttr(c), Lanes{lanes, Value()});
  else
    makeLoop(b, loc, b.getIndexAttr(0), b.getIndexAttr(whole), lanes,
             [&](OpBuilder &, Index c) { body(c, Lanes{lanes, Value()}); });
  if (whole == elements)
    return;
  IndexMath math{b, loc};
  Value mask = vector::CreateMaskOp::create(b, loc, VectorType::get({lanes}, b.getI1Type()),
                                            math.value(math.constant(elements - whole)));
  body(math.constant(whole), Lanes{lanes, mask});
}

Value mlc::loadIndex(OpBuilder &b, Location loc, const FlatBuffer &buffer, Index at) {
  Value id = Lanes().load(b, loc, buffer.flat, at);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), id);
}

Value GroupSum::add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }

Value GroupSum::row(Index j) {
  Value position = loadIndex(b, loc, order, math.add(order.offset, j));
  return l.load(b, loc, values.flat, math.add(math.add(values.offset, math.mul(position, values.strides[0])), column));
}

Index GroupSum::blockSlot(Index at, Value isFirst) {
  Value number = arith::DivUIOp::create(b, loc, math.value(at), math.value(math.constant(kSumBlock)));
  Value second = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), isFirst);
  return math.add(math.mul(number, math.constant(2)), second);
}

Value GroupSum::block(Index begin, Index end) {
  return makeReduction(
      b, loc, math.add(begin, math.constant(1)), end, 1, row(begin),
      [&](OpBuilder &, Index j, ValueRange carried) { return SmallVector<Value>{add(carried[0], row(j))}; })[0];
}

/// More rows than one block has: the partials are on the stack, for a hot id is rare.
Value GroupSum::blocks(Index begin, Index end) {
  const Lanes own{l.lanes, Value(), l.aligned};
  const auto type = MemRefType::get({kSumPartials * l.lanes}, values.element);
  IntegerAttr alignment;
  if (own.aligned && own.lanes > 1)
    alignment = b.getI64IntegerAttr(own.lanes * values.element.getIntOrFloatBitWidth() / 8);
  Value slots = memref::AllocaOp::create(b, loc, type, alignment);
  auto at = [&](Index partial) { return math.mul(partial, math.constant(l.lanes)); };
  auto load = [&](Index partial) { return own.load(b, loc, slots, at(partial)); };
  auto store = [&](Value value, Index partial) { own.store(b, loc, value, slots, at(partial)); };
  Value zero = l.constant(b, loc, cast<TypedAttr>(b.getZeroAttr(values.element)));
  makeLoop(b, loc, math.constant(0), math.constant(kSumPartials), 1,
           [&](OpBuilder &, Index partial) { store(zero, partial); });
  Index size = math.sub(end, begin);
  makeLoop(b, loc, math.constant(0), math.ceilDiv(size, math.constant(kSumBlock)), 1, [&](OpBuilder &, Index number) {
    Index first = math.mul(number, math.constant(kSumBlock));
    Index last = math.min(math.add(first, math.constant(kSumBlock)), size);
    Value sum;
    if (blockSums) {
      Value isFirst =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, math.value(number), math.value(math.constant(0)));
      Index slot = blockSlot(math.add(begin, first), isFirst);
      sum = l.load(b, loc, blockSums->flat, math.add(blockSums->at(math, {slot}), column));
    } else {
      sum = block(math.add(begin, first), math.add(begin, last));
    }
    Index partial =
        Index(Value(arith::AndIOp::create(b, loc, math.value(number), math.value(math.constant(kSumPartials - 1)))));
    store(add(load(partial), sum), partial);
  });
  for (int64_t width = kSumPartials / 2; width > 0; width /= 2)
    makeLoop(b, loc, math.constant(0), math.constant(width), 1, [&](OpBuilder &, Index partial) {
      store(add(load(partial), load(math.add(partial, math.constant(width)))), partial);
    });
  return load(math.constant(0));
}

Value GroupSum::sum(Index begin, Index end) {
  Value isHot = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, math.value(math.sub(end, begin)),
                                      math.value(math.constant(kSumBlock)));
  auto either = scf::IfOp::create(b, loc, l.typeOf(values.element), isHot, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&either.getThenRegion().front());
  scf::YieldOp::create(b, loc, blocks(begin, end));
  b.setInsertionPointToStart(&either.getElseRegion().front());
  scf::YieldOp::create(b, loc, block(begin, end));
  return either.getResult(0);
}

std::pair<Index, Index> mlc::groupBounds(OpBuilder &b, Location loc, const FlatBuffer &ends, Index k) {
  IndexMath math{b, loc};
  Value end = loadIndex(b, loc, ends, math.add(ends.offset, k));
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, math.value(k), math.value(math.constant(0)));
  Value before =
      arith::MaxSIOp::create(b, loc, math.value(math.sub(k, math.constant(1))), math.value(math.constant(0)));
  Value begin = arith::SelectOp::create(b, loc, isFirst, math.value(math.constant(0)),
                                        loadIndex(b, loc, ends, math.add(ends.offset, before)));
  return {begin, end};
}

LogicalResult RowUpdate::collect() {
  ids = flatten(b, loc, op.getIds());
  values = flatten(b, loc, op.getValues());
  for (Value buffer : op.getGrouping())
    grouping.push_back(flatten(b, loc, buffer));
  for (Value buffer : op.getOuts())
    tables.push_back(flatten(b, loc, buffer));
  for (Value scalar : op.getScalars())
    scalars.push_back(flatten(b, loc, scalar));
  auto number = rowElements(op, tables[0]);
  if (failed(number) || failed(rowElements(op, values)))
    return failure();
  elements = *number;
  count = flatten(b, loc, op.getCount());
  if (kern::spaceOf(op.getCount().getType()) == 0)
    numIds = loadIndex(b, loc, count, count.offset);
  return success();
}

void RowUpdate::loadScalars() {
  constants.clear();
  for (const FlatBuffer &scalar : scalars)
    constants.push_back(Lanes().load(b, loc, scalar.flat, scalar.offset));
}

void RowUpdate::apply(Index row, Index column, Value gradient, bool isPresent, const Lanes &l) {
  Block &body = op.getBody().front();
  IRMapping mapping;
  SmallVector<Index> addresses;
  for (auto [i, table] : llvm::enumerate(tables)) {
    addresses.push_back(math.add(math.add(table.offset, math.mul(row, table.strides[0])), column));
    mapping.map(body.getArgument(i), l.load(b, loc, table.flat, addresses.back()));
  }
  unsigned next = tables.size();
  mapping.map(body.getArgument(next++), gradient);
  if (op.getEveryRow())
    mapping.map(body.getArgument(next++), l.constant(b, loc, b.getBoolAttr(isPresent)));
  for (Value value : constants)
    mapping.map(body.getArgument(next++), l.splat(b, loc, value));
  SmallVector<Value> results = cloneBody(b, body, mapping, l);
  for (auto [table, address, result] : llvm::zip(tables, addresses, results))
    l.store(b, loc, result, table.flat, address);
}

Value RowUpdate::gradientOf(Index k, Index begin, Index end, Index column, const Lanes &l) {
  if (grouping.empty())
    return l.load(b, loc, values.flat, math.add(math.add(values.offset, math.mul(k, values.strides[0])), column));
  return GroupSum{b, loc, values, grouping[1], column, l, blockSums}.sum(begin, end);
}

Value mlc::lowerBound(OpBuilder &b, Location loc, const FlatBuffer &entries, Index low, Index high, Index value) {
  IndexMath math{b, loc};
  Type index = b.getIndexType();
  auto loop = scf::WhileOp::create(
      b, loc, {index, index}, {math.value(low), math.value(high)},
      [&](OpBuilder &, Location, ValueRange bounds) {
        Value isOpen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, bounds[0], bounds[1]);
        scf::ConditionOp::create(b, loc, isOpen, bounds);
      },
      [&](OpBuilder &, Location, ValueRange bounds) {
        Value sum = arith::AddIOp::create(b, loc, bounds[0], bounds[1]);
        Value middle = arith::ShRUIOp::create(b, loc, sum, math.value(math.constant(1)));
        Value entry = loadIndex(b, loc, entries, math.add(entries.offset, middle));
        Value isBelow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, entry, math.value(value));
        Value next = math.value(math.add(middle, math.constant(1)));
        scf::YieldOp::create(b, loc,
                             ValueRange{arith::SelectOp::create(b, loc, isBelow, next, bounds[0]),
                                        arith::SelectOp::create(b, loc, isBelow, bounds[1], middle)});
      });
  return loop.getResult(0);
}
