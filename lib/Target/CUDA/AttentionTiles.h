// Tiles of attention's scores on the device's memory: what forward and backward kernels share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_ATTENTIONTILES_H
#define LIB_TARGET_CUDA_ATTENTIONTILES_H

#include "Grid.h"
#include "dialects/Kern/IR/KernAttention.h"

namespace mlc::cuda {

/// On an op of a kernel: its sums have an order of the target's own, and not that which the program says. Images tell
/// it.
inline constexpr llvm::StringLiteral kOwnOrderAttr = "own_order";

/// Queries and keys of a tile of scores. A block of 16 x 16 threads has it, each thread 4 x 4 neighbours.
inline constexpr int64_t kScores = 64, kScoresGrid = 16, kScoresOfThread = 4;

/// A matrix in memory: the last two dimensions of an operand at one position of the leading ones.
struct AttentionMatrix {
  mlir::Value flat;
  Index base, rowStride, columnStride, rows, columns;
  int64_t width = 1; ///< neighbours of a row that may be read at once
};

/// Emits a kernel of attention. Scores of a tile are products of up to 64 lines of each of two matrices, of which a
/// chunk of 16 numbers of all lines goes through shared memory at a time; sums of 64 lines by a tile's scores stay in
/// registers. Each is added by FMAs in ascending order. All threads of a block are in each call.
class AttentionTiles {
public:
  AttentionTiles(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc), math{b, loc} {}

  /// The scores' operands, where the launch is made.
  void collect(mlir::Value query, mlir::Value key, mlir::Value value, mlir::Value mask, bool causal, float scale);

  /// Launches a block for each tile of 64 of `lines` at each position of the leading dimensions; `body` gets its first
  /// line.
  void launch(Index lines, double cost, llvm::function_ref<void(Index first)> body);

  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexMath math;
  Index numQueries, numKeys;
  int64_t depth = 0, width = 0; ///< numbers of a query and of a value
  bool causal = false;
  FlatBuffer mask; ///< none: without a value
  AttentionMatrix query, key, value;
  mlir::Value row, column; ///< of the thread among 16 x 16

  /// The matrix that the buffer has at the block's position of the leading dimensions.
  AttentionMatrix matrixOf(const FlatBuffer &buffer);
  /// Where the buffer's row begins there, which has no columns.
  Index rowsOf(const FlatBuffer &buffer);

  /// Line of the thread among its row's, or column's, of a tile that begins at `first`.
  Index lineOf(Index first, mlir::Value place, int64_t i) {
    return math.add(math.add(first, math.mul(place, math.constant(kScoresOfThread))), math.constant(i));
  }

  /// The products of 64 lines of `left` and of `right` over `numbers`: 4 x 4, row-major.
  llvm::SmallVector<mlir::Value> products(const AttentionMatrix &left, Index firstLeft, const AttentionMatrix &right,
                                          Index firstRight, int64_t numbers);
  /// A score of a product of query `q` and key `k`; `hidden`, whether a mask hides it, null: none does.
  mlir::Value scoreOf(mlir::Value product, Index q, Index k, mlir::Value &hidden);
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
  mlir::Value combineRow(mlir::vector::CombiningKind kind, mlir::Value x);

  mlir::Value exp(mlir::Value x);
  mlir::Value constant(float x);
  mlir::Value isBelow(Index x, Index size);
  mlir::Value both(mlir::Value x, mlir::Value y);
  /// Element of `flat` if `isThere` (null: it is), else 0.
  mlir::Value load(mlir::Value flat, Index at, Index other, mlir::Value isThere);
  llvm::SmallVector<mlir::Value> zeros(int64_t count) { return llvm::SmallVector<mlir::Value>(count, constant(0)); }

private:
  mlir::Value allocate(int64_t elements);
  llvm::SmallVector<mlir::Value> read(const AttentionMatrix &from, Index line, Index number, int64_t numbers);
  void bringAcross(const AttentionMatrix &from, Index first, Index number, mlir::Value to);
  void bringLines(const AttentionMatrix &from, Index first, int64_t numbers, mlir::Value to);
  llvm::SmallVector<mlir::Value> neighbours(mlir::Value shared, Index at, int64_t count);
  Index quotient(mlir::Value x, int64_t y);
  Index remainder(mlir::Value x, int64_t y);

  FlatBuffer queries, keys, values;
  llvm::SmallVector<Index> batches, position;
  float scale = 0;
  mlir::Value thread, left, right, tile, lines;
};

/// Each emits its op's launches at the insertion point (the op, which the caller then erases).
llvm::LogicalResult lowerAttention(mlir::OpBuilder &b, kern::AttentionOp op);
llvm::LogicalResult lowerAttentionGrad(mlir::OpBuilder &b, kern::AttentionGradOp op);

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_ATTENTIONTILES_H
