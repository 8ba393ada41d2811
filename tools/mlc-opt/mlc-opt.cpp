// mlc-opt: every pass and every pipeline of mlc, nothing else.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/PassHelp.h"
#include "mlc/Driver/Plugins.h"
#include "mlc/Driver/Register.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (llvm::StringRef(argv[i]) == "--help-mlc" || llvm::StringRef(argv[i]) == "-help-mlc")
      return mlc::printPassHelp(), 0;
  if (llvm::Error error = mlc::loadPluginArguments(llvm::ArrayRef(argv, argc))) {
    llvm::logAllUnhandledErrors(std::move(error), llvm::errs(), "mlc-opt: ");
    return 1;
  }
  mlir::DialectRegistry registry;
  mlc::registerDialects(registry);
  mlc::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mlc optimizer driver; --help-mlc lists the passes of mlc alone\n", registry));
}
