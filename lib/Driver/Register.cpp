// The one place where dialects, passes and pipelines are registered: one line each, sorted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Register.h"
#include "dialects/Df/IR/Df.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void mlc::registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<df::DfDialect>();
}

void mlc::registerPasses() {
  mlir::registerAllPasses();
}
