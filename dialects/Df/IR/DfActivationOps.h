// Activation functions of the df dialect, element-wise. relu, sigmoid, softplus and tanh are primitives of
// DfElementwiseBase.td; all of these are composites of primitives. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef DIALECTS_DF_IR_DFACTIVATIONOPS_H
#define DIALECTS_DF_IR_DFACTIVATIONOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfActivationOps.h.inc"

#endif // DIALECTS_DF_IR_DFACTIVATIONOPS_H
