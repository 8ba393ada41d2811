// Ops that are composites in some of their forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFFORMS_H
#define DIALECTS_DF_IR_DFFORMS_H

#include "dialects/Df/IR/Df.h"

#include "dialects/Df/IR/DfForms.h.inc"

namespace mlc::df {

/// Whether `op` is in a form that stands for its decomposition while other forms of it do not.
bool isCompositeForm(mlir::Operation *op);

/// Whether `op` stands for its decomposition.
bool isComposite(mlir::Operation *op);

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFFORMS_H
