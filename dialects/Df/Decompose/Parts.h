// What decompositions share. f16 and bf16 are computed in f32 and rounded once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_DECOMPOSE_PARTS_H
#define DIALECTS_DF_DECOMPOSE_PARTS_H

#include "dialects/Df/Decompose/Decomposition.h"
#include "dialects/Df/IR/DfShapeOps.h"

namespace mlc::df {

/// A tensor of floats in the type that it is computed in: f32 for f16 and bf16. Null stays null.
inline mlir::Value widen(ExpressionBuilder &b, mlir::Value x) {
  if (!x)
    return x;
  mlir::Type element = elementType(x.getType());
  return element.isF16() || element.isBF16() ? b.cast(x, b.builder.getF32Type()) : x;
}

/// `x` in the element type of `type`.
inline mlir::Value narrow(ExpressionBuilder &b, mlir::Value x, mlir::Type type) { return b.cast(x, elementType(type)); }

/// A scalar in the shape of `x`.
inline mlir::Value repeated(ExpressionBuilder &b, mlir::Value scalar, mlir::Value x) {
  return b.broadcast(scalar, x, {});
}

/// `reduced`, the shape of `x` without `axes`, at each element of `x`.
inline mlir::Value spreadOver(ExpressionBuilder &b, mlir::Value reduced, mlir::Value x, llvm::ArrayRef<int64_t> axes) {
  auto rank = static_cast<int64_t>(shapeOf(x.getType()).size());
  return b.broadcast(reduced, x, keptDimensions(rank, axes));
}

/// x + y for a number y.
inline mlir::Value plus(ExpressionBuilder &b, mlir::Value x, double y) { return b.add(x, b.splatLike(x, y)); }

/// The element before each one along `axis`; some element of it at the beginning.
mlir::Value elementBefore(ExpressionBuilder &b, mlir::Value x, int64_t axis);

/// The number that changes nothing in a reduction of rows; of a mean that of its sum.
mlir::TypedAttr neutralOf(RowReduction kind, mlir::Type element);

/// `start` with each row of `values` combined with the row that its id names, in order of `values`. Rows with a
/// negative id are dropped. Means are sums.
mlir::Value combineRows(ExpressionBuilder &b, RowReduction kind, mlir::Value start, mlir::Value values,
                        mlir::Value ids);

struct Moments {
  mlir::Value mean, centered, variance;
};

/// Mean and variance over `axes` as df.moments has them, and x - mean. `x` is computed in its own type.
Moments momentsOf(ExpressionBuilder &b, mlir::Value x, llvm::ArrayRef<int64_t> axes);

/// x / |x| over `axes`, norms below sqrt(epsilon) replaced by it: df.l2_normalize.
mlir::Value l2Normalized(ExpressionBuilder &b, mlir::Value x, llvm::ArrayRef<int64_t> axes, double epsilon);

} // namespace mlc::df

#endif // DIALECTS_DF_DECOMPOSE_PARTS_H
