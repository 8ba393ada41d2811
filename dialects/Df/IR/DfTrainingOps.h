// Losses over the batch, gradients and sparse rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFTRAININGOPS_H
#define DIALECTS_DF_IR_DFTRAININGOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfTrainingOps.h.inc"

#endif // DIALECTS_DF_IR_DFTRAININGOPS_H
