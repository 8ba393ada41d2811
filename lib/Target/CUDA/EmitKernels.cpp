// cuda-emit-kernels: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionOperands.h"
#include "EmitPtx.h"
#include "Grid.h"
#include "LineInfo.h"
#include "ReadBuffers.h"
#include "TensorMaps.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "lib/Codegen/Frame.h"
#include "lib/Codegen/KernelAliases.h"
#include "mlc/Codegen/Codegen.h"
#include "mlc/Target/CUDA/Chips.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace mlc {
#define GEN_PASS_DEF_CUDAEMITKERNELS
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// LLVM's address space of global memory, in which buffers lie.
static constexpr unsigned kGlobalSpace = 1;

/// Parameters of a kernel, of 8 bytes each, that later versions of PTX take.
static constexpr unsigned kMostParameters = 32764 / 8;

/// Whether the image for `chip` leaves kernels to that for one of `before`, which runs there, too: all that ask for
/// nothing.
static bool leavesKernels(const Chip &chip, ArrayRef<const Chip *> before) {
  return chip.hasWarpgroups &&
         llvm::any_of(before, [&](const Chip *other) { return other < &chip && !other->name.ends_with("a"); });
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

/// Blocks of a kernel that a multiprocessor is to have at once at least, by which ptxas knows how many registers a
/// thread may have: of 256 threads one block leaves each 255, two 128. Where nothing is said ptxas takes about 40 for
/// most kernels, and some spill 4 to 12 bytes.
static int32_t blocksAtOnce(LLVM::LLVMFuncOp kernel) {
  // Tiles of attention have up to 255, and spill with 128.
  if (hasOwnOrder(kernel))
    return 1;
  // With one block the largest tiles have up to 164.
  if (hasManySums(kernel))
    return 2;
  bool hasBarrier = false, hasShuffles = false, hasDoubles = false;
  kernel.walk([&](Operation *op) {
    hasBarrier |= isa<NVVM::Barrier0Op>(op);
    hasShuffles |= isa<NVVM::ShflOp>(op);
    hasDoubles |= llvm::any_of(op->getResultTypes(), [](Type type) { return type.isF64(); });
  });
  // With 128 smaller tiles, and functions of f64, spill here and there; with 64 or 80 the others do.
  return (hasBarrier || hasDoubles) && !hasShuffles ? 1 : 2;
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

static void buildDevicePipeline(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createSimplification());
  functions.addPass(createCSEPass());
  functions.addPass(createCudaUnrollLoops());
  functions.addPass(createLowerToBlocks());
  functions.addPass(createConvertBodies());
  pm.addPass(createConvertFunctions());
  pm.addPass(createConvertNVVMToLLVMPass());
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

  void runOnOperation() override {
    ModuleOp program = getOperation();
    SmallVector<func::FuncOp> functions;
    for (auto function : program.getOps<func::FuncOp>())
      if (function->hasAttr(kern::kGridAttr))
        functions.push_back(function);
    if (form != "ptx" && form != "nvvm") {
      program.emitError("the form of an image is '") << form << "'; expected ptx or nvvm";
      return signalPassFailure();
    }
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
    llvm::StringMap<llvm::BitVector> read;
    cuda::KernelNeeds needs;
    for (func::FuncOp function : functions) {
      auto grid = function->getAttrOfType<kern::GridAttr>(kern::kGridAttr);
      threads[function.getSymName()] = static_cast<int32_t>(grid.getThreads());
      function->moveBefore(kernels.getBody(), kernels.getBody()->end());
      function.setPublic();
      read[function.getSymName()] = cuda::findReadBuffers(function);
      function->removeAttr(kMayAliasAttr);
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
      cuda::describeBuffers(function, read.lookup(function.getSymName()));
      function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
      function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(), b.getDenseI32ArrayAttr({count->second}));
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(blocksAtOnce(function)));
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
    SmallVector<cuda::ImageRequest> requests;
    for (auto [i, chip] : llvm::enumerate(known)) {
      const bool leaves = leavesKernels(*chip, ArrayRef(known).take_front(i));
      if (!leaves || !own.empty())
        requests.push_back({chip, leaves ? &own : nullptr});
    }
    auto texts = cuda::emitImages(kernels, requests, needs, exported, /*inParts=*/!lineInfo);
    if (!texts) {
      kernels.emitError(llvm::toString(texts.takeError()));
      return signalPassFailure();
    }
    for (auto [request, text] : llvm::zip_equal(requests, *texts)) {
      SmallVector<NamedAttribute> image = {attribute("device_kind", "cuda"), attribute("chip", request.chip->name),
                                           attribute("kind", "ptx"), attribute("data", text.all)};
      if (text.ofPredict)
        image.push_back(attribute("predict", *text.ofPredict));
      if (hasChipSums)
        image.push_back(b.getNamedAttr("chip_sums", b.getUnitAttr()));
      images.push_back(b.getDictionaryAttr(image));
    }
    kernels.erase();
    program->setAttr(kImagesAttr, b.getArrayAttr(images));
  }
};
} // namespace
