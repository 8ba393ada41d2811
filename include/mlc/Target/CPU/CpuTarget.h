// The CPU target: an LLVM dialect module and its description become an object, a shared library or an executable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_CPU_CPUTARGET_H
#define MLC_TARGET_CPU_CPUTARGET_H

#include "mlc/Target/Artifact/ArtifactTable.h"
#include "mlc/Target/CPU/CpuMachine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace mlc {

/// What compiled code is instrumented for; what loads it must have that sanitizer's runtime.
enum class Sanitizer { None, Thread, Address };

/// A CPU that code is made for.
struct CpuTarget {
  std::string cpu;      ///< LLVM's name: "x86-64-v3", "znver3"
  std::string features; ///< LLVM's feature string
  bool isWide = false;  ///< whether vectors have 512 bits
  /// What the trainer checks at start, as mlcrt_artifact.cpu_features.
  std::string required;

  /// What kernels are shaped for.
  CpuMachine getMachine() const { return {cpu, isWide ? 512 : 256, isWide ? 32 : 16}; }
};

/// The target called `name`: "native" is this machine. Fails for CPUs below x86-64-v3 and unknown names.
llvm::Expected<CpuTarget> resolveCpu(llvm::StringRef name);

/// The machine that emits code for a target; without `optimize` as directly as it can.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const CpuTarget &target, bool optimize = true);

/// Lets modules of the context be translated. Once, before threads do it.
void prepareTranslation(mlir::MLIRContext &context);

/// Translates a module in the LLVM dialect; what has no code is left out. All functions are internal.
llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef name,
                                                        llvm::LLVMContext &context, llvm::TargetMachine &machine);

/// Compiled functions without a table, which stay the same while the values that the table has change: an archive of
/// objects with a section for each function, whose names begin with kCodePrefix and are hidden.
using CodeArchive = llvm::SmallVector<char, 0>;

/// Code of a module in the LLVM dialect: parts of it, which its functions alone cut, are optimized and emitted apart,
/// in the threads of its context; their bytes do not depend on these.
llvm::Expected<CodeArchive> emitCode(mlir::ModuleOp module, const CpuTarget &target, bool optimized,
                                     Sanitizer sanitizer = Sanitizer::None);

/// Fails if the bytes are no archive of objects, or one of them imports what checkImports refuses.
llvm::Error checkCode(llvm::StringRef archive, Sanitizer sanitizer = Sanitizer::None);

/// An object of the table alone, to be linked with `code`, which has the functions of the entries.
llvm::Expected<llvm::SmallVector<char, 0>> emitTable(llvm::ArrayRef<char> code, const ArtifactInfo &info,
                                                     llvm::ArrayRef<char> predictImage, llvm::TargetMachine &machine);

/// The bytes of a shared library with the predict entry alone, of the same code; empty if there is no such entry. A
/// trainer carries them, so that it can export without a compiler.
llvm::Expected<llvm::SmallVector<char, 0>> linkPredictImage(llvm::ArrayRef<char> code, const ArtifactInfo &info,
                                                            llvm::TargetMachine &machine);

/// Optimizes for speed without changing results: no vectorizer, no fast math; without `all`, does what code generation
/// cannot do without. Then instruments the code.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, bool all = true,
              Sanitizer sanitizer = Sanitizer::None);

/// Assembly or an object of the module.
llvm::Expected<llvm::SmallVector<char, 0>> emit(llvm::Module &module, llvm::TargetMachine &machine, bool assembly);

/// Fails, naming the symbol, if the object imports anything but memcpy, memmove, memset, the sanitizer's runtime, and
/// what other objects of the same code have.
llvm::Error checkImports(llvm::ArrayRef<char> object, Sanitizer sanitizer = Sanitizer::None);

/// The file that holds this compiler: libMLC.so, or a program that has it built in.
std::string compilerPath();
/// The linker, and the runtime's libraries that trainers are linked with: beside the compiler, in ../lib of it, or else
/// where they were built.
std::string linkerPath();
std::string runtimeDirectory();
std::vector<std::string> runtimeLibraries();
/// Files that a trainer is linked with and that are not there.
std::vector<std::string> missingLinkInputs();

/// Links objects and archives into a shared library, of what its table needs, or, with the runtime, into an executable
/// trainer at `path` (written whole or not at all). Where a file cannot be written the error converts to the system's
/// code, else to inconvertibleErrorCode().
llvm::Error link(llvm::ArrayRef<llvm::ArrayRef<char>> objects, llvm::StringRef path, bool executable);

/// Whether room, on a disk or under a limit of sizes, would have helped.
bool needsRoom(std::error_code cause);

} // namespace mlc

#endif // MLC_TARGET_CPU_CPUTARGET_H
