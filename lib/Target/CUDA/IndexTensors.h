// Tensors whose elements are computed from their numbers, by points that may read any element of others: what ops of
// data-dependent order become.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_INDEXTENSORS_H
#define LIB_TARGET_CUDA_INDEXTENSORS_H

#include "mlir/IR/Builders.h"

namespace mlc::cuda {

/// Arithmetic on indices, none of which is negative.
struct Indices {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value rem(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  /// x - y, or 0.
  mlir::Value excess(mlir::Value x, mlir::Value y) { return sub(max(x, y), y); }
  mlir::Value isBelow(mlir::Value x, mlir::Value y);
  /// Of a bit.
  mlir::Value isNot(mlir::Value condition);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  /// How many bits the number has: 0 of 0.
  mlir::Value bits(mlir::Value x);
  /// Of a tensor<i64>.
  mlir::Value scalar(mlir::Value tensor) { return element(tensor, {}); }
  /// An element of a tensor of i64.
  mlir::Value element(mlir::Value tensor, mlir::ValueRange at);
  mlir::Value toI64(mlir::Value index);
  /// `then` where the condition holds, else `otherwise`: only one is computed.
  mlir::Value either(mlir::Value condition, llvm::function_ref<mlir::Value(Indices)> then,
                     llvm::function_ref<mlir::Value(Indices)> otherwise);
  /// The first number of [low, high) of which `isBefore` does not hold, or `high`: it holds of those before alone.
  mlir::Value search(mlir::Value low, mlir::Value high, llvm::function_ref<mlir::Value(Indices, mlir::Value)> isBefore);
};

/// The tensor with one dimension at most.
mlir::Value flat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor);

/// In the place of `out`, for each element what `element` makes of its row-major number.
mlir::Value generate(mlir::OpBuilder &b, mlir::Location loc, mlir::Value out,
                     llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value number)> element);

/// The same in a new vector of `size` i64.
mlir::Value generateVector(mlir::OpBuilder &b, mlir::Location loc, mlir::Value size,
                           llvm::function_ref<mlir::Value(Indices, mlir::Value number)> element);

/// Sums of the first elements of a vector of `size` i64, each with its own: in as many sweeps as size - 1 has bits, and
/// one more for each two.
mlir::Value sumsUpTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value vector, mlir::Value size);

/// Elements of a vector that are marked, which are numbered in their order: in a new vector it has how many there are
/// up to each element.
struct Marks {
  Marks(Indices math, mlir::Value size, llvm::function_ref<mlir::Value(Indices, mlir::Value number)> isMarked);

  /// How many there are in the first `end` elements, an i64.
  mlir::Value countUpTo(Indices in, mlir::Value end) const;

  /// Where number k is; the size if there is none.
  mlir::Value placeOf(Indices in, mlir::Value k) const;

  mlir::Value size;
  mlir::Value sums; ///< how many there are up to each element
};

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_INDEXTENSORS_H
