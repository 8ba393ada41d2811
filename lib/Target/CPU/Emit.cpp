// From the LLVM dialect to objects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LinkBitcode.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Target/CPU/CpuTarget.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;
using namespace mlc;

static constexpr StringLiteral kTriple = "x86_64-unknown-linux-gnu";

Expected<CpuTarget> mlc::resolveCpu(StringRef name) {
  CpuTarget target;
  target.cpu = name == "native" ? sys::getHostCPUName().str() : name.str();
  StringMap<bool> host;
  if (name == "native") {
    host = sys::getHostCPUFeatures();
    SmallVector<std::string> list;
    for (auto &feature : host)
      list.push_back((feature.second ? "+" : "-") + feature.first().str());
    llvm::sort(list);
    target.features = join(list, ",");
  }
  // Asked of a machine that knows no CPU: making one of an unknown name prints to stderr.
  auto any = createTargetMachine(CpuTarget());
  if (!any)
    return any.takeError();
  if (!(*any)->getMCSubtargetInfo()->isCPUStringValid(target.cpu))
    return createStringError(inconvertibleErrorCode(),
                             "unknown CPU '%s'; expected native, x86-64-v3, x86-64-v4 or a name that clang -mcpu takes",
                             target.cpu.c_str());
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  const MCSubtargetInfo &info = *(*machine)->getMCSubtargetInfo();
  for (StringRef needed : {"avx2", "fma", "bmi2", "f16c"})
    if (!info.checkFeatures(("+" + needed).str()))
      return createStringError(inconvertibleErrorCode(), "CPU '%s' lacks %s; expected x86-64-v3 or newer",
                               target.cpu.c_str(), needed.str().c_str());
  target.isWide = info.checkFeatures("+avx512f") && info.checkFeatures("+avx512vl") &&
                  info.checkFeatures("+avx512dq") && info.checkFeatures("+avx512bw");
  SmallVector<StringRef> required = {"avx", "avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe", "popcnt"};
  if (target.isWide)
    required.append({"avx512f", "avx512vl", "avx512dq", "avx512bw"});
  target.required = join(required, ",");
  return target;
}

Expected<std::unique_ptr<TargetMachine>> mlc::createTargetMachine(const CpuTarget &target, bool optimize) {
  // Threads make machines, too.
  [[maybe_unused]] static const bool initialized = InitializeNativeTarget() || InitializeNativeTargetAsmPrinter();
  std::string error;
  Triple triple(kTriple);
  const Target *llvmTarget = TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget)
    return createStringError(inconvertibleErrorCode(), error);
  TargetOptions options;
  // An FMA stands where the IR says so.
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(
      llvmTarget->createTargetMachine(triple, target.cpu, target.features, options, Reloc::PIC_, std::nullopt,
                                      optimize ? CodeGenOptLevel::Less : CodeGenOptLevel::None));
}

/// Removes what means nothing to LLVM: what the table says has no code.
static void removeForeign(mlir::ModuleOp code) {
  for (mlir::Operation &op : llvm::make_early_inc_range(*code.getBody()))
    if (mlir::isa<mlc::df::DfDialect, mlc::kern::KernDialect>(op.getDialect()))
      op.erase();
  for (mlir::NamedAttribute attribute : llvm::to_vector(code->getDiscardableAttrs()))
    code->removeAttr(attribute.getName());
  code.walk([](mlir::Operation *op) {
    for (mlir::NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      if (attribute.getName().getValue().starts_with("df.") || attribute.getName().getValue().starts_with("mlc."))
        op->removeAttr(attribute.getName());
  });
}

/// Ops from which on a function is long.
static constexpr int64_t kHostOps = 500;

/// Whether a function computes in a loop: runs ops again and again that call nothing. A loop that calls services or
/// kernels spends its time in what it calls.
static bool computesInLoop(mlir::LLVM::LLVMFuncOp function) {
  DenseMap<mlir::Block *, int64_t> before; // their places
  SmallVector<int64_t> callsBefore = {0};  // of each block
  for (mlir::Block &block : function.getBody()) {
    before.try_emplace(&block, before.size());
    callsBefore.push_back(callsBefore.back() + llvm::range_size(block.getOps<mlir::LLVM::CallOp>()));
    for (mlir::Block *next : block.getSuccessors())
      if (auto start = before.find(next); start != before.end() && callsBefore[start->second] == callsBefore.back())
        return true;
  }
  return false;
}

/// Long functions of hosts that do not compute are selected fast and not scheduled. They are a few stores for each
/// launch in very long blocks, whose scheduling and registers take more than linear time and most of that of the code;
/// what they do beside kernels is nothing. One with a loop of its own, as a merge of rows, computes. Kernels are
/// private.
static void hurryLongHosts(mlir::ModuleOp code) {
  for (auto function : code.getOps<mlir::LLVM::LLVMFuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    int64_t ops = 0;
    for (mlir::Block &block : function.getBody())
      ops += block.getOperations().size();
    if (ops < kHostOps || computesInLoop(function))
      continue;
    function.setNoInline(true); // which the other demands
    function.setOptimizeNone(true);
  }
}

void mlc::prepareTranslation(mlir::MLIRContext &context) {
  mlir::registerBuiltinDialectTranslation(context);
  mlir::registerLLVMDialectTranslation(context);
}

Expected<std::unique_ptr<Module>> mlc::translate(mlir::OwningOpRef<mlir::ModuleOp> code, StringRef name,
                                                 LLVMContext &context, TargetMachine &machine) {
  struct External {
    StringRef name, bitcode; // of attributes
  };
  SmallVector<External> externals;
  for (auto function : code->getOps<kern::ExternalFunctionOp>())
    externals.push_back({function.getSymName(), function.getBitcode()});
  removeForeign(*code);
  hurryLongHosts(*code);
  std::unique_ptr<Module> result = mlir::translateModuleToLLVMIR(*code, context, name);
  if (!result)
    return createStringError(inconvertibleErrorCode(), "translation to LLVM IR failed");
  result->setTargetTriple(Triple(kTriple));
  result->setDataLayout(machine.createDataLayout());
  for (const External &function : externals)
    if (Error error = linkFunction(*result, function.name, kern::externalSymbol(function.name), function.bitcode))
      return std::move(error);
  for (Function &f : *result)
    if (!f.isDeclaration()) {
      f.setLinkage(GlobalValue::InternalLinkage);
      // Nothing unwinds through compiled code.
      f.addFnAttr(Attribute::NoUnwind);
      f.addFnAttr("target-cpu", machine.getTargetCPU());
      if (!machine.getTargetFeatureString().empty())
        f.addFnAttr("target-features", machine.getTargetFeatureString());
    }
  return std::move(result);
}

void mlc::optimize(Module &module, TargetMachine &machine, bool all, Sanitizer sanitizer) {
  // Before anything else: what a sanitizer would take for an error must not be made.
  if (sanitizer != Sanitizer::None)
    for (Function &f : module)
      if (!f.isDeclaration())
        f.addFnAttr(sanitizer == Sanitizer::Thread ? Attribute::SanitizeThread : Attribute::SanitizeAddress);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  // Kernels are tiled, vectorized and outlined already. What is left: descriptors into registers, repeated index
  // arithmetic, and what does not change in a loop. The default pipelines take five times as long for the same code.
  FunctionPassManager cleanup;
  if (all) {
    cleanup.addPass(SROAPass(SROAOptions::ModifyCFG));
    cleanup.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  }
  // Always: numbers of bf16 become bits again where they are only moved, and need no conversions of a library.
  cleanup.addPass(InstCombinePass());
  if (all) {
    cleanup.addPass(SimplifyCFGPass());
    LoopPassManager inLoops;
    inLoops.addPass(LICMPass(LICMOptions()));
    cleanup.addPass(createFunctionToLoopPassAdaptor(std::move(inLoops), /*UseMemorySSA=*/true));
  }
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(cleanup)));
  if (sanitizer == Sanitizer::Thread) {
    passes.addPass(ModuleThreadSanitizerPass());
    passes.addPass(createModuleToFunctionPassAdaptor(ThreadSanitizerPass()));
  } else if (sanitizer == Sanitizer::Address) {
    passes.addPass(AddressSanitizerPass(AddressSanitizerOptions()));
  }
  passes.run(module, modules);
}

Expected<SmallVector<char, 0>> mlc::emit(Module &module, TargetMachine &machine, bool assembly) {
  SmallVector<char, 0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager passes;
  // Not verified again: the translation to LLVM IR did.
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile,
                                  /*DisableVerify=*/true))
    return createStringError(inconvertibleErrorCode(), "the target emits no such file");
  passes.run(module);
  return std::move(buffer);
}

/// Whether `name` is of the runtime of `sanitizer`.
static bool isOfSanitizer(StringRef name, Sanitizer sanitizer) {
  if (sanitizer == Sanitizer::Thread)
    return name.starts_with("__tsan_");
  return sanitizer == Sanitizer::Address &&
         (name.starts_with("__asan_") || name == "__start_asan_globals" || name == "__stop_asan_globals");
}

Error mlc::checkImports(ArrayRef<char> object, Sanitizer sanitizer) {
  auto file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(StringRef(object.data(), object.size()), "artifact"));
  if (!file)
    return file.takeError();
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags)
      return flags.takeError();
    if (!name)
      return name.takeError();
    if (!(*flags & object::SymbolRef::SF_Undefined) || name->empty())
      continue;
    if (!isAllowedImport(*name) && *name != "_GLOBAL_OFFSET_TABLE_" && !isOfSanitizer(*name, sanitizer) &&
        !name->starts_with(kCodePrefix))
      return createStringError(inconvertibleErrorCode(),
                               "compiled code imports '%s'; expected memcpy, memmove and memset only",
                               name->str().c_str());
  }
  return Error::success();
}
