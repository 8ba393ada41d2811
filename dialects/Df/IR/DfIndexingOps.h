// Gathers, scatters and what is made of them: ops that move elements to and from places that data names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFINDEXINGOPS_H
#define DIALECTS_DF_IR_DFINDEXINGOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfIndexingOps.h.inc"

#endif // DIALECTS_DF_IR_DFINDEXINGOPS_H
