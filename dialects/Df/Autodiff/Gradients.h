// Gradient rules of the df ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_AUTODIFF_GRADIENTS_H
#define DIALECTS_DF_AUTODIFF_GRADIENTS_H

#include "mlir/IR/DialectRegistry.h"

namespace mlc::df {

/// Attaches the rules of `DifferentiableOpInterface` to the df ops when the dialect is loaded.
void registerDfGradients(mlir::DialectRegistry &registry);

} // namespace mlc::df

#endif // DIALECTS_DF_AUTODIFF_GRADIENTS_H
