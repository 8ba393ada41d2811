// Ops of multi-valued features: rows of different lengths after one another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFRAGGEDOPS_H
#define DIALECTS_DF_IR_DFRAGGEDOPS_H

#include "dialects/Df/IR/DfForms.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfRaggedOps.h.inc"

#endif // DIALECTS_DF_IR_DFRAGGEDOPS_H
