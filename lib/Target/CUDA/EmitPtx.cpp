// Kernels in the LLVM dialect to PTX: see EmitPtx.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmitPtx.h"
#include "mlc/Target/CPU/CpuTarget.h"
#include "mlcrt/kernel_needs.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

static constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

/// Parameters of a kernel, of 8 bytes each, that each version of PTX takes. Later ones take more.
static constexpr unsigned kCommonParameters = 4352 / 8;
static constexpr llvm::StringLiteral kManyParametersPtx = "+ptx81";

/// Ops of a part, if what belongs together is not larger. A machine that emits code costs as much as some hundred ops.
static constexpr int64_t kOpsOfPart = 4000;

/// The last line of what a text begins with, which is the same for all of a chip and version.
static constexpr llvm::StringLiteral kHeaderEnd = ".address_size 64\n";

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

/// The version of PTX that the code of kernels for a chip is in.
static StringRef versionFor(const Chip &chip, ModuleOp kernels) {
  const bool hasMany = llvm::any_of(kernels.getOps<LLVM::LLVMFuncOp>(),
                                    [](LLVM::LLVMFuncOp f) { return f.getNumArguments() > kCommonParameters; });
  return hasMany ? std::max<StringRef>(chip.ptx, kManyParametersPtx) : StringRef(chip.ptx);
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

namespace {
/// Kernels that are compiled together, and all that they use.
struct KernelPart {
  SmallVector<Operation *> symbols;
  int64_t ops = 0, kernels = 0;
  int64_t exported = 0; ///< kernels that predict asks for

  /// Whether parts may be one: what predict asks for stands apart where it can.
  bool isLike(const KernelPart &other) const {
    return (exported == 0) == (other.exported == 0) && (exported == kernels) == (other.exported == other.kernels);
  }
  void add(const KernelPart &other) {
    symbols.append(other.symbols);
    ops += other.ops;
    kernels += other.kernels;
    exported += other.exported;
  }
};

/// One part for one image.
struct Job {
  size_t image;
  KernelPart part;
  ImageText text;
  std::string error;
};
} // namespace

/// The parts of a module: what uses a symbol is in one part with it, and each part has a kernel of `own`, unless that
/// is null. Without `inParts` there is one.
static std::vector<KernelPart> partsOf(ModuleOp kernels, const llvm::StringSet<> *own,
                                       const std::optional<llvm::StringSet<>> &exported, bool inParts) {
  SymbolTable symbols(kernels);
  llvm::EquivalenceClasses<Operation *> together;
  llvm::DenseMap<Operation *, int64_t> numOps;
  for (Operation &symbol : *kernels.getBody()) {
    together.insert(&symbol);
    auto use = [&](StringRef name) {
      if (Operation *used = symbols.lookup(name))
        together.unionSets(&symbol, used);
    };
    symbol.walk([&](Operation *op) {
      ++numOps[&symbol];
      if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
        use(address.getGlobalName());
      else if (auto call = dyn_cast<LLVM::CallOp>(op); call && call.getCallee())
        use(*call.getCallee());
    });
  }
  llvm::MapVector<Operation *, KernelPart> groups;
  for (Operation &symbol : *kernels.getBody()) {
    KernelPart &group = groups[together.getLeaderValue(&symbol)];
    group.symbols.push_back(&symbol);
    group.ops += numOps[&symbol];
    StringRef name = SymbolTable::getSymbolName(&symbol).getValue();
    if (!symbol.hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) || (own && !own->contains(name)))
      continue;
    ++group.kernels;
    group.exported += exported && exported->contains(name);
  }
  std::vector<KernelPart> parts;
  for (auto &[leader, found] : groups) {
    KernelPart &group = found;
    if (own && group.kernels == 0)
      continue;
    auto last =
        std::find_if(parts.rbegin(), parts.rend(), [&](KernelPart &part) { return !inParts || part.isLike(group); });
    if (last != parts.rend() && (!inParts || last->ops + group.ops <= kOpsOfPart))
      last->add(group);
    else
      parts.push_back(group);
  }
  return parts;
}

static llvm::Expected<std::string> emitText(llvm::Module &code, llvm::TargetMachine &machine) {
  auto emitted = emit(code, machine, /*assembly=*/true);
  if (!emitted)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "no PTX for " + machine.getTargetCPU() + ": " + llvm::toString(emitted.takeError()));
  return std::string(emitted->data(), emitted->size());
}

/// The text of a part. May be called from several threads.
static llvm::Expected<ImageText> emitPart(const KernelPart &part, const ImageRequest &request, StringRef version,
                                          const KernelNeeds &needs, const std::optional<llvm::StringSet<>> &exported) {
  const Chip &chip = *request.chip;
  auto fail = [](const llvm::Twine &what) { return llvm::createStringError(llvm::inconvertibleErrorCode(), what); };
  auto machine = createMachine(chip, version);
  if (!machine)
    return fail("no machine for " + llvm::Twine(chip.name) + ": " + llvm::toString(machine.takeError()));
  Operation *first = part.symbols.front();
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(UnknownLoc::get(first->getContext()));
  OpBuilder b = OpBuilder::atBlockEnd(kernels->getBody());
  for (Operation *symbol : part.symbols)
    b.clone(*symbol);
  if (!needs.empty() && !chip.hasWarpgroups)
    needs.dropParameters(*kernels);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(*kernels, context, "kernels");
  if (!code)
    return fail("translation to LLVM IR failed");
  kernels = {};
  if (request.own)
    keepKernels(*code, *request.own);
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
      return fail("kernels call '" + f.getName() + "', which nothing defines");
  ImageText text;
  if (part.exported && part.exported < part.kernels) {
    std::unique_ptr<llvm::Module> ofPredict = llvm::CloneModule(*code);
    keepKernels(*ofPredict, *exported);
    auto emitted = emitText(*ofPredict, **machine);
    if (!emitted)
      return emitted.takeError();
    text.ofPredict = std::move(*emitted);
  }
  auto emitted = emitText(*code, **machine);
  if (!emitted)
    return emitted.takeError();
  text.all = std::move(*emitted);
  if (part.exported == part.kernels && part.exported)
    text.ofPredict = text.all;
  return text;
}

/// Appends to a text one for the same chip and version.
static void append(std::string &text, StringRef more) { text += text.empty() ? more : more.split(kHeaderEnd).second; }

llvm::Expected<std::vector<ImageText>> mlc::cuda::emitImages(ModuleOp kernels, ArrayRef<ImageRequest> requests,
                                                             const KernelNeeds &needs,
                                                             const std::optional<llvm::StringSet<>> &exported,
                                                             bool inParts) {
  std::vector<Job> jobs;
  std::vector<ImageText> texts(requests.size());
  for (auto [i, request] : llvm::enumerate(requests))
    for (KernelPart &part : partsOf(kernels, request.own, exported, inParts))
      jobs.push_back({i, std::move(part), {}, {}});
  // The largest first, so that none is left for the end.
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(jobs.size()));
  llvm::stable_sort(order, [&](size_t x, size_t y) { return jobs[x].part.ops > jobs[y].part.ops; });
  parallelFor(kernels.getContext(), 0, jobs.size(), [&](size_t i) {
    Job &job = jobs[order[i]];
    const ImageRequest &request = requests[job.image];
    if (auto text = emitPart(job.part, request, versionFor(*request.chip, kernels), needs, exported))
      job.text = std::move(*text);
    else
      job.error = llvm::toString(text.takeError());
  });
  for (const Job &job : jobs) {
    if (!job.error.empty())
      return llvm::createStringError(llvm::inconvertibleErrorCode(), job.error);
    ImageText &text = texts[job.image];
    append(text.all, job.text.all);
    if (exported && !text.ofPredict)
      text.ofPredict.emplace();
    if (job.text.ofPredict)
      append(*text.ofPredict, *job.text.ofPredict);
  }
  // What leaves kernels to another image may have none of these.
  for (auto [request, text] : llvm::zip_equal(requests, texts))
    if (!request.own && text.ofPredict && text.ofPredict->empty())
      text.ofPredict = text.all.substr(0, text.all.find(kHeaderEnd) + kHeaderEnd.size());
  return texts;
}
