// kern.contract of halves and tf32 on the device's memory by the instructions for products of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MatrixContract.h"
#include "MatrixFragments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Warps of a block along the rows of a tile, and along its columns.
static constexpr int64_t kWarpRows = 2, kWarpColumns = 4;
static_assert(kWarpRows * kWarpColumns * kWarp == kThreads);

/// Lines of a row in shared memory at most, where neighbours are lines: those that products of a warpgroup find in rows
/// of 128 bytes.
static constexpr int64_t kRowLines = 64;

int64_t MatrixContract::rowOf(const Factor &factor) {
  if (factor.isAlongInner || isLoadedByWords(factor))
    return BlockContract::rowOf(factor);
  // A warpgroup has rows of its own of the columns, if these are shared out.
  return factor.operand == 0 ? std::min(factor.extent, kRowLines) : std::max(factor.extent / 2, 4 * kMatrixColumns);
}

SharedMatrix MatrixContract::matrixOf(const Factor &factor) {
  const int64_t row = rowOf(factor);
  return {factor.shared, row, factor.isAlongInner, /*block=*/tile.depth * row, factor.place};
}

Index MatrixContract::sharedAt(const Factor &factor, Index line, Index number) {
  if (isLoadedByWords(factor)) {
    // A warp loads eight lines of four numbers, which have banks of their own.
    Value group = math.value(math.mul(remainder(math.value(number), perPiece()), math.constant(kMatrix)));
    Index within = Value(arith::XOrIOp::create(b, loc, math.value(line), group));
    return math.add(math.mul(number, math.constant(rowOf(factor))), within);
  }
  return fragments().elementAt(matrixOf(factor), line, number);
}

int64_t MatrixContract::rowTiles() const { return tile.rows / kWarpRows / kMatrixRows; }
int64_t MatrixContract::columnTiles() const { return tile.columns / kWarpColumns / kMatrixColumns; }

SmallVector<Value> MatrixContract::beginSums() {
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  return SmallVector<Value>(rowTiles() * columnTiles() * 4, zero);
}

/// The matrices of MatrixFragments::load, of which a thread has the word of a line for each four threads, and of a
/// number.
SmallVector<Value> MatrixContract::loadWords(const Factor &factor, Value lane, Index line, int64_t number,
                                             bool linesFirst, int64_t count) {
  Index ownLine = math.add(line, quotient(lane, perPiece())), ownNumber = remainder(lane, perPiece());
  SmallVector<Value> fragments;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t lines = linesFirst ? i % 2 : i / 2, numbers = linesFirst ? i / 2 : i % 2;
    Index at = sharedAt(factor, math.add(ownLine, math.constant(lines * kMatrix)),
                        math.add(ownNumber, math.constant(number + numbers * perPiece())));
    Value loaded = memref::LoadOp::create(b, loc, factor.shared, ValueRange(math.value(math.add(factor.place, at))));
    fragments.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), loaded));
  }
  return fragments;
}

/// Where the warp's rows, or columns, begin in the tile.
Index MatrixContract::warpRow(Value thread) {
  return math.mul(quotient(thread, kWarp * kWarpColumns), math.constant(tile.rows / kWarpRows));
}
Index MatrixContract::warpColumn(Value thread) {
  return math.mul(remainder(math.value(quotient(thread, kWarp)), kWarpColumns),
                  math.constant(tile.columns / kWarpColumns));
}

SmallVector<Value> MatrixContract::multiply(const Factor &left, const Factor &right, Value thread, ValueRange sums) {
  SmallVector<Value> next(sums);
  Value lane = math.value(remainder(thread, kWarp));
  Index row = warpRow(thread), column = warpColumn(thread);
  MatrixFragments of = fragments();
  auto load = [&](const Factor &factor, Index line, int64_t number, bool linesFirst, int64_t count) {
    return isLoadedByWords(factor) ? loadWords(factor, lane, line, number, linesFirst, count)
                                   : of.load(matrixOf(factor), lane, line, number, linesFirst, count);
  };
  for (int64_t number = 0; number < tile.depth; number += 2 * of.perPiece()) {
    SmallVector<SmallVector<Value>> xs, ys;
    for (int64_t i = 0; i < rowTiles(); ++i)
      xs.push_back(load(left, math.add(row, math.constant(i * kMatrixRows)), number, /*linesFirst=*/true, 4));
    for (int64_t j = 0; j < columnTiles(); j += 2) {
      const int64_t count = columnTiles() - j > 1 ? 4 : 2;
      SmallVector<Value> words =
          load(right, math.add(column, math.constant(j * kMatrixColumns)), number, /*linesFirst=*/false, count);
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
void MatrixContract::finish(const Factor &left, const Factor &right, Value thread, ValueRange sums) {
  Value lane = math.value(remainder(thread, kWarp));
  Index row = math.add(math.add(left.begin, warpRow(thread)), quotient(lane, 4));
  Index column = math.add(math.add(right.begin, warpColumn(thread)), math.mul(remainder(lane, 4), math.constant(2)));
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

template <typename Lowering>
static bool lower(OpBuilder &b, kern::ContractOp op, const common::KernelTable &table, StringRef kind) {
  Lowering lowering(b, op);
  lowering.collect();
  if (!lowering.chooseTile(table, kind))
    return false;
  lowering.emit();
  return true;
}

bool cuda::lowerContractToMatrices(OpBuilder &b, kern::ContractOp op, const common::KernelTable &table,
                                   bool warpgroups) {
  Type left = getElementTypeOrSelf(op.getLhs()), right = getElementTypeOrSelf(op.getRhs());
  const bool isTf32 = op->hasAttr(kern::kTf32Attr);
  if (left != right || !(left.isF16() || left.isBF16() || isTf32) || !op.getAccumulatorType().isF32())
    return false;
  StringRef kind = isTf32 ? "tf32" : left.isF16() ? "f16" : "bf16";
  return warpgroups ? lower<WarpgroupContract>(b, op, table, kind) : lower<MatrixContract>(b, op, table, kind);
}
