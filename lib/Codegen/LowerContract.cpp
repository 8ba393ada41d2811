// kern.contract to packed panels and register tiles.
//
// The right side is packed into panels [N/NR][K][NR]; a tile of MR rows and NR columns keeps its accumulators in
// registers over the loop along K: per step NR/lanes loads, MR broadcasts and MR*NR/lanes FMAs (math.fma: vector.fma
// becomes fmuladd, which the strict target splits into two roundings). The epilogue runs on
// the accumulators. K is cut into blocks of KC where it is long or unknown; partial sums then pass through the out,
// unrounded. Tasks are blocks of rows by groups of panels. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LowerKernels.h"
#include "VectorBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlc;

/// Longest inner dimension that is not cut into blocks, and the length of a block.
static constexpr int64_t kMaxUnblockedK = 1024, kBlockK = 256;
/// Rows of a task, in tiles.
static constexpr int64_t kTilesOfTask = 8;
/// Nanoseconds of one FMA of one lane: decides how many panels make a task.
static constexpr double kFmaCost = 0.02;

namespace {

struct ContractLowering {
  OpBuilder &b;
  kern::ContractOp op;
  Location loc;
  IndexMath math;
  int64_t lanes, tileRows, panelVectors;
  FlatBuffer lhs, rhs;
  SmallVector<FlatBuffer> extras, outs;
  /// Strides of A[m, k] and B[k, n], and the extents.
  Index aRow, aInner, bInner, bColumn, rows, columns, inner;
  /// The packed right side.
  Value packed;

  ContractLowering(OpBuilder &b, kern::ContractOp op, int64_t maxLanes)
      : b(b), op(op), loc(op.getLoc()), math{b, loc}, lanes(maxLanes) {
    bool wide = cast<MemRefType>(op.getLhs().getType()).getElementType().isF64();
    // Accumulators, one row of the panel and a broadcast fit the register file: 16 of 8 lanes, 32 of 16.
    tileRows = lanes == 16 ? 8 : wide ? 3 : 6;
    panelVectors = lanes == 16 ? (wide ? 1 : 3) : (wide ? 1 : 2);
  }

  Type element() { return lhs.element; }
  int64_t panelWidth() { return lanes * panelVectors; }
  Lanes all() { return Lanes{lanes, Value()}; }

  void collect();
  bool blocked() { return !known(inner) || *known(inner) > kMaxUnblockedK; }
  Value maskFor(Index remaining);
  void pack();
  void packPanel(Index panel, bool edge);
  void packTransposed(Index panel);
  SmallVector<Lanes> panelLanes(Index remaining);
  void tile(Index row, int64_t count, Index panel, ArrayRef<Lanes> vectors, Index blockBegin, Index blockEnd);
  void finish(Index row, int64_t count, Index column, ArrayRef<Lanes> vectors, ValueRange accumulators);
  SmallVector<Value> epilogue(Index row, Index column, const Lanes &l, Value accumulator);
  void panelRows(Index panel, ArrayRef<Lanes> vectors, Index rowBegin, Index rowEnd, Index blockBegin, Index blockEnd);
  void emit();
  void emitDots();
  void emitColumns();
};

void ContractLowering::collect() {
  lhs = flatten(b, loc, op.getLhs());
  rhs = flatten(b, loc, op.getRhs());
  for (Value extra : op.getExtras())
    extras.push_back(flatten(b, loc, extra));
  for (Value out : op.getOuts())
    outs.push_back(flatten(b, loc, out));
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  aRow = lhs.strides[ta ? 1 : 0];
  aInner = lhs.strides[ta ? 0 : 1];
  bInner = rhs.strides[tb ? 1 : 0];
  bColumn = rhs.strides[tb ? 0 : 1];
  rows = outs[0].sizes[0];
  columns = outs[0].sizes[1];
  inner = known(lhs.sizes[ta ? 0 : 1]) ? lhs.sizes[ta ? 0 : 1] : rhs.sizes[tb ? 1 : 0];
}

Value ContractLowering::maskFor(Index remaining) {
  return vector::CreateMaskOp::create(b, loc, VectorType::get({lanes}, b.getI1Type()), math.value(remaining));
}

/// The vectors of a panel of which `remaining` columns exist: static counts drop vectors and masks, dynamic ones mask
/// all.
SmallVector<Lanes> ContractLowering::panelLanes(Index remaining) {
  SmallVector<Lanes> vectors;
  for (int64_t v = 0; v < panelVectors; ++v) {
    if (auto left = known(remaining)) {
      if (*left <= v * lanes)
        break;
      vectors.push_back(*left >= (v + 1) * lanes ? all() : Lanes{lanes, maskFor(math.constant(*left - v * lanes))});
      continue;
    }
    // create_mask of a negative count selects nothing.
    vectors.push_back(Lanes{lanes, maskFor(math.sub(remaining, math.constant(v * lanes)))});
  }
  return vectors;
}

//===-- packing ------------------------------------------------------------------===//

void ContractLowering::pack() {
  Index panels = math.ceilDiv(columns, math.constant(panelWidth()));
  Index size = math.mul(math.mul(panels, inner), math.constant(panelWidth()));
  auto staticSize = known(size);
  auto type = MemRefType::get({staticSize.value_or(ShapedType::kDynamic)}, element());
  packed = memref::AllocOp::create(b, loc, type, staticSize ? ValueRange() : ValueRange(math.value(size)),
                                   b.getI64IntegerAttr(64));
  FlatBuffer flat = flatten(b, loc, packed);
  packed = flat.flat;
  double cost = 0.1 * known(inner).value_or(128) * panelWidth();
  auto width = math.constant(panelWidth());
  makeTasks(b, loc, panels, cost, [&](OpBuilder &, Index panel) {
    auto count = known(columns);
    if (count && *count % panelWidth() == 0)
      return packPanel(panel, false);
    if (count && *count < panelWidth())
      return packPanel(panel, true);
    Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                          math.value(math.add(math.mul(panel, width), width)), math.value(columns));
    auto either = scf::IfOp::create(b, loc, isWhole, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&either.getThenRegion().front());
    packPanel(panel, false);
    b.setInsertionPointToStart(&either.getElseRegion().front());
    packPanel(panel, true);
  });
}

void ContractLowering::packPanel(Index panel, bool edge) {
  Index column = math.mul(panel, math.constant(panelWidth()));
  Index base = math.mul(math.mul(panel, inner), math.constant(panelWidth()));
  if (known(bColumn) == 1) {
    auto count = known(columns);
    Index remaining = !edge   ? math.constant(panelWidth())
                      : count ? math.constant(*count % panelWidth())
                              : math.sub(columns, column);
    SmallVector<Lanes> vectors = panelLanes(remaining);
    makeLoop(b, loc, math.constant(0), inner, 1, [&](OpBuilder &, Index k) {
      Index from = math.add(rhs.offset, math.add(math.mul(k, bInner), column));
      Index to = math.add(base, math.mul(k, math.constant(panelWidth())));
      for (auto [v, l] : llvm::enumerate(vectors))
        all().store(b, loc, l.load(b, loc, rhs.flat, math.add(from, math.constant(v * lanes))), packed,
                    math.add(to, math.constant(v * lanes)));
    });
    return;
  }
  packTransposed(panel);
}

/// B's columns are the rows of memory: squares of lanes x lanes are transposed in registers. Columns behind the last
/// one repeat it: their accumulators are never stored.
void ContractLowering::packTransposed(Index panel) {
  Index column = math.mul(panel, math.constant(panelWidth()));
  Index base = math.mul(math.mul(panel, inner), math.constant(panelWidth()));
  Index lastColumn = math.sub(columns, math.constant(1));
  auto rowOf = [&](int64_t j) {
    Index c = math.min(math.add(column, math.constant(j)), lastColumn);
    return math.add(rhs.offset, math.mul(c, bColumn));
  };
  auto scalar = [&](Index k) {
    for (int64_t j = 0; j < panelWidth(); ++j) {
      Value x = Lanes().load(b, loc, rhs.flat, math.add(rowOf(j), math.mul(k, bInner)));
      Lanes().store(b, loc, x, packed,
                    math.add(math.add(base, math.mul(k, math.constant(panelWidth()))), math.constant(j)));
    }
  };
  Index whole = math.constant(0);
  if (known(bInner) == 1) {
    whole = known(inner)
                ? math.constant(*known(inner) / lanes * lanes)
                : Index(Value(arith::MulIOp::create(
                      b, loc, arith::DivUIOp::create(b, loc, math.value(inner), math.value(math.constant(lanes))),
                      math.value(math.constant(lanes)))));
    for (int64_t block = 0; block < panelVectors; ++block) {
      SmallVector<Index> starts;
      for (int64_t r = 0; r < lanes; ++r)
        starts.push_back(rowOf(block * lanes + r));
      makeLoop(b, loc, math.constant(0), whole, lanes, [&](OpBuilder &, Index k) {
        SmallVector<Value> square;
        for (Index start : starts)
          square.push_back(all().load(b, loc, rhs.flat, math.add(start, k)));
        // Butterfly: step s swaps the off-diagonal s x s blocks of each 2s x 2s block.
        for (int64_t s = 1; s < lanes; s *= 2) {
          SmallVector<int64_t> low, high;
          for (int64_t l = 0; l < lanes; ++l) {
            low.push_back((l & s) ? lanes + (l - s) : l);
            high.push_back((l & s) ? lanes + l : l + s);
          }
          SmallVector<Value> next(lanes);
          for (int64_t r = 0; r < lanes; ++r) {
            if (r & s)
              continue;
            next[r] = vector::ShuffleOp::create(b, loc, square[r], square[r | s], low);
            next[r | s] = vector::ShuffleOp::create(b, loc, square[r], square[r | s], high);
          }
          square = next;
        }
        for (int64_t r = 0; r < lanes; ++r) {
          Index at = math.add(math.add(base, math.mul(math.add(k, math.constant(r)), math.constant(panelWidth()))),
                              math.constant(block * lanes));
          all().store(b, loc, square[r], packed, at);
        }
      });
    }
  }
  makeLoop(b, loc, whole, inner, 1, [&](OpBuilder &, Index k) { scalar(k); });
}

//===-- tiles --------------------------------------------------------------------===//

SmallVector<Value> ContractLowering::epilogue(Index row, Index column, const Lanes &l, Value accumulator) {
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), accumulator);
  for (auto [i, map] : llvm::enumerate(op.getExtraMaps().getAsValueRange<AffineMapAttr>())) {
    Index at = extras[i].offset;
    bool alongColumns = false;
    for (auto [expr, stride] : llvm::zip(map.getResults(), extras[i].strides)) {
      bool isColumn = cast<AffineDimExpr>(expr).getPosition() == 1;
      at = math.add(at, math.mul(isColumn ? column : row, stride));
      alongColumns |= isColumn;
    }
    Value element =
        alongColumns ? l.load(b, loc, extras[i].flat, at) : l.splat(b, loc, Lanes().load(b, loc, extras[i].flat, at));
    mapping.map(body.getArgument(1 + i), element);
  }
  return cloneBody(b, body, mapping, l);
}

/// The epilogue and the stores of a tile.
void ContractLowering::finish(Index row, int64_t count, Index column, ArrayRef<Lanes> vectors,
                              ValueRange accumulators) {
  for (int64_t r = 0; r < count; ++r)
    for (auto [v, l] : llvm::enumerate(vectors)) {
      Index m = math.add(row, math.constant(r)), n = math.add(column, math.constant(v * lanes));
      SmallVector<Value> results = epilogue(m, n, l, accumulators[r * vectors.size() + v]);
      for (auto [out, result] : llvm::zip(outs, results))
        l.store(b, loc, result, out.flat, out.at(math, {m, n}));
    }
}

void ContractLowering::tile(Index row, int64_t count, Index panel, ArrayRef<Lanes> vectors, Index blockBegin,
                            Index blockEnd) {
  Index column = math.mul(panel, math.constant(panelWidth()));
  Index base = math.mul(math.mul(panel, inner), math.constant(panelWidth()));
  TypedAttr zero = cast<TypedAttr>(b.getZeroAttr(element()));
  SmallVector<Value> init(count * vectors.size(), all().constant(b, loc, zero));
  SmallVector<Index> rowStarts;
  for (int64_t r = 0; r < count; ++r)
    rowStarts.push_back(math.add(lhs.offset, math.mul(math.add(row, math.constant(r)), aRow)));
  auto partial = [&](int64_t r, int64_t v) {
    return outs[0].at(math, {math.add(row, math.constant(r)), math.add(column, math.constant(v * lanes))});
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
      makeReduction(b, loc, blockBegin, blockEnd, 1, init, [&](OpBuilder &, Index k, ValueRange carried) {
        SmallVector<Value> sums(carried), panelRow;
        Index at = math.add(base, math.mul(k, math.constant(panelWidth())));
        for (size_t v = 0; v < vectors.size(); ++v)
          panelRow.push_back(all().load(b, loc, packed, math.add(at, math.constant(v * lanes))));
        Index offset = math.mul(k, aInner);
        for (int64_t r = 0; r < count; ++r) {
          Value a = all().splat(b, loc, Lanes().load(b, loc, lhs.flat, math.add(rowStarts[r], offset)));
          for (size_t v = 0; v < vectors.size(); ++v)
            sums[r * vectors.size() + v] = math::FmaOp::create(b, loc, a, panelRow[v], sums[r * vectors.size() + v]);
        }
        return sums;
      });
  if (!blocked())
    return finish(row, count, column, vectors, accumulators);
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, math.value(blockEnd), math.value(inner));
  auto end = scf::IfOp::create(b, loc, isLast, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&end.getThenRegion().front());
  finish(row, count, column, vectors, accumulators);
  b.setInsertionPointToStart(&end.getElseRegion().front());
  for (int64_t r = 0; r < count; ++r)
    for (auto [v, l] : llvm::enumerate(vectors))
      l.store(b, loc, accumulators[r * vectors.size() + v], outs[0].flat, partial(r, v));
}

/// All rows of a task against one panel: full tiles, then what is left in tiles of 4, 2 and 1 rows.
void ContractLowering::panelRows(Index panel, ArrayRef<Lanes> vectors, Index rowBegin, Index rowEnd, Index blockBegin,
                                 Index blockEnd) {
  Index extent = math.sub(rowEnd, rowBegin);
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
  // A task's rows are whole tiles but in the last block, so a static count tells what can be left.
  std::optional<int64_t> staticRest = known(rows) ? std::optional<int64_t>(*known(rows) % tileRows) : std::nullopt;
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

void ContractLowering::emit() {
  pack();
  int64_t rowsOfTask = tileRows * kTilesOfTask;
  double panelCost = kFmaCost * rowsOfTask * panelWidth() * known(inner).value_or(128) * (8.0 / lanes);
  constexpr double grain = 8000;
  Index panels = math.ceilDiv(columns, math.constant(panelWidth()));
  int64_t group = std::max<int64_t>(1, static_cast<int64_t>(grain / panelCost));
  if (auto count = known(panels))
    group = std::min(group, *count);
  group = std::max<int64_t>(group, 1);
  Index groups = math.ceilDiv(panels, math.constant(group));
  Index rowBlocks = math.ceilDiv(rows, math.constant(rowsOfTask));
  makeTasks(b, loc, math.mul(rowBlocks, groups), panelCost * group, [&](OpBuilder &, Index task) {
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
        auto count = known(columns);
        Index width = math.constant(panelWidth());
        auto run = [&](Index remaining) {
          panelRows(panel, panelLanes(remaining), rowBegin, rowEnd, blockBegin, blockEnd);
        };
        if (count && *count % panelWidth() == 0)
          return run(width);
        Index remaining = count ? math.constant(*count % panelWidth()) : math.sub(columns, math.mul(panel, width));
        if (count && *count < panelWidth())
          return run(remaining);
        Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                              math.value(math.add(math.mul(panel, width), width)), math.value(columns));
        auto either = scf::IfOp::create(b, loc, isWhole, true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(&either.getThenRegion().front());
        run(width);
        b.setInsertionPointToStart(&either.getElseRegion().front());
        run(remaining);
      });
    };
    if (!blocked())
      return block(math.constant(0), inner);
    // An empty inner dimension still has its epilogue: one block at least.
    Value end = arith::MaxUIOp::create(b, loc, math.value(inner), math.value(math.constant(1)));
    makeLoop(b, loc, math.constant(0), Index(end), kBlockK,
             [&](OpBuilder &, Index k) { block(k, math.min(math.add(k, math.constant(kBlockK)), inner)); });
  });
}

//===-- one column -----------------------------------------------------------------===//

/// N = 1 and rows of A contiguous: a dot product for each row.
void ContractLowering::emitDots() {
  double cost = kFmaCost * known(inner).value_or(128) * 2;
  int64_t chunk = std::max<int64_t>(1, static_cast<int64_t>(4000 / std::max(cost, 1.0)));
  if (auto count = known(rows))
    chunk = std::max<int64_t>(1, std::min(chunk, *count));
  TypedAttr zero = cast<TypedAttr>(b.getZeroAttr(element()));
  Index whole = known(inner)
                    ? math.constant(*known(inner) / lanes * lanes)
                    : Index(Value(arith::MulIOp::create(
                          b, loc, arith::DivUIOp::create(b, loc, math.value(inner), math.value(math.constant(lanes))),
                          math.value(math.constant(lanes)))));
  makeTasks(b, loc, math.ceilDiv(rows, math.constant(chunk)), cost * chunk, [&](OpBuilder &, Index task) {
    Index begin = math.mul(task, math.constant(chunk));
    makeLoop(b, loc, begin, math.min(math.add(begin, math.constant(chunk)), rows), 1, [&](OpBuilder &, Index m) {
      Index start = math.add(lhs.offset, math.mul(m, aRow));
      auto step = [&](Index k, const Lanes &l, Value sum) -> Value {
        return math::FmaOp::create(b, loc, l.load(b, loc, lhs.flat, math.add(start, k)),
                                   l.load(b, loc, rhs.flat, math.add(rhs.offset, k)), sum);
      };
      SmallVector<Value> sums = makeReduction(
          b, loc, math.constant(0), whole, lanes, all().constant(b, loc, zero),
          [&](OpBuilder &, Index k, ValueRange carried) { return SmallVector<Value>{step(k, all(), carried[0])}; });
      // Unselected lanes add 0 * 0.
      if (!(known(inner) && *known(inner) % lanes == 0))
        sums[0] = step(whole, Lanes{lanes, maskFor(math.sub(inner, whole))}, sums[0]);
      Value sum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, sums[0]);
      SmallVector<Value> results = epilogue(m, math.constant(0), Lanes(), sum);
      for (auto [out, result] : llvm::zip(outs, results))
        Lanes().store(b, loc, result, out.flat, out.at(math, {m, math.constant(0)}));
    });
  });
}

/// N = 1 and columns of A contiguous: lanes are rows, the inner dimension is summed in registers.
void ContractLowering::emitColumns() {
  TypedAttr zero = cast<TypedAttr>(b.getZeroAttr(element()));
  int64_t chunk = lanes * 4;
  makeTasks(b, loc, math.ceilDiv(rows, math.constant(chunk)), kFmaCost * chunk * known(inner).value_or(128),
            [&](OpBuilder &, Index task) {
              Index begin = math.mul(task, math.constant(chunk));
              Index end = math.min(math.add(begin, math.constant(chunk)), rows);
              makeLoop(b, loc, begin, end, lanes, [&](OpBuilder &, Index m) {
                Lanes l{lanes, Value()};
                if (!(known(rows) && *known(rows) % lanes == 0))
                  l.mask = maskFor(math.sub(rows, m));
                SmallVector<Value> sums = makeReduction(
                    b, loc, math.constant(0), inner, 1, all().constant(b, loc, zero),
                    [&](OpBuilder &, Index k, ValueRange carried) {
                      Value a = l.load(b, loc, lhs.flat, math.add(math.add(lhs.offset, m), math.mul(k, aInner)));
                      Value x = all().splat(b, loc,
                                            Lanes().load(b, loc, rhs.flat, math.add(rhs.offset, math.mul(k, bInner))));
                      return SmallVector<Value>{math::FmaOp::create(b, loc, a, x, carried[0])};
                    });
                // The out's rows are neighbours: along m, elements of extras that depend on rows are too, or do not
                // move.
                Block &body = op.getBody().front();
                IRMapping mapping;
                mapping.map(body.getArgument(0), sums[0]);
                for (auto [i, map] : llvm::enumerate(op.getExtraMaps().getAsValueRange<AffineMapAttr>())) {
                  bool alongRows = llvm::any_of(map.getResults(),
                                                [](AffineExpr e) { return cast<AffineDimExpr>(e).getPosition() == 0; });
                  Value element = alongRows ? l.load(b, loc, extras[i].flat, math.add(extras[i].offset, m))
                                            : l.splat(b, loc, Lanes().load(b, loc, extras[i].flat, extras[i].offset));
                  mapping.map(body.getArgument(1 + i), element);
                }
                SmallVector<Value> results = cloneBody(b, body, mapping, l);
                for (auto [out, result] : llvm::zip(outs, results))
                  l.store(b, loc, result, out.flat, math.add(out.offset, m));
              });
            });
}

} // namespace

/// Whether rows of every matrix operand with one column are neighbours, as emitColumns needs.
static bool hasUnitRows(ArrayRef<FlatBuffer> buffers) {
  return llvm::all_of(buffers,
                      [](const FlatBuffer &buffer) { return buffer.strides.empty() || known(buffer.strides[0]) == 1; });
}

LogicalResult mlc::lowerContract(OpBuilder &b, kern::ContractOp op, int64_t lanes) {
  ContractLowering lowering(b, op, lanes);
  lowering.collect();
  Type element = lowering.element();
  if (!element.isF32() && !element.isF64())
    return op.emitOpError("has no code for ") << element;
  bool oneColumn = known(lowering.columns) == 1;
  if (oneColumn && known(lowering.aInner) == 1 && known(lowering.bInner) == 1)
    lowering.emitDots();
  else if (oneColumn && known(lowering.aRow) == 1 && hasUnitRows(lowering.outs) && hasUnitRows(lowering.extras))
    lowering.emitColumns();
  else
    lowering.emit();
  return success();
}
