// Attention's operands on the device's memory: what all of its kernels share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_ATTENTIONOPERANDS_H
#define LIB_TARGET_CUDA_ATTENTIONOPERANDS_H

#include "Grid.h"
#include "dialects/Kern/IR/KernAttention.h"

namespace mlc::cuda {

/// On an op of a kernel: its sums have an order of the target's own, and not that which the program says. Images tell
/// it.
inline constexpr llvm::StringLiteral kOwnOrderAttr = "own_order";

/// The score of a row that has seen no key yet.
inline constexpr float kLowestScore = -std::numeric_limits<float>::infinity();

/// Nanoseconds of an FMA.
inline constexpr double kAttentionProductCost = 0.25;

/// A matrix in memory: the last two dimensions of an operand at one position of the leading ones.
struct AttentionMatrix {
  mlir::Value flat;
  mlir::Type element;
  Index base, rowStride, columnStride, rows, columns;
  int64_t width = 1; ///< neighbours of a row that may be read at once: of 16 bytes at most
};

/// Of each of a thread's rows in the forward pass: the maximum of the scores that it has seen, the sum of exp(score -
/// maximum) or the thread's part of it, and sums of shares by values, all as they are for that maximum.
struct RowState {
  llvm::SmallVector<mlir::Value> maxima, sums, results;

  llvm::SmallVector<mlir::Value> all() const {
    llvm::SmallVector<mlir::Value> values(maxima);
    llvm::append_range(values, sums);
    llvm::append_range(values, results);
    return values;
  }
  /// Of all() of a thread that has `rows` rows.
  static RowState of(mlir::ValueRange values, size_t rows) {
    return {llvm::SmallVector<mlir::Value>(values.take_front(rows)),
            llvm::SmallVector<mlir::Value>(values.drop_front(rows).take_front(rows)),
            llvm::SmallVector<mlir::Value>(values.drop_front(2 * rows))};
  }
};

/// Emits what kernels of attention need of their operands: matrices at a block's position of the leading dimensions,
/// and scores of products of queries and keys.
class AttentionOperands {
public:
  AttentionOperands(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc), math{b, loc} {}

  /// The scores' operands, where the launch is made.
  void collect(mlir::Value query, mlir::Value key, mlir::Value value, mlir::Value mask, bool causal, float scale);

  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexMath math;
  Index numQueries, numKeys;
  int64_t depth = 0, width = 0; ///< numbers of a query and of a value
  bool causal = false;
  FlatBuffer mask; ///< none: without a value
  AttentionMatrix query, key, value;

  /// The matrix that the buffer has at the block's position of the leading dimensions.
  AttentionMatrix matrixOf(const FlatBuffer &buffer);
  /// Where the buffer's row begins there, which has no columns.
  Index rowsOf(const FlatBuffer &buffer);

  /// The end of the keys that `count` queries from `firstQuery` on are compared with: all, or, where `causal` alone
  /// hides some, those up to the last query. Scores of later ones, -1e9 each, have shares of 0.
  Index endOfKeys(Index firstQuery, int64_t count);
  /// The first query of the tiles that see keys from `firstKey` on.
  Index beginOfQueries(Index firstKey);

  /// A score of a product of query `q` and key `k`; `hidden`, whether a mask hides it, null: none does.
  mlir::Value scoreOf(mlir::Value product, Index q, Index k, mlir::Value &hidden);

  /// x of the `count` threads of a row of a grid, or of neighbours, combined: a power of 2, at most a warp.
  mlir::Value combineThreads(mlir::vector::CombiningKind kind, mlir::Value x, int32_t count);

  mlir::Value constant(float x);
  mlir::Value isBelow(Index x, Index size);
  /// The same of a number of a tile of `extent`; null where the size is known and all are.
  mlir::Value isInside(Index x, Index size, int64_t extent);
  mlir::Value both(mlir::Value x, mlir::Value y);
  /// Element of `flat` if `isThere` (null: it is), else 0; what is not there is read at `other`.
  mlir::Value load(mlir::Value flat, Index at, Index other, mlir::Value isThere);
  /// x if `isThere` (null: it is), else 0.
  Index orFirst(Index x, mlir::Value isThere);
  /// `from.width` neighbours of a line from `number` on, of which lines have `numbers` in the tile, as a vector, with
  /// zeros where there are none.
  mlir::Value loadNeighbours(const AttentionMatrix &from, Index line, Index number, int64_t lines, int64_t numbers);
  llvm::SmallVector<mlir::Value> zeros(int64_t count) { return llvm::SmallVector<mlir::Value>(count, constant(0)); }
  Index quotient(mlir::Value x, int64_t y);
  Index remainder(mlir::Value x, int64_t y);

protected:
  /// `elements` of a block's shared memory.
  mlir::Value allocate(int64_t elements, mlir::Type element);
  /// Launches a block for each tile of `extent` of `lines` at each position of the leading dimensions. `enter` is
  /// called where a block begins, `body` with its thread and its first line.
  void launchBlocks(Index lines, int64_t extent, double cost, llvm::function_ref<void(mlir::Value, Index)> body,
                    llvm::function_ref<void()> enter);

private:
  FlatBuffer queries, keys, values;
  llvm::SmallVector<Index> batches, position;
  float scale = 0;
};

/// Each emits its op's launches at the insertion point (the op, which the caller then erases).
llvm::LogicalResult lowerAttention(mlir::OpBuilder &b, kern::AttentionOp op);
llvm::LogicalResult lowerAttentionGrad(mlir::OpBuilder &b, kern::AttentionGradOp op);
/// The same of factors that tensor cores multiply: of f16, bf16, or of f32 with `kern.tf32`.
void lowerAttentionToMatrices(mlir::OpBuilder &b, kern::AttentionOp op);
void lowerAttentionGradToMatrices(mlir::OpBuilder &b, kern::AttentionGradOp op);

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_ATTENTIONOPERANDS_H
