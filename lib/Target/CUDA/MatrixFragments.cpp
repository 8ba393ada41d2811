// Matrices that tensor cores multiply: from shared memory to registers, and products of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MatrixFragments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

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

/// Where a piece of 16 bytes lies, of a line or, where neighbours are lines, of a number: `row`; `sameRow` is it, or a
/// row that differs by a multiple of eight. `rows` are added to `row`, a multiple of eight, and `pieces` to `piece`, in
/// whose binary digits it has none that `piece` has.
Index MatrixFragments::pieceAt(const SharedMatrix &factor, Index row, Index piece, Index sameRow, int64_t rows,
                               int64_t pieces) {
  IndexMath math{b, loc};
  const int64_t perRow = factor.row / perPiece();
  Index at = math.mul(row, math.constant(factor.row));
  if (!factor.isAlongInner && factor.block != 0) {
    piece = math.add(piece, math.constant(std::exchange(pieces, 0)));
    at = math.add(at, math.mul(quotient(math.value(piece), perRow), math.constant(factor.block)));
    piece = remainder(math.value(piece), perRow);
  }
  Index within = remainder(math.value(sameRow), kMatrix);
  if (perRow < kMatrix)
    within = quotient(math.value(within), kMatrix / perRow);
  piece = Value(arith::XOrIOp::create(b, loc, math.value(piece), math.value(within)));
  // What the order changes is less than eight: of the rest each place is a constant distance from others.
  const int64_t changed = pieces % kMatrix;
  if (changed != 0)
    piece = Value(arith::XOrIOp::create(b, loc, math.value(piece), math.value(math.constant(changed))));
  at = math.add(at, math.mul(piece, math.constant(perPiece())));
  return math.add(at, math.constant(rows * factor.row + (pieces - changed) * perPiece()));
}

Index MatrixFragments::elementAt(const SharedMatrix &factor, Index line, Index number, SharedDistance distance) {
  IndexMath math{b, loc};
  if (!factor.isAlongInner) {
    line = math.add(line, math.constant(distance.lines));
    number = math.add(number, math.constant(distance.numbers));
    Value at = math.value(line);
    return math.add(pieceAt(factor, number, quotient(at, perPiece()), number), remainder(at, perPiece()));
  }
  Value at = math.value(number);
  Index piece = pieceAt(factor, line, quotient(at, perPiece()), line, distance.lines, distance.numbers / perPiece());
  return math.add(piece, remainder(at, perPiece()));
}

SmallVector<Value> MatrixFragments::load(const SharedMatrix &factor, Value lane, Index line, int64_t number,
                                         bool linesFirst, int64_t count) {
  assert((factor.isAlongInner || !isWide()) && "nothing transposes matrices of words");
  IndexMath math{b, loc};
  // A thread says where a row of a matrix begins: a line, or a number where matrices are transposed.
  Index within = remainder(lane, kMatrix);
  Value matrix = math.value(quotient(lane, kMatrix));
  Index odd = remainder(matrix, 2), half = quotient(matrix, 2);
  // Of two matrices the addresses of the upper half of the warp are not read.
  if (count == 2)
    half = math.constant(0);
  const bool isRowOdd = factor.isAlongInner == linesFirst;
  // What is known of the first row and the first piece is a constant distance.
  Index row = math.add(math.mul(isRowOdd ? odd : half, math.constant(kMatrix)), within);
  Index piece = isRowOdd ? half : odd;
  int64_t rows = factor.isAlongInner ? 0 : number, pieces = factor.isAlongInner ? number / perPiece() : 0;
  if (std::optional<int64_t> constant = known(line))
    (factor.isAlongInner ? rows : pieces) = factor.isAlongInner ? *constant : *constant / perPiece();
  else if (factor.isAlongInner)
    row = math.add(line, row);
  else
    piece = math.add(quotient(math.value(line), perPiece()), piece);
  Index at = pieceAt(factor, row, piece, within, rows, pieces);
  Value pointer = addressOf(b, loc, factor.memory, factor.place ? math.add(factor.place, at) : at);
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
