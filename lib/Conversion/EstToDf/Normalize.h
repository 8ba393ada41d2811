// Normalizers of numbers and their inverses. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_NORMALIZE_H
#define LIB_CONVERSION_ESTTODF_NORMALIZE_H

#include "dialects/Est/IR/Est.h"
#include "lib/Conversion/EstToDf/GraphBuilder.h"

namespace mlc::est2df {

/// `value` (f32) under a normalizer of est: #est.z_score, #est.min_max, #est.log1p, or a function of the module, whose
/// ops are put here; `value` itself if there is none.
mlir::Value normalize(GraphBuilder &builder, mlir::Attribute normalizer, mlir::Value value);

/// Whether columns under two normalizers are normalized by one op for both: they differ in numbers alone.
bool areNormalizedAlike(mlir::Attribute a, mlir::Attribute b);

/// `columns`, [n, width] of f32, each under its normalizer; all are alike.
mlir::Value normalizeColumns(GraphBuilder &builder, llvm::ArrayRef<mlir::Attribute> normalizers, mlir::Value columns);

/// The inverse of `normalize`, of no function.
mlir::Value denormalize(GraphBuilder &builder, mlir::Attribute normalizer, mlir::Value value);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_NORMALIZE_H
