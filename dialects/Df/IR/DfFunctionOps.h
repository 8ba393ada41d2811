// Functions of the df dialect, and what ends them and regions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFFUNCTIONOPS_H
#define DIALECTS_DF_IR_DFFUNCTIONOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfFunctionOps.h.inc"

#endif // DIALECTS_DF_IR_DFFUNCTIONOPS_H
