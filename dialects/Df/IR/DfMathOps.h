// Functions of floats, remainders and tests of floats of the df dialect, element-wise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFMATHOPS_H
#define DIALECTS_DF_IR_DFMATHOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfMathOps.h.inc"

#endif // DIALECTS_DF_IR_DFMATHOPS_H
