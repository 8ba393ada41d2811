// Slices, pads, shapes of run time and what is made of them: ops that move elements to places that the op names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFLAYOUTOPS_H
#define DIALECTS_DF_IR_DFLAYOUTOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfLayoutOps.h.inc"

#endif // DIALECTS_DF_IR_DFLAYOUTOPS_H
