// kern.contract to packed panels and register tiles.
//
// The right side is packed into panels [N/NR][K][NR]; a tile of MR rows and NR columns keeps its accumulators in
// registers over the loop along K: per step NR/lanes loads, MR broadcasts and MR*NR/lanes FMAs (math.fma: vector.fma
// becomes fmuladd, which the strict target splits into two roundings). The epilogue runs on
// the accumulators. K is cut into blocks of KC where it is long or unknown; partial sums then pass through the out,
// unrounded. Tasks are blocks of rows by groups of panels.
//
// M and K may each be several loops (a convolution's rows are positions of images, its K the window): a row's number is
// taken apart where its tile begins, all but the last loop of K once per run of the last one. Loops that lie behind one
// another in every operand are merged first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LowerKernels.h"
#include "VectorBody.h"
#include "mlc/Support/SumOrder.h"
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
  /// A loop and how far one step of it moves in each operand: lhs, rhs, extras, outs.
  struct Loop {
    Index size;
    SmallVector<Index> strides;
  };
  SmallVector<Loop> batchLoops, rowLoops, innerLoops;
  Loop columnLoop;
  /// The extents; `runs` is `inner` without the last inner loop, `run` that one.
  Index batches, rows, columns, inner, runs, run;
  /// Where each operand begins for the batch at hand.
  SmallVector<Index> origins;
  /// The packed right side, all batches one after another, and where the batch at hand begins.
  Value packed;
  Index packedOrigin, panelsSize;

  ContractLowering(OpBuilder &b, kern::ContractOp op, int64_t maxLanes)
      : b(b), op(op), loc(op.getLoc()), math{b, loc}, lanes(maxLanes) {
    bool wide = cast<MemRefType>(op.getLhs().getType()).getElementType().isF64();
    // Accumulators, one row of the panel and a broadcast fit the register file: 16 of 8 lanes, 32 of 16.
    tileRows = lanes == 16 ? 8 : wide ? 3 : 6;
    panelVectors = lanes == 16 ? (wide ? 1 : 3) : (wide ? 1 : 2);
    // A last panel of one vector is the slowest: two vectors each where that leaves none and panels are few.
    int64_t count = cast<MemRefType>(op.getOuts()[0].getType()).getShape().back();
    int64_t rest = ShapedType::isDynamic(count) ? 0 : count % (3 * lanes);
    if (panelVectors == 3 && count <= 8 * lanes && rest > 0 && rest <= lanes && count % (2 * lanes) == 0)
      panelVectors = 2;
  }

  Type element() { return lhs.element; }
  unsigned extraOperand(size_t i) { return 2 + static_cast<unsigned>(i); }
  unsigned outOperand(size_t i) { return 2 + static_cast<unsigned>(extras.size() + i); }
  bool isPlain() { return batchLoops.empty() && rowLoops.size() == 1 && innerLoops.size() == 1; }
  int64_t panelWidth() { return lanes * panelVectors; }
  Lanes all() { return Lanes{lanes, Value()}; }

  void collect();
  /// Whether the inner dimension is cut into blocks: sums of those before wait in the first out, if it can hold them.
  bool blocked() { return outs.front().element == element() && (!known(inner) || *known(inner) > kMaxUnblockedK); }
  void merge(SmallVector<Loop> &loops, ArrayRef<unsigned> operands);
  SmallVector<Index> indicesOf(ArrayRef<Loop> loops, Index number);
  Index distance(ArrayRef<Loop> loops, ArrayRef<Index> indices, unsigned operand);
  SmallVector<Value> reduceInner(Index begin, Index end, ValueRange init,
                                 llvm::function_ref<SmallVector<Value>(Index, Index, ValueRange)> body);
  void forRuns(llvm::function_ref<void(Index, Index)> body);
  Value maskFor(Index remaining);
  /// What blocks of the inner dimension count: its elements if it is one loop, else runs of the last one.
  Index blockedExtent() { return innerLoops.size() == 1 ? inner : runs; }
  void withBatch(Index batch, llvm::function_ref<void()> body);
  void pack();
  Index panelStart(Index panel);
  void packPanel(Index panel, bool edge);
  void packTransposed(Index column, Index start, Index base);
  SmallVector<Lanes> panelLanes(Index remaining);
  void tile(Index row, int64_t count, Index panel, ArrayRef<Lanes> vectors, Index blockBegin, Index blockEnd);
  Index outElement(size_t i, ArrayRef<Index> at, Index column);
  void finish(ArrayRef<SmallVector<Index>> at, Index column, ArrayRef<Lanes> vectors, ValueRange accumulators);
  SmallVector<Value> epilogue(ArrayRef<Index> at, Index column, const Lanes &l, Value accumulator);
  void panelRows(Index panel, ArrayRef<Lanes> vectors, Index rowBegin, Index rowEnd, Index blockBegin, Index blockEnd);
  void emitTask(Index task, Index groups, int64_t group, Index panels);
  void emit();
  void emitDots();
  void emitColumns();
  bool hasUnitRows();
};

void ContractLowering::collect() {
  lhs = flatten(b, loc, op.getLhs());
  rhs = flatten(b, loc, op.getRhs());
  for (Value extra : op.getExtras())
    extras.push_back(flatten(b, loc, extra));
  for (Value out : op.getOuts())
    outs.push_back(flatten(b, loc, out));
  SmallVector<AffineMap, 3> maps = op.getLoopMaps();
  unsigned numLoops = maps[0].getNumDims();
  SmallVector<Loop> loops(numLoops);
  SmallVector<int64_t> loopOfOut;
  for (AffineExpr e : maps[2].getResults())
    loopOfOut.push_back(cast<AffineDimExpr>(e).getPosition());
  // Each operand adds its strides to the loops that its dimensions are linear in; constants move its origin.
  auto add = [&](FlatBuffer &buffer, AffineMap map, bool isSized) {
    for (Loop &loop : loops)
      loop.strides.push_back(math.constant(0));
    Index origin = buffer.offset;
    for (auto [d, e] : llvm::enumerate(map.getResults())) {
      LinearExpr linear(e, numLoops);
      origin = math.add(origin, math.mul(buffer.strides[d], math.constant(linear.constant)));
      for (auto [loop, factor] : llvm::zip(loops, linear.factors))
        if (factor)
          loop.strides.back() = math.add(loop.strides.back(), math.mul(buffer.strides[d], math.constant(factor)));
      auto dim = dyn_cast<AffineDimExpr>(e);
      if (isSized && dim && (!loops[dim.getPosition()].size || known(buffer.sizes[d])))
        loops[dim.getPosition()].size = buffer.sizes[d];
    }
    origins.push_back(origin);
  };
  add(lhs, maps[0], false);
  add(rhs, maps[1], true);
  for (auto [extra, map] : llvm::zip(extras, op.getExtraMaps().getAsValueRange<AffineMapAttr>())) {
    SmallVector<AffineExpr> dims;
    for (int64_t loop : loopOfOut)
      dims.push_back(b.getAffineDimExpr(loop));
    add(extra, map.replaceDimsAndSymbols(dims, {}, numLoops, 0), false);
  }
  for (FlatBuffer &out : outs)
    add(out, maps[2], true);
  // An inner dimension that is unknown in rhs may be static in lhs; a window's dimension may be longer than its loop.
  for (auto [d, e] : llvm::enumerate(maps[0].getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(e); dim && known(lhs.sizes[d]) && !op.getMaps())
      loops[dim.getPosition()].size = lhs.sizes[d];

  auto has = [&](unsigned operand, unsigned loop) { return maps[operand].isFunctionOfDim(loop); };
  for (int64_t loop : loopOfOut) {
    if (has(0, loop) && has(1, loop))
      batchLoops.push_back(loops[loop]);
    else if (has(0, loop))
      rowLoops.push_back(loops[loop]);
    else
      columnLoop = loops[loop];
  }
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (!has(2, loop))
      innerLoops.push_back(loops[loop]);
  SmallVector<unsigned> all, factors = {0, 1};
  for (unsigned i = 0; i < origins.size(); ++i)
    all.push_back(i);
  merge(batchLoops, all);
  merge(rowLoops, all);
  merge(innerLoops, factors);
  Loop once{math.constant(1), SmallVector<Index>(origins.size(), math.constant(0))};
  if (rowLoops.empty())
    rowLoops.push_back(once);
  if (innerLoops.empty())
    innerLoops.push_back(once);
  auto product = [&](ArrayRef<Loop> some) {
    Index size = math.constant(1);
    for (const Loop &loop : some)
      size = math.mul(size, loop.size);
    return size;
  };
  batches = product(batchLoops);
  rows = product(rowLoops);
  columns = columnLoop.size;
  inner = product(innerLoops);
  runs = product(ArrayRef(innerLoops).drop_back());
  run = innerLoops.back().size;
}

/// Drops loops of one step, and makes one loop of neighbours of which the outer one goes on where the inner one ends,
/// in all of `operands`.
void ContractLowering::merge(SmallVector<Loop> &loops, ArrayRef<unsigned> operands) {
  llvm::erase_if(loops, [](const Loop &loop) { return known(loop.size) == 1; });
  for (size_t i = loops.size(); i-- > 1;) {
    auto size = known(loops[i].size);
    bool merges = llvm::all_of(operands, [&](unsigned operand) {
      auto outer = known(loops[i - 1].strides[operand]), inside = known(loops[i].strides[operand]);
      return size && outer && inside && *outer == *inside * *size;
    });
    if (!merges)
      continue;
    loops[i - 1] = {math.mul(loops[i - 1].size, loops[i].size), loops[i].strides};
    loops.erase(loops.begin() + i);
  }
}

/// The index of each loop at the row-major `number`.
SmallVector<Index> ContractLowering::indicesOf(ArrayRef<Loop> loops, Index number) {
  SmallVector<Index> indices(loops.size());
  for (size_t i = loops.size(); i-- > 0;) {
    if (i == 0) {
      indices[0] = number;
    } else if (known(loops[i].size) == 1) {
      indices[i] = math.constant(0);
    } else {
      Value size = math.value(loops[i].size), at = math.value(number);
      indices[i] = Value(arith::RemUIOp::create(b, loc, at, size));
      number = Value(arith::DivUIOp::create(b, loc, at, size));
    }
  }
  return indices;
}

Index ContractLowering::distance(ArrayRef<Loop> loops, ArrayRef<Index> indices, unsigned operand) {
  Index sum = math.constant(0);
  for (auto [loop, index] : llvm::zip(loops, indices))
    sum = math.add(sum, math.mul(index, loop.strides[operand]));
  return sum;
}

/// Reduces over the inner dimension from `begin` to `end`: numbers of its elements if it is one loop, else of runs of
/// the last one. `body` gets the number of the element and its distance in lhs.
SmallVector<Value>
ContractLowering::reduceInner(Index begin, Index end, ValueRange init,
                              llvm::function_ref<SmallVector<Value>(Index, Index, ValueRange)> body) {
  Index step = innerLoops.back().strides[0];
  if (innerLoops.size() == 1)
    return makeReduction(b, loc, begin, end, 1, init,
                         [&](OpBuilder &, Index k, ValueRange carried) { return body(k, math.mul(k, step), carried); });
  ArrayRef<Loop> outer = ArrayRef(innerLoops).drop_back();
  return makeReduction(b, loc, begin, end, 1, init, [&](OpBuilder &, Index q, ValueRange carried) {
    Index start = distance(outer, indicesOf(outer, q), 0), first = math.mul(q, run);
    return makeReduction(b, loc, math.constant(0), run, 1, carried, [&](OpBuilder &, Index k, ValueRange values) {
      return body(math.add(first, k), math.add(start, math.mul(k, step)), values);
    });
  });
}

/// Calls `body` for each run of the last inner loop with the number of its first element and its place in rhs.
void ContractLowering::forRuns(llvm::function_ref<void(Index, Index)> body) {
  ArrayRef<Loop> outer = ArrayRef(innerLoops).drop_back();
  if (outer.empty())
    return body(math.constant(0), origins[1]);
  makeLoop(b, loc, math.constant(0), runs, 1, [&](OpBuilder &, Index q) {
    body(math.mul(q, run), math.add(origins[1], distance(outer, indicesOf(outer, q), 1)));
  });
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

/// The origins of batch number `batch` instead of the first one's, for what `body` emits.
void ContractLowering::withBatch(Index batch, llvm::function_ref<void()> body) {
  if (batchLoops.empty())
    return body();
  SmallVector<Index> first = origins;
  SmallVector<Index> indices = indicesOf(batchLoops, batch);
  for (auto [operand, origin] : llvm::enumerate(origins))
    origin = math.add(origin, distance(batchLoops, indices, static_cast<unsigned>(operand)));
  packedOrigin = math.mul(batch, panelsSize);
  body();
  origins = first;
  packedOrigin = math.constant(0);
}

void ContractLowering::pack() {
  Index panels = math.ceilDiv(columns, math.constant(panelWidth()));
  panelsSize = math.mul(math.mul(panels, inner), math.constant(panelWidth()));
  packedOrigin = math.constant(0);
  Index size = math.mul(batches, panelsSize);
  auto staticSize = known(size);
  auto type = MemRefType::get({staticSize.value_or(ShapedType::kDynamic)}, element());
  packed = memref::AllocOp::create(b, loc, type, staticSize ? ValueRange() : ValueRange(math.value(size)),
                                   b.getI64IntegerAttr(64));
  FlatBuffer flat = flatten(b, loc, packed);
  packed = flat.flat;
  double cost = 0.1 * known(inner).value_or(128) * panelWidth();
  auto width = math.constant(panelWidth());
  makeTasks(b, loc, math.mul(batches, panels), cost, [&](OpBuilder &, Index task) {
    Index panel = task, batch = math.constant(0);
    if (!batchLoops.empty()) {
      batch = Value(arith::DivUIOp::create(b, loc, math.value(task), math.value(panels)));
      panel = Value(arith::RemUIOp::create(b, loc, math.value(task), math.value(panels)));
    }
    withBatch(batch, [&] {
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
  });
}

/// Where a panel begins in the packed right side.
Index ContractLowering::panelStart(Index panel) {
  return math.add(packedOrigin, math.mul(math.mul(panel, inner), math.constant(panelWidth())));
}

void ContractLowering::packPanel(Index panel, bool edge) {
  Index column = math.mul(panel, math.constant(panelWidth()));
  Index base = panelStart(panel);
  if (known(columnLoop.strides[1]) == 1) {
    auto count = known(columns);
    Index remaining = !edge   ? math.constant(panelWidth())
                      : count ? math.constant(*count % panelWidth())
                              : math.sub(columns, column);
    SmallVector<Lanes> vectors = panelLanes(remaining);
    forRuns([&](Index first, Index start) {
      makeLoop(b, loc, math.constant(0), run, 1, [&](OpBuilder &, Index k) {
        Index from = math.add(start, math.add(math.mul(k, innerLoops.back().strides[1]), column));
        Index to = math.add(base, math.mul(math.add(first, k), math.constant(panelWidth())));
        for (auto [v, l] : llvm::enumerate(vectors))
          all().store(b, loc, l.load(b, loc, rhs.flat, math.add(from, math.constant(v * lanes))), packed,
                      math.add(to, math.constant(v * lanes)));
      });
    });
    return;
  }
  forRuns([&](Index first, Index start) {
    packTransposed(column, start, math.add(base, math.mul(first, math.constant(panelWidth()))));
  });
}

/// B's columns are the rows of memory: squares of lanes x lanes are transposed in registers. Columns behind the last
/// one repeat it: their accumulators are never stored.
void ContractLowering::packTransposed(Index column, Index start, Index base) {
  Index bInner = innerLoops.back().strides[1];
  Index lastColumn = math.sub(columns, math.constant(1));
  auto rowOf = [&](int64_t j) {
    Index c = math.min(math.add(column, math.constant(j)), lastColumn);
    return math.add(start, math.mul(c, columnLoop.strides[1]));
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
    whole = known(run) ? math.constant(*known(run) / lanes * lanes)
                       : Index(Value(arith::MulIOp::create(
                             b, loc, arith::DivUIOp::create(b, loc, math.value(run), math.value(math.constant(lanes))),
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
  makeLoop(b, loc, whole, run, 1, [&](OpBuilder &, Index k) { scalar(k); });
}

//===-- tiles --------------------------------------------------------------------===//

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

void ContractLowering::tile(Index row, int64_t count, Index panel, ArrayRef<Lanes> vectors, Index blockBegin,
                            Index blockEnd) {
  Index column = math.mul(panel, math.constant(panelWidth()));
  Index base = panelStart(panel);
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
        Index at = math.add(base, math.mul(k, math.constant(panelWidth())));
        for (size_t v = 0; v < vectors.size(); ++v)
          panelRow.push_back(all().load(b, loc, packed, math.add(at, math.constant(v * lanes))));
        for (int64_t r = 0; r < count; ++r) {
          Value a = all().splat(b, loc, Lanes().load(b, loc, lhs.flat, math.add(rowStarts[r], offset)));
          for (size_t v = 0; v < vectors.size(); ++v)
            sums[r * vectors.size() + v] = math::FmaOp::create(b, loc, a, panelRow[v], sums[r * vectors.size() + v]);
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
  Index tasksOfBatch = math.mul(rowBlocks, groups);
  makeTasks(b, loc, math.mul(batches, tasksOfBatch), panelCost * group, [&](OpBuilder &, Index number) {
    Index task = number, batch = math.constant(0);
    if (!batchLoops.empty()) {
      batch = Value(arith::DivUIOp::create(b, loc, math.value(number), math.value(tasksOfBatch)));
      task = Value(arith::RemUIOp::create(b, loc, math.value(number), math.value(tasksOfBatch)));
    }
    withBatch(batch, [&] { emitTask(task, groups, group, panels); });
  });
}

/// A block of rows against a group of panels.
void ContractLowering::emitTask(Index task, Index groups, int64_t group, Index panels) {
  int64_t rowsOfTask = tileRows * kTilesOfTask;
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
  Index extent = blockedExtent();
  if (!blocked())
    return block(math.constant(0), extent);
  // An empty inner dimension still has its epilogue: one block at least.
  Value end = arith::MaxUIOp::create(b, loc, math.value(extent), math.value(math.constant(1)));
  int64_t step = innerLoops.size() == 1 ? kBlockK : std::max<int64_t>(1, kBlockK / known(run).value_or(kBlockK));
  makeLoop(b, loc, math.constant(0), Index(end), step,
           [&](OpBuilder &, Index k) { block(k, math.min(math.add(k, math.constant(step)), extent)); });
}

//===-- one column -----------------------------------------------------------------===//

/// N = 1 and rows of A contiguous: a dot product for each row.
void ContractLowering::emitDots() {
  double cost = kFmaCost * known(inner).value_or(128) * 2;
  int64_t chunk = std::max<int64_t>(1, static_cast<int64_t>(4000 / std::max(cost, 1.0)));
  if (auto count = known(rows))
    chunk = std::max<int64_t>(1, std::min(chunk, *count));
  TypedAttr zero = cast<TypedAttr>(b.getZeroAttr(element()));
  // As a sum along neighbours: lanes and sets of lanes hold interleaved partials.
  int64_t sets = std::max<int64_t>(1, kSumPartials / lanes);
  if (auto size = known(inner))
    sets = std::clamp<int64_t>((*size + lanes - 1) / lanes, 1, sets);
  int64_t round = sets * lanes;
  Index whole =
      known(inner)
          ? math.constant(*known(inner) / round * round)
          : math.mul(Index(Value(arith::DivUIOp::create(b, loc, math.value(inner), math.value(math.constant(round))))),
                     math.constant(round));
  Index end = math.mul(math.ceilDiv(inner, math.constant(round)), math.constant(round));
  makeTasks(b, loc, math.ceilDiv(rows, math.constant(chunk)), cost * chunk, [&](OpBuilder &, Index task) {
    Index begin = math.mul(task, math.constant(chunk));
    makeLoop(b, loc, begin, math.min(math.add(begin, math.constant(chunk)), rows), 1, [&](OpBuilder &, Index m) {
      Index start = math.add(origins[0], math.mul(m, rowLoops[0].strides[0]));
      auto rounds = [&](Index from, Index to, bool isWhole, ValueRange carried) {
        return makeReduction(b, loc, from, to, round, carried, [&](OpBuilder &, Index k, ValueRange sums) {
          SmallVector<Value> next(sums);
          for (int64_t set = 0; set < sets; ++set) {
            Index at = math.add(k, math.constant(set * lanes)), rest = math.sub(inner, at);
            if (!isWhole && known(rest) && *known(rest) <= 0)
              continue;
            // Unselected lanes add 0 * 0.
            bool isMasked = !isWhole && !(known(rest) && *known(rest) >= lanes);
            Lanes l = isMasked ? Lanes{lanes, maskFor(rest)} : all();
            next[set] = math::FmaOp::create(b, loc, l.load(b, loc, lhs.flat, math.add(start, at)),
                                            l.load(b, loc, rhs.flat, math.add(origins[1], at)), sums[set]);
          }
          return next;
        });
      };
      SmallVector<Value> sums(sets, all().constant(b, loc, zero));
      sums = rounds(math.constant(0), whole, /*isWhole=*/true, sums);
      sums = rounds(whole, end, /*isWhole=*/false, sums);
      Value sum = combineLanes(b, loc, vector::CombiningKind::ADD, sums, known(inner).value_or(kSumPartials));
      SmallVector<Value> results = epilogue({m}, math.constant(0), Lanes(), sum);
      for (auto [i, result] : llvm::enumerate(results))
        Lanes().store(b, loc, result, outs[i].flat, outElement(i, {m}, math.constant(0)));
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
                      Value a = l.load(b, loc, lhs.flat,
                                       math.add(math.add(origins[0], m), math.mul(k, innerLoops[0].strides[0])));
                      Value x = all().splat(
                          b, loc,
                          Lanes().load(b, loc, rhs.flat, math.add(origins[1], math.mul(k, innerLoops[0].strides[1]))));
                      return SmallVector<Value>{math::FmaOp::create(b, loc, a, x, carried[0])};
                    });
                // The out's rows are neighbours: along m, elements of extras that depend on rows are too, or do not
                // move.
                Block &body = op.getBody().front();
                IRMapping mapping;
                mapping.map(body.getArgument(0), sums[0]);
                for (size_t i = 0; i < extras.size(); ++i) {
                  unsigned operand = extraOperand(i);
                  bool alongRows = known(rowLoops[0].strides[operand]) == 1;
                  Value element = alongRows ? l.load(b, loc, extras[i].flat, math.add(origins[operand], m))
                                            : l.splat(b, loc, Lanes().load(b, loc, extras[i].flat, origins[operand]));
                  mapping.map(body.getArgument(1 + i), element);
                }
                SmallVector<Value> results = cloneBody(b, body, mapping, l);
                for (auto [i, result] : llvm::enumerate(results))
                  l.store(b, loc, result, outs[i].flat, math.add(origins[outOperand(i)], m));
              });
            });
}

/// Whether rows are neighbours in the outs, and neighbours or all the same in the extras, as emitColumns needs.
bool ContractLowering::hasUnitRows() {
  return llvm::all_of(llvm::enumerate(rowLoops[0].strides), [&](auto stride) {
    auto step = known(stride.value());
    bool isExtra = stride.index() >= 2 && stride.index() < outOperand(0);
    return stride.index() == 1 || step == 1 || (isExtra && step == 0);
  });
}

} // namespace

LogicalResult mlc::lowerContract(OpBuilder &b, kern::ContractOp op, int64_t lanes) {
  ContractLowering lowering(b, op, lanes);
  lowering.collect();
  Type element = lowering.element();
  if (!element.isF32() && !element.isF64())
    return op.emitOpError("has no code for ") << element;
  bool oneColumn = known(lowering.columns) == 1 && lowering.isPlain();
  auto step = [&](const ContractLowering::Loop &loop, unsigned operand) { return known(loop.strides[operand]); };
  if (oneColumn && step(lowering.innerLoops[0], 0) == 1 && step(lowering.innerLoops[0], 1) == 1)
    lowering.emitDots();
  else if (oneColumn && lowering.hasUnitRows())
    lowering.emitColumns();
  else
    lowering.emit();
  return success();
}
