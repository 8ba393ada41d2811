// Gathers and updates of rows to loops over vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LowerKernels.h"
#include "VectorBody.h"
#include "mlc/Support/SumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlc;

/// Cache lines of tables that are asked for ahead of their use, as many as memory brings at a time; those of so many
/// rows at most, and of a row of one table the first ones, as what lies behind them is seen coming.
static constexpr int64_t kLinesAhead = 96, kMostRowsAhead = 32, kMostLinesOfRow = 4, kLineBytes = 64;

/// Number of elements of a row and whether rows are contiguous behind their stride.
static FailureOr<int64_t> rowElements(Operation *op, const FlatBuffer &buffer) {
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

/// Calls `body` for each vector of a row of `elements`, the last one masked.
static void forEachVector(OpBuilder &b, Location loc, int64_t elements, int64_t lanes,
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

static Value loadIndex(OpBuilder &b, Location loc, const FlatBuffer &buffer, Index at) {
  Value id = Lanes().load(b, loc, buffer.flat, at);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), id);
}

/// Tasks over `rows` rows, of which one costs `cost` nanoseconds. `enter` is called at the begin of a task's rows.
static void forEachRow(OpBuilder &b, Location loc, Index rows, double cost, llvm::function_ref<void(Index)> body,
                       llvm::function_ref<void(Index)> enter = nullptr) {
  IndexMath math{b, loc};
  int64_t chunk = std::max<int64_t>(8, static_cast<int64_t>(4000 / cost));
  makeTasks(b, loc, math.ceilDiv(rows, math.constant(chunk)), cost * chunk, [&](OpBuilder &, Index task) {
    Index begin = math.mul(task, math.constant(chunk));
    if (enter)
      enter(begin);
    makeLoop(b, loc, begin, math.min(math.add(begin, math.constant(chunk)), rows), 1,
             [&](OpBuilder &, Index row) { body(row); });
  });
}

/// The same over entries, whose rows of `tables` are asked for ahead of their use; a missing id asks for row 0.
static void forEachEntry(OpBuilder &b, Location loc, const FlatBuffer &ids, Index entries, ArrayRef<FlatBuffer> tables,
                         int64_t elements, bool isWrite, double cost, llvm::function_ref<void(Index)> body) {
  IndexMath math{b, loc};
  SmallVector<int64_t> linesOf, perLine;
  int64_t lines = 0;
  for (const FlatBuffer &table : tables) {
    perLine.push_back(kLineBytes * 8 / table.element.getIntOrFloatBitWidth());
    linesOf.push_back(std::min((elements + perLine.back() - 1) / perLine.back(), kMostLinesOfRow));
    lines += linesOf.back();
  }
  int64_t distance = std::clamp<int64_t>(kLinesAhead / std::max<int64_t>(lines, 1), 1, kMostRowsAhead);
  auto ask = [&](Index entry) {
    Value id = loadIndex(b, loc, ids, math.add(ids.offset, math.mul(entry, ids.strides[0])));
    id = arith::MaxSIOp::create(b, loc, id, math.value(math.constant(0)));
    for (auto [i, table] : llvm::enumerate(tables)) {
      Index row = math.add(table.offset, math.mul(id, table.strides[0]));
      for (int64_t line = 0; line < linesOf[i]; ++line)
        memref::PrefetchOp::create(b, loc, table.flat, math.value(math.add(row, math.constant(line * perLine[i]))),
                                   isWrite, /*localityHint=*/3, /*isDataCache=*/true);
    }
  };
  Index last = math.sub(entries, math.constant(1));
  forEachRow(
      b, loc, entries, cost,
      [&](Index entry) {
        ask(math.min(math.add(entry, math.constant(distance)), last));
        body(entry);
      },
      [&](Index begin) {
        Index end = math.min(math.add(begin, math.constant(distance)), entries);
        makeLoop(b, loc, begin, end, 1, [&](OpBuilder &, Index entry) { ask(entry); });
      });
}

LogicalResult mlc::lowerTakeRows(OpBuilder &b, kern::TakeRowsOp op, int64_t lanes) {
  Location loc = op.getLoc();
  IndexMath math{b, loc};
  FlatBuffer table = flatten(b, loc, op.getTable()), ids = flatten(b, loc, op.getIds()),
             out = flatten(b, loc, op.getOuts()[0]);
  auto elements = rowElements(op, table);
  if (failed(elements) || failed(rowElements(op, out)))
    return failure();
  // A row is a cache miss or two.
  forEachEntry(b, loc, ids, ids.sizes[0], table, *elements, /*isWrite=*/false, 20 + 0.2 * *elements, [&](Index i) {
    Value zero = math.value(math.constant(0));
    Value id = loadIndex(b, loc, ids, math.add(ids.offset, math.mul(i, ids.strides[0])));
    Value missing = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, id, zero);
    Value row = arith::MaxSIOp::create(b, loc, id, zero);
    Index from = math.add(table.offset, math.mul(row, table.strides[0])),
          to = math.add(out.offset, math.mul(i, out.strides[0]));
    forEachVector(b, loc, *elements, lanes, [&](Index c, const Lanes &l) {
      Value x = l.load(b, loc, table.flat, math.add(from, c));
      Value none = l.constant(b, loc, cast<TypedAttr>(b.getZeroAttr(table.element)));
      l.store(b, loc, arith::SelectOp::create(b, loc, missing, none, x), out.flat, math.add(to, c));
    });
  });
  return success();
}

namespace {
/// One vector of the sum of a group's rows (mlc/Support/SumOrder.h).
struct GroupSum {
  OpBuilder &b;
  Location loc;
  const FlatBuffer &values, &order;
  Index column;
  const Lanes &l;
  IndexMath math{b, loc};

  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value row(Index j) {
    Value position = loadIndex(b, loc, order, math.add(order.offset, j));
    return l.load(b, loc, values.flat,
                  math.add(math.add(values.offset, math.mul(position, values.strides[0])), column));
  }
  Value block(Index begin, Index end);
  Value blocks(Index begin, Index end);
  Value sum(Index begin, Index end);
};
} // namespace

/// Rows [begin, end), of which there is one at least, in their order.
Value GroupSum::block(Index begin, Index end) {
  return makeReduction(
      b, loc, math.add(begin, math.constant(1)), end, 1, row(begin),
      [&](OpBuilder &, Index j, ValueRange carried) { return SmallVector<Value>{add(carried[0], row(j))}; })[0];
}

/// More rows than one block has: the partials are on the stack, for a hot id is rare.
Value GroupSum::blocks(Index begin, Index end) {
  Lanes own{l.lanes, Value()};
  Value slots = memref::AllocaOp::create(b, loc, MemRefType::get({kSumPartials * l.lanes}, values.element));
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
    Value sum = block(math.add(begin, first), math.add(begin, last));
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

/// [begin, end) of group k in the order.
static std::pair<Index, Index> groupBounds(OpBuilder &b, Location loc, const FlatBuffer &ends, Index k) {
  IndexMath math{b, loc};
  Value end = loadIndex(b, loc, ends, math.add(ends.offset, k));
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, math.value(k), math.value(math.constant(0)));
  Value before =
      arith::MaxSIOp::create(b, loc, math.value(math.sub(k, math.constant(1))), math.value(math.constant(0)));
  Value begin = arith::SelectOp::create(b, loc, isFirst, math.value(math.constant(0)),
                                        loadIndex(b, loc, ends, math.add(ends.offset, before)));
  return {begin, end};
}

LogicalResult mlc::lowerGroupSum(OpBuilder &b, kern::GroupSumOp op, int64_t lanes) {
  Location loc = op.getLoc();
  FlatBuffer values = flatten(b, loc, op.getValues()), ends = flatten(b, loc, op.getEnds()),
             order = flatten(b, loc, op.getOrder());
  FlatBuffer count = flatten(b, loc, op.getCount()), out = flatten(b, loc, op.getOuts()[0]);
  auto elements = rowElements(op, values);
  if (failed(elements) || failed(rowElements(op, out)))
    return failure();
  forEachRow(b, loc, loadIndex(b, loc, count, count.offset), 10 + 0.5 * *elements, [&](Index k) {
    IndexMath math{b, loc};
    auto [begin, end] = groupBounds(b, loc, ends, k);
    Index from = begin, to = end;
    forEachVector(b, loc, *elements, lanes, [&](Index c, const Lanes &l) {
      Value sum = GroupSum{b, loc, values, order, c, l}.sum(from, to);
      l.store(b, loc, sum, out.flat, math.add(math.add(out.offset, math.mul(k, out.strides[0])), c));
    });
  });
  return success();
}

namespace {
/// kern.update_rows.
struct RowUpdate {
  OpBuilder &b;
  kern::UpdateRowsOp op;
  int64_t lanes;
  Location loc;
  IndexMath math;
  FlatBuffer ids, values;
  SmallVector<FlatBuffer> grouping, tables, scalars;
  int64_t elements = 0; ///< of a row
  Index numIds;
  SmallVector<Value> constants; ///< the scalars

  RowUpdate(OpBuilder &b, kern::UpdateRowsOp op, int64_t lanes)
      : b(b), op(op), lanes(lanes), loc(op.getLoc()), math{b, loc} {}

  LogicalResult collect();
  void loadScalars();
  void apply(Index row, Index column, Value gradient, bool isPresent, const Lanes &l);
  void updateEntry(Index k, Value id);
  void updateOthers(Index begin, Index end);
  Value lowerBound(Index low, Index high, Index row);
  void emitEntries();
  void emitEveryRow();
};
} // namespace

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
  FlatBuffer count = flatten(b, loc, op.getCount());
  numIds = loadIndex(b, loc, count, count.offset);
  return success();
}

/// Once for a row or more: stores to the tables might change them, for all that LLVM knows.
void RowUpdate::loadScalars() {
  constants.clear();
  for (const FlatBuffer &scalar : scalars)
    constants.push_back(Lanes().load(b, loc, scalar.flat, scalar.offset));
}

/// Replaces the elements from (row, column) on in all tables; `isPresent`: the row has an id.
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

/// Updates row `id`, that of entry k.
void RowUpdate::updateEntry(Index k, Value id) {
  Index begin, end;
  if (!grouping.empty())
    std::tie(begin, end) = groupBounds(b, loc, grouping[0], k);
  forEachVector(b, loc, elements, lanes, [&](Index c, const Lanes &l) {
    Value gradient = grouping.empty() ? l.load(b, loc, values.flat,
                                               math.add(math.add(values.offset, math.mul(k, values.strides[0])), c))
                                      : GroupSum{b, loc, values, grouping[1], c, l}.sum(begin, end);
    apply(id, c, gradient, /*isPresent=*/true, l);
  });
}

/// Updates rows [begin, end), which have no ids.
void RowUpdate::updateOthers(Index begin, Index end) {
  auto update = [&](Index row, Index column, const Lanes &l) {
    apply(row, column, l.constant(b, loc, cast<TypedAttr>(b.getZeroAttr(values.element))), /*isPresent=*/false, l);
  };
  // Rows that lie behind one another are one.
  if (llvm::all_of(tables, [&](const FlatBuffer &table) { return known(table.strides[0]) == elements; })) {
    Index columns = math.mul(math.sub(end, begin), math.constant(elements));
    if (elements % lanes == 0)
      makeLoop(b, loc, math.constant(0), columns, lanes,
               [&](OpBuilder &, Index c) { update(begin, c, Lanes{lanes, Value()}); });
    else
      forEachLanes(b, loc, math.constant(0), columns, lanes, [&](Index c, const Lanes &l) { update(begin, c, l); });
    return;
  }
  makeLoop(b, loc, begin, end, 1, [&](OpBuilder &, Index row) {
    forEachVector(b, loc, elements, lanes, [&](Index c, const Lanes &l) { update(row, c, l); });
  });
}

/// The first of entries [low, high) whose id is not below `row`, or `high`.
Value RowUpdate::lowerBound(Index low, Index high, Index row) {
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
        Value id = loadIndex(b, loc, ids, math.add(ids.offset, middle));
        Value isBelow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, id, math.value(row));
        Value next = math.value(math.add(middle, math.constant(1)));
        scf::YieldOp::create(b, loc,
                             ValueRange{arith::SelectOp::create(b, loc, isBelow, next, bounds[0]),
                                        arith::SelectOp::create(b, loc, isBelow, bounds[1], middle)});
      });
  return loop.getResult(0);
}

/// Rows by their ids.
void RowUpdate::emitEntries() {
  double cost = 40 + elementCost(op.getBody().front(), lanes) * elements;
  forEachEntry(b, loc, ids, numIds, tables, elements, /*isWrite=*/true, cost, [&](Index k) {
    Value id = loadIndex(b, loc, ids, math.add(ids.offset, k));
    loadScalars();
    updateEntry(k, id);
  });
}

/// All rows in one pass: those of the entries in a task's range, and in turn those before them.
void RowUpdate::emitEveryRow() {
  // Less work than this is not worth the search for its entries.
  constexpr double kGrain = 64000;
  double cost = std::max(elementCost(op.getBody().front(), lanes) * elements, 1e-3);
  int64_t chunk = std::max<int64_t>(1, static_cast<int64_t>(kGrain / cost));
  Index rows = tables[0].sizes[0];
  makeTasks(b, loc, math.ceilDiv(rows, math.constant(chunk)), cost * chunk, [&](OpBuilder &, Index task) {
    Index begin = math.mul(task, math.constant(chunk)), end = math.min(math.add(begin, math.constant(chunk)), rows);
    loadScalars();
    Index first = lowerBound(math.constant(0), numIds, begin);
    // Ids are distinct: there are no more of them than rows.
    Index last = lowerBound(first, math.min(math.add(first, math.sub(end, begin)), numIds), end);
    Value next = makeReduction(b, loc, first, last, 1, math.value(begin), [&](OpBuilder &, Index k, ValueRange row) {
      Value id = loadIndex(b, loc, ids, math.add(ids.offset, k));
      updateOthers(row[0], id);
      updateEntry(k, id);
      return SmallVector<Value>{math.value(math.add(id, math.constant(1)))};
    })[0];
    updateOthers(next, end);
  });
}

LogicalResult mlc::lowerUpdateRows(OpBuilder &b, kern::UpdateRowsOp op, int64_t lanes) {
  RowUpdate update(b, op, lanes);
  if (failed(update.collect()))
    return failure();
  if (op.getEveryRow())
    update.emitEveryRow();
  else
    update.emitEntries();
  return success();
}

LogicalResult mlc::lowerRaggedSum(OpBuilder &b, kern::RaggedSumOp op, int64_t lanes) {
  Location loc = op.getLoc();
  FlatBuffer values = flatten(b, loc, op.getValues()), ends = flatten(b, loc, op.getEnds()),
             out = flatten(b, loc, op.getOuts()[0]);
  auto elements = rowElements(op, values);
  if (failed(elements) || failed(rowElements(op, out)))
    return failure();
  forEachRow(b, loc, ends.sizes[0], 10 + 2.0 * *elements, [&](Index row) {
    auto bounds = groupBounds(b, loc, ends, row);
    Index begin = bounds.first, end = bounds.second;
    forEachVector(b, loc, *elements, lanes, [&](Index c, const Lanes &l) {
      IndexMath math{b, loc};
      Value zero = l.constant(b, loc, cast<TypedAttr>(b.getZeroAttr(values.element)));
      Value sum = makeReduction(b, loc, begin, end, 1, zero, [&](OpBuilder &, Index j, ValueRange carried) {
        Value x = l.load(b, loc, values.flat, math.add(values.at(math, {j}), c));
        return SmallVector<Value>{arith::AddFOp::create(b, loc, carried[0], x)};
      })[0];
      l.store(b, loc, sum, out.flat, math.add(out.at(math, {row}), c));
    });
  });
  return success();
}

LogicalResult mlc::lowerRaggedRepeat(OpBuilder &b, kern::RaggedRepeatOp op, int64_t lanes) {
  Location loc = op.getLoc();
  FlatBuffer rows = flatten(b, loc, op.getRows()), ends = flatten(b, loc, op.getEnds()),
             out = flatten(b, loc, op.getOuts()[0]);
  auto elements = rowElements(op, rows);
  if (failed(elements) || failed(rowElements(op, out)))
    return failure();
  forEachRow(b, loc, ends.sizes[0], 10 + 2.0 * *elements, [&](Index row) {
    auto bounds = groupBounds(b, loc, ends, row);
    Index begin = bounds.first, end = bounds.second;
    forEachVector(b, loc, *elements, lanes, [&](Index c, const Lanes &l) {
      IndexMath math{b, loc};
      Value x = l.load(b, loc, rows.flat, math.add(rows.at(math, {row}), c));
      makeLoop(b, loc, begin, end, 1,
               [&](OpBuilder &, Index j) { l.store(b, loc, x, out.flat, math.add(out.at(math, {j}), c)); });
    });
  });
  return success();
}
