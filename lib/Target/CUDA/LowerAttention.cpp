// kern.attention and its gradients on the device's memory: a block a tile of queries, or of keys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionTiles.h"
#include "lib/Conversion/DfToLinalg/ArithEmitter.h"
#include "mlc/Support/MathExpansion.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;
using vector::CombiningKind;

/// Nanoseconds of a block that computes the scores of `numbers` numbers each, and sums of as many, for all tiles of
/// the other side.
static double costOf(AttentionTiles &tiles, Index others, int64_t numbers) {
  return kAttentionProductCost * static_cast<double>(kScores * known(others).value_or(kUsualRows) * numbers) / kThreads;
}

/// Adds the tile of keys from `firstKey` on.
static RowState addTile(AttentionTiles &tiles, Index firstQuery, Index firstKey, RowState state) {
  OpBuilder &b = tiles.b;
  Location loc = tiles.loc;
  SmallVector<Value> scores = tiles.products(tiles.query, firstQuery, tiles.key, firstKey, tiles.depth);
  const int64_t count = AttentionTiles::sumsOf(tiles.width);
  for (int64_t i = 0; i < kScoresOfThread; ++i) {
    Value most;
    for (int64_t j = 0; j < kScoresOfThread; ++j) {
      Value &score = scores[i * kScoresOfThread + j], hidden;
      Index k = tiles.lineOf(firstKey, tiles.column, j);
      score = tiles.scoreOf(score, tiles.lineOf(firstQuery, tiles.row, i), k, hidden);
      // What is past the last key weighs nothing.
      score = arith::SelectOp::create(b, loc, tiles.isBelow(k, tiles.numKeys), score, tiles.constant(kLowestScore));
      most = most ? Value(arith::MaximumFOp::create(b, loc, most, score)) : score;
    }
    most = tiles.combineRow(CombiningKind::MAXIMUMF, most);
    Value maximum = arith::MaximumFOp::create(b, loc, state.maxima[i], most);
    // While all scores of a row are -infinity, nothing is subtracted: their shares are 0.
    Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, maximum, tiles.constant(kLowestScore));
    Value shift = arith::SelectOp::create(b, loc, isNone, tiles.constant(0), maximum);
    Value factor = tiles.exp(arith::SubFOp::create(b, loc, state.maxima[i], shift)), sum;
    for (int64_t j = 0; j < kScoresOfThread; ++j) {
      Value &share = scores[i * kScoresOfThread + j];
      share = tiles.exp(arith::SubFOp::create(b, loc, share, shift));
      sum = sum ? Value(arith::AddFOp::create(b, loc, sum, share)) : share;
    }
    sum = tiles.combineRow(CombiningKind::ADD, sum);
    state.maxima[i] = maximum;
    state.sums[i] = math::FmaOp::create(b, loc, state.sums[i], factor, sum);
    for (int64_t j = 0; j < count; ++j) {
      Value &result = state.results[i * count + j];
      result = arith::MulFOp::create(b, loc, result, factor);
    }
  }
  tiles.share(scores);
  state.results = tiles.addProducts(tiles.value, firstKey, tiles.width, state.results);
  return state;
}

/// Whether tensor cores multiply the op's factors.
template <typename Op> static bool hasMatrices(Op op) {
  return op->hasAttr(kern::kTf32Attr) || !getElementTypeOrSelf(op.getQuery()).isF32();
}

LogicalResult cuda::lowerAttention(OpBuilder &b, kern::AttentionOp op) {
  if (hasMatrices(op)) {
    lowerAttentionToMatrices(b, op);
    return success();
  }
  Location loc = op.getLoc();
  AttentionTiles tiles(b, loc);
  tiles.collect(op.getQuery(), op.getKey(), op.getValue(), op.getMask(), op.getCausal(),
                op.getScale().convertToFloat());
  FlatBuffer out = flatten(b, loc, op.getOuts()[0]), maxima = flatten(b, loc, op.getOuts()[1]),
             sums = flatten(b, loc, op.getOuts()[2]);
  IndexMath &math = tiles.math;
  auto emit = [&](Index firstQuery) {
    const int64_t count = AttentionTiles::sumsOf(tiles.width);
    RowState state{SmallVector<Value>(kScoresOfThread, tiles.constant(kLowestScore)), tiles.zeros(kScoresOfThread),
                   tiles.zeros(kScoresOfThread * count)};
    state = RowState::of(
        makeReduction(b, loc, math.constant(0), tiles.endOfKeys(firstQuery, kScores), kScores, state.all(),
                      [&](OpBuilder &, Index firstKey, ValueRange carried) {
                        return addTile(tiles, firstQuery, firstKey, RowState::of(carried, kScoresOfThread)).all();
                      }),
        kScoresOfThread);
    // Of no keys the sums are 0, and results, too.
    Value hasKeys = tiles.isBelow(math.constant(0), tiles.numKeys);
    tiles.store(tiles.matrixOf(out), firstQuery, tiles.width, state.results, [&](Value result, int64_t i) -> Value {
      Value sum = arith::SelectOp::create(b, loc, hasKeys, state.sums[i], tiles.constant(1));
      return arith::DivFOp::create(b, loc, result, sum);
    });
    inFirstThread(b, loc, tiles.column, [&] {
      for (int64_t i = 0; i < kScoresOfThread; ++i) {
        Index line = tiles.lineOf(firstQuery, tiles.row, i);
        auto isLine = scf::IfOp::create(b, loc, tiles.isBelow(line, tiles.numQueries), /*withElseRegion=*/false);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(&isLine.getThenRegion().front());
        for (auto [buffer, value] : {std::pair(&maxima, state.maxima[i]), std::pair(&sums, state.sums[i])})
          Lanes().store(b, loc, value, buffer->flat,
                        math.add(tiles.rowsOf(*buffer), math.mul(line, buffer->strides.back())));
      }
    });
  };
  tiles.launch(tiles.numQueries, costOf(tiles, tiles.numKeys, tiles.depth + tiles.width), emit);
  return success();
}

namespace {
/// Tiles of shares and of the gradients of scores, of either side.
struct Backward {
  AttentionTiles &tiles;
  FlatBuffer cotangents, maxima, sums, dots;

  /// The shares and the gradients of the scaled products, of `rows` by `columns` of the thread: queries and keys, or,
  /// with `across`, keys and queries.
  std::pair<SmallVector<Value>, SmallVector<Value>> make(Index firstQuery, Index firstKey, bool across) {
    OpBuilder &b = tiles.b;
    Location loc = tiles.loc;
    const AttentionMatrix cotangent = tiles.matrixOf(cotangents);
    SmallVector<Value> shares, gradients;
    if (across) {
      shares = tiles.products(tiles.key, firstKey, tiles.query, firstQuery, tiles.depth);
      gradients = tiles.products(tiles.value, firstKey, cotangent, firstQuery, tiles.width);
    } else {
      shares = tiles.products(tiles.query, firstQuery, tiles.key, firstKey, tiles.depth);
      gradients = tiles.products(cotangent, firstQuery, tiles.value, firstKey, tiles.width);
    }
    for (int64_t ofQuery = 0; ofQuery < kScoresOfThread; ++ofQuery) {
      Index q = tiles.lineOf(firstQuery, across ? tiles.column : tiles.row, ofQuery);
      Value isQuery = tiles.isBelow(q, tiles.numQueries);
      auto ofRow = [&](const FlatBuffer &buffer) {
        Index base = tiles.rowsOf(buffer);
        return tiles.load(buffer.flat, tiles.math.add(base, tiles.math.mul(q, buffer.strides.back())), base, isQuery);
      };
      Value maximum = ofRow(maxima), dot = ofRow(dots);
      Value factor = arith::DivFOp::create(b, loc, tiles.constant(1), ofRow(sums));
      for (int64_t ofKey = 0; ofKey < kScoresOfThread; ++ofKey) {
        Index k = tiles.lineOf(firstKey, across ? tiles.row : tiles.column, ofKey);
        const int64_t at = across ? ofKey * kScoresOfThread + ofQuery : ofQuery * kScoresOfThread + ofKey;
        Value &share = shares[at], &gradient = gradients[at], hidden;
        share = tiles.scoreOf(share, q, k, hidden);
        share = arith::MulFOp::create(b, loc, tiles.exp(arith::SubFOp::create(b, loc, share, maximum)), factor);
        Value isThere = tiles.both(isQuery, tiles.isBelow(k, tiles.numKeys));
        share = arith::SelectOp::create(b, loc, isThere, share, tiles.constant(0));
        gradient = arith::MulFOp::create(b, loc, share, arith::SubFOp::create(b, loc, gradient, dot));
        if (hidden)
          gradient = arith::SelectOp::create(b, loc, hidden, tiles.constant(0), gradient);
      }
    }
    return {shares, gradients};
  }
};
} // namespace

/// A block has the gradients of a tile of queries, to which tiles of keys are added.
static void lowerQueryGradients(AttentionTiles &tiles, Backward &backward, const FlatBuffer &out, float scale) {
  OpBuilder &b = tiles.b;
  Location loc = tiles.loc;
  IndexMath &math = tiles.math;
  auto emit = [&](Index firstQuery) {
    SmallVector<Value> sums = tiles.zeros(kScoresOfThread * AttentionTiles::sumsOf(tiles.depth));
    sums = makeReduction(b, loc, math.constant(0), tiles.endOfKeys(firstQuery, kScores), kScores, sums,
                         [&](OpBuilder &, Index firstKey, ValueRange carried) {
                           tiles.share(backward.make(firstQuery, firstKey, /*across=*/false).second);
                           return tiles.addProducts(tiles.key, firstKey, tiles.depth, carried);
                         });
    tiles.store(tiles.matrixOf(out), firstQuery, tiles.depth, sums,
                [&](Value sum, int64_t) -> Value { return arith::MulFOp::create(b, loc, sum, tiles.constant(scale)); });
  };
  tiles.launch(tiles.numQueries, costOf(tiles, tiles.numKeys, 2 * tiles.depth + tiles.width), emit);
}

/// A block has the gradients of a tile of keys and of their values, to which tiles of queries are added.
static void lowerKeyGradients(AttentionTiles &tiles, Backward &backward, const FlatBuffer &ofKeys,
                              const FlatBuffer &ofValues, float scale) {
  OpBuilder &b = tiles.b;
  Location loc = tiles.loc;
  auto emit = [&](Index firstKey) {
    const int64_t numKeySums = kScoresOfThread * AttentionTiles::sumsOf(tiles.depth),
                  numValueSums = kScoresOfThread * AttentionTiles::sumsOf(tiles.width);
    SmallVector<Value> sums = tiles.zeros(numKeySums + numValueSums);
    sums = makeReduction(b, loc, tiles.beginOfQueries(firstKey), tiles.numQueries, kScores, sums,
                         [&](OpBuilder &, Index firstQuery, ValueRange carried) {
                           auto [shares, gradients] = backward.make(firstQuery, firstKey, /*across=*/true);
                           tiles.share(shares);
                           SmallVector<Value> ofValue =
                               tiles.addProducts(tiles.matrixOf(backward.cotangents), firstQuery, tiles.width,
                                                 carried.drop_front(numKeySums));
                           waitForBlock(b, loc);
                           tiles.share(gradients);
                           SmallVector<Value> next =
                               tiles.addProducts(tiles.query, firstQuery, tiles.depth, carried.take_front(numKeySums));
                           llvm::append_range(next, ofValue);
                           return next;
                         });
    tiles.store(tiles.matrixOf(ofKeys), firstKey, tiles.depth, ArrayRef(sums).take_front(numKeySums),
                [&](Value sum, int64_t) -> Value { return arith::MulFOp::create(b, loc, sum, tiles.constant(scale)); });
    tiles.store(tiles.matrixOf(ofValues), firstKey, tiles.width, ArrayRef(sums).drop_front(numKeySums),
                [](Value sum, int64_t) { return sum; });
  };
  tiles.launch(tiles.numKeys, costOf(tiles, tiles.numQueries, 2 * (tiles.depth + tiles.width)), emit);
}

LogicalResult cuda::lowerAttentionGrad(OpBuilder &b, kern::AttentionGradOp op) {
  if (hasMatrices(op)) {
    lowerAttentionGradToMatrices(b, op);
    return success();
  }
  Location loc = op.getLoc();
  const float scale = op.getScale().convertToFloat();
  auto flat = [&](Value buffer) { return flatten(b, loc, buffer); };
  AttentionTiles tiles(b, loc);
  tiles.collect(op.getQuery(), op.getKey(), op.getValue(), op.getMask(), op.getCausal(), scale);
  Backward backward{tiles, flat(op.getCotangent()), flat(op.getMaxima()), flat(op.getSums()), flat(op.getDots())};
  const FlatBuffer ofQueries = flat(op.getOuts()[0]), ofKeys = flat(op.getOuts()[1]), ofValues = flat(op.getOuts()[2]);
  lowerQueryGradients(tiles, backward, ofQueries, scale);
  lowerKeyGradients(tiles, backward, ofKeys, ofValues, scale);
  return success();
}
