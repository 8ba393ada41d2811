// Which variables ops read and write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_STATEACCESS_H
#define DIALECTS_DF_UTILS_STATEACCESS_H

#include "dialects/Df/IR/Df.h"

namespace mlc::df {

/// What `root` and the ops in its regions read and write.
StateAccess getStateAccess(mlir::Operation *root);

/// What the op itself reads and writes, as it tells (`StateOpInterface`): nothing if it does not.
StateAccess getOwnStateAccess(mlir::Operation *op);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_STATEACCESS_H
