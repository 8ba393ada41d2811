// Errors about unknown names of our dialects get the nearest name that there is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_LIB_DRIVER_NEARESTNAMES_H
#define MLC_LIB_DRIVER_NEARESTNAMES_H

#include "mlir/IR/DialectRegistry.h"

namespace mlc {

/// How the note begins that names it.
inline constexpr llvm::StringLiteral kDidYouMean = "did you mean ";

/// Contexts that load our dialects add a note to the errors of MLIR's parser and verifier about ops, attributes and
/// types that those do not have. A handler of diagnostics that is registered later does not see it.
void registerNearestNames(mlir::DialectRegistry &registry);

} // namespace mlc

#endif // MLC_LIB_DRIVER_NEARESTNAMES_H
