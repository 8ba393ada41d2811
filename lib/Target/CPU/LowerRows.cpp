// Gathers and updates of rows to loops over vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LowerKernels.h"
#include "RowLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;

/// Cache lines of tables that are asked for ahead of their use, as many as memory brings at a time; those of so many
/// rows at most, and of a row of one table the first ones, as what lies after them is seen coming.
static constexpr int64_t kLinesAhead = 96, kMostRowsAhead = 32, kMostLinesOfRow = 4, kLineBytes = 64;

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
/// kern.update_rows on the CPU.
struct VectorRowUpdate : RowUpdate {
  using RowUpdate::RowUpdate;

  void updateEntry(Index k, Value id);
  void updateOthers(Index begin, Index end);
  void emitEntries();
  void emitEveryRow();
};
} // namespace

/// Updates row `id`, that of entry k.
void VectorRowUpdate::updateEntry(Index k, Value id) {
  Index begin, end;
  if (!grouping.empty())
    std::tie(begin, end) = groupBounds(b, loc, grouping[0], k);
  forEachVector(b, loc, elements, lanes,
                [&](Index c, const Lanes &l) { apply(id, c, gradientOf(k, begin, end, c, l), /*isPresent=*/true, l); });
}

/// Updates rows [begin, end), which have no ids.
void VectorRowUpdate::updateOthers(Index begin, Index end) {
  auto update = [&](Index row, Index column, const Lanes &l) {
    apply(row, column, l.constant(b, loc, cast<TypedAttr>(b.getZeroAttr(values.element))), /*isPresent=*/false, l);
  };
  // Rows that lie after one another are one.
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

/// Rows by their ids.
void VectorRowUpdate::emitEntries() {
  double cost = 40 + elementCost(op.getBody().front(), lanes) * elements;
  forEachEntry(b, loc, ids, numIds, tables, elements, /*isWrite=*/true, cost, [&](Index k) {
    Value id = loadIndex(b, loc, ids, math.add(ids.offset, k));
    loadScalars();
    updateEntry(k, id);
  });
}

/// All rows in one pass: those of the entries in a task's range, and in turn those before them.
void VectorRowUpdate::emitEveryRow() {
  // Less work than this is not worth the search for its entries.
  constexpr double kGrain = 64000;
  double cost = std::max(elementCost(op.getBody().front(), lanes) * elements, 1e-3);
  int64_t chunk = std::max<int64_t>(1, static_cast<int64_t>(kGrain / cost));
  Index rows = tables[0].sizes[0];
  makeTasks(b, loc, math.ceilDiv(rows, math.constant(chunk)), cost * chunk, [&](OpBuilder &, Index task) {
    Index begin = math.mul(task, math.constant(chunk)), end = math.min(math.add(begin, math.constant(chunk)), rows);
    loadScalars();
    Index first = lowerBound(b, loc, ids, math.constant(0), numIds, begin);
    // Ids are distinct: there are no more of them than rows.
    Index last = lowerBound(b, loc, ids, first, math.min(math.add(first, math.sub(end, begin)), numIds), end);
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
  VectorRowUpdate update(b, op, lanes);
  if (failed(update.collect()))
    return failure();
  if (!update.numIds)
    return op.emitOpError("has its number of ids in memory space ")
           << kern::spaceOf(op.getCount().getType()) << ", where no code of the CPU reads it";
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
