// The scalar form of the element-wise df ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_DFTOLINALG_SCALARBODY_H
#define LIB_CONVERSION_DFTOLINALG_SCALARBODY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace mlc {

/// Whether `op` is a df op that computes each element of its one result from the same elements of its operands.
bool isElementwise(mlir::Operation *op);

/// Emits the scalar computation of an element-wise df op on one element of each operand, booleans as i1. Returns null
/// after an error at the op if it has no code for the element type.
mlir::Value emitScalar(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange elements);

/// Emits the 64-bit seed that gives a df.random, at an iteration of a loop, the key of that iteration
/// (philoxIterationKey).
mlir::Value emitIterationSeed(mlir::OpBuilder &builder, mlir::Operation *randomOp, mlir::Value seed,
                              mlir::Value iteration);

/// Emits one element of a df.random from its counter words and the 64-bit seed, as docs/architecture.md rules.
/// `counter`: four i32; `seed`: i64; the result is of `type` (f32 or f64).
mlir::Value emitRandom(mlir::OpBuilder &builder, mlir::Operation *randomOp, mlir::ValueRange counter, mlir::Value seed,
                       mlir::Type type);

} // namespace mlc

#endif // LIB_CONVERSION_DFTOLINALG_SCALARBODY_H
