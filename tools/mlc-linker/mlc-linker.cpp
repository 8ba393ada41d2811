// The linker of artifacts and trainers: lld's driver for ELF, without code generation, linked statically. Debian's
// ld.lld spends four times as long on loading libLLVM as on linking a model.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lld/Common/Driver.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

// The driver registers each target that LLVM is built with, for bitcode among its inputs, and optimizes that with
// Polly. There is none here, and these functions take the place of those that bring all of it along.
extern "C" {
#define LLVM_TARGET(name)                                                                                              \
  void LLVMInitialize##name##TargetInfo() {}                                                                           \
  void LLVMInitialize##name##Target() {}                                                                               \
  void LLVMInitialize##name##TargetMC() {}
#include "llvm/Config/Targets.def"
#define LLVM_ASM_PRINTER(name)                                                                                         \
  void LLVMInitialize##name##AsmPrinter() {}
#include "llvm/Config/AsmPrinters.def"
#define LLVM_ASM_PARSER(name)                                                                                          \
  void LLVMInitialize##name##AsmParser() {}
#include "llvm/Config/AsmParsers.def"
}

llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {LLVM_PLUGIN_API_VERSION, "none", ""}; }

int main(int argc, char **argv) {
  const lld::Result result =
      lld::lldMain(llvm::ArrayRef(argv, argc), llvm::outs(), llvm::errs(), {{lld::Gnu, &lld::elf::link}});
  return result.retCode;
}
