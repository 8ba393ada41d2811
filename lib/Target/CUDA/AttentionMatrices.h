// Tiles of attention's scores by tensor cores: what its kernels share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_ATTENTIONMATRICES_H
#define LIB_TARGET_CUDA_ATTENTIONMATRICES_H

#include "AttentionOperands.h"
#include "MatrixFragments.h"

namespace mlc::cuda {

/// Lines of a block, a warp's 16 for each of its 8.
inline constexpr int64_t kBlockLines = kThreads / kWarp * kMatrixRows;

/// Emits a kernel of attention whose products are added by tensor cores. A warp has 16 lines of one side (queries,
/// say), in registers as factors; tiles of lines of the other side go through shared memory. So the warp has all scores
/// of its lines in registers, in the place where the next product needs them as factors, and rows of them in four
/// neighbouring threads. All threads of a block are in each call.
class AttentionMatrices : public AttentionOperands {
public:
  AttentionMatrices(mlir::OpBuilder &b, mlir::Location loc, mlir::Type element)
      : AttentionOperands(b, loc), fragments{b, loc, element} {}

  /// What a thread has of 16 x `columns` sums: for each eight columns two neighbours of a row, and two of the row eight
  /// below.
  static int64_t sumsOf(int64_t columns) { return columns / kMatrixColumns * 4; }

  /// Columns that a tile of `numbers` has, in matrices of 16.
  static int64_t paddedTo(int64_t numbers, int64_t multiple) { return (numbers + multiple - 1) / multiple * multiple; }
  static int64_t columnsOf(int64_t numbers) { return paddedTo(numbers, 2 * kMatrixColumns); }

  /// Launches a block for each tile of 128 of `lines` at each position of the leading dimensions. `enter` makes its
  /// shared memory; `body` gets the block's first line.
  void launch(Index lines, double cost, llvm::function_ref<void()> enter, llvm::function_ref<void(Index first)> body);

  /// Lines of the tiles of a kernel, one of the forward pass or of gradients: as many as a thread has registers for.
  int64_t linesOfTiles(bool isGradient) const;
  /// Nanoseconds of a block that computes the scores of `numbers` numbers each, and sums of as many, for all tiles of
  /// the other side.
  static double costOf(Index others, int64_t numbers);

  /// A tile of `lines` lines, `numbers` each, of a matrix in memory, in shared memory.
  struct Tile {
    SharedMatrix shared;
    int64_t lines = 0, numbers = 0;
    AttentionMatrix from;
  };
  Tile allocateTile(int64_t lines, int64_t numbers);

  /// Calls `body` with the first line of each tile of the lines [begin, end), of `size` that the matrices have, when
  /// `tiles`, which have as many lines each, are in shared memory; `body` gets what is carried and gives the next.
  llvm::SmallVector<mlir::Value>
  forEachTile(llvm::ArrayRef<const Tile *> tiles, Index begin, Index end, Index size, mlir::ValueRange init,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(Index first, mlir::ValueRange carried)> body);

  /// The warp's lines of `from`, of the block's that begin at `first`, as factors over `numbers`: four words for each
  /// step of the instruction.
  using Rows = llvm::SmallVector<llvm::SmallVector<mlir::Value>>;
  Rows rowsOf(const AttentionMatrix &from, Index first, int64_t numbers);
  using AttentionOperands::rowsOf;
  /// Words of a thread for its part of such factors over `numbers`.
  int64_t wordsOf(int64_t numbers) const {
    const int64_t step = 2 * fragments.perPiece();
    return paddedTo(numbers, step) / step * 4;
  }

  /// The products of the warp's lines with those of a tile, over their numbers.
  llvm::SmallVector<mlir::Value> products(const Rows &rows, const Tile &tile);
  /// Adds to `sums`, of the warp's lines by the tile's numbers from `firstNumber` on, the products of `scores`,
  /// rounded, with the tile's lines.
  void addProducts(llvm::ArrayRef<mlir::Value> scores, const Tile &tile, llvm::MutableArrayRef<mlir::Value> sums,
                   int64_t firstNumber = 0);

  /// The row, among the warp's, of sum `at`, which is one of the block's that begin at `first`; and its column.
  Index rowAt(Index first, int64_t at) { return math.add(math.add(first, ownRow), math.constant(at % 4 / 2 * 8)); }
  Index columnAt(Index first, int64_t at) {
    return math.add(math.add(first, ownColumn), math.constant(at / 4 * kMatrixColumns + at % 2));
  }

  /// Stores sums of the warp's lines at `first` of `out`, from its number `firstNumber` on, as `element` makes them of
  /// a sum and of whether its row is the lower one.
  void store(const AttentionMatrix &out, Index first, mlir::ValueRange sums,
             llvm::function_ref<mlir::Value(mlir::Value, int64_t)> element, int64_t firstNumber = 0);

  /// x of the four threads that have a row, combined.
  mlir::Value combineRow(mlir::vector::CombiningKind kind, mlir::Value x) { return combineThreads(kind, x, 4); }
  /// Whether the thread is the first of those.
  mlir::Value isFirstOfRow();

  /// e^x of x <= 0, and 0 below -88: less than what a sum with 1 in it can tell. NaN stays NaN.
  mlir::Value expOfShare(mlir::Value x);

  MatrixFragments fragments;

private:
  llvm::SmallVector<mlir::Value> fetch(llvm::ArrayRef<const Tile *> tiles, Index first, Index size);
  void put(llvm::ArrayRef<const Tile *> tiles, mlir::ValueRange elements);
  void forEachPiece(const Tile &tile, llvm::function_ref<void(Index line, Index number, mlir::Value isThere)> each);
  mlir::Value hidden(mlir::Value number);
  mlir::Value rounded(mlir::Value low, mlir::Value high);
  mlir::Value roundedToTf32(mlir::Value x);

  mlir::Value thread, lane;
  Index ownRow, ownColumn; ///< of the thread's first sum, in the block's lines and in a tile
};

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_ATTENTIONMATRICES_H
