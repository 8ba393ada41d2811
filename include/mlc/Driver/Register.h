// The one place where dialects, passes and pipelines are registered: one line each, sorted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_REGISTER_H
#define MLC_DRIVER_REGISTER_H

#include "mlir/IR/DialectRegistry.h"

namespace mlc {

/// Registers our dialects, the upstream ones the pipelines use, and the external models of their interfaces.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers our passes and pipelines, and the upstream passes the pipelines use, with the global pass registry (for
/// mlc-opt).
void registerPasses();

/// Registers ours alone.
void registerMlcPasses();

} // namespace mlc

#endif // MLC_DRIVER_REGISTER_H
