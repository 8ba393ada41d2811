// Reductions, products and fused losses of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFREDUCTIONOPS_H
#define DIALECTS_DF_IR_DFREDUCTIONOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfReductionOps.h.inc"

#endif // DIALECTS_DF_IR_DFREDUCTIONOPS_H
