// Control flow of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFCONTROLFLOWOPS_H
#define DIALECTS_DF_IR_DFCONTROLFLOWOPS_H

#include "dialects/Df/IR/DfFunctionOps.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfControlFlowOps.h.inc"

#endif // DIALECTS_DF_IR_DFCONTROLFLOWOPS_H
