// Losses of the df dialect: compositions of element-wise ops and reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFLOSSOPS_H
#define DIALECTS_DF_IR_DFLOSSOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfLossOps.h.inc"

#endif // DIALECTS_DF_IR_DFLOSSOPS_H
