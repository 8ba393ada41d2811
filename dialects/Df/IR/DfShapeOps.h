// Constants, broadcasts and shape ops of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFSHAPEOPS_H
#define DIALECTS_DF_IR_DFSHAPEOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfShapeOps.h.inc"

#endif // DIALECTS_DF_IR_DFSHAPEOPS_H
