// Random numbers, what is drawn with them, and values the runtime gives a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFRANDOMOPS_H
#define DIALECTS_DF_IR_DFRANDOMOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfRandomOps.h.inc"

#endif // DIALECTS_DF_IR_DFRANDOMOPS_H
