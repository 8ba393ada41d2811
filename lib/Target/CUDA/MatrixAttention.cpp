// kern.attention of halves and tf32 on the device's memory by the instructions for products of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionMatrices.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;
using vector::CombiningKind;

namespace {
/// The forward pass: a block has 128 queries, to which tiles of keys and values are added.
struct Forward {
  AttentionMatrices &tiles;
  AttentionMatrices::Tile keys, values;

  void allocate() {
    const int64_t lines = tiles.linesOfTiles(/*isGradient=*/false);
    keys = tiles.allocateTile(lines, tiles.depth);
    values = tiles.allocateTile(lines, tiles.width);
  }

  /// Adds the tile of keys from `firstKey` on.
  void addTile(const AttentionMatrices::Rows &queries, Index firstQuery, Index firstKey, RowState &state) {
    OpBuilder &b = tiles.b;
    Location loc = tiles.loc;
    SmallVector<Value> scores = tiles.products(queries, keys);
    const auto count = static_cast<int64_t>(scores.size());
    auto forRow = [&](int64_t half, llvm::function_ref<void(int64_t)> body) {
      for (int64_t at = 2 * half; at < count; at += 4)
        for (int64_t i = 0; i < 2; ++i)
          body(at + i);
    };
    for (int64_t half = 0; half < 2; ++half) {
      Value most = state.maxima[half];
      forRow(half, [&](int64_t at) {
        Value &score = scores[at], hidden;
        Index k = tiles.columnAt(firstKey, at);
        score = tiles.scoreOf(score, tiles.rowAt(firstQuery, at), k, hidden);
        // What is past the last key weighs nothing.
        if (Value isKey = tiles.isInside(k, tiles.numKeys, keys.lines))
          score = arith::SelectOp::create(b, loc, isKey, score, tiles.constant(kLowestScore));
        most = arith::MaximumFOp::create(b, loc, most, score);
      });
      Value maximum = tiles.combineRow(CombiningKind::MAXIMUMF, most);
      // While all scores of a row are -infinity, nothing is subtracted: their shares are 0.
      Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, maximum, tiles.constant(kLowestScore));
      Value shift = arith::SelectOp::create(b, loc, isNone, tiles.constant(0), maximum);
      Value factor = tiles.expOfShare(arith::SubFOp::create(b, loc, state.maxima[half], shift));
      Value sum = arith::MulFOp::create(b, loc, state.sums[half], factor);
      forRow(half, [&](int64_t at) {
        scores[at] = tiles.expOfShare(arith::SubFOp::create(b, loc, scores[at], shift));
        sum = arith::AddFOp::create(b, loc, sum, scores[at]);
      });
      state.maxima[half] = maximum;
      state.sums[half] = sum;
      for (int64_t at = 2 * half, end = static_cast<int64_t>(state.results.size()); at < end; at += 4)
        for (int64_t i = 0; i < 2; ++i)
          state.results[at + i] = arith::MulFOp::create(b, loc, state.results[at + i], factor);
    }
    tiles.addProducts(scores, values, state.results);
  }

  RowState run(Index firstQuery) {
    keys.from = tiles.key;
    values.from = tiles.value;
    AttentionMatrices::Rows queries = tiles.rowsOf(tiles.query, firstQuery, tiles.depth);
    RowState state{SmallVector<Value>(2, tiles.constant(kLowestScore)), tiles.zeros(2),
                   tiles.zeros(AttentionMatrices::sumsOf(AttentionMatrices::columnsOf(tiles.width)))};
    return RowState::of(tiles.forEachTile({&keys, &values}, tiles.math.constant(0),
                                          tiles.endOfKeys(firstQuery, kBlockLines), tiles.numKeys, state.all(),
                                          [&](Index firstKey, ValueRange carried) {
                                            RowState next = RowState::of(carried, 2);
                                            addTile(queries, firstQuery, firstKey, next);
                                            return next.all();
                                          }),
                        2);
  }
};
} // namespace

void cuda::lowerAttentionToMatrices(OpBuilder &b, kern::AttentionOp op) {
  Location loc = op.getLoc();
  AttentionMatrices tiles(b, loc, getElementTypeOrSelf(op.getQuery()));
  tiles.collect(op.getQuery(), op.getKey(), op.getValue(), op.getMask(), op.getCausal(),
                op.getScale().convertToFloat());
  FlatBuffer out = flatten(b, loc, op.getOuts()[0]), maxima = flatten(b, loc, op.getOuts()[1]),
             sums = flatten(b, loc, op.getOuts()[2]);
  IndexMath &math = tiles.math;
  Forward forward{tiles, {}, {}};
  auto emit = [&](Index firstQuery) {
    RowState state = forward.run(firstQuery);
    // Of no keys the sums are 0, and results, too.
    Value hasKeys = tiles.isBelow(math.constant(0), tiles.numKeys);
    SmallVector<Value> totals, factors;
    for (Value sum : state.sums) {
      totals.push_back(tiles.combineRow(CombiningKind::ADD, sum));
      Value divisor = arith::SelectOp::create(b, loc, hasKeys, totals.back(), tiles.constant(1));
      factors.push_back(arith::DivFOp::create(b, loc, tiles.constant(1), divisor));
    }
    tiles.store(tiles.matrixOf(out), firstQuery, state.results, [&](Value result, int64_t half) -> Value {
      return arith::MulFOp::create(b, loc, result, factors[half]);
    });
    for (int64_t half = 0; half < 2; ++half) {
      Index line = tiles.rowAt(firstQuery, 2 * half);
      Value isThere = tiles.both(tiles.isFirstOfRow(), tiles.isBelow(line, tiles.numQueries));
      auto isLine = scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&isLine.getThenRegion().front());
      for (auto [buffer, value] : {std::pair(&maxima, state.maxima[half]), std::pair(&sums, totals[half])})
        Lanes().store(b, loc, value, buffer->flat,
                      math.add(tiles.rowsOf(*buffer), math.mul(line, buffer->strides.back())));
    }
  };
  tiles.launch(
      tiles.numQueries, tiles.costOf(tiles.numKeys, tiles.depth + tiles.width), [&] { forward.allocate(); }, emit);
}
