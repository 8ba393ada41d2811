// Tiles of attention's scores on the device's memory: what forward and backward kernels share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_ATTENTIONTILES_H
#define LIB_TARGET_CUDA_ATTENTIONTILES_H

#include "AttentionOperands.h"

namespace mlc::cuda {

/// Queries and keys of a tile of scores. A block of 16 x 16 threads has it, each thread 4 x 4 neighbours.
inline constexpr int64_t kScores = 64, kScoresGrid = 16, kScoresOfThread = 4;

/// Emits a kernel of attention. Scores of a tile are products of up to 64 lines of each of two matrices, of which a
/// chunk of 16 numbers of all lines goes through shared memory at a time; sums of 64 lines by a tile's scores stay in
/// registers. Each is added by FMAs in ascending order. All threads of a block are in each call.
class AttentionTiles : public AttentionOperands {
public:
  using AttentionOperands::AttentionOperands;

  /// Launches a block for each tile of 64 of `lines` at each position of the leading dimensions; `body` gets its first
  /// line.
  void launch(Index lines, double cost, llvm::function_ref<void(Index first)> body);

  mlir::Value row, column; ///< of the thread among 16 x 16

  /// Line of the thread among its row's, or column's, of a tile that begins at `first`.
  Index lineOf(Index first, mlir::Value place, int64_t i) {
    return math.add(math.add(first, math.mul(place, math.constant(kScoresOfThread))), math.constant(i));
  }

  /// The products of 64 lines of `left` and of `right` over `numbers`: 4 x 4, row-major.
  llvm::SmallVector<mlir::Value> products(const AttentionMatrix &left, Index firstLeft, const AttentionMatrix &right,
                                          Index firstRight, int64_t numbers);
  /// Puts a tile where `addProducts` finds it, by the columns of threads.
  void share(llvm::ArrayRef<mlir::Value> tile);
  /// `sums`, of the threads' 4 rows by `sumsOf(numbers)` columns, and the products of the shared tile by 64 lines of
  /// `lines`, `numbers` each, that begin at `first`.
  llvm::SmallVector<mlir::Value> addProducts(const AttentionMatrix &lines, Index first, int64_t numbers,
                                             mlir::ValueRange sums);
  static int64_t sumsOf(int64_t numbers);
  /// Column of such a sum.
  Index columnOf(int64_t numbers, int64_t j);
  /// Stores such sums, as `element` makes them of a sum and its row among the thread's, at `first` of `out`.
  void store(const AttentionMatrix &out, Index first, int64_t numbers, mlir::ValueRange sums,
             llvm::function_ref<mlir::Value(mlir::Value, int64_t)> element);

  /// x of all 16 threads of the row of a grid, combined.
  mlir::Value combineRow(mlir::vector::CombiningKind kind, mlir::Value x) {
    return combineThreads(kind, x, kScoresGrid);
  }
  mlir::Value exp(mlir::Value x);

private:
  llvm::SmallVector<mlir::Value> read(const AttentionMatrix &from, Index line, Index number, int64_t numbers);
  void bringAcross(const AttentionMatrix &from, Index first, Index number, mlir::Value to);
  void bringLines(const AttentionMatrix &from, Index first, int64_t numbers, mlir::Value to);
  llvm::SmallVector<mlir::Value> neighbours(mlir::Value shared, Index at, int64_t count);

  mlir::Value thread, left, right, tile, lines;
};

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_ATTENTIONTILES_H
