// Cells of recurrent networks: one step each, for the body of a loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFCELLOPS_H
#define DIALECTS_DF_IR_DFCELLOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfCellOps.h.inc"

#endif // DIALECTS_DF_IR_DFCELLOPS_H
