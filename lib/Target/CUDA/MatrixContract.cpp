// kern.contract of halves and tf32 on the device's memory by the instructions for products of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BlockContract.h"
#include "MatrixFragments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Chunks of at least two steps of the instruction, of halves and of tf32.
static constexpr Tile kTiles[] = {{128, 128, 32}, {64, 64, 32}, {32, 32, 32}};
static constexpr Tile kWideTiles[] = {{128, 128, 16}, {64, 64, 32}, {32, 32, 32}};

/// Warps of a block along the rows of a tile, and along its columns.
static constexpr int64_t kWarpRows = 2, kWarpColumns = 4;
static_assert(kWarpRows * kWarpColumns * kWarp == kThreads);

/// Words between the rows of what is loaded word by word, so that what a warp loads of four rows meets no bank twice.
static constexpr int64_t kPadding = 8;

namespace {
/// Products of f16, bf16 or tf32 added in f32 by tensor cores, in their order: the result is a function of the shape
/// and of the chip. In shared memory neighbours are those that memory has. Matrices of halves are transposed where they
/// are loaded; those of tf32, which nothing transposes, are then loaded word by word.
struct MatrixContract : BlockContract {
  using BlockContract::BlockContract;

  Type sharedType() override { return lhs.element; }
  MatrixFragments fragments() { return {b, loc, sharedType()}; }

  /// Rows have neighbours in memory.
  SharedMatrix matrixOf(const Factor &factor) {
    const int64_t row = factor.isAlongInner ? tile.depth : factor.extent;
    return {factor.shared, row + (fragments().isLoadedByWords(factor.isAlongInner) ? kPadding : 0),
            factor.isAlongInner};
  }
  int64_t sharedSize(const Factor &factor) override {
    return (factor.isAlongInner ? factor.extent : tile.depth) * matrixOf(factor).row;
  }
  Index sharedAt(const Factor &factor, Index line, Index number) override {
    return fragments().elementAt(matrixOf(factor), line, number);
  }
  bool hasNeighboursAlongInner(const Factor &factor) override { return factor.isAlongInner; }
  Value convert(const Factor &, Value elements) override { return elements; }
  TypedAttr absent(unsigned) override { return b.getFloatAttr(sharedType(), 0.0); }

  int64_t rowTiles() const { return tile.rows / kWarpRows / kMatrixRows; }
  int64_t columnTiles() const { return tile.columns / kWarpColumns / kMatrixColumns; }

  SmallVector<Value> beginSums() override {
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    return SmallVector<Value>(rowTiles() * columnTiles() * 4, zero);
  }

  /// Where the warp's rows, or columns, begin in the tile.
  Index warpRow(Value thread) {
    return math.mul(quotient(thread, kWarp * kWarpColumns), math.constant(tile.rows / kWarpRows));
  }
  Index warpColumn(Value thread) {
    return math.mul(remainder(math.value(quotient(thread, kWarp)), kWarpColumns),
                    math.constant(tile.columns / kWarpColumns));
  }

  SmallVector<Value> multiply(const Factor &left, const Factor &right, Value thread, ValueRange sums) override {
    SmallVector<Value> next(sums);
    Value lane = math.value(remainder(thread, kWarp));
    Index row = warpRow(thread), column = warpColumn(thread);
    MatrixFragments of = fragments();
    const SharedMatrix lefts = matrixOf(left), rights = matrixOf(right);
    for (int64_t number = 0; number < tile.depth; number += 2 * of.perPiece()) {
      SmallVector<SmallVector<Value>> xs, ys;
      for (int64_t i = 0; i < rowTiles(); ++i)
        xs.push_back(
            of.load(lefts, lane, math.add(row, math.constant(i * kMatrixRows)), number, /*linesFirst=*/true, 4));
      for (int64_t j = 0; j < columnTiles(); j += 2) {
        const int64_t count = columnTiles() - j > 1 ? 4 : 2;
        SmallVector<Value> words = of.load(rights, lane, math.add(column, math.constant(j * kMatrixColumns)), number,
                                           /*linesFirst=*/false, count);
        for (int64_t k = 0; k < count; k += 2)
          ys.push_back({words[k], words[k + 1]});
      }
      for (auto [i, x] : llvm::enumerate(xs))
        for (auto [j, y] : llvm::enumerate(ys))
          of.multiply(x, y, MutableArrayRef(next).slice((i * ys.size() + j) * 4, 4));
    }
    return next;
  }

  /// A thread has two neighbours of a row, and those eight rows below.
  void finish(Index firstRow, Index firstColumn, Value thread, ValueRange sums) override {
    Value lane = math.value(remainder(thread, kWarp));
    Index row = math.add(math.add(firstRow, warpRow(thread)), quotient(lane, 4));
    Index column = math.add(math.add(firstColumn, warpColumn(thread)), math.mul(remainder(lane, 4), math.constant(2)));
    for (int64_t i = 0; i < rowTiles(); ++i)
      for (int64_t half = 0; half < 2; ++half) {
        Index m = math.add(row, math.constant(i * kMatrixRows + half * kMatrix));
        SmallVector<Index> at = ContractLoops::indicesOf(rowLoops, m);
        for (int64_t j = 0; j < columnTiles(); ++j)
          for (int64_t k = 0; k < 2; ++k)
            finishElement(m, at, math.add(column, math.constant(j * kMatrixColumns + k)),
                          sums[(i * columnTiles() + j) * 4 + half * 2 + k]);
      }
  }
};
} // namespace

bool cuda::lowerContractToMatrices(OpBuilder &b, kern::ContractOp op) {
  Type left = getElementTypeOrSelf(op.getLhs()), right = getElementTypeOrSelf(op.getRhs());
  const bool isTf32 = op->hasAttr(kern::kTf32Attr);
  if (left != right || !(left.isF16() || left.isBF16() || isTf32) || !op.getAccumulatorType().isF32())
    return false;
  MatrixContract lowering(b, op);
  lowering.collect();
  if (!lowering.chooseTile(isTf32 ? ArrayRef(kWideTiles) : ArrayRef(kTiles)))
    return false;
  lowering.emit();
  return true;
}
