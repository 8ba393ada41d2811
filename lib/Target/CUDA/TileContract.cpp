// kern.contract on the device's memory by tiles whose products are added one by one, in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BlockContract.h"
#include "dialects/Kern/Utils/Widen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Threads of a block along the rows of a tile, and along its columns: each has a sixteenth of both.
static constexpr int64_t kGrid = 16;
static_assert(kGrid * kGrid == kThreads);

/// Neighbours that a thread has of its rows, and of its columns: an access to shared memory moves them at once.
static constexpr int64_t kNeighbours = 4;

/// Elements between the rows of a factor along the inner dimension in shared memory, so that eight numbers of four
/// lines have banks of their own.
static constexpr int64_t kPadding = 4;

namespace {
/// Each sum has the order that the op says: FMAs in ascending order. In shared memory lines are neighbours: of a factor
/// along the inner dimension elements go there one by one. Pieces of it, which threads would have to load for four
/// numbers at once, took more registers than there are.
struct TileContract : BlockContract {
  using BlockContract::BlockContract;

  Type sharedType() override { return element(); }
  static int64_t strideOf(const Factor &factor) { return factor.extent + (factor.isAlongInner ? kPadding : 0); }
  int64_t sharedSize(const Factor &factor) override { return tile.depth * strideOf(factor); }
  Index sharedAt(const Factor &factor, Index line, Index number) override {
    return math.add(math.mul(number, math.constant(strideOf(factor))), line);
  }
  bool hasNeighbours(const Factor &factor) override { return !factor.isAlongInner; }
  Value convert(const Factor &factor, Value elements) override {
    return kern::widen(b, loc, elements, element(), factor.operand == 0 ? op.getUnsignedLhs() : op.getUnsignedRhs());
  }

  /// -0 times 1 is -0.
  TypedAttr absent(unsigned operand) override {
    if (isa<FloatType>(element()))
      return b.getFloatAttr(element(), operand == 0 ? -0.0 : 1.0);
    return cast<TypedAttr>(b.getZeroAttr(element()));
  }

  static int64_t perThread(int64_t extent) { return extent / kGrid; }
  static int64_t neighbours(int64_t extent) { return std::min(perThread(extent), kNeighbours); }
  /// Line `i` of a thread, which is at `place` of kGrid.
  Index lineOf(int64_t extent, Index place, int64_t i) {
    const int64_t width = neighbours(extent), group = kGrid * width;
    return math.add(math.mul(place, math.constant(width)), math.constant(i / width * group + i % width));
  }

  SmallVector<Value> beginSums() override {
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element())));
    return SmallVector<Value>(perThread(tile.rows) * perThread(tile.columns), zero);
  }

  /// The thread's lines at number `k` of the chunk.
  SmallVector<Value> lines(const Factor &factor, Index place, int64_t k) {
    SmallVector<Value> elements;
    const int64_t width = neighbours(factor.extent);
    const unsigned bytes = element().getIntOrFloatBitWidth() / 8;
    for (int64_t i = 0; i < perThread(factor.extent); i += width) {
      Index at = math.add(factor.place, sharedAt(factor, lineOf(factor.extent, place, i), math.constant(k)));
      auto vector =
          vector::LoadOp::create(b, loc, VectorType::get({width}, element()), factor.shared, ValueRange(math.value(at)),
                                 /*nontemporal=*/false, llvm::MaybeAlign(std::min<int64_t>(16, width * bytes)));
      for (int64_t j = 0; j < width; ++j)
        elements.push_back(vector::ExtractOp::create(b, loc, vector, j));
    }
    return elements;
  }

  SmallVector<Value> multiply(const Factor &left, const Factor &right, Value thread, ValueRange sums) override {
    SmallVector<Value> next(sums);
    Index row = quotient(thread, kGrid), column = remainder(thread, kGrid);
    for (int64_t k = 0; k < tile.depth; ++k) {
      SmallVector<Value> xs = lines(left, row, k), ys = lines(right, column, k);
      for (auto [i, x] : llvm::enumerate(xs))
        for (auto [j, y] : llvm::enumerate(ys)) {
          Value &sum = next[i * ys.size() + j];
          sum = addProduct(x, y, sum);
        }
    }
    return next;
  }

  void finish(const Factor &left, const Factor &right, Value thread, ValueRange sums) override {
    Index row = quotient(thread, kGrid), column = remainder(thread, kGrid);
    const int64_t numColumns = perThread(tile.columns);
    for (int64_t i = 0; i < perThread(tile.rows); ++i) {
      Index m = math.add(left.begin, lineOf(tile.rows, row, i));
      SmallVector<Index> at = ContractLoops::indicesOf(rowLoops, m);
      for (int64_t j = 0; j < numColumns; ++j)
        finishElement(m, at, math.add(right.begin, lineOf(tile.columns, column, j)), sums[i * numColumns + j]);
    }
  }
};
} // namespace

bool cuda::lowerContractToTiles(OpBuilder &b, kern::ContractOp op, const common::KernelTable &table) {
  TileContract lowering(b, op);
  lowering.collect();
  if (!lowering.chooseTile(table, lowering.element().getIntOrFloatBitWidth() > 32 ? "f64" : "f32"))
    return false;
  lowering.emit();
  return true;
}
