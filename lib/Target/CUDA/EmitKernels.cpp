// cuda-emit-kernels: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionOperands.h"
#include "Grid.h"
#include "LineInfo.h"
#include "TensorMaps.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "lib/Codegen/Frame.h"
#include "mlc/Target/CPU/CpuTarget.h"
#include "mlc/Target/CUDA/Chips.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlcrt/kernel_needs.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace mlc {
#define GEN_PASS_DEF_CUDAEMITKERNELS
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// LLVM's address space of global memory, in which buffers lie.
static constexpr unsigned kGlobalSpace = 1;

static constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

/// Parameters of a kernel, of 8 bytes each: as many as each version of PTX takes, and as many as later ones take.
static constexpr unsigned kCommonParameters = 4352 / 8, kMostParameters = 32764 / 8;
static constexpr llvm::StringLiteral kManyParametersPtx = "+ptx81";

/// Whether the image for `chip` leaves kernels to that for one of `before`, which runs there, too: all that ask for
/// nothing.
static bool leavesKernels(const Chip &chip, ArrayRef<const Chip *> before) {
  return chip.hasWarpgroups &&
         llvm::any_of(before, [&](const Chip *other) { return other < &chip && !other->name.ends_with("a"); });
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const Chip &chip, StringRef ptx) {
  [[maybe_unused]] static const bool initialized =
      (LLVMInitializeNVPTXTargetInfo(), LLVMInitializeNVPTXTarget(), LLVMInitializeNVPTXTargetMC(),
       LLVMInitializeNVPTXAsmPrinter(), true);
  std::string error;
  llvm::Triple triple(kTriple);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), error);
  llvm::TargetOptions options;
  // An FMA stands where the IR says so.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip.name, ptx, options, std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
}

/// Whether LLVM calls a library for an intrinsic. For this target it has none, and ends the process.
static bool needsLibrary(llvm::Intrinsic::ID intrinsic) {
  switch (intrinsic) {
  case llvm::Intrinsic::acos:
  case llvm::Intrinsic::asin:
  case llvm::Intrinsic::atan:
  case llvm::Intrinsic::atan2:
  case llvm::Intrinsic::cos:
  case llvm::Intrinsic::cosh:
  case llvm::Intrinsic::exp:
  case llvm::Intrinsic::exp2:
  case llvm::Intrinsic::exp10:
  case llvm::Intrinsic::frexp:
  case llvm::Intrinsic::ldexp:
  case llvm::Intrinsic::llrint:
  case llvm::Intrinsic::llround:
  case llvm::Intrinsic::log:
  case llvm::Intrinsic::log2:
  case llvm::Intrinsic::log10:
  case llvm::Intrinsic::lrint:
  case llvm::Intrinsic::lround:
  case llvm::Intrinsic::modf:
  case llvm::Intrinsic::pow:
  case llvm::Intrinsic::powi:
  case llvm::Intrinsic::sin:
  case llvm::Intrinsic::sincos:
  case llvm::Intrinsic::sincospi:
  case llvm::Intrinsic::sinh:
  case llvm::Intrinsic::tan:
  case llvm::Intrinsic::tanh:
    return true;
  default:
    return false;
  }
}

/// What kernels ask of the chip (cuda::hasWarpgroups) becomes a constant.
static void answerFor(const Chip &chip, llvm::Module &code) {
  llvm::Function *question =
      llvm::Intrinsic::getDeclarationIfExists(&code, llvm::Intrinsic::nvvm_read_ptx_sreg_envreg0);
  if (!question)
    return;
  for (llvm::User *user : llvm::make_early_inc_range(question->users())) {
    user->replaceAllUsesWith(llvm::ConstantInt::get(user->getType(), chip.hasWarpgroups));
    llvm::cast<llvm::Instruction>(user)->eraseFromParent();
  }
}

/// What a kernel's parameter is for an argument of its function; null: there is none.
static Type parameterOf(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return memref.getRank() == 1 && memref.getLayout().isIdentity()
               ? LLVM::LLVMPointerType::get(type.getContext(), kern::spaceOf(type) ? kGlobalSpace : 0)
               : Type();
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  return type.isIntOrFloat() ? type : Type();
}

/// Makes what a block's threads share variables of the kernel's module. What is of the launch has no size there.
static void shareCells(func::FuncOp kernel) {
  SmallVector<memref::AllocaOp> shared;
  kernel.walk([&](memref::AllocaOp cells) {
    if (kern::spaceOf(cells.getType()) == cuda::kSharedSpace)
      shared.push_back(cells);
  });
  for (auto [i, cells] : llvm::enumerate(shared)) {
    MemRefType type = cells.getType();
    Location loc = cells.getLoc();
    OpBuilder module(kernel);
    const bool isOfLaunch = cells->hasAttr(cuda::kOfLaunchAttr);
    auto memory = LLVM::LLVMArrayType::get(type.getElementType(), isOfLaunch ? 0 : type.getNumElements());
    auto name = (kernel.getSymName() + "$shared" + llvm::Twine(i)).str(); // PTX has no points in names
    auto global = LLVM::GlobalOp::create(module, loc, memory, /*isConstant=*/false,
                                         isOfLaunch ? LLVM::Linkage::External : LLVM::Linkage::Internal, name,
                                         Attribute(), cells.getAlignment().value_or(0), cuda::kSharedSpace);
    OpBuilder b(cells);
    Value address = LLVM::AddressOfOp::create(b, loc, global);
    cells.replaceAllUsesWith(memrefFromPointer(b, loc, address, type, {}));
    cells.erase();
  }
}

/// Whether sums of a kernel have an order of the target's own.
static bool hasOwnOrder(Operation *code) {
  return code
      ->walk([](NVVM::Barrier0Op op) {
        return op->hasAttr(cuda::kOwnOrderAttr) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether warps add integers of 64 bits: a count.
static bool isCount(LLVM::LLVMFuncOp kernel) {
  auto isWide = [](Operation *op) { return op->getResultTypes().front().isInteger(64); };
  return kernel
      ->walk([&](NVVM::ShflOp shuffle) {
        // Each half goes by itself, and both make one number again.
        return llvm::any_of(shuffle->getUsers(),
                            [&](Operation *user) { return isa<LLVM::ZExtOp>(user) && isWide(user); })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a thread has the sums of the largest tiles of products: 64, which it adds to as often as this, by FMAs or,
/// as many at once, by products of matrices.
static bool hasManySums(LLVM::LLVMFuncOp kernel) {
  constexpr int64_t kMany = 512, kOfMatrices = 16;
  int64_t products = 0;
  kernel.walk([&](Operation *op) {
    if (isa<LLVM::FMAOp>(op))
      ++products;
    else if (isa<NVVM::MmaOp>(op))
      products += kOfMatrices;
  });
  return products >= kMany;
}

/// The version of PTX that the code of kernels for a chip is in.
static StringRef versionFor(const Chip &chip, ModuleOp kernels) {
  const bool hasMany = llvm::any_of(kernels.getOps<LLVM::LLVMFuncOp>(),
                                    [](LLVM::LLVMFuncOp f) { return f.getNumArguments() > kCommonParameters; });
  return hasMany ? std::max<StringRef>(chip.ptx, kManyParametersPtx) : StringRef(chip.ptx);
}

/// Makes the function of a kernel (arguments, block, thread) one of its parameters.
static LogicalResult bindKernel(func::FuncOp kernel, cuda::KernelNeeds &needs) {
  Block &entry = kernel.getBody().front();
  Location loc = kernel.getLoc();
  OpBuilder b(&entry, entry.begin());
  const unsigned numArguments = entry.getNumArguments(), numParameters = numArguments - 2;
  if (numParameters > kMostParameters)
    return kernel.emitOpError("takes ") << numParameters << " buffers and numbers; expected at most " << kMostParameters
                                        << ", which is what CUDA passes to a kernel";
  needs.bind(kernel, numParameters);
  const unsigned numMaps = entry.getNumArguments() - numArguments;
  SmallVector<Type> types;
  for (unsigned i = 0; i < numParameters; ++i) {
    BlockArgument argument = entry.getArgument(i);
    Type type = parameterOf(argument.getType());
    if (!type)
      return kernel.emitOpError("takes a value of type ")
             << argument.getType() << "; expected flat buffers and numbers";
    types.push_back(type);
    Value parameter = entry.addArgument(type, loc), value = parameter;
    if (auto memref = dyn_cast<MemRefType>(argument.getType())) {
      SmallVector<Value> sizes;
      if (memref.isDynamicDim(0))
        sizes.push_back(LLVM::ConstantOp::create(b, loc, b.getI64Type(), int64_t(1) << 62));
      value = memrefFromPointer(b, loc, parameter, memref, sizes);
    } else if (argument.getType().isIndex()) {
      value = arith::IndexCastOp::create(b, loc, b.getIndexType(), parameter);
    }
    argument.replaceAllUsesWith(value);
  }
  auto asIndex = [&](Value number) { return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), number); };
  entry.getArgument(numParameters).replaceAllUsesWith(asIndex(NVVM::BlockIdXOp::create(b, loc, b.getI32Type())));
  entry.getArgument(numParameters + 1).replaceAllUsesWith(asIndex(NVVM::ThreadIdXOp::create(b, loc, b.getI32Type())));
  // Maps are the last parameters.
  for (unsigned i = 0; i < numMaps; ++i) {
    BlockArgument map = entry.getArgument(numArguments + i);
    types.push_back(map.getType());
    map.replaceAllUsesWith(entry.addArgument(map.getType(), loc));
  }
  entry.eraseArguments(0, numArguments + numMaps);
  kernel.setFunctionType(b.getFunctionType(types, {}));
  kernel->removeAttr(kern::kGridAttr);
  // A thread has its own memory once, not once for each number that it strides over.
  kernel.walk([&](memref::AllocaOp cells) { cells->moveBefore(&entry, entry.begin()); });
  shareCells(kernel);
  return success();
}

/// Gives the kernels' module the constants that kernels read; the program keeps those that it reads, too.
static void moveConstants(ModuleOp program, ModuleOp kernels) {
  SymbolTable symbols(program);
  llvm::SetVector<memref::GlobalOp> read;
  kernels.walk([&](memref::GetGlobalOp constant) {
    if (auto global = symbols.lookup<memref::GlobalOp>(constant.getName()))
      read.insert(global);
  });
  OpBuilder b = OpBuilder::atBlockBegin(kernels.getBody());
  for (memref::GlobalOp global : read) {
    auto copy = cast<memref::GlobalOp>(b.clone(*global));
    copy.setAlignmentAttr(
        b.getI64IntegerAttr(std::max<int64_t>(copy.getAlignment().value_or(0), cuda::kMostAccessBytes)));
    if (SymbolTable::symbolKnownUseEmpty(global, program))
      global.erase();
  }
}

/// The names that functions of `role`, and what these use, ask the device for, kernels among them; none: there is no
/// such function.
static std::optional<llvm::StringSet<>> namesAskedFor(ModuleOp program, df::Role role) {
  llvm::SetVector<Operation *> reached;
  for (auto function : program.getOps<func::FuncOp>())
    if (auto its = function->getAttrOfType<df::RoleAttr>(df::DfDialect::kRoleAttr); its && its.getValue() == role)
      reached.insert(function);
  if (reached.empty())
    return std::nullopt;
  llvm::StringSet<> names;
  SymbolTable symbols(program);
  for (size_t i = 0; i < reached.size(); ++i) { // grows on the way
    if (auto global = dyn_cast<LLVM::GlobalOp>(reached[i]))
      if (auto text = dyn_cast_or_null<StringAttr>(global.getValueOrNull()))
        names.insert(text.getValue().take_until([](char c) { return c == 0; }));
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(reached[i]);
    for (SymbolTable::SymbolUse use : *uses)
      if (Operation *used = symbols.lookup(use.getSymbolRef().getRootReference()))
        reached.insert(used);
  }
  return names;
}

/// Names of the kernels whose code differs from chip to chip: they ask what the chip has (cuda::hasWarpgroups).
static llvm::StringSet<> kernelsThatAsk(ModuleOp kernels) {
  llvm::StringSet<> names;
  kernels.walk(
      [&](NVVM::EnvReg0Op question) { names.insert(question->getParentOfType<LLVM::LLVMFuncOp>().getName()); });
  return names;
}

/// Erases all kernels but those of these names, and what only they need. False: no kernel is left.
static bool keepKernels(llvm::Module &code, const llvm::StringSet<> &names) {
  bool hasKernels = false;
  for (llvm::Function &f : llvm::make_early_inc_range(code)) {
    if (f.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    if (names.contains(f.getName())) {
      hasKernels = true;
    } else if (f.use_empty()) {
      if (llvm::GlobalVariable *needs = code.getGlobalVariable((f.getName() + MLCRT_NEEDS_SUFFIX).str()))
        needs->eraseFromParent();
      f.eraseFromParent();
    }
  }
  auto eraseUnused = [](auto &&values) {
    bool erased = false;
    for (auto &value : llvm::make_early_inc_range(values)) {
      value.removeDeadConstantUsers();
      if ((!value.hasLocalLinkage() && !value.isDeclaration()) || !value.use_empty())
        continue;
      value.eraseFromParent();
      erased = true;
    }
    return erased;
  };
  while (eraseUnused(code.functions()) || eraseUnused(code.globals()))
    ;
  return hasKernels;
}

static void buildDevicePipeline(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createCudaUnrollLoops());
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(createSCFToControlFlowPass());
  functions.addPass(createConvertVectorToLLVMPass());
  functions.addPass(createConvertMathToLLVMPass());
  functions.addPass(createArithToLLVMConversionPass());
  functions.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertNVVMToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

namespace {
struct CudaEmitKernels : public mlc::impl::CudaEmitKernelsBase<CudaEmitKernels> {
  using CudaEmitKernelsBase::CudaEmitKernelsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    CudaEmitKernelsBase::getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  /// What an image for a chip has: the PTX of kernels, and that of those which predict asks for (`mlc.images`).
  struct Texts {
    std::string all;
    std::optional<std::string> ofPredict;
  };

  /// PTX of the kernels' module, which is in the LLVM dialect: of the kernels that `own` names, unless that is null.
  /// `exported` has the names that predict asks for, if there is such an entry.
  FailureOr<Texts> emitFor(const Chip &chip, ModuleOp kernels, const cuda::KernelNeeds &needs,
                           const llvm::StringSet<> *own, const std::optional<llvm::StringSet<>> &exported) {
    auto machine = createMachine(chip, versionFor(chip, kernels));
    if (!machine)
      return kernels.emitError("no machine for ") << chip.name << ": " << llvm::toString(machine.takeError());
    llvm::LLVMContext context;
    OwningOpRef<ModuleOp> withoutMaps;
    if (!needs.empty() && !chip.hasWarpgroups) {
      withoutMaps = kernels.clone();
      needs.dropParameters(*withoutMaps);
    }
    std::unique_ptr<llvm::Module> code =
        translateModuleToLLVMIR(withoutMaps ? *withoutMaps : kernels, context, "kernels");
    if (!code)
      return failure();
    if (own)
      keepKernels(*code, *own);
    if (chip.hasWarpgroups)
      needs.addTo(*code);
    code->setTargetTriple(llvm::Triple(kTriple));
    code->setDataLayout((*machine)->createDataLayout());
    for (llvm::Function &f : *code)
      if (!f.isDeclaration())
        f.addFnAttr(llvm::Attribute::NoUnwind);
    answerFor(chip, *code);
    optimize(*code, **machine);
    // What only other chips' code has of a launch's memory.
    for (llvm::GlobalVariable &memory : llvm::make_early_inc_range(code->globals()))
      if (memory.removeDeadConstantUsers(); memory.isDeclaration() && memory.use_empty())
        memory.eraseFromParent();
    for (llvm::Function &f : *code)
      if (f.isDeclaration() && (!f.isIntrinsic() || needsLibrary(f.getIntrinsicID())) && !f.use_empty())
        return kernels.emitError("kernels call '") << f.getName() << "', which nothing defines";
    auto emitText = [&](llvm::Module &module, std::string &text) -> LogicalResult {
      auto emitted = emit(module, **machine, /*assembly=*/true);
      if (!emitted)
        return kernels.emitError("no PTX for ") << chip.name << ": " << llvm::toString(emitted.takeError());
      text.assign(emitted->data(), emitted->size());
      return success();
    };
    Texts texts;
    if (exported) {
      std::unique_ptr<llvm::Module> ofPredict = llvm::CloneModule(*code);
      texts.ofPredict.emplace();
      // What leaves kernels to another image may have none of these.
      if ((keepKernels(*ofPredict, *exported) || !own) && failed(emitText(*ofPredict, *texts.ofPredict)))
        return failure();
    }
    if (failed(emitText(*code, texts.all)))
      return failure();
    return texts;
  }

  void runOnOperation() override {
    ModuleOp program = getOperation();
    SmallVector<func::FuncOp> functions;
    for (auto function : program.getOps<func::FuncOp>())
      if (function->hasAttr(kern::kGridAttr))
        functions.push_back(function);
    if (functions.empty())
      return;
    SmallVector<const Chip *> known;
    const std::vector<std::string> names = chipsOrDefault(std::vector<std::string>(chips.begin(), chips.end()));
    for (StringRef name : names) {
      if (const Chip *chip = findChip(name)) {
        known.push_back(chip);
        continue;
      }
      program.emitError(checkChip(name));
      return signalPassFailure();
    }
    const std::optional<llvm::StringSet<>> exported = namesAskedFor(program, df::Role::Predict);
    OpBuilder b = OpBuilder::atBlockEnd(program.getBody());
    auto kernels = ModuleOp::create(b, program.getLoc());
    llvm::StringMap<int32_t> threads;
    cuda::KernelNeeds needs;
    for (func::FuncOp function : functions) {
      auto grid = function->getAttrOfType<kern::GridAttr>(kern::kGridAttr);
      threads[function.getSymName()] = static_cast<int32_t>(grid.getThreads());
      function->moveBefore(kernels.getBody(), kernels.getBody()->end());
      function.setPublic();
      if (failed(bindKernel(function, needs)))
        return signalPassFailure();
    }
    moveConstants(program, kernels);
    OpPassManager passes(ModuleOp::getOperationName());
    buildDevicePipeline(passes);
    if (failed(runPipeline(passes, kernels)))
      return signalPassFailure();
    needs.describeParameters(kernels);
    for (auto function : kernels.getOps<LLVM::LLVMFuncOp>()) {
      auto count = threads.find(function.getSymName());
      if (count == threads.end())
        continue;
      function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
      function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(), b.getDenseI32ArrayAttr({count->second}));
      // Left to itself ptxas gives such threads up to 164 registers, so that there is one block at once: with 128 there
      // are two. Told the same of smaller tiles, it takes as many there and spills, of products that need 94.
      // Of tiles of attention it gives 128, too, and spills: told of one block it takes up to 205 and does not. Counts
      // by warps have 32 on sm_90 and sm_100, and spill; told of two blocks they have 37.
      if (hasOwnOrder(function))
        function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1));
      else if (hasManySums(function) || isCount(function))
        function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(2));
    }
    if (lineInfo)
      cuda::addLineInfo(kernels);
    auto attribute = [&](StringRef name, StringRef value) { return b.getNamedAttr(name, b.getStringAttr(value)); };
    if (form == "nvvm") {
      std::string text;
      llvm::raw_string_ostream stream(text);
      kernels->print(stream, OpPrintingFlags().enableDebugInfo(lineInfo).useLocalScope());
      kernels.erase();
      program->setAttr(kImagesAttr, b.getArrayAttr(b.getDictionaryAttr(
                                        {attribute("device_kind", "cuda"), attribute("chip", known.front()->name),
                                         attribute("kind", form), attribute("data", text)})));
      return;
    }
    // Tensor cores add in an order of their own, tiles of attention in the target's.
    const bool hasChipSums =
        hasOwnOrder(kernels) || kernels.walk([](NVVM::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
    SmallVector<Attribute> images;
    const llvm::StringSet<> own = kernelsThatAsk(kernels);
    for (auto [i, chip] : llvm::enumerate(known)) {
      const bool leaves = leavesKernels(*chip, ArrayRef(known).take_front(i));
      if (leaves && own.empty())
        continue;
      FailureOr<Texts> texts = emitFor(*chip, kernels, needs, leaves ? &own : nullptr, exported);
      if (failed(texts))
        return signalPassFailure();
      SmallVector<NamedAttribute> image = {attribute("device_kind", "cuda"), attribute("chip", chip->name),
                                           attribute("kind", "ptx"), attribute("data", texts->all)};
      if (texts->ofPredict)
        image.push_back(attribute("predict", *texts->ofPredict));
      if (hasChipSums)
        image.push_back(b.getNamedAttr("chip_sums", b.getUnitAttr()));
      images.push_back(b.getDictionaryAttr(image));
    }
    kernels.erase();
    program->setAttr(kImagesAttr, b.getArrayAttr(images));
  }
};
} // namespace
