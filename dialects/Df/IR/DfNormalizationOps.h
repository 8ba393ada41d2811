// Normalizations of the df dialect: compositions of reductions and element-wise ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFNORMALIZATIONOPS_H
#define DIALECTS_DF_IR_DFNORMALIZATIONOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfNormalizationOps.h.inc"

#endif // DIALECTS_DF_IR_DFNORMALIZATIONOPS_H
