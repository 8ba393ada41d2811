// Conversions between number types, element by element, and the scalar form of ops on integers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_DFTOLINALG_CONVERSIONS_H
#define LIB_CONVERSION_DFTOLINALG_CONVERSIONS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlc {

/// Whether a type is f16 or bf16, which are computed in f32.
inline bool isHalfFloat(mlir::Type type) { return type.isF16() || type.isBF16(); }

/// An f16 or bf16 element as f32, exactly.
mlir::Value widenHalf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value element);
/// An f32 element rounded to nearest even as `type`, f16 or bf16; NaN stays NaN.
mlir::Value narrowToHalf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value element, mlir::Type type);

/// `element` of the df element type `from` as one of `to`, as df.cast says. Integers are signless: their types in df
/// tell the sign.
mlir::Value emitCast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value element, mlir::Type from, mlir::Type to);

/// Emits an element-wise df op on integers or booleans. Null if it has no code.
mlir::Value emitInteger(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange elements, bool isUnsigned);

} // namespace mlc

#endif // LIB_CONVERSION_DFTOLINALG_CONVERSIONS_H
