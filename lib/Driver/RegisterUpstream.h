// Upstream dialects and passes: all of them (RegisterAll.cpp), or those of our own pipelines (RegisterUsed.cpp).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_REGISTERUPSTREAM_H
#define LIB_DRIVER_REGISTERUPSTREAM_H

#include "mlir/IR/DialectRegistry.h"

namespace mlc {

/// Dialects, and external models of their interfaces.
void registerUpstreamDialects(mlir::DialectRegistry &registry);
/// Passes, with the global registry.
void registerUpstreamPasses();

} // namespace mlc

#endif // LIB_DRIVER_REGISTERUPSTREAM_H
