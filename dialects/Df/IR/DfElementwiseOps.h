// Element-wise ops of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFELEMENTWISEOPS_H
#define DIALECTS_DF_IR_DFELEMENTWISEOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfElementwiseOps.h.inc"

#endif // DIALECTS_DF_IR_DFELEMENTWISEOPS_H
