// Initial values of variables as segments over ranges of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_TRANSFORMS_SPLITINIT_H
#define DIALECTS_DF_TRANSFORMS_SPLITINIT_H

#include "dialects/Df/IR/DfFunctionOps.h"

namespace mlc::df {

/// Takes out of `init` (role init, stage 5), each as a segment of its own of the same entry, the variables with rows
/// whose initial values are computed element by element of splats and of random numbers that are counted by the linear
/// index. Such a segment writes the rows that its buffer has, which begin at the context's first_row of the variable;
/// of all rows, from 0, it has the bits that `init` had. What is left stays as it is.
void splitInit(FunctionOp init);

} // namespace mlc::df

#endif // DIALECTS_DF_TRANSFORMS_SPLITINIT_H
