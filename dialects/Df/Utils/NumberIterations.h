// Gives the random ops in loops the numbers of their iterations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_NUMBERITERATIONS_H
#define DIALECTS_DF_UTILS_NUMBERITERATIONS_H

#include "mlir/IR/Operation.h"

namespace mlc::df {

/// Each df.random inside of a df.scan or df.while that has no `iterations` gets those of the loops around it, outermost
/// first. The loops count them in one more carried value.
void numberIterations(mlir::Operation *root);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_NUMBERITERATIONS_H
