// Cumulative ops and order statistics of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFORDEROPS_H
#define DIALECTS_DF_IR_DFORDEROPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfOrderOps.h.inc"

#endif // DIALECTS_DF_IR_DFORDEROPS_H
