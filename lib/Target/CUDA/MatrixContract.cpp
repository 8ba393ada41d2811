// kern.contract of halves and tf32 on the device's memory by the instructions for products of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BlockContract.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Chunks of at least two steps of the instruction, of halves and of tf32.
static constexpr Tile kTiles[] = {{128, 128, 32}, {64, 64, 32}, {32, 32, 32}};
static constexpr Tile kWideTiles[] = {{128, 128, 16}, {64, 64, 32}, {32, 32, 32}};

/// The instruction multiplies 16 rows by 8 columns, over 16 halves or 8 numbers of tf32 of the inner dimension
/// (mma.m16n8k16, m16n8k8).
static constexpr int64_t kRows = 16, kColumns = 8;

/// Warps of a block along the rows of a tile, and along its columns.
static constexpr int64_t kWarpRows = 2, kWarpColumns = 4;
static_assert(kWarpRows * kWarpColumns * kWarp == kThreads);

/// Rows of the matrices that are loaded. A row is a piece of 16 bytes, of which 8 fill all banks of shared memory.
static constexpr int64_t kMatrix = 8, kPieceBytes = 16;

/// Words between the rows of what is loaded word by word, so that what a warp loads of four rows meets no bank twice.
static constexpr int64_t kPadding = 8;

namespace {
/// Products of f16, bf16 or tf32 added in f32 by tensor cores, in their order: the result is a function of the shape
/// and of the chip. In shared memory neighbours are those that memory has. Matrices of halves are transposed where they
/// are loaded; those of tf32, which nothing transposes, are then loaded word by word.
struct MatrixContract : BlockContract {
  using BlockContract::BlockContract;

  Type sharedType() override { return lhs.element; }
  bool isWide() { return sharedType().isF32(); }
  int64_t elementBytes() { return isWide() ? 4 : 2; }
  /// Elements of a piece of 16 bytes: half of what the instruction takes of the inner dimension.
  int64_t perPiece() { return kPieceBytes / elementBytes(); }
  bool isLoadedByWords(const Factor &factor) { return isWide() && !factor.isAlongInner; }

  /// Elements of a row in shared memory: neighbours in memory.
  int64_t rowOf(const Factor &factor) {
    return (factor.isAlongInner ? tile.depth : factor.extent) + (isLoadedByWords(factor) ? kPadding : 0);
  }
  int64_t sharedSize(const Factor &factor) override {
    return (factor.isAlongInner ? factor.extent : tile.depth) * rowOf(factor);
  }

  /// Where a piece of 16 bytes lies in a row. Pieces are in an order that differs from row to row: those of one number
  /// in eight rows, which are loaded at once, and neighbours, which are stored at once, have banks of their own. `row`
  /// is that row, or one that differs by a multiple of eight.
  Index pieceAt(const Factor &factor, Index piece, Index row) {
    Index within = remainder(math.value(row), kMatrix);
    if (const int64_t pieces = rowOf(factor) / perPiece(); pieces < kMatrix)
      within = quotient(math.value(within), kMatrix / pieces);
    return Value(arith::XOrIOp::create(b, loc, math.value(piece), math.value(within)));
  }

  Index sharedAt(const Factor &factor, Index line, Index number) override {
    Index row = math.mul(factor.isAlongInner ? line : number, math.constant(rowOf(factor)));
    if (isLoadedByWords(factor))
      return math.add(row, line);
    Value at = math.value(factor.isAlongInner ? number : line);
    Index piece = pieceAt(factor, quotient(at, perPiece()), factor.isAlongInner ? line : number);
    return math.add(row, math.add(math.mul(piece, math.constant(perPiece())), remainder(at, perPiece())));
  }
  bool hasNeighboursAlongInner(const Factor &factor) override { return factor.isAlongInner; }
  Value convert(const Factor &, Value elements) override { return elements; }
  TypedAttr absent(unsigned) override { return b.getFloatAttr(sharedType(), 0.0); }

  int64_t rowTiles() const { return tile.rows / kWarpRows / kRows; }
  int64_t columnTiles() const { return tile.columns / kWarpColumns / kColumns; }

  SmallVector<Value> beginSums() override {
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    return SmallVector<Value>(rowTiles() * columnTiles() * 4, zero);
  }

  /// Four (or two) matrices of eight lines by a piece of numbers: at lines `line` + (0 or 8) and numbers `number` + (0
  /// or a piece), of which the one that `linesFirst` says is not 0 for every other matrix. Each word that a thread gets
  /// has two neighbours of the inner dimension, or one number of tf32.
  SmallVector<Value> loadMatrices(const Factor &factor, Value lane, Index line, int64_t number, bool linesFirst,
                                  int64_t count) {
    if (isLoadedByWords(factor))
      return loadWords(factor, lane, line, number, linesFirst, count);
    // A thread says where a row of a matrix begins: a line, or a number where matrices are transposed.
    Index within = remainder(lane, kMatrix);
    Value matrix = math.value(quotient(lane, kMatrix));
    Index odd = remainder(matrix, 2), half = quotient(matrix, 2);
    // Of two matrices the addresses of the upper half of the warp are not read.
    if (count == 2)
      half = math.constant(0);
    const bool isRowOdd = factor.isAlongInner == linesFirst;
    Index first = math.constant(number);
    Index row = math.add(math.mul(isRowOdd ? odd : half, math.constant(kMatrix)), within);
    row = math.add(factor.isAlongInner ? line : first, row);
    Index piece = quotient(math.value(factor.isAlongInner ? first : line), perPiece());
    piece = pieceAt(factor, math.add(piece, isRowOdd ? half : odd), within);
    Index element = math.add(math.mul(row, math.constant(rowOf(factor))), math.mul(piece, math.constant(perPiece())));
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, factor.shared);
    Index bytes = math.mul(element, math.constant(elementBytes()));
    Value address = arith::IndexCastOp::create(b, loc, b.getI64Type(), math.value(math.add(base, bytes)));
    Value pointer = LLVM::IntToPtrOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), static_cast<unsigned>(kSharedSpace)), address);
    auto words = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, b.getI32Type()));
    Value loaded = NVVM::LdMatrixOp::create(b, loc, words, pointer, static_cast<uint32_t>(count),
                                            factor.isAlongInner ? NVVM::MMALayout::row : NVVM::MMALayout::col,
                                            NVVM::LdStMatrixShapeAttr::get(b.getContext(), kMatrix, kMatrix),
                                            NVVM::LdStMatrixEltType::B16);
    SmallVector<Value> fragments;
    for (int64_t i = 0; i < count; ++i)
      fragments.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, i));
    return fragments;
  }

  /// The same matrices, of which a thread has the word of a line for each four threads, and of a number.
  SmallVector<Value> loadWords(const Factor &factor, Value lane, Index line, int64_t number, bool linesFirst,
                               int64_t count) {
    Index ownLine = math.add(line, quotient(lane, perPiece())), ownNumber = remainder(lane, perPiece());
    SmallVector<Value> fragments;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t lines = linesFirst ? i % 2 : i / 2, numbers = linesFirst ? i / 2 : i % 2;
      Index at = sharedAt(factor, math.add(ownLine, math.constant(lines * kMatrix)),
                          math.add(ownNumber, math.constant(number + numbers * perPiece())));
      Value loaded = memref::LoadOp::create(b, loc, factor.shared, ValueRange(math.value(at)));
      fragments.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), loaded));
    }
    return fragments;
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
    for (int64_t number = 0; number < tile.depth; number += 2 * perPiece()) {
      SmallVector<SmallVector<Value>> xs, ys;
      for (int64_t i = 0; i < rowTiles(); ++i)
        xs.push_back(loadMatrices(left, lane, math.add(row, math.constant(i * kRows)), number, /*linesFirst=*/true, 4));
      for (int64_t j = 0; j < columnTiles(); j += 2) {
        const int64_t count = columnTiles() - j > 1 ? 4 : 2;
        SmallVector<Value> words = loadMatrices(right, lane, math.add(column, math.constant(j * kColumns)), number,
                                                /*linesFirst=*/false, count);
        for (int64_t k = 0; k < count; k += 2)
          ys.push_back({words[k], words[k + 1]});
      }
      for (auto [i, x] : llvm::enumerate(xs))
        for (auto [j, y] : llvm::enumerate(ys))
          multiplyMatrices(x, y, MutableArrayRef(next).slice((i * ys.size() + j) * 4, 4));
    }
    return next;
  }

  void multiplyMatrices(ArrayRef<Value> x, ArrayRef<Value> y, MutableArrayRef<Value> sums) {
    const bool isF16 = sharedType().isF16();
    auto factors = [&](ArrayRef<Value> words) {
      SmallVector<Value> converted(words);
      // The op takes words of bf16 and tf32 as numbers, and of f16 as vectors.
      if (isF16)
        for (Value &word : converted)
          word = LLVM::BitcastOp::create(b, loc, VectorType::get({2}, b.getF16Type()), word);
      return converted;
    };
    const NVVM::MMATypes type = isF16 ? NVVM::MMATypes::f16 : isWide() ? NVVM::MMATypes::tf32 : NVVM::MMATypes::bf16;
    auto result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getF32Type()));
    Value product = NVVM::MmaOp::create(b, loc, result, factors(x), factors(y), ValueRange(sums),
                                        ArrayRef<int64_t>({kRows, kColumns, 2 * perPiece()}), std::nullopt,
                                        std::nullopt, std::array<NVVM::MMATypes, 2>{type, type},
                                        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = LLVM::ExtractValueOp::create(b, loc, product, static_cast<int64_t>(i));
  }

  /// A thread has two neighbours of a row, and those eight rows below.
  void finish(Index firstRow, Index firstColumn, Value thread, ValueRange sums) override {
    Value lane = math.value(remainder(thread, kWarp));
    Index row = math.add(math.add(firstRow, warpRow(thread)), quotient(lane, 4));
    Index column = math.add(math.add(firstColumn, warpColumn(thread)), math.mul(remainder(lane, 4), math.constant(2)));
    for (int64_t i = 0; i < rowTiles(); ++i)
      for (int64_t half = 0; half < 2; ++half) {
        Index m = math.add(row, math.constant(i * kRows + half * kMatrix));
        SmallVector<Index> at = ContractLoops::indicesOf(rowLoops, m);
        for (int64_t j = 0; j < columnTiles(); ++j)
          for (int64_t k = 0; k < 2; ++k)
            finishElement(m, at, math.add(column, math.constant(j * kColumns + k)),
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
