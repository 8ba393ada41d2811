// Factors of products as a module's precision has them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_ROUNDFACTOR_H
#define DIALECTS_DF_UTILS_ROUNDFACTOR_H

#include "dialects/Df/IR/Df.h"
#include "mlir/IR/Builders.h"

namespace mlc::df {

/// The element type that holds what is rounded to `precision`: bf16, f16, or f32, which has no rounding or that of
/// tf32.
mlir::FloatType factorType(mlir::MLIRContext *context, Precision precision);

/// `factor`, a tensor of f32, rounded to the nearest numbers of `precision` (ties to even), of f32 again. Halves are
/// casts to them and back, which `convert-df-to-linalg` takes into products.
mlir::Value roundFactor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value factor, Precision precision);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_ROUNDFACTOR_H
