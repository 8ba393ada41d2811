// Gathers and updates of rows: what the lowerings of targets share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_ROWLOWERING_H
#define LIB_TARGET_CPU_ROWLOWERING_H

#include "VectorBody.h"
#include "dialects/Kern/IR/Kern.h"

namespace mlc {

/// Number of elements of a row of a buffer. Fails with an error at `op` where rows are of dynamic size, or not
/// contiguous after their stride.
llvm::FailureOr<int64_t> rowElements(mlir::Operation *op, const FlatBuffer &buffer);

/// Calls `body` for each vector of a row of `elements`, the last one masked.
void forEachVector(mlir::OpBuilder &b, mlir::Location loc, int64_t elements, int64_t lanes,
                   llvm::function_ref<void(Index, const Lanes &)> body);

/// Element `at` of a buffer of integers, as an index.
mlir::Value loadIndex(mlir::OpBuilder &b, mlir::Location loc, const FlatBuffer &buffer, Index at);

/// [begin, end) of group k in the order.
std::pair<Index, Index> groupBounds(mlir::OpBuilder &b, mlir::Location loc, const FlatBuffer &ends, Index k);

/// The first of entries [low, high) of a buffer of ascending integers that is not below `value`, or `high`.
mlir::Value lowerBound(mlir::OpBuilder &b, mlir::Location loc, const FlatBuffer &entries, Index low, Index high,
                       Index value);

/// One vector of the sum of a group's rows (mlc/Support/SumOrder.h).
struct GroupSum {
  mlir::OpBuilder &b;
  mlir::Location loc;
  const FlatBuffer &values, &order;
  Index column;
  const Lanes &l;
  /// The sums of the blocks of groups that have several, if they are there: rows that `blockSlot` numbers.
  const FlatBuffer *blockSums = nullptr;
  IndexMath math{b, loc};

  /// The sum of the rows that the order has from `begin` to `end`, of which there is one at least.
  mlir::Value sum(Index begin, Index end);
  /// The same of one block's rows, one after the other.
  mlir::Value block(Index begin, Index end);
  /// Which row of `blockSums` has the block that begins at place `at` of the order, the first one of its group or not.
  /// Of two blocks that begin within as many places as a block has, where there are that many, one is the first of its
  /// group; so there are two rows for each kSumBlock places, and no two blocks have one.
  Index blockSlot(Index at, mlir::Value isFirst);

private:
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value row(Index j);
  mlir::Value blocks(Index begin, Index end);
};

/// kern.update_rows.
struct RowUpdate {
  mlir::OpBuilder &b;
  kern::UpdateRowsOp op;
  int64_t lanes;
  mlir::Location loc;
  IndexMath math;
  FlatBuffer ids, values;
  llvm::SmallVector<FlatBuffer> grouping, tables, scalars;
  int64_t elements = 0; ///< of a row
  FlatBuffer count;
  Index numIds; ///< what the count says; null where it is in a device's memory, which its kernels read
  llvm::SmallVector<mlir::Value> constants; ///< the scalars
  const FlatBuffer *blockSums = nullptr;    ///< as GroupSum's

  RowUpdate(mlir::OpBuilder &b, kern::UpdateRowsOp op, int64_t lanes)
      : b(b), op(op), lanes(lanes), loc(op.getLoc()), math{b, loc} {}

  /// Takes the operands apart, on the host.
  llvm::LogicalResult collect();
  /// Once for a row or more: stores to the tables might change them, for all that LLVM knows.
  void loadScalars();
  /// Replaces the elements from (row, column) on in all tables; `isPresent`: the row has an id.
  void apply(Index row, Index column, mlir::Value gradient, bool isPresent, const Lanes &l);
  /// The gradient of the elements from `column` on of entry k's row, whose group is [begin, end) if there are groups.
  mlir::Value gradientOf(Index k, Index begin, Index end, Index column, const Lanes &l);
};

} // namespace mlc

#endif // LIB_TARGET_CPU_ROWLOWERING_H
