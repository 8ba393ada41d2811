// From a module in linalg to code, and what is made of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/settings/Settings.h"
#include "dialects/Kern/IR/KernAttention.h"
#include "lib/Driver/CodeCache.h"
#include "lib/Driver/Compiler.h"
#include "lib/Driver/DeviceCode.h"
#include "lib/Driver/OutputFile.h"
#include "lib/Driver/Ptxas.h"
#include "lib/Driver/StateSize.h"
#include "mlc/Target/Artifact/ArtifactPasses.h"
#include "mlc/Target/CPU/CpuPasses.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/thread.h"

using namespace mlir;
using namespace mlc;
using common::ExitCode;

std::string Compiler::outputPath(llvm::StringRef ending) {
  if (!options.output.empty())
    return options.output;
  return (llvm::sys::path::stem(options.input) + ending).str();
}

bool Compiler::writeText(const std::string &content) {
  if (!options.output.empty() && options.output != "-")
    return writeFile(options.output, content);
  text = content;
  return true;
}

bool Compiler::writeFile(const std::string &path, llvm::StringRef bytes) {
  if (std::error_code code = writeOutputFile(path, bytes))
    return failToWrite(code, "cannot write '" + path + "': " + code.message());
  result.path = path;
  return true;
}

/// The trainer of this model in the cache: named by all that it depends on.
std::string Compiler::cachePath(const CpuTarget &target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo(false));
  // A trainer has the runtime in it.
  const std::string held = options.phase == Phase::Trainer ? runtimeStamp() : "";
  return cacheFile(options.cacheDirectory, "trainers",
                   cacheKey(text + pluginKey + deviceKey() + (options.canExport ? " exports" : "") + held, target,
                            options.optimize));
}

std::string mlc::printed(ModuleOp module) {
  std::string content;
  llvm::raw_string_ostream stream(content);
  module.print(stream);
  stream << '\n';
  return content;
}

/// Assembly or an object with the table in it, which needs nothing else.
bool Compiler::generateFile(llvm::TargetMachine &machine, const ArtifactInfo &info) {
  llvm::LLVMContext llvmContext;
  prepareTranslation(*context);
  auto code = translate(std::move(module), info.name, llvmContext, machine);
  if (!code)
    return fail(ExitCode::CompileFailed, "E0702", code.takeError());
  optimize(**code, machine, options.optimize, options.sanitizer);
  addArtifactTable(**code, info);
  auto object = emit(**code, machine, options.phase == Phase::Asm);
  if (!object)
    return fail(ExitCode::CompileFailed, "E0702", object.takeError());
  endPhase("emit");
  const llvm::StringRef bytes(object->data(), object->size());
  if (options.phase == Phase::Asm)
    return writeText(bytes.str());
  if (llvm::Error error = checkImports(*object, options.sanitizer))
    return fail(ExitCode::Internal, "E0703", std::move(error));
  return writeFile(outputPath(".o"), bytes);
}

/// The machine code of the first image, by the assembler of a CUDA toolkit.
bool Compiler::writeCubin(const ArtifactInfo &info) {
  if (info.images.empty())
    return fail(ExitCode::CompileFailed, common::makeError("E0702", "no kernels: nothing of the model runs on a GPU"));
  const ImageInfo &image = info.images.front();
  llvm::Expected<std::string> cubin = assemblePtx(image.bytes.c_str(), image.chip);
  if (!cubin) {
    common::Message message = common::makeError("E0702", "--emit=cubin: " + llvm::toString(cubin.takeError()));
    message.expected = "a CUDA toolkit whose ptxas knows " + image.chip;
    message.help = "--emit=ptx needs none";
    return fail(ExitCode::CompileFailed, std::move(message));
  }
  endPhase("ptxas");
  return writeFile(outputPath(".cubin"), *cubin);
}

/// A shared library or a trainer of compiled code and the table.
bool Compiler::linkArtifact(llvm::TargetMachine &machine, const ArtifactInfo &info, const CodeArchive &code) {
  llvm::SmallVector<char, 0> image;
  const bool executable = options.phase == Phase::Trainer;
  if (executable || options.canExport) {
    auto made = linkPredictImage(code, info, machine);
    if (!made)
      return failToLink(made.takeError());
    image = std::move(*made);
    endPhase("predict image");
  }
  auto table = emitTable(code, info, image, machine);
  if (!table)
    return fail(ExitCode::CompileFailed, "E0702", table.takeError());
  endPhase("table");
  if (result.path.empty())
    result.path = outputPath(executable ? "" : ".so");
  if (!options.cacheDirectory.empty())
    pruneFor(result.path, kMostTrainerBytes);
  if (llvm::Error error = link({*table, code}, result.path, executable))
    return failToLink(std::move(error));
  endPhase("link");
  return true;
}

/// Text in linalg may have kernels that hosts have not.
bool Compiler::checkHostKernels(ModuleOp program) {
  const WalkResult found = program->walk([](Operation *op) -> WalkResult {
    if (isa<kern::AttentionOp, kern::AttentionGradOp>(op))
      return op->emitOpError("has no code for the CPU, which a trainer has, too: compile the df module, in which "
                             "attention stands as what it is made of");
    return WalkResult::advance();
  });
  return !found.wasInterrupted() || fail(ExitCode::CompileFailed);
}

/// Lowers the module to the LLVM dialect, unless it is in it. What is printed tells what it takes to go on from there;
/// nothing else does.
bool Compiler::lower(const KernelTarget &target) {
  if (stage == InputStage::Llvm) {
    if (options.phase != Phase::Llvm)
      removeSegmentTable(*module);
    return true;
  }
  if (!target.getDevice() && !checkHostKernels(*module))
    return false;
  OwningOpRef<ModuleOp> table = options.phase == Phase::Llvm ? makeSegmentTable(*module) : OwningOpRef<ModuleOp>();
  if (!runPhase(kKernelsPhase, [&](OpPassManager &passes) { buildCodegenPipeline(passes, target); }))
    return false;
  if (table)
    addSegmentTable(*module, std::move(table));
  return true;
}

/// Lowers the module for a device, and `same`, what a process without the device runs, for the host: at once, where
/// there are threads. What is wrong with either is told in the same order.
bool Compiler::lowerWithHost(const KernelTarget &target, OwningOpRef<ModuleOp> &same, const KernelTarget &host) {
  if (!checkHostKernels(*same))
    return false;
  auto run = [&](ModuleOp program, const KernelTarget &its, std::vector<Diagnostic> *held) {
    return runOn(program, kKernelsPhase, [&](OpPassManager &passes) { buildCodegenPipeline(passes, its); }, held);
  };
  PipelineResult ofHost;
  std::vector<Diagnostic> held;
  std::optional<llvm::thread> beside;
  if (context->isMultithreadingEnabled())
    beside.emplace([&] { ofHost = run(*same, host, &held); });
  const PipelineResult ofDevice = run(*module, target, nullptr);
  if (beside)
    beside->join();
  else if (ofDevice.good)
    ofHost = run(*same, host, nullptr);
  endPhase(kKernelsPhase);
  if (ofDevice.crashed || ofHost.crashed)
    (void)same.release(); // as checkOutcome does with the module
  if (!ofDevice.good)
    return checkOutcome(ofDevice, kKernelsPhase);
  for (Diagnostic &diagnostic : held)
    context->getDiagEngine().emit(std::move(diagnostic));
  return checkOutcome(ofHost, kKernelsPhase);
}

/// What code depends on besides the module and the CPU.
std::string Compiler::deviceKey() const {
  return options.target + " " + llvm::join(options.chips, ",") + " " + std::to_string(options.hostTables) +
         (options.hasHostCode ? "" : " device alone") + kernelTable;
}

/// The module in linalg, and its description, become what is asked for.
bool Compiler::generate(const CpuTarget &target, const KernelTarget &kernels, ArtifactInfo &info) {
  const bool isLinked = options.phase == Phase::Shared || options.phase == Phase::Trainer;
  auto machine = createTargetMachine(target, options.optimize);
  if (!machine)
    return fail(ExitCode::CompileFailed, "E0702", machine.takeError());
  // Who has the module in the LLVM dialect alone has no kernels to lower anew.
  const bool hasHostCode = hostInfo && isLinked && stage != InputStage::Llvm;
  std::optional<CodeCache> cache;
  // What the cache goes by has no lines.
  const bool isKept = !options.cacheDirectory.empty() && options.sanitizer == Sanitizer::None && !options.lineInfo;
  if (isLinked && isKept) {
    cache.emplace(options.cacheDirectory,
                  cacheKey(codeText(*module) + pluginKey + deviceKey(), target, options.optimize),
                  kernels.getDevice().has_value());
    auto kept = cache->load();
    if (kept && (!kernels.getDevice() || succeeded(takeDeviceTable(info, kept->device, context.get())))) {
      if (hasHostCode)
        addHostInfo(info, std::move(hostInfo));
      result.codeCached = true;
      endPhase("cached code");
      return linkArtifact(**machine, info, kept->code);
    }
  }
  OwningOpRef<ModuleOp> same;
  if (hasHostCode)
    same = hostModule ? std::move(hostModule) : OwningOpRef<ModuleOp>(module->clone());
  if (same ? !lowerWithHost(kernels, same, CpuKernelTarget(target.getMachine())) : !lower(kernels))
    return false;
  addImages(info, *module);
  if (failed(placeOperands(info, *module)))
    return fail(ExitCode::Internal);
  const std::string device = cache && kernels.getDevice() ? deviceTable(*module) : std::string();
  if (same) {
    addCode(*module, *same, kHostPrefix);
    addHostInfo(info, std::move(hostInfo));
    same = {};
  }
  if (options.phase == Phase::Nvvm || options.phase == Phase::Ptx)
    return writeText(info.images.empty() ? std::string() : info.images.front().bytes.c_str());
  if (options.phase == Phase::Cubin)
    return writeCubin(info);
  if (options.phase == Phase::Llvm)
    return writeText(printed(*module));
  measure(info);
  if (!isLinked)
    return generateFile(**machine, info);
  auto code = emitCode(*module, target, options.optimize, options.sanitizer);
  if (!code)
    return fail(ExitCode::CompileFailed, "E0702", code.takeError());
  if (llvm::Error error = checkCode(llvm::StringRef(code->data(), code->size()), options.sanitizer))
    return fail(ExitCode::Internal, "E0703", std::move(error));
  endPhase("emit");
  if (cache)
    cache->store(*code, device);
  return linkArtifact(**machine, info, *code);
}

/// What a trainer of the module will need; the workspace at the batch size of its settings.
void Compiler::measure(const ArtifactInfo &info) {
  result.memory = stateNeed(*module);
  auto manifest = llvm::json::parse(info.manifest);
  common::SettingsTable settings;
  common::MessageList ignored; // checkSettings told
  if (const llvm::json::Object *object = manifest ? manifest->getAsObject() : nullptr)
    if (const llvm::json::Value *list = object->get("settings"))
      common::settingsFromJson(llvm::formatv("{0}", *list).str(), settings, ignored);
  if (!manifest)
    llvm::consumeError(manifest.takeError());
  if (std::optional<int64_t> rows = settings.getInt("train.batch_size")) {
    result.memory->rows = *rows;
    result.memory->workspace = workspaceNeed(*module, info, *rows);
  }
}
