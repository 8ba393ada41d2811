// Register tiles of a contraction over packed panels.
//
// The right side is packed into panels [N/NR][K][NR] (kern.pack); a tile of MR rows and NR columns, which the op's
// tiling says, keeps its accumulators in registers over the loop along K: per step NR/lanes loads, MR broadcasts and
// MR*NR/lanes FMAs (math.fma: vector.fma becomes fmuladd, which the strict target splits into two roundings). The
// epilogue runs on the accumulators. K is cut into blocks of KC where the tiling says so; partial sums then pass
// through the out, unrounded. Tasks are blocks of rows by groups of panels.
//
// M and K may each be several loops (a convolution's rows are positions of images, its K the window): a row's number is
// taken apart where its tile begins, all but the last loop of K once per run of the last one. Loops that lie after one
// another in every operand are merged first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ContractLowering.h"
#include "dialects/Kern/Utils/Widen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlc;

/// `at`: the indices of the row loops.
SmallVector<Value> ContractLowering::epilogue(ArrayRef<Index> at, Index column, const Lanes &l, Value accumulator) {
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), accumulator);
  for (size_t i = 0; i < extras.size(); ++i) {
    unsigned operand = extraOperand(i);
    Index place = math.add(origins[operand],
                           math.add(distance(rowLoops, at, operand), math.mul(column, columnLoop.strides[operand])));
    Value element = known(columnLoop.strides[operand]) == 0
                        ? l.splat(b, loc, Lanes().load(b, loc, extras[i].flat, place))
                        : l.load(b, loc, extras[i].flat, place);
    mapping.map(body.getArgument(1 + i), element);
  }
  return cloneBody(b, body, mapping, l);
}

/// The element of an out at a row and a column.
Index ContractLowering::outElement(size_t i, ArrayRef<Index> at, Index column) {
  return math.add(origins[outOperand(i)], math.add(distance(rowLoops, at, outOperand(i)), column));
}

/// The epilogue and the stores of a tile whose rows have the indices `at`.
void ContractLowering::finish(ArrayRef<SmallVector<Index>> at, Index column, ArrayRef<Lanes> vectors,
                              ValueRange accumulators) {
  for (size_t r = 0; r < at.size(); ++r)
    for (auto [v, l] : llvm::enumerate(vectors)) {
      Index n = math.add(column, math.constant(v * lanes));
      SmallVector<Value> results = epilogue(at[r], n, l, accumulators[r * vectors.size() + v]);
      for (auto [i, result] : llvm::enumerate(results))
        l.store(b, loc, result, outs[i].flat, outElement(i, at[r], n));
    }
}

Value ContractLowering::loadLhs(const Lanes &l, Index index) {
  return kern::widen(b, loc, l.load(b, loc, lhs.flat, index), element(), op.getUnsignedLhs());
}
Value ContractLowering::loadRhs(const Lanes &l, Index index) {
  return kern::widen(b, loc, l.load(b, loc, rhs.flat, index), element(), op.getUnsignedRhs());
}

/// One FMA of floats: each product is rounded with its sum, once.
Value ContractLowering::addProduct(Value x, Value y, Value sum) {
  if (isa<FloatType>(element()))
    return math::FmaOp::create(b, loc, x, y, sum);
  return arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, y));
}

void ContractLowering::tile(Index row, int64_t count, Index panel, ArrayRef<Lanes> vectors, Index blockBegin,
                            Index blockEnd) {
  Index column = math.mul(panel, math.constant(panelWidth));
  Index base = panelStart(panel, 1);
  TypedAttr zero = cast<TypedAttr>(b.getZeroAttr(element()));
  SmallVector<Value> init(count * vectors.size(), all().constant(b, loc, zero));
  SmallVector<Index> rowStarts;
  SmallVector<SmallVector<Index>> rowIndices;
  for (int64_t r = 0; r < count; ++r) {
    rowIndices.push_back(indicesOf(rowLoops, math.add(row, math.constant(r))));
    rowStarts.push_back(math.add(origins[0], distance(rowLoops, rowIndices[r], 0)));
  }
  auto partial = [&](int64_t r, int64_t v) {
    return outElement(0, rowIndices[r], math.add(column, math.constant(v * lanes)));
  };
  SmallVector<Type> types(init.size(), all().typeOf(element()));
  if (blocked()) {
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, math.value(blockBegin), math.value(math.constant(0)));
    auto start = scf::IfOp::create(b, loc, types, isFirst, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&start.getThenRegion().front());
    scf::YieldOp::create(b, loc, init);
    b.setInsertionPointToEnd(&start.getElseRegion().front());
    SmallVector<Value> loaded;
    for (int64_t r = 0; r < count; ++r)
      for (auto [v, l] : llvm::enumerate(vectors))
        loaded.push_back(l.load(b, loc, outs[0].flat, partial(r, v)));
    scf::YieldOp::create(b, loc, loaded);
    init.assign(start.getResults().begin(), start.getResults().end());
  }
  SmallVector<Value> accumulators =
      reduceInner(blockBegin, blockEnd, init, [&](Index k, Index offset, ValueRange carried) {
        SmallVector<Value> sums(carried), panelRow;
        Index at = math.add(base, math.mul(k, math.constant(panelWidth)));
        for (size_t v = 0; v < vectors.size(); ++v)
          panelRow.push_back(loadRhs(all(), math.add(at, math.constant(v * lanes))));
        for (int64_t r = 0; r < count; ++r) {
          Value a = all().splat(b, loc, loadLhs(Lanes(), math.add(rowStarts[r], offset)));
          for (size_t v = 0; v < vectors.size(); ++v)
            sums[r * vectors.size() + v] = addProduct(a, panelRow[v], sums[r * vectors.size() + v]);
        }
        return sums;
      });
  if (!blocked())
    return finish(rowIndices, column, vectors, accumulators);
  Value isLast =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, math.value(blockEnd), math.value(blockedExtent()));
  auto end = scf::IfOp::create(b, loc, isLast, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&end.getThenRegion().front());
  finish(rowIndices, column, vectors, accumulators);
  b.setInsertionPointToStart(&end.getElseRegion().front());
  for (int64_t r = 0; r < count; ++r)
    for (auto [v, l] : llvm::enumerate(vectors))
      l.store(b, loc, accumulators[r * vectors.size() + v], outs[0].flat, partial(r, v));
}

/// All rows of a task against one panel: full tiles, then what is left in tiles of 4, 2 and 1 rows.
void ContractLowering::panelRows(Index panel, ArrayRef<Lanes> vectors, Index rowBegin, Index rowEnd, Index blockBegin,
                                 Index blockEnd) {
  Index extent = math.sub(rowEnd, rowBegin);
  const int64_t tileRows = tiling.getRows();
  auto roundDown = [&](Index x, int64_t to) -> Index {
    if (auto k = known(x))
      return math.constant(*k / to * to);
    return Value(arith::MulIOp::create(b, loc,
                                       arith::DivUIOp::create(b, loc, math.value(x), math.value(math.constant(to))),
                                       math.value(math.constant(to))));
  };
  Index row = math.add(rowBegin, roundDown(extent, tileRows));
  makeLoop(b, loc, rowBegin, row, tileRows,
           [&](OpBuilder &, Index m) { tile(m, tileRows, panel, vectors, blockBegin, blockEnd); });
  // A task's rows are whole tiles but in the last block, so a static count tells what can be left, and so does a static
  // factor of it: rows that are positions of images leave nothing if those of one image do not.
  int64_t factor = 1;
  bool isStatic = true;
  for (const Loop &loop : rowLoops) {
    factor *= known(loop.size).value_or(1);
    isStatic &= known(loop.size).has_value();
  }
  std::optional<int64_t> staticRest;
  if (isStatic || factor % tileRows == 0)
    staticRest = factor % tileRows;
  int64_t largest = 1;
  while (largest * 2 < tileRows)
    largest *= 2;
  for (int64_t count = largest; count >= 1; count /= 2) {
    if (staticRest && !(*staticRest & count))
      continue;
    // One iteration at most: what is left is below twice the count.
    Index next = math.add(row, roundDown(math.sub(rowEnd, row), count));
    makeLoop(b, loc, row, next, count,
             [&](OpBuilder &, Index m) { tile(m, count, panel, vectors, blockBegin, blockEnd); });
    row = next;
  }
}

/// Nanoseconds of a task's rows against one panel.
double ContractLowering::panelCost() {
  return kFmaCost * (tiling.getRows() * tiling.getTaskRows()) * tiling.getColumns() * known(inner).value_or(128) *
         (8.0 / lanes);
}

void ContractLowering::emitPanels() {
  Index panels = numPanels();
  Index groups = math.ceilDiv(panels, math.constant(tiling.getTaskColumns()));
  Index rowBlocks = math.ceilDiv(rows, math.constant(tiling.getRows() * tiling.getTaskRows()));
  Index tasksOfBatch = math.mul(rowBlocks, groups);
  makeTasks(b, loc, math.mul(batches, tasksOfBatch), panelCost() * tiling.getTaskColumns(),
            [&](OpBuilder &, Index number) {
              withTask(number, tasksOfBatch,
                       [&](Index batch, Index task) { withBatch(batch, [&] { emitTask(task, groups, panels); }); });
            });
}

/// A block of rows against a group of panels.
void ContractLowering::emitTask(Index task, Index groups, Index panels) {
  int64_t rowsOfTask = tiling.getRows() * tiling.getTaskRows(), group = tiling.getTaskColumns();
  Index rowBlock = task, panelGroup = math.constant(0);
  if (known(groups) != 1) {
    rowBlock = Value(arith::DivUIOp::create(b, loc, math.value(task), math.value(groups)));
    panelGroup = Value(arith::RemUIOp::create(b, loc, math.value(task), math.value(groups)));
  }
  Index rowBegin = math.mul(rowBlock, math.constant(rowsOfTask));
  Index rowEnd = math.min(math.add(rowBegin, math.constant(rowsOfTask)), rows);
  Index panelBegin = math.mul(panelGroup, math.constant(group));
  Index panelEnd = math.min(math.add(panelBegin, math.constant(group)), panels);
  auto block = [&](Index blockBegin, Index blockEnd) {
    makeLoop(b, loc, panelBegin, panelEnd, 1, [&](OpBuilder &, Index panel) {
      forPanel(panel, [&](Index remaining) {
        panelRows(panel, panelLanes(remaining), rowBegin, rowEnd, blockBegin, blockEnd);
      });
    });
  };
  Index extent = blockedExtent();
  if (!blocked())
    return block(math.constant(0), extent);
  // An empty inner dimension still has its epilogue: one block at least.
  Value end = arith::MaxUIOp::create(b, loc, math.value(extent), math.value(math.constant(1)));
  int64_t step = tiling.getInner();
  if (innerLoops.size() > 1)
    step = std::max<int64_t>(1, step / known(run).value_or(step));
  makeLoop(b, loc, math.constant(0), Index(end), step,
           [&](OpBuilder &, Index k) { block(k, math.min(math.add(k, math.constant(step)), extent)); });
}
