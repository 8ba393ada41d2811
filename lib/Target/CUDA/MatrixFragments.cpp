// Matrices that tensor cores multiply: from shared memory to registers, and products of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MatrixFragments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

Index MatrixFragments::quotient(Value x, int64_t y) {
  IndexMath math{b, loc};
  return Value(arith::DivUIOp::create(b, loc, x, math.value(math.constant(y))));
}

Index MatrixFragments::remainder(Value x, int64_t y) {
  IndexMath math{b, loc};
  return Value(arith::RemUIOp::create(b, loc, x, math.value(math.constant(y))));
}

/// Where a piece of 16 bytes lies in a row. Pieces are in an order that differs from row to row: those of one number in
/// eight rows, which are loaded at once, and neighbours, which are stored at once, have banks of their own. `row` is
/// that row, or one that differs by a multiple of eight.
Index MatrixFragments::pieceAt(const SharedMatrix &factor, Index piece, Index row) {
  IndexMath math{b, loc};
  Index within = remainder(math.value(row), kMatrix);
  if (const int64_t pieces = factor.row / perPiece(); pieces < kMatrix)
    within = quotient(math.value(within), kMatrix / pieces);
  return Value(arith::XOrIOp::create(b, loc, math.value(piece), math.value(within)));
}

Index MatrixFragments::elementAt(const SharedMatrix &factor, Index line, Index number) {
  IndexMath math{b, loc};
  Index row = math.mul(factor.isAlongInner ? line : number, math.constant(factor.row));
  if (isLoadedByWords(factor.isAlongInner))
    return math.add(row, line);
  Value at = math.value(factor.isAlongInner ? number : line);
  Index piece = pieceAt(factor, quotient(at, perPiece()), factor.isAlongInner ? line : number);
  return math.add(row, math.add(math.mul(piece, math.constant(perPiece())), remainder(at, perPiece())));
}

SmallVector<Value> MatrixFragments::load(const SharedMatrix &factor, Value lane, Index line, int64_t number,
                                         bool linesFirst, int64_t count) {
  if (isLoadedByWords(factor.isAlongInner))
    return loadWords(factor, lane, line, number, linesFirst, count);
  IndexMath math{b, loc};
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
  Index at = math.add(math.mul(row, math.constant(factor.row)), math.mul(piece, math.constant(perPiece())));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, factor.memory);
  Index bytes = math.mul(at, math.constant(elementBytes()));
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
SmallVector<Value> MatrixFragments::loadWords(const SharedMatrix &factor, Value lane, Index line, int64_t number,
                                              bool linesFirst, int64_t count) {
  IndexMath math{b, loc};
  Index ownLine = math.add(line, quotient(lane, perPiece())), ownNumber = remainder(lane, perPiece());
  SmallVector<Value> fragments;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t lines = linesFirst ? i % 2 : i / 2, numbers = linesFirst ? i / 2 : i % 2;
    Index at = elementAt(factor, math.add(ownLine, math.constant(lines * kMatrix)),
                         math.add(ownNumber, math.constant(number + numbers * perPiece())));
    Value loaded = memref::LoadOp::create(b, loc, factor.memory, ValueRange(math.value(at)));
    fragments.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), loaded));
  }
  return fragments;
}

void MatrixFragments::multiply(ArrayRef<Value> x, ArrayRef<Value> y, MutableArrayRef<Value> sums) {
  const bool isF16 = element.isF16();
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
                                      ArrayRef<int64_t>({kMatrixRows, kMatrixColumns, 2 * perPiece()}), std::nullopt,
                                      std::nullopt, std::array<NVVM::MMATypes, 2>{type, type},
                                      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(b, loc, product, static_cast<int64_t>(i));
}
