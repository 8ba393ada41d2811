// Matrices that tensor cores multiply: from shared memory to registers, and products of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_MATRIXFRAGMENTS_H
#define LIB_TARGET_CUDA_MATRIXFRAGMENTS_H

#include "Grid.h"

namespace mlc::cuda {

/// The instruction multiplies 16 rows by 8 columns, over 16 halves or 8 numbers of tf32 of the inner dimension
/// (mma.m16n8k16, m16n8k8).
inline constexpr int64_t kMatrixRows = 16, kMatrixColumns = 8;

/// Rows of the matrices that are loaded. A row is a piece of 16 bytes, of which 8 fill all banks of shared memory.
inline constexpr int64_t kMatrix = 8, kPieceBytes = 16;

/// A factor in shared memory: lines (rows or columns of a product) of numbers of the inner dimension. Neighbours there
/// are numbers, or lines.
struct SharedMatrix {
  mlir::Value memory;
  int64_t row = 0; ///< elements from one row to the next, of numbers of a line or of lines at a number
  bool isAlongInner = true;
  int64_t block = 0; ///< elements from the rows of some lines to those of the next ones; 0: a row has all lines
  Index place = {};  ///< where the factor begins in the memory; none: at its start
};

/// Lines and numbers from an element of a factor to another one.
struct SharedDistance {
  int64_t lines = 0, numbers = 0;
};

/// Emits what a warp does with matrices of f16, bf16, or f32 that are numbers of tf32. Products are added in f32 by
/// tensor cores, in their order.
struct MatrixFragments {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type element;

  bool isWide() const { return element.isF32(); }
  int64_t elementBytes() const { return isWide() ? 4 : 2; }
  /// Elements of a piece of 16 bytes: half of what the instruction takes of the inner dimension.
  int64_t perPiece() const { return kPieceBytes / elementBytes(); }
  /// Where the element of a line at a number lies in the factor. Pieces of 16 bytes are in an order that differs from
  /// row to row: one piece of eight rows, which is loaded at once, and neighbours, which are stored at once, have banks
  /// of their own. It is the order in which products of a warpgroup find rows of 128, 64 and 32 bytes. `distance` is
  /// added to line and number: where neighbours are numbers a multiple of eight lines and one of two pieces, which is
  /// more than `number`.
  Index elementAt(const SharedMatrix &factor, Index line, Index number, SharedDistance distance = {});

  /// Four (or two) matrices of eight lines by a piece of numbers: at lines `line` + (0 or 8) and numbers `number` + (0
  /// or a piece), of which the one that `linesFirst` says is not 0 for every other matrix. Each word that a thread gets
  /// has two neighbours of the inner dimension, or one number of tf32. Nothing transposes matrices of words: those have
  /// neighbours along the inner dimension.
  llvm::SmallVector<mlir::Value> load(const SharedMatrix &factor, mlir::Value lane, Index line, int64_t number,
                                      bool linesFirst, int64_t count);

  /// Adds to `sums`, of which a thread has two neighbours of a row and those eight rows below, the product of four
  /// words of rows and two of columns.
  void multiply(llvm::ArrayRef<mlir::Value> x, llvm::ArrayRef<mlir::Value> y, llvm::MutableArrayRef<mlir::Value> sums);

private:
  Index pieceAt(const SharedMatrix &factor, Index row, Index piece, Index sameRow, int64_t rows = 0,
                int64_t pieces = 0);
  Index quotient(mlir::Value x, int64_t y);
  Index remainder(mlir::Value x, int64_t y);
};

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_MATRIXFRAGMENTS_H
