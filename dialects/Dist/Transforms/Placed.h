// What is asked of a module in which every op has a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DIST_TRANSFORMS_PLACED_H
#define DIALECTS_DIST_TRANSFORMS_PLACED_H

#include "dialects/Dist/IR/Dist.h"

namespace mlc::dist {

/// Fails, after an error at the op, unless `module` is as df-expand-gradients leaves it: no df.gradients, and state by
/// symbol (no bindings); and has no programs yet.
llvm::LogicalResult verifyPlaceable(mlir::ModuleOp module);

/// The same, and each function, variable, queue and op has a concrete device in canonical form, each op that names a
/// variable or a queue the device of that, and each slot that of its variable.
llvm::LogicalResult verifyPlaced(mlir::ModuleOp module);

} // namespace mlc::dist

#endif // DIALECTS_DIST_TRANSFORMS_PLACED_H
