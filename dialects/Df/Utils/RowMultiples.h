// How the dynamic dimensions of a function's values depend on the number of rows of the batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_ROWMULTIPLES_H
#define DIALECTS_DF_UTILS_ROWMULTIPLES_H

#include "dialects/Df/IR/Df.h"
#include "llvm/ADT/DenseMap.h"

namespace mlc::df {

/// For each dynamic dimension of each value of a function: its size over the number of rows of the batch, or over that
/// of the values of a multi-valued feature (rowSymbolOf tells which). Arguments have one row for each; concatenations
/// along rows have more. At any stage of the dialect.
class RowMultiples {
public:
  explicit RowMultiples(FunctionOp function);

  /// The multiple of dynamic dimension `d` of a tensor, or of the rows (d = 0) of a `!df.rows` value; 0 if it is none:
  /// it depends on the branch taken or on the iteration.
  int64_t get(mlir::Value value, int64_t d) const;

  /// Whether every dynamic dimension of a value is one row for each of the batch.
  bool areOne(mlir::Value value) const;

  /// The type of a tensor whose dynamic dimension, the first one, is k times the rows, as [rows, k, ...], of which
  /// df.reshape makes it: with one row for each of the batch. The type itself if k is 1; null where there is no such
  /// type.
  mlir::RankedTensorType getRowsFirstType(mlir::Value value) const;

private:
  void visit(mlir::Operation *op);
  void set(mlir::Value value, llvm::ArrayRef<int64_t> multiples);
  void join(mlir::ValueRange values, mlir::ValueRange others);
  llvm::SmallVector<int64_t> copyOf(mlir::Value value) const;

  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 2>> multiples;
};

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_ROWMULTIPLES_H
