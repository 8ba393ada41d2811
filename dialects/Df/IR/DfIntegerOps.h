// Bits of integers, and logic, of the df dialect, element-wise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFINTEGEROPS_H
#define DIALECTS_DF_IR_DFINTEGEROPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfIntegerOps.h.inc"

#endif // DIALECTS_DF_IR_DFINTEGEROPS_H
