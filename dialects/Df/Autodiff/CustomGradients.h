// Functions with backward functions of their own, once gradients are built.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_AUTODIFF_CUSTOMGRADIENTS_H
#define DIALECTS_DF_AUTODIFF_CUSTOMGRADIENTS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlc::df {

/// Replaces each df.custom_gradient by its first region: nothing will differentiate it.
void inlineForwardFunctions(mlir::ModuleOp module);

} // namespace mlc::df

#endif // DIALECTS_DF_AUTODIFF_CUSTOMGRADIENTS_H
