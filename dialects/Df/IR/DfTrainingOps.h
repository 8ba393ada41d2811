// Losses over the batch, gradients and sparse rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFTRAININGOPS_H
#define DIALECTS_DF_IR_DFTRAININGOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfTrainingOps.h.inc"

namespace mlc::df {

/// On a `df.gradients`: a variable, a scalar of f32, by which cotangents are multiplied. Gradients are divided by it
/// when they are sums over the batch: a power of 2 changes only what else would be too small for its type, or makes it
/// too large. A symbol.
inline constexpr llvm::StringLiteral kScaledByAttr = "df.scaled_by";

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFTRAININGOPS_H
