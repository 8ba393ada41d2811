// Bitcode of functions becomes part of the code of a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LinkBitcode.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;
using namespace mlc;

bool mlc::isAllowedImport(StringRef symbol) { return symbol == "memcpy" || symbol == "memmove" || symbol == "memset"; }

static Error failed(StringRef name, const Twine &what) {
  return make_error<StringError>("the function '" + name + "': " + what, inconvertibleErrorCode());
}

/// int32_t (const mlcrt_buffer *, const mlcrt_buffer *).
static FunctionType *expectedType(LLVMContext &context) {
  Type *pointer = PointerType::getUnqual(context);
  return FunctionType::get(Type::getInt32Ty(context), {pointer, pointer}, /*isVarArg=*/false);
}

/// Leaves of `module` the function alone visible, without what tells how it was compiled.
static void isolate(Module &module, Function &function, StringRef symbol) {
  StripDebugInfo(module);
  for (StringRef metadata : {"llvm.module.flags", "llvm.ident"})
    if (NamedMDNode *node = module.getNamedMetadata(metadata))
      node->eraseFromParent();
  for (GlobalObject &object : module.global_objects()) {
    object.setComdat(nullptr);
    if (!object.isDeclaration() && &object != &function && !object.hasAppendingLinkage())
      object.setLinkage(GlobalValue::InternalLinkage);
  }
  for (Function &f : module)
    for (StringRef attribute : {"target-cpu", "target-features", "tune-cpu"})
      f.removeFnAttr(attribute);
  function.setLinkage(GlobalValue::ExternalLinkage);
  function.setVisibility(GlobalValue::DefaultVisibility);
  function.setName(symbol);
}

Error mlc::linkFunction(Module &module, StringRef name, StringRef symbol, StringRef bitcode) {
  auto code = parseBitcodeFile(MemoryBufferRef(bitcode, name), module.getContext());
  if (!code)
    return failed(name,
                  "its code is no bitcode that LLVM " LLVM_VERSION_STRING " reads: " + toString(code.takeError()));
  if ((*code)->getTargetTriple().getArch() != module.getTargetTriple().getArch())
    return failed(name, "its bitcode is for '" + (*code)->getTargetTriple().str() + "'; expected " +
                            Triple::getArchTypeName(module.getTargetTriple().getArch()));
  Function *function = (*code)->getFunction(name);
  if (!function || function->isDeclaration())
    return failed(name, "its bitcode does not define it");
  if (function->getFunctionType() != expectedType(module.getContext()))
    return failed(name, "must be int32_t (const mlcrt_buffer *, const mlcrt_buffer *)");
  if ((*code)->getNamedGlobal("llvm.global_ctors") || (*code)->getNamedGlobal("llvm.global_dtors"))
    return failed(name, "its code has constructors or destructors of globals, which nothing runs");
  for (GlobalValue &value : (*code)->global_values()) {
    auto *declared = dyn_cast<Function>(&value);
    if (value.isDeclaration() && !(declared && declared->isIntrinsic()) && !isAllowedImport(value.getName()))
      return failed(name, "its code imports '" + value.getName() + "'; expected memcpy, memmove and memset only");
    if (value.isThreadLocal())
      return failed(name, "its code has the thread-local variable '" + value.getName() + "'");
  }
  isolate(**code, *function, symbol);
  (*code)->setDataLayout(module.getDataLayout());
  (*code)->setTargetTriple(module.getTargetTriple());
  if (Linker::linkModules(module, std::move(*code)))
    return failed(name, "its code cannot be linked");
  return Error::success();
}
