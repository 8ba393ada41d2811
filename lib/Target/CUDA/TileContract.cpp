// kern.contract on the device's memory by tiles: a block multiplies one from shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Grid.h"
#include "lib/Target/CPU/ContractLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;

namespace {
/// What a block multiplies: `rows` x `columns` elements of the result, `depth` of the inner dimension at a time. A
/// thread has a sixteenth of the rows and of the columns.
struct Tile {
  int64_t rows, columns, depth;
};

/// Threads of a block along the rows of a tile, and along its columns.
constexpr int64_t kGrid = 16;
static_assert(kGrid * kGrid == cuda::kThreads);

/// From large to small. The larger one is, the less it reads of shared and of global memory for each product; the
/// smaller, the more blocks there are.
constexpr Tile kTiles[] = {{128, 128, 8}, {64, 64, 16}, {32, 32, 16}};

/// So many blocks keep a GPU busy (there are 108 multiprocessors on an A100, 132 on an H100).
constexpr int64_t kManyBlocks = 128;

/// Rows of a batch, where nothing tells how many there will be.
constexpr int64_t kUsualRows = 512;

/// Fewer columns, or products of an element, are not worth a tile.
constexpr int64_t kFewestColumns = 12, kFewestInner = 8;

/// Neighbours that a thread has of its rows, and of its columns: an access to shared memory moves them at once.
constexpr int64_t kNeighbours = 4;

/// Elements between the lines of a tile in shared memory, so that what a warp stores across lines meets few banks
/// twice.
constexpr int64_t kPadding = 4;

struct TileContract : ContractLowering {
  TileContract(OpBuilder &b, kern::ContractOp op) : ContractLowering(b, op, /*lanes=*/1) {}

  Tile extents = {};

  /// One of the factors on its way to shared memory: `extent` rows or columns of a tile, which begins at `begin` of
  /// `size`, for each of `depth` numbers of the inner dimension.
  struct Factor {
    unsigned operand;
    int64_t extent;
    Index begin, size;
    Value shared;
    /// What a thread brings: `lines` of the tile, each at a number of the chunk.
    SmallVector<Index> lines, numbers;
    /// Where the lines begin; those that are not there begin where the first one does, and are not stored.
    SmallVector<Index> starts;
  };

  /// Whether chunks have all numbers that they can have.
  bool hasWholeChunks() { return known(inner) && *known(inner) % extents.depth == 0; }

  /// Chooses the tile; returns whether tiles pay.
  bool chooseTile() {
    auto few = [](Index size, int64_t least) { return known(size) && *known(size) < least; };
    if (form() != kern::ContractForm::Panels || !known(columns) || few(columns, kFewestColumns) ||
        few(rows, kFewestColumns) || few(inner, kFewestInner))
      return false;
    auto tilesOf = [](int64_t size, int64_t extent) { return (size + extent - 1) / extent; };
    const int64_t height = known(rows).value_or(kUsualRows), width = *known(columns);
    for (const Tile &candidate : kTiles) {
      extents = candidate;
      const int64_t blocks = tilesOf(height, extents.rows) * tilesOf(width, extents.columns);
      // One of which most is empty computes more than it saves.
      if (2 * height > extents.rows && 2 * width > extents.columns &&
          blocks * known(batches).value_or(1) >= kManyBlocks)
        break;
    }
    return true;
  }

  int64_t strideOf(const Factor &factor) { return factor.extent + kPadding; }

  Value allocateShared(int64_t extent) {
    auto space = b.getI64IntegerAttr(cuda::kSharedSpace);
    auto type = MemRefType::get({extents.depth * (extent + kPadding)}, element(), MemRefLayoutAttrInterface(), space);
    return memref::AllocaOp::create(b, loc, type, b.getI64IntegerAttr(16));
  }

  Value isBelow(Index x, Index size) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, math.value(x), math.value(size));
  }
  Index quotient(Value x, int64_t y) { return Value(arith::DivUIOp::create(b, loc, x, math.value(math.constant(y)))); }
  Index remainder(Value x, int64_t y) { return Value(arith::RemUIOp::create(b, loc, x, math.value(math.constant(y)))); }

  /// Which elements the thread brings. Neighbouring threads take neighbours in memory: along the inner dimension where
  /// the factor's last inner loop has them, else along rows or columns.
  void share(Factor &factor, Value thread) {
    const int64_t loads = factor.extent * extents.depth / cuda::kThreads;
    const bool isAlongInner = known(innerLoops.back().strides[factor.operand]) == 1;
    const int64_t width = isAlongInner ? extents.depth : factor.extent, step = cuda::kThreads / width;
    Index along = remainder(thread, width), across = quotient(thread, width);
    const bool isWhole = known(factor.size) && *known(factor.size) % factor.extent == 0;
    for (int64_t i = 0; i < loads; ++i) {
      Index next = math.add(across, math.constant(i * step));
      factor.lines.push_back(isAlongInner ? next : along);
      factor.numbers.push_back(isAlongInner ? along : next);
      if (!isAlongInner && i > 0) {
        factor.starts.push_back(factor.starts.front());
        continue;
      }
      Index line = math.add(factor.begin, factor.lines.back());
      Index distanceOfLine = factor.operand == 0 ? distance(rowLoops, indicesOf(rowLoops, line), 0)
                                                 : math.mul(line, columnLoop.strides[1]);
      Index origin = origins[factor.operand], start = math.add(origin, distanceOfLine);
      if (!isWhole)
        start = choose(isBelow(line, factor.size), start, origin);
      factor.starts.push_back(start);
    }
  }

  /// What leaves a sum as it is, as a factor of a product that is not there: -0 times 1 is -0.
  Value absent(unsigned operand) {
    TypedAttr number = cast<TypedAttr>(b.getZeroAttr(element()));
    if (isa<FloatType>(element()))
      number = b.getFloatAttr(element(), operand == 0 ? -0.0 : 1.0);
    return arith::ConstantOp::create(b, loc, number);
  }

  Index choose(Value condition, Index x, Index y) {
    return Value(arith::SelectOp::create(b, loc, condition, math.value(x), math.value(y)));
  }

  /// The elements that the thread brings of the chunk at `first`.
  SmallVector<Value> load(const Factor &factor, Index first) {
    SmallVector<Value> elements;
    for (auto [number, start] : llvm::zip_equal(factor.numbers, factor.starts)) {
      Index k = math.add(first, number);
      Index at = math.add(start, distance(innerLoops, indicesOf(innerLoops, k), factor.operand));
      auto element = [&] { return factor.operand == 0 ? loadLhs(Lanes(), at) : loadRhs(Lanes(), at); };
      if (hasWholeChunks()) {
        elements.push_back(element());
        continue;
      }
      // What is not there is read where something is. Its product must not be added.
      Value isInner = isBelow(k, inner);
      at = choose(isInner, at, start);
      elements.push_back(arith::SelectOp::create(b, loc, isInner, element(), absent(factor.operand)));
    }
    return elements;
  }

  /// The chunk after the one at `first`; the last one, which nobody multiplies again, after itself.
  Index chunkAfter(Index first) {
    Index next = math.add(first, math.constant(extents.depth));
    return hasWholeChunks() ? math.min(next, math.constant(*known(inner) - extents.depth)) : next;
  }

  void store(const Factor &factor, ValueRange elements) {
    for (auto [line, number, element] : llvm::zip_equal(factor.lines, factor.numbers, elements))
      Lanes().store(b, loc, element, factor.shared, math.add(math.mul(number, math.constant(strideOf(factor))), line));
  }

  int64_t perThread(int64_t extent) { return extent / kGrid; }
  int64_t neighbours(int64_t extent) { return std::min(perThread(extent), kNeighbours); }
  /// Line `i` of a thread, which is at `place` of kGrid.
  Index lineOf(int64_t extent, Index place, int64_t i) {
    const int64_t width = neighbours(extent), group = kGrid * width;
    return math.add(math.mul(place, math.constant(width)), math.constant(i / width * group + i % width));
  }

  /// The thread's lines at number `k` of the chunk.
  SmallVector<Value> lines(const Factor &factor, Index place, int64_t k) {
    SmallVector<Value> elements;
    const int64_t width = neighbours(factor.extent);
    const unsigned bytes = element().getIntOrFloatBitWidth() / 8;
    for (int64_t i = 0; i < perThread(factor.extent); i += width) {
      Index at = math.add(lineOf(factor.extent, place, i), math.constant(k * strideOf(factor)));
      auto vector =
          vector::LoadOp::create(b, loc, VectorType::get({width}, element()), factor.shared, ValueRange(math.value(at)),
                                 /*nontemporal=*/false, llvm::MaybeAlign(std::min<int64_t>(16, width * bytes)));
      for (int64_t j = 0; j < width; ++j)
        elements.push_back(vector::ExtractOp::create(b, loc, vector, j));
    }
    return elements;
  }

  /// The chunk in shared memory: ascending numbers, so that each sum has the order that the op says.
  SmallVector<Value> multiply(const Factor &left, const Factor &right, Index row, Index column, ValueRange sums) {
    SmallVector<Value> next(sums);
    for (int64_t k = 0; k < extents.depth; ++k) {
      SmallVector<Value> xs = lines(left, row, k), ys = lines(right, column, k);
      for (auto [i, x] : llvm::enumerate(xs))
        for (auto [j, y] : llvm::enumerate(ys)) {
          Value &sum = next[i * ys.size() + j];
          sum = addProduct(x, y, sum);
        }
    }
    return next;
  }

  /// The tile that begins at `firstRow` and `firstColumn`. The next chunk is on its way while one is multiplied.
  void emitTile(Index firstRow, Index firstColumn, Value thread, Value sharedLeft, Value sharedRight) {
    Factor left{0, extents.rows, firstRow, rows, sharedLeft, {}, {}, {}};
    Factor right{1, extents.columns, firstColumn, columns, sharedRight, {}, {}, {}};
    share(left, thread);
    share(right, thread);
    Index row = quotient(thread, kGrid), column = remainder(thread, kGrid);
    const int64_t numRows = perThread(extents.rows), numColumns = perThread(extents.columns);
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element())));
    SmallVector<Value> carried(numRows * numColumns, zero);
    auto bring = [&](Index first) {
      SmallVector<Value> elements = load(left, first);
      llvm::append_range(elements, load(right, first));
      return elements;
    };
    // Of an inner dimension of nothing there is no element to read.
    if (known(inner)) {
      llvm::append_range(carried, bring(math.constant(0)));
    } else {
      SmallVector<Type> types(left.lines.size() + right.lines.size(), element());
      auto branch = scf::IfOp::create(b, loc, types, isBelow(math.constant(0), inner), /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&branch.getThenRegion().front());
      scf::YieldOp::create(b, loc, bring(math.constant(0)));
      b.setInsertionPointToStart(&branch.getElseRegion().front());
      scf::YieldOp::create(b, loc, SmallVector<Value>(types.size(), zero));
      llvm::append_range(carried, branch.getResults());
    }
    const size_t numSums = numRows * numColumns, numLeft = left.lines.size();
    SmallVector<Value> sums = makeReduction(
        b, loc, math.constant(0), inner, extents.depth, carried, [&](OpBuilder &, Index first, ValueRange values) {
          // The chunk before has been multiplied by all.
          cuda::waitForBlock(b, loc);
          store(left, values.slice(numSums, numLeft));
          store(right, values.drop_front(numSums + numLeft));
          cuda::waitForBlock(b, loc);
          SmallVector<Value> brought = bring(chunkAfter(first));
          SmallVector<Value> next = multiply(left, right, row, column, values.take_front(numSums));
          llvm::append_range(next, brought);
          return next;
        });
    for (int64_t i = 0; i < numRows; ++i) {
      Index m = math.add(firstRow, lineOf(extents.rows, row, i));
      SmallVector<Index> at = ContractLoops::indicesOf(rowLoops, m);
      for (int64_t j = 0; j < numColumns; ++j)
        finishElement(m, at, math.add(firstColumn, lineOf(extents.columns, column, j)), sums[i * numColumns + j]);
    }
  }

  /// The epilogue of an element, and its stores.
  void finishElement(Index row, ArrayRef<Index> at, Index column, Value sum) {
    OpBuilder::InsertionGuard guard(b);
    Value isThere;
    auto require = [&](Index x, Index size, int64_t extent) {
      if (known(size) && *known(size) % extent == 0)
        return;
      Value isBelowSize = isBelow(x, size);
      isThere = isThere ? Value(arith::AndIOp::create(b, loc, isThere, isBelowSize)) : isBelowSize;
    };
    require(row, rows, extents.rows);
    require(column, columns, extents.columns);
    if (isThere)
      b.setInsertionPointToStart(&scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false).getThenRegion().front());
    SmallVector<Value> results = epilogue(at, column, Lanes(), sum);
    for (auto [i, result] : llvm::enumerate(results))
      Lanes().store(b, loc, result, outs[i].flat, outElement(i, at, column));
  }

  void emit() {
    Index height = math.constant(extents.rows), width = math.constant(extents.columns);
    SmallVector<Index> sizes = {batches, math.ceilDiv(rows, height), math.ceilDiv(columns, width)};
    const double cost = kFmaCost * extents.rows * extents.columns * known(inner).value_or(128) / cuda::kThreads;
    Value sharedLeft, sharedRight;
    cuda::forEachTask(
        b, loc, product(math, sizes), cuda::kThreads, cost,
        [&](Index number, Value thread) {
          SmallVector<Index> at = mlc::indicesOf(b, loc, sizes, number);
          withBatch(at[0], [&] {
            emitTile(math.mul(at[1], height), math.mul(at[2], width), thread, sharedLeft, sharedRight);
          });
        },
        [&] {
          sharedLeft = allocateShared(extents.rows);
          sharedRight = allocateShared(extents.columns);
        });
  }
};
} // namespace

bool cuda::lowerContractToTiles(OpBuilder &b, kern::ContractOp op) {
  TileContract lowering(b, op);
  lowering.collect();
  if (!lowering.chooseTile())
    return false;
  lowering.emit();
  return true;
}
