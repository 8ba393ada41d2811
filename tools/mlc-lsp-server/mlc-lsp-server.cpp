// mlc-lsp-server: what editors ask about .mlir files with our dialects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HoverDocs.h"
#include "mlc/Driver/Plugins.h"
#include "mlc/Driver/Register.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlc::filterStandardOutput();
  mlir::DialectRegistry registry;
  mlc::registerDialects(registry);
  llvm::SmallVector<char *> arguments(argv, argv + argc);
  if (llvm::Error error = mlc::takePluginArguments(arguments, registry)) {
    llvm::logAllUnhandledErrors(std::move(error), llvm::errs(), "mlc-lsp-server: ");
    return 1;
  }
  return mlir::failed(mlir::MlirLspServerMain(arguments.size(), arguments.data(), registry));
}
