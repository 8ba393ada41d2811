// Compiled functions as objects without a table, and the table as one of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Target/CPU/CpuTarget.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace mlc;

/// Makes the functions that the table of `info` names visible to the object of a table, and to nothing else.
static void exposeFunctions(Module &module, const ArtifactInfo &info) {
  auto expose = [&](const std::string &name) {
    Function *f = module.getFunction(name);
    if (!f)
      return;
    f->setLinkage(GlobalValue::ExternalLinkage);
    f->setVisibility(GlobalValue::HiddenVisibility);
    // The runtime that an executable is linked with has names of its own.
    f->setName(kFunctionPrefix + name);
  };
  for (const EntryInfo &entry : info.entries)
    for (const SegmentInfo &segment : entry.segments) {
      expose(segment.function);
      expose(segment.function + ".workspace");
    }
}

/// An object of the functions of `module`, for the table of `info`.
static Expected<SmallVector<char, 0>> emitFunctions(Module &module, const ArtifactInfo &info, TargetMachine &machine,
                                                    Sanitizer sanitizer) {
  exposeFunctions(module, info);
  ModuleAnalysisManager analyses;
  PassBuilder(&machine).registerModuleAnalyses(analyses);
  ModulePassManager passes;
  passes.addPass(GlobalDCEPass());
  passes.run(module, analyses);
  auto object = emit(module, machine, /*assembly=*/false);
  if (!object)
    return object.takeError();
  if (Error error = checkImports(*object, sanitizer))
    return std::move(error);
  return object;
}

Expected<CodeObjects> mlc::emitCode(Module &module, const ArtifactInfo &info, TargetMachine &machine,
                                    bool withPredictImage, Sanitizer sanitizer) {
  CodeObjects code;
  std::optional<ArtifactInfo> predict;
  if (withPredictImage)
    predict = selectEntry(info, MLCRT_ROLE_PREDICT);
  if (predict) {
    auto object = emitFunctions(*CloneModule(module), *predict, machine, sanitizer);
    if (!object)
      return object.takeError();
    code.predict = std::move(*object);
  }
  auto object = emitFunctions(module, info, machine, sanitizer);
  if (!object)
    return object.takeError();
  code.all = std::move(*object);
  return std::move(code);
}

/// The functions that an object of emitCode defines for a table.
static Expected<std::vector<std::string>> functionsOf(ArrayRef<char> object) {
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(StringRef(object.data(), object.size()), "code"));
  if (!file)
    return file.takeError();
  std::vector<std::string> names;
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    if (name->starts_with(kFunctionPrefix))
      names.push_back(name->str());
  }
  return names;
}

Expected<SmallVector<char, 0>> mlc::emitTable(ArrayRef<char> code, const ArtifactInfo &info,
                                              ArrayRef<char> predictImage, TargetMachine &machine) {
  auto names = functionsOf(code);
  if (!names)
    return names.takeError();
  LLVMContext context;
  Module module("table", context);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  auto *type = FunctionType::get(Type::getVoidTy(context), false); // its address alone is used
  for (const std::string &name : *names)
    Function::Create(type, GlobalValue::ExternalLinkage, name, module)->setVisibility(GlobalValue::HiddenVisibility);
  addArtifactTable(module, info, predictImage);
  return emit(module, machine, /*assembly=*/false);
}

Expected<SmallVector<char, 0>> mlc::linkPredictImage(ArrayRef<char> code, const ArtifactInfo &info,
                                                     TargetMachine &machine) {
  SmallVector<char, 0> bytes;
  std::optional<ArtifactInfo> predict = selectEntry(info, MLCRT_ROLE_PREDICT);
  if (!predict || code.empty())
    return std::move(bytes);
  auto table = emitTable(code, *predict, {}, machine);
  if (!table)
    return table.takeError();
  SmallString<128> path;
  if (std::error_code error = sys::fs::createTemporaryFile("mlc", "so", path))
    return createStringError(error, "cannot write a temporary file: " + error.message());
  scope_exit remove([&] { sys::fs::remove(path); });
  if (Error error = link({code, *table}, path, /*executable=*/false))
    return std::move(error);
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError(file.getError(), "cannot read the linked file: " + file.getError().message());
  bytes.append((*file)->getBufferStart(), (*file)->getBufferEnd());
  return std::move(bytes);
}
