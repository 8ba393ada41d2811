// Packing of a contraction's right side into panels [N/NR][K][NR].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ContractLowering.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlc;

void ContractLowering::pack() {
  Index panels = math.ceilDiv(columns, math.constant(panelWidth()));
  panelsSize = math.mul(math.mul(panels, inner), math.constant(panelWidth()));
  packedOrigin = math.constant(0);
  Index size = math.mul(batches, panelsSize);
  auto staticSize = known(size);
  auto type = MemRefType::get({staticSize.value_or(ShapedType::kDynamic)}, element(), MemRefLayoutAttrInterface(),
                              cast<MemRefType>(op.getRhs().getType()).getMemorySpace());
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
