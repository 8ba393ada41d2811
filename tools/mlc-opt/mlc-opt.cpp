// mlc-opt: every pass and every pipeline of mlc, nothing else.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Register.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlc::registerDialects(registry);
  mlc::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "mlc optimizer driver\n", registry));
}
