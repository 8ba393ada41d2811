// kern.pack to loops: the right side of a product as panels [b.., N/NR, k.., NR].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ContractLowering.h"
#include "dialects/Kern/Utils/Widen.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlc;

namespace {
/// Operands are the source and the panels, which lie in one piece.
struct PackLowering : ContractLoops {
  kern::PackOp op;
  FlatBuffer source, panels;

  PackLowering(OpBuilder &b, kern::PackOp op, int64_t lanes) : ContractLoops(b, op.getLoc(), lanes), op(op) {}

  void collect();
  void emit();

private:
  Value load(const Lanes &l, Index index) {
    return kern::widen(b, loc, l.load(b, loc, source.flat, index), panels.element, op.getIsUnsigned());
  }
  void forRuns(llvm::function_ref<void(Index, Index)> body);
  void packPanel(Index panel, Index remaining);
  void packTransposed(Index column, Index start, Index base);
};
} // namespace

void PackLowering::collect() {
  source = flatten(b, loc, op.getSource());
  panels = flatten(b, loc, op.getPanels());
  AffineMap from = op.getSourceMap(), to = op.getPanelMap();
  auto map = *kern::PanelMap::of(to);
  SmallVector<Loop> loops(from.getNumDims());
  // Panels have the sizes of all loops but the columns', which the source has.
  addOperand(loops, source, from, true);
  addOperand(loops, panels, to, true);
  auto select = [&](ArrayRef<unsigned> some, SmallVector<Loop> &result) {
    for (unsigned loop : some)
      result.push_back(loops[loop]);
  };
  select(map.batches, batchLoops);
  select(map.inner, innerLoops);
  columnLoop = loops[map.column];
  SmallVector<unsigned> both = {0, 1};
  merge(batchLoops, both);
  merge(innerLoops, both);
  finishLoops();
  panelWidth = map.width;
}

/// Calls `body` for each run of the last inner loop with the number of its first element and its place in the source.
void PackLowering::forRuns(llvm::function_ref<void(Index, Index)> body) {
  ArrayRef<Loop> outer = ArrayRef(innerLoops).drop_back();
  if (outer.empty())
    return body(math.constant(0), origins[0]);
  makeLoop(b, loc, math.constant(0), runs, 1, [&](OpBuilder &, Index q) {
    body(math.mul(q, run), math.add(origins[0], distance(outer, indicesOf(outer, q), 0)));
  });
}

void PackLowering::emit() {
  Index count = numPanels();
  double cost = 0.1 * known(inner).value_or(128) * panelWidth;
  makeTasks(b, loc, math.mul(batches, count), cost, [&](OpBuilder &, Index task) {
    withTask(task, count, [&](Index batch, Index panel) {
      withBatch(batch, [&] { forPanel(panel, [&](Index remaining) { packPanel(panel, remaining); }); });
    });
  });
}

/// A panel of which `remaining` columns exist.
void PackLowering::packPanel(Index panel, Index remaining) {
  Index column = math.mul(panel, math.constant(panelWidth));
  Index base = panelStart(panel, 1);
  if (known(columnLoop.strides[0]) == 1) {
    SmallVector<Lanes> vectors = panelLanes(remaining);
    forRuns([&](Index first, Index start) {
      makeLoop(b, loc, math.constant(0), run, 1, [&](OpBuilder &, Index k) {
        Index from = math.add(start, math.add(math.mul(k, innerLoops.back().strides[0]), column));
        Index to = math.add(base, math.mul(math.add(first, k), math.constant(panelWidth)));
        for (auto [v, l] : llvm::enumerate(vectors))
          all().store(b, loc, load(l, math.add(from, math.constant(v * lanes))), panels.flat,
                      math.add(to, math.constant(v * lanes)));
      });
    });
    return;
  }
  forRuns([&](Index first, Index start) {
    packTransposed(column, start, math.add(base, math.mul(first, math.constant(panelWidth))));
  });
}

/// The source's columns are the rows of memory: squares of lanes x lanes are transposed in registers. Columns after
/// the last one repeat it: their accumulators are never stored.
void PackLowering::packTransposed(Index column, Index start, Index base) {
  Index bInner = innerLoops.back().strides[0];
  Index lastColumn = math.sub(columns, math.constant(1));
  auto rowOf = [&](int64_t j) {
    Index c = math.min(math.add(column, math.constant(j)), lastColumn);
    return math.add(start, math.mul(c, columnLoop.strides[0]));
  };
  auto scalar = [&](Index k) {
    for (int64_t j = 0; j < panelWidth; ++j) {
      Value x = load(Lanes(), math.add(rowOf(j), math.mul(k, bInner)));
      Lanes().store(b, loc, x, panels.flat,
                    math.add(math.add(base, math.mul(k, math.constant(panelWidth))), math.constant(j)));
    }
  };
  Index whole = math.constant(0);
  if (known(bInner) == 1) {
    whole = known(run) ? math.constant(*known(run) / lanes * lanes)
                       : Index(Value(arith::MulIOp::create(
                             b, loc, arith::DivUIOp::create(b, loc, math.value(run), math.value(math.constant(lanes))),
                             math.value(math.constant(lanes)))));
    for (int64_t block = 0; block < panelVectors(); ++block) {
      SmallVector<Index> starts;
      for (int64_t r = 0; r < lanes; ++r)
        starts.push_back(rowOf(block * lanes + r));
      makeLoop(b, loc, math.constant(0), whole, lanes, [&](OpBuilder &, Index k) {
        SmallVector<Value> square;
        for (Index start : starts)
          square.push_back(load(all(), math.add(start, k)));
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
          Index at = math.add(math.add(base, math.mul(math.add(k, math.constant(r)), math.constant(panelWidth))),
                              math.constant(block * lanes));
          all().store(b, loc, square[r], panels.flat, at);
        }
      });
    }
  }
  makeLoop(b, loc, whole, run, 1, [&](OpBuilder &, Index k) { scalar(k); });
}

void mlc::lowerPack(OpBuilder &b, kern::PackOp op, int64_t lanes) {
  PackLowering lowering(b, op, lanes);
  lowering.collect();
  lowering.emit();
}
