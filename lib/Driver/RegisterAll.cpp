// Upstream dialects and passes for tools that take any module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/RegisterUpstream.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void mlc::registerUpstreamDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
}

void mlc::registerUpstreamPasses() { mlir::registerAllPasses(); }
