// Decompositions of the composite df ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_DECOMPOSE_DECOMPOSITIONS_H
#define DIALECTS_DF_DECOMPOSE_DECOMPOSITIONS_H

#include "mlir/IR/DialectRegistry.h"

namespace mlc::df {

/// Attaches the models of `DecomposableOpInterface` to the df ops when the dialect is loaded.
void registerDfDecompositions(mlir::DialectRegistry &registry);

} // namespace mlc::df

#endif // DIALECTS_DF_DECOMPOSE_DECOMPOSITIONS_H
