// mlc-reduce: makes a module smaller while a test program finds it interesting.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShrinkPass.h"
#include "mlc/Driver/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlc::registerDialects(registry);
  mlc::registerPasses();
  mlc::registerShrinkPass();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
