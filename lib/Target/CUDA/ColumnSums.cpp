// Sums over rows whose columns stay apart: a warp of a block adds rows that the others bring to shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ColumnSums.h"
#include "Grid.h"
#include "lib/Codegen/LaunchGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;

/// Rows from which on blocks do them, and columns up to which: so many threads keep a card busy by themselves.
static constexpr int64_t kLeastRows = 64, kMostColumns = 1 << 16;

/// Bytes of a row of a stripe at least, a sector of memory, and its columns at least and at most.
static constexpr int64_t kSectorBytes = 32, kLeastWidth = 8, kMostWidth = cuda::kWarp;

/// Threads that bring rows: all warps but the one that combines them.
static constexpr int64_t kBringers = cuda::kThreads - cuda::kWarp;

/// Elements that one of them has on its way at most, loads that these take, and ops that computing them does.
static constexpr int64_t kMostPasses = 8, kMostLoads = 8, kMostOps = 96;

/// Elements at most that are read before they are combined one after another: a read takes as long as several
/// additions.
static constexpr int64_t kMostAtOnce = 16;

/// Shared memory of a block, for two chunks of rows: the same for all launches, which may so become one. It lets every
/// multiprocessor have as many threads as without it.
static constexpr int64_t kSharedBytes = 16 << 10;

static MemRefType memoryType(OpBuilder &b) {
  return MemRefType::get({kSharedBytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
                         b.getI64IntegerAttr(cuda::kSharedSpace));
}

bool cuda::isMemoryOfColumnSums(Operation *op) {
  auto cells = dyn_cast<memref::AllocaOp>(op);
  OpBuilder b(op->getContext());
  return cells && cells.getType() == memoryType(b);
}

namespace {
class ColumnSums {
public:
  explicit ColumnSums(GenericLowering &lowering)
      : lowering(lowering), b(lowering.b), loc(lowering.loc), math(lowering.math) {}

  /// Decides whether and how blocks do it.
  bool match() {
    if (!lowering.isReduction() || lowering.combiners.empty() || lowering.order == SumOrder::Interleaved)
      return false;
    int64_t estimated = 1;
    for (auto [d, loop] : llvm::enumerate(lowering.loops)) {
      (loop.reduction ? rowLoops : columnLoops).push_back(d);
      (loop.reduction ? rowSizes : columnSizes).push_back(loop.size);
      if (!loop.reduction)
        estimated *= known(loop.size).value_or(cuda::kUsualRows * loop.multiple);
    }
    if (columnLoops.empty() || estimated > kMostColumns)
      return false;
    rows = product(math, rowSizes);
    columns = product(math, columnSizes);
    return !(known(rows) && *known(rows) < kLeastRows) && chooseShape();
  }

  void emit() {
    takeElements();
    const Index stripes = math.ceilDiv(columns, math.constant(width));
    const Index chunks = math.ceilDiv(rows, math.constant(chunkRows));
    const double cost = elementCost(*lowering.op.getBody(), 1) * static_cast<double>(known(rows).value_or(128));
    cuda::forEachTask(
        b, loc, stripes, cuda::kThreads, cost, [&](Index stripe, Value thread) { emitStripe(stripe, chunks, thread); },
        [&] {
          lowering.loadScalars();
          allocate();
        });
  }

private:
  Type elementOf(unsigned result) { return lowering.buffers[lowering.numInputs() + result].element; }
  unsigned numResults() { return lowering.op.getNumDpsInits(); }

  /// Columns of a stripe, and rows of a chunk. False: chunks do not fit in shared memory.
  bool chooseShape() {
    int64_t bytes = 0, narrowest = kSectorBytes / kLeastWidth;
    for (unsigned i = 0; i < numResults(); ++i) {
      if (!elementOf(i).isIntOrFloat() || elementOf(i).getIntOrFloatBitWidth() % 8 != 0)
        return false;
      bytes += elementOf(i).getIntOrFloatBitWidth() / 8;
    }
    Block &body = *lowering.op.getBody();
    int64_t loads = 0, ops = 0;
    for (unsigned i = 0; i < lowering.numInputs(); ++i) {
      if (lowering.buffers[i].sizes.empty() || body.getArgument(i).use_empty())
        continue;
      ++loads;
      Type element = lowering.buffers[i].element;
      if (known(lowering.strides[i][columnLoops.back()]) == 1 && element.isIntOrFloat())
        narrowest = std::min<int64_t>(narrowest, element.getIntOrFloatBitWidth() / 8);
    }
    body.walk([&](Operation *op) {
      loads += isa<memref::LoadOp>(op);
      ++ops;
    });
    width = std::min(kSectorBytes / std::max<int64_t>(narrowest, 1), kMostWidth);
    if (auto count = known(columns))
      width = std::min<int64_t>(width, static_cast<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(*count, 1))));
    passes = kMostPasses;
    while (passes > 1 &&
           (passes * loads > kMostLoads || passes * ops > kMostOps || 2 * passes * kBringers * bytes > kSharedBytes))
      passes /= 2;
    chunkRows = passes * kBringers / width;
    // Chunks are a whole number of these.
    rowsAtOnce = std::max<int64_t>(kMostAtOnce / numResults(), 1);
    while (chunkRows % rowsAtOnce != 0)
      --rowsAtOnce;
    return 2 * passes * kBringers * bytes <= kSharedBytes;
  }

  /// Has the body yield what is combined, and not what that makes of the accumulators: the op ends here.
  void takeElements() {
    Block &body = *lowering.op.getBody();
    for (OpOperand &yielded : body.getTerminator()->getOpOperands()) {
      Operation *combiner = yielded.get().getDefiningOp();
      Value accumulator = body.getArgument(lowering.numInputs() + yielded.getOperandNumber());
      yielded.set(combiner->getOperand(combiner->getOperand(0) == accumulator ? 1 : 0));
      combiner->erase();
    }
  }

  /// Memory of the block, for each result that of two chunks.
  void allocate() {
    Value cells;
    {
      OpBuilder::InsertionGuard guard(b);
      auto launch = b.getInsertionBlock()->getParentOp()->getParentOfType<kern::LaunchOp>();
      b.setInsertionPointToStart(&launch.getBody().front());
      cells = memref::AllocaOp::create(b, loc, memoryType(b), b.getI64IntegerAttr(cuda::kMostAccessBytes));
    }
    int64_t at = 0;
    for (unsigned i = 0; i < numResults(); ++i) {
      const int64_t elements = 2 * passes * kBringers;
      auto type = MemRefType::get({elements}, elementOf(i), MemRefLayoutAttrInterface(),
                                  b.getI64IntegerAttr(cuda::kSharedSpace));
      shared.push_back(memref::ViewOp::create(b, loc, type, cells, math.value(math.constant(at)), ValueRange()));
      at += elements * elementOf(i).getIntOrFloatBitWidth() / 8;
    }
  }

  void emitStripe(Index stripe, Index chunks, Value thread) {
    column = arith::RemUIOp::create(b, loc, thread, math.value(math.constant(width)));
    Index number = math.add(math.mul(stripe, math.constant(width)), column), end = columns;
    const bool isWhole = known(columns) && *known(columns) % width == 0;
    // Threads past the end do what the last one does.
    Index own = isWhole ? number : math.min(number, math.sub(columns, math.constant(1)));
    position.assign(lowering.loops.size(), math.constant(0));
    for (auto [d, index] : llvm::zip_equal(columnLoops, indicesOf(b, loc, columnSizes, own)))
      position[d] = index;
    Value combines = isBelow(thread, math.constant(cuda::kWarp));
    Index bringer = math.sub(thread, math.constant(cuda::kWarp));
    // In each round a chunk is brought, and the one before is combined, which lies in the other half of the memory.
    SmallVector<Value> sums =
        makeReduction(b, loc, math.constant(0), math.add(chunks, math.constant(1)), 1,
                      lowering.loadResults(b, position), [&](OpBuilder &, Index chunk, ValueRange carried) {
                        auto either = scf::IfOp::create(b, loc, carried.getTypes(), combines, /*withElseRegion=*/true);
                        {
                          OpBuilder::InsertionGuard guard(b);
                          b.setInsertionPointToStart(&either.getThenRegion().front());
                          scf::YieldOp::create(b, loc, combineChunkBefore(chunk, carried));
                          b.setInsertionPointToStart(&either.getElseRegion().front());
                          auto left = scf::IfOp::create(b, loc, isBelow(chunk, chunks), /*withElseRegion=*/false);
                          scf::YieldOp::create(b, loc, carried);
                          b.setInsertionPointToStart(&left.getThenRegion().front());
                          bringChunk(chunk, bringer);
                        }
                        NVVM::Barrier0Op::create(b, loc)->setAttr(kOfBlockAttr, b.getUnitAttr());
                        return llvm::to_vector_of<Value>(either.getResults());
                      });
    Value stores = isBelow(thread, math.constant(width));
    if (!isWhole)
      stores = arith::AndIOp::create(b, loc, stores, isBelow(number, end));
    auto guarded = scf::IfOp::create(b, loc, stores, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&guarded.getThenRegion().front());
    lowering.storeResults(b, position, sums);
  }

  /// Where the half of the memory begins that an even or odd number has.
  Index halfOf(Index number) {
    Index half = Value(arith::AndIOp::create(b, loc, math.value(number), math.value(math.constant(1))));
    return math.mul(half, math.constant(passes * kBringers));
  }

  /// Evaluates rows of the chunk, and writes them side by side as threads are. None lies past the last row, which is
  /// evaluated instead, so that loads need no branches and are on their way together.
  void bringChunk(Index chunk, Index bringer) {
    Index first =
        math.add(math.mul(chunk, math.constant(chunkRows)),
                 Value(arith::DivUIOp::create(b, loc, math.value(bringer), math.value(math.constant(width)))));
    Index last = math.sub(rows, math.constant(1)), place = math.add(halfOf(chunk), bringer);
    const bool isWhole = known(rows) && *known(rows) % chunkRows == 0;
    const SmallVector<Value> unused = lowering.neutralElements(b, Lanes());
    SmallVector<SmallVector<Value>> elements;
    for (int64_t pass = 0; pass < passes; ++pass) {
      Index row = math.add(first, math.constant(pass * kBringers / width));
      if (!isWhole)
        row = math.min(row, last);
      SmallVector<Index> at(position);
      for (auto [d, index] : llvm::zip_equal(rowLoops, indicesOf(b, loc, rowSizes, row)))
        at[d] = index;
      elements.push_back(lowering.body(b, at, Lanes(), unused));
    }
    for (auto [pass, values] : llvm::enumerate(elements))
      for (auto [to, value] : llvm::zip_equal(shared, values))
        Lanes().store(b, loc, value, to, math.add(place, math.constant(static_cast<int64_t>(pass) * kBringers)));
  }

  /// What the rows of the chunk before this one make of the results, one after another. The first one has none before
  /// it.
  SmallVector<Value> combineChunkBefore(Index chunk, ValueRange carried) {
    Index end = math.min(math.mul(chunk, math.constant(chunkRows)), rows);
    Index begin = math.mul(math.sub(math.max(chunk, math.constant(1)), math.constant(1)), math.constant(chunkRows));
    Index count = math.sub(end, begin), place = math.add(halfOf(math.add(chunk, math.constant(1))), column);
    auto combineRows = [&](Index low, Index high, int64_t step, ValueRange values) {
      return makeReduction(b, loc, low, high, step, values, [&](OpBuilder &, Index row, ValueRange old) {
        SmallVector<Value> results(old);
        Index from = math.add(place, math.mul(row, math.constant(width)));
        for (int64_t i = 0; i < step; ++i) {
          SmallVector<Value> elements;
          for (Value each : shared)
            elements.push_back(Lanes().load(b, loc, each, math.add(from, math.constant(i * width))));
          results = lowering.combined(b, results, elements);
        }
        return results;
      });
    };
    Index rest = Value(arith::RemUIOp::create(b, loc, math.value(count), math.value(math.constant(rowsAtOnce))));
    Index whole = math.sub(count, rest);
    return combineRows(whole, count, 1, combineRows(math.constant(0), whole, rowsAtOnce, carried));
  }

  Value isBelow(Index x, Index end) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, math.value(x), math.value(end));
  }

  GenericLowering &lowering;
  OpBuilder &b;
  Location loc;
  IndexMath &math;
  SmallVector<size_t> rowLoops, columnLoops;
  SmallVector<Index> rowSizes, columnSizes;
  Index rows, columns;
  int64_t width = 0;                 ///< columns of a stripe
  int64_t passes = 0, chunkRows = 0; ///< elements that a bringer has of a chunk, and rows of it
  int64_t rowsAtOnce = 0;            ///< of which none is combined before all are read
  SmallVector<Value> shared;         ///< for each result
  Value column;                      ///< the thread's of the stripe
  SmallVector<Index> position;       ///< the thread's column in the loops
};
} // namespace

bool cuda::lowerColumnSums(GenericLowering &lowering) {
  ColumnSums sums(lowering);
  if (!sums.match())
    return false;
  sums.emit();
  return true;
}
