// mlc-reduce: makes a module smaller while a test program finds it interesting.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShrinkPass.h"
#include "mlc/Driver/Plugins.h"
#include "mlc/Driver/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlc::registerDialects(registry);
  llvm::SmallVector<char *> arguments(argv, argv + argc);
  if (llvm::Error error = mlc::takePluginArguments(arguments, registry)) {
    llvm::logAllUnhandledErrors(std::move(error), llvm::errs(), "mlc-reduce: ");
    return 1;
  }
  mlc::registerPasses();
  mlc::registerShrinkPass();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(arguments.size(), arguments.data(), context));
}
