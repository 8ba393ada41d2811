// State of the df dialect: variables, tables and what names them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFSTATEOPS_H
#define DIALECTS_DF_IR_DFSTATEOPS_H

#include "dialects/Df/IR/DfFunctionOps.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfStateOps.h.inc"

#endif // DIALECTS_DF_IR_DFSTATEOPS_H
