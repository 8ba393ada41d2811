// kern.attention_grad of halves and tf32 on the device's memory by the instructions for products of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionMatrices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;
using Rows = AttentionMatrices::Rows;

/// Numbers of keys and values, of both together, of which a thread has room for the sums of gradients of both.
static constexpr int64_t kMostNumbersOfBoth = 128;

/// Words of a thread for factors and sums at most; with those for what is read ahead, where there is a mask in memory.
/// A kernel whose sums need more has a part of their columns.
static constexpr int64_t kMostWords = 152, kMostWordsWithMask = 160;

namespace {
/// Columns of an operand's gradients that a kernel has the sums of: `count` numbers from `first` on. None: the kernel
/// has no sums of this operand.
struct Columns {
  int64_t first = 0, count = 0;
};

/// What both kinds of kernels need: those with gradients of queries, and those with gradients of keys and values.
struct Backward {
  AttentionMatrices &tiles;
  FlatBuffer cotangents, maxima, sums, dots;
  float scale;
  AttentionMatrices::Tile left, right; ///< of the other side: keys and values, or queries and cotangents

  /// What makes shares and gradients of scores of a query's products: 0 where there is no such query.
  struct OfQuery {
    Value isThere, maximum, factor, dot;
  };
  OfQuery ofQuery(Index q) {
    OpBuilder &b = tiles.b;
    Location loc = tiles.loc;
    Value isQuery = tiles.isBelow(q, tiles.numQueries);
    auto ofRow = [&](const FlatBuffer &buffer) {
      Index base = tiles.rowsOf(buffer);
      return tiles.load(buffer.flat, tiles.math.add(base, tiles.math.mul(q, buffer.strides.back())), base, isQuery);
    };
    Value factor = arith::DivFOp::create(b, loc, tiles.constant(1), ofRow(sums));
    return {isQuery, ofRow(maxima), factor, ofRow(dots)};
  }

  /// Makes a share of the product of a query and a key and, if there is one, of `gradient`, the product of a cotangent
  /// and a value, the gradient of the former, times the scale.
  void finish(const OfQuery &query, Index q, Index k, Value &share, Value *gradient) {
    OpBuilder &b = tiles.b;
    Location loc = tiles.loc;
    Value hidden;
    share = tiles.scoreOf(share, q, k, hidden);
    share = tiles.expOfShare(arith::SubFOp::create(b, loc, share, query.maximum));
    share = arith::MulFOp::create(b, loc, share, query.factor);
    Value isThere = tiles.both(query.isThere, tiles.isBelow(k, tiles.numKeys));
    share = arith::SelectOp::create(b, loc, isThere, share, tiles.constant(0));
    if (!gradient)
      return;
    *gradient = arith::MulFOp::create(b, loc, share, arith::SubFOp::create(b, loc, *gradient, query.dot));
    if (hidden)
      *gradient = arith::SelectOp::create(b, loc, hidden, tiles.constant(0), *gradient);
    *gradient = arith::MulFOp::create(b, loc, *gradient, tiles.constant(scale));
  }

  void allocate() {
    const int64_t lines = tiles.linesOfTiles(/*isGradient=*/true);
    left = tiles.allocateTile(lines, tiles.depth);
    right = tiles.allocateTile(lines, tiles.width);
  }

  SmallVector<Value> zeros(int64_t numbers) {
    return tiles.zeros(AttentionMatrices::sumsOf(AttentionMatrices::columnsOf(numbers)));
  }

  void store(const FlatBuffer &out, Index first, ValueRange sums, Columns columns) {
    tiles.store(tiles.matrixOf(out), first, sums, [](Value sum, int64_t) { return sum; }, columns.first);
  }

  /// Calls `lower` with the columns of each kernel that has sums of `numbers`, of which a thread has `factors` words
  /// beside them.
  void forEachPart(int64_t numbers, int64_t factors, llvm::function_ref<void(Columns)> lower) {
    // Of 16 columns a thread has 8 sums.
    const int64_t most =
        std::max<int64_t>(2 * ((tiles.mask.flat ? kMostWordsWithMask : kMostWords) - factors), 2 * kMatrixColumns);
    const int64_t all = AttentionMatrices::columnsOf(numbers), parts = llvm::divideCeil(all, most);
    const int64_t columns = AttentionMatrices::columnsOf(llvm::divideCeil(all, parts));
    for (int64_t first = 0; first < numbers; first += columns)
      lower({first, std::min(columns, numbers - first)});
  }

  void lowerQueries(const FlatBuffer &out, Columns columns);
  void lowerKeys(const FlatBuffer &keyGradients, Columns ofKeys, const FlatBuffer &valueGradients, Columns ofValues);
};
} // namespace

/// A block has the gradients of 128 queries, to which tiles of keys are added.
void Backward::lowerQueries(const FlatBuffer &out, Columns columns) {
  auto emit = [&](Index firstQuery) {
    Rows queries = tiles.rowsOf(tiles.query, firstQuery, tiles.depth);
    Rows ofResults = tiles.rowsOf(tiles.matrixOf(cotangents), firstQuery, tiles.width);
    const OfQuery rows[] = {ofQuery(tiles.rowAt(firstQuery, 0)), ofQuery(tiles.rowAt(firstQuery, 2))};
    left.from = tiles.key;
    right.from = tiles.value;
    SmallVector<Value> total =
        tiles.forEachTile({&left, &right}, tiles.math.constant(0), tiles.endOfKeys(firstQuery, kBlockLines),
                          tiles.numKeys, zeros(columns.count), [&](Index firstKey, ValueRange carried) {
                            SmallVector<Value> shares = tiles.products(queries, left),
                                               gradients = tiles.products(ofResults, right);
                            for (size_t at = 0; at < shares.size(); ++at)
                              finish(rows[at % 4 / 2], tiles.rowAt(firstQuery, at), tiles.columnAt(firstKey, at),
                                     shares[at], &gradients[at]);
                            SmallVector<Value> next(carried);
                            tiles.addProducts(gradients, left, next, columns.first);
                            return next;
                          });
    store(out, firstQuery, total, columns);
  };
  tiles.launch(
      tiles.numQueries, AttentionMatrices::costOf(tiles.numKeys, tiles.depth + tiles.width + columns.count),
      [&] { allocate(); }, emit);
}

/// A block has the gradients of 128 keys, or of their values, or of both, to which tiles of queries are added.
void Backward::lowerKeys(const FlatBuffer &keyGradients, Columns ofKeys, const FlatBuffer &valueGradients,
                         Columns ofValues) {
  const size_t numKeySums = zeros(ofKeys.count).size();
  const bool hasKeys = ofKeys.count > 0, hasValues = ofValues.count > 0;
  auto emit = [&](Index firstKey) {
    Rows keys = tiles.rowsOf(tiles.key, firstKey, tiles.depth), values;
    if (hasKeys)
      values = tiles.rowsOf(tiles.value, firstKey, tiles.width);
    left.from = tiles.query;
    right.from = tiles.matrixOf(cotangents);
    SmallVector<Value> total = zeros(ofKeys.count);
    llvm::append_range(total, zeros(ofValues.count));
    total = tiles.forEachTile({&left, &right}, tiles.beginOfQueries(firstKey), tiles.numQueries, tiles.numQueries,
                              total, [&](Index firstQuery, ValueRange carried) {
                                SmallVector<Value> shares = tiles.products(keys, left), gradients;
                                if (hasKeys)
                                  gradients = tiles.products(values, right);
                                // A thread has two rows, of keys, and for each eight columns two neighbours, of
                                // queries.
                                for (size_t column = 0; column < shares.size(); column += 4)
                                  for (size_t i = 0; i < 2; ++i) {
                                    Index q = tiles.columnAt(firstQuery, column + i);
                                    const OfQuery query = ofQuery(q);
                                    for (size_t at : {column + i, column + i + 2})
                                      finish(query, q, tiles.rowAt(firstKey, at), shares[at],
                                             hasKeys ? &gradients[at] : nullptr);
                                  }
                                SmallVector<Value> next(carried);
                                MutableArrayRef<Value> all(next);
                                if (hasValues)
                                  tiles.addProducts(shares, right, all.drop_front(numKeySums), ofValues.first);
                                if (hasKeys)
                                  tiles.addProducts(gradients, left, all.take_front(numKeySums), ofKeys.first);
                                return next;
                              });
    if (hasKeys)
      store(keyGradients, firstKey, ArrayRef(total).take_front(numKeySums), ofKeys);
    if (hasValues)
      store(valueGradients, firstKey, ArrayRef(total).drop_front(numKeySums), ofValues);
  };
  const int64_t numbers = tiles.depth + (hasKeys ? tiles.width : 0) + ofKeys.count + ofValues.count;
  tiles.launch(tiles.numKeys, AttentionMatrices::costOf(tiles.numQueries, numbers), [&] { allocate(); }, emit);
}

void cuda::lowerAttentionGradToMatrices(OpBuilder &b, kern::AttentionGradOp op) {
  Location loc = op.getLoc();
  const float scale = op.getScale().convertToFloat();
  auto flat = [&](Value buffer) { return flatten(b, loc, buffer); };
  AttentionMatrices tiles(b, loc, getElementTypeOrSelf(op.getQuery()));
  tiles.collect(op.getQuery(), op.getKey(), op.getValue(), op.getMask(), op.getCausal(), scale);
  Backward backward{
      tiles, flat(op.getCotangent()), flat(op.getMaxima()), flat(op.getSums()), flat(op.getDots()), scale, {}, {}};
  const FlatBuffer ofQueries = flat(op.getOuts()[0]), ofKeys = flat(op.getOuts()[1]), ofValues = flat(op.getOuts()[2]);
  const int64_t words = tiles.wordsOf(tiles.depth), both = words + tiles.wordsOf(tiles.width);
  backward.forEachPart(tiles.depth, both, [&](Columns columns) { backward.lowerQueries(ofQueries, columns); });
  if (tiles.depth + tiles.width <= kMostNumbersOfBoth)
    return backward.lowerKeys(ofKeys, {0, tiles.depth}, ofValues, {0, tiles.width});
  backward.forEachPart(tiles.depth, both, [&](Columns columns) { backward.lowerKeys(ofKeys, columns, ofValues, {}); });
  backward.forEachPart(tiles.width, words, [&](Columns columns) { backward.lowerKeys(ofKeys, {}, ofValues, columns); });
}
