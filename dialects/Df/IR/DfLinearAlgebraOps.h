// Factorizations of matrices and systems of equations of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFLINEARALGEBRAOPS_H
#define DIALECTS_DF_IR_DFLINEARALGEBRAOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfLinearAlgebraOps.h.inc"

#endif // DIALECTS_DF_IR_DFLINEARALGEBRAOPS_H
