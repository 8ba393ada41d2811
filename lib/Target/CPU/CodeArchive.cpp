// Compiled functions as an archive without a table, and the table as an object of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CodeParts.h"
#include "mlc/Target/CPU/CpuTarget.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace mlc;

/// Makes what part `i` shares visible to the objects of the others and to that of a table, and to nothing else.
static void exposeShared(Module &module, const CodeParts &parts, size_t i) {
  for (GlobalValue &value : module.global_values()) {
    const StringRef name = value.getName();
    // Bitcode has names of its own.
    if (value.isDeclaration() ? !parts.isShared(name) : !parts.defines(i, name))
      continue;
    value.setLinkage(GlobalValue::ExternalLinkage);
    value.setVisibility(GlobalValue::HiddenVisibility);
    value.setDSOLocal(true);
    value.setName(kCodePrefix + name);
  }
}

/// The object of part `i`.
static Expected<SmallVector<char, 0>> emitPart(const CodeParts &parts, size_t i, const CpuTarget &target,
                                               bool optimized, Sanitizer sanitizer) {
  auto machine = createTargetMachine(target, optimized);
  if (!machine)
    return machine.takeError();
  // What a table does not need is left out when it is linked.
  (*machine)->Options.FunctionSections = true;
  (*machine)->Options.DataSections = true;
  LLVMContext context;
  auto module = translate(parts.extract(i), "part", context, **machine);
  if (!module)
    return module.takeError();
  exposeShared(**module, parts, i);
  optimize(**module, **machine, optimized, sanitizer);
  return emit(**module, **machine, /*assembly=*/false);
}

Expected<CodeArchive> mlc::emitCode(mlir::ModuleOp module, const CpuTarget &target, bool optimized,
                                    Sanitizer sanitizer) {
  mlir::MLIRContext *context = module.getContext();
  prepareTranslation(*context);
  const CodeParts parts(module);
  // The largest first, so that none is left for the end.
  SmallVector<size_t> order = to_vector(seq<size_t>(parts.size()));
  stable_sort(order, [&](size_t x, size_t y) { return parts[x].ops > parts[y].ops; });
  std::vector<SmallVector<char, 0>> objects(parts.size());
  std::vector<std::string> errors(parts.size());
  mlir::parallelFor(context, 0, parts.size(), [&](size_t i) {
    if (auto object = emitPart(parts, order[i], target, optimized, sanitizer))
      objects[order[i]] = std::move(*object);
    else
      errors[order[i]] = toString(object.takeError());
  });
  for (const std::string &error : errors)
    if (!error.empty())
      return createStringError(inconvertibleErrorCode(), error);
  std::vector<std::string> names;
  for (size_t i = 0; i < parts.size(); ++i)
    names.push_back("part" + std::to_string(i) + ".o");
  std::vector<NewArchiveMember> members;
  for (auto [i, object] : enumerate(objects))
    members.emplace_back(MemoryBufferRef(StringRef(object.data(), object.size()), names[i]));
  auto archive = writeArchiveToBuffer(members, SymtabWritingMode::NormalSymtab, object::Archive::K_GNU,
                                      /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  return CodeArchive((*archive)->getBufferStart(), (*archive)->getBufferEnd());
}

static Expected<std::unique_ptr<object::Archive>> openArchive(StringRef bytes) {
  return object::Archive::create(MemoryBufferRef(bytes, "code"));
}

Error mlc::checkCode(StringRef archive, Sanitizer sanitizer) {
  auto opened = openArchive(archive);
  if (!opened)
    return opened.takeError();
  Error error = Error::success();
  for (const object::Archive::Child &child : (*opened)->children(error)) {
    auto bytes = child.getBuffer();
    if (!bytes)
      return joinErrors(std::move(error), bytes.takeError());
    if (Error wrong = checkImports(ArrayRef(bytes->data(), bytes->size()), sanitizer))
      return joinErrors(std::move(error), std::move(wrong));
  }
  return error;
}

Expected<SmallVector<char, 0>> mlc::emitTable(ArrayRef<char> code, const ArtifactInfo &info,
                                              ArrayRef<char> predictImage, TargetMachine &machine) {
  auto archive = openArchive(StringRef(code.data(), code.size()));
  if (!archive)
    return archive.takeError();
  LLVMContext context;
  Module module("table", context);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  // Its address alone is used, if it is.
  auto *type = FunctionType::get(Type::getVoidTy(context), false);
  for (const object::Archive::Symbol &symbol : (*archive)->symbols())
    if (StringRef name = symbol.getName(); name.starts_with(kCodePrefix))
      Function::Create(type, GlobalValue::ExternalLinkage, name, module)->setVisibility(GlobalValue::HiddenVisibility);
  addArtifactTable(module, info, predictImage);
  return emit(module, machine, /*assembly=*/false);
}

Expected<SmallVector<char, 0>> mlc::linkPredictImage(ArrayRef<char> code, const ArtifactInfo &info,
                                                     TargetMachine &machine) {
  SmallVector<char, 0> bytes;
  std::optional<ArtifactInfo> predict = selectEntry(info, MLCRT_ROLE_PREDICT);
  if (!predict)
    return std::move(bytes);
  if (info.onHost)
    if (std::optional<ArtifactInfo> onHost = selectEntry(*info.onHost, MLCRT_ROLE_PREDICT))
      predict->onHost = std::make_shared<ArtifactInfo>(*std::move(onHost));
  auto table = emitTable(code, *predict, {}, machine);
  if (!table)
    return table.takeError();
  SmallString<128> path;
  if (std::error_code error = sys::fs::createTemporaryFile("mlc", "so", path))
    return createStringError(error, "cannot write a temporary file: " + error.message());
  scope_exit remove([&] { sys::fs::remove(path); });
  if (Error error = link({*table, code}, path, /*executable=*/false))
    return std::move(error);
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError(file.getError(), "cannot read the linked file: " + file.getError().message());
  bytes.append((*file)->getBufferStart(), (*file)->getBufferEnd());
  return std::move(bytes);
}
