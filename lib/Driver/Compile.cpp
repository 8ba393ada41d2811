// Compilation in named phases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Compile.h"
#include "common/cli/NearestMatch.h"
#include "common/cli/OutputOverInput.h"
#include "common/machine/MachineLimits.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Transforms/DfPipeline.h"
#include "dialects/Dist/Transforms/Devices.h"
#include "dialects/Dist/Transforms/DistPasses.h"
#include "dialects/Est/IR/Est.h"
#include "dialects/Kern/IR/KernTiles.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "lib/Driver/CodeCache.h"
#include "lib/Driver/Compiler.h"
#include "lib/Driver/DeviceCode.h"
#include "lib/Driver/DiagnosticCollector.h"
#include "lib/Driver/InputStage.h"
#include "lib/Driver/Manifest.h"
#include "lib/Driver/ObservedStep.h"
#include "lib/Driver/OutputFile.h"
#include "lib/Driver/Remarks.h"
#include "lib/Driver/Reproducer.h"
#include "lib/Driver/SettingsCheck.h"
#include "lib/Driver/StateSize.h"
#include "mlc/Codegen/Codegen.h"
#include "mlc/Conversion/ConversionPasses.h"
#include "mlc/Conversion/DfToLinalg/DfToLinalg.h"
#include "mlc/Driver/Plugins.h"
#include "mlc/Driver/Register.h"
#include "mlc/Driver/Version.h"
#include "mlc/Frontend/DfProgram/DfProgram.h"
#include "mlc/Frontend/EstimatorSpec/Import.h"
#include "mlc/Frontend/EstimatorSpec/OtherFiles.h"
#include "mlc/Target/Artifact/ArtifactPasses.h"
#include "mlc/Target/CPU/CpuPasses.h"
#include "mlc/Target/CPU/CpuTarget.h"
#include "mlc/Target/CUDA/Chips.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlc/Target/CUDA/TileTable.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;
using namespace mlc;
using common::ExitCode;

bool mlc::isModuleFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false);
  return buffer && frontend::isModuleContent(path, (*buffer)->getBuffer());
}

/// The phases that --emit names, in order.
static constexpr std::pair<const char *, Phase> kEmitted[] = {
    {"est", Phase::Est},   {"df", Phase::Df},      {"dist", Phase::Dist}, {"linalg", Phase::Linalg},
    {"llvm", Phase::Llvm}, {"nvvm", Phase::Nvvm},  {"ptx", Phase::Ptx},   {"cubin", Phase::Cubin},
    {"asm", Phase::Asm},   {"obj", Phase::Object}, {"so", Phase::Shared}, {"exe", Phase::Trainer}};

std::optional<Phase> mlc::parsePhase(llvm::StringRef emit) {
  for (auto &[name, phase] : kEmitted)
    if (emit == name)
      return phase;
  return std::nullopt;
}

Phase mlc::phaseOf(const std::string &emit) { return parsePhase(emit).value_or(Phase::Trainer); }

static std::string nameOfPhase(Phase phase) {
  for (auto &[name, named] : kEmitted)
    if (phase == named)
      return name;
  return {};
}

std::string mlc::defaultCacheDirectory() {
  if (auto base = llvm::sys::Process::GetEnv("XDG_CACHE_HOME"); base && !base->empty())
    return *base + "/mlc";
  return llvm::sys::Process::GetEnv("HOME").value_or("/tmp") + "/.cache/mlc";
}

/// Adds the dialects of plug-ins. What is compiled with them depends on their bytes.
bool Compiler::loadPlugins() {
  for (const std::string &path : options.plugins) {
    auto content = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (content)
      pluginKey += fingerprint((*content)->getBuffer());
    llvm::Error error = loadDialectPlugin(path, registry);
    if (!error && !options.dfPasses.empty())
      error = registerPluginPasses(path);
    if (error) {
      common::Message message = common::makeError("E0705", llvm::toString(std::move(error)));
      message.expected = "a shared library that is built with find_package(MLC) of this mlc";
      messages.add(std::move(message));
      return fail(ExitCode::Usage);
    }
  }
  return true;
}

bool Compiler::readInput(DiagnosticCollector &diagnostics) {
  for (const std::string &output : {options.output, options.reproducer})
    if (auto error = common::outputOverInput(output, {options.input}))
      return fail(ExitCode::Usage, *error);
  auto buffer = options.content
                    ? llvm::MemoryBuffer::getMemBuffer(*options.content, options.input)
                    : llvm::MemoryBuffer::getFile(options.input, /*IsText=*/false, /*RequiresNullTerminator=*/true);
  if (std::error_code error = buffer.getError()) {
    // The frontend names the nearest file of the directory.
    frontend::importEstimatorSpecFile(options.input, context.get(), messages);
    if (!messages.hasErrors())
      return fail(ExitCode::Usage, common::makeError("E0114", "cannot read: " + error.message()));
    return fail(ExitCode::Usage);
  }
  llvm::StringRef content = (*buffer)->getBuffer();
  if (content.trim().empty()) {
    common::Message message = common::makeError("E0114", "the file is empty");
    message.expected = "an Estimator spec (.pbtxt) or a df module (.mlir)";
    return fail(ExitCode::Usage, message);
  }
  if (!frontend::isModuleContent(options.input, content)) {
    module = options.content
                 ? frontend::importEstimatorSpec(content, context.get(), {options.input, "", options.changes}, messages)
                 : frontend::importEstimatorSpecFile(options.input, context.get(), messages, options.changes);
    return module ? true : fail(ExitCode::Usage);
  }
  if (!options.changes.empty()) {
    common::Message message = common::makeError("E0208", "a module has no fields to change");
    message.expected = "a spec, with --set, --unset and --overlay";
    return fail(ExitCode::Usage, message);
  }
  content.consume_front("\xEF\xBB\xBF"); // a byte order mark
  diagnostics.file = options.input;
  diagnostics.text = content.str();
  module = parseSourceString<ModuleOp>(content, ParserConfig(context.get()), options.input);
  return module ? true : fail(ExitCode::Usage);
}

bool Compiler::convertSpec() {
  return runPhase("est to df", [](OpPassManager &passes) { passes.addPass(createConvertEstToDf()); });
}

/// Optimizers of a df module become ops of df.
bool Compiler::convertUpdates() {
  return runPhase("updates", [](OpPassManager &passes) { passes.addPass(createConvertEstUpdatesToDf()); }) ||
         fail(ExitCode::Usage);
}

/// Reads `dfPasses` once plug-ins have registered theirs.
bool Compiler::readPasses() {
  if (options.dfPasses.empty())
    return true;
  static const bool isRegistered = (registerPasses(), true);
  (void)isRegistered;
  pluginKey += fingerprint(options.dfPasses);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  OpPassManager passes(ModuleOp::getOperationName());
  if (succeeded(parsePassPipeline(options.dfPasses, passes, stream)))
    return true;
  common::Message message =
      common::makeError("E0203", "--df_passes: " + llvm::StringRef(problem).split('\n').first.str());
  message.expected = "passes that run on modules, as PASS{OPTION=VALUE},PASS; mlc-opt --help-mlc lists them";
  messages.add(std::move(message));
  return fail(ExitCode::Usage);
}

/// Runs `dfPasses`. What they leave is a program like one that was read.
bool Compiler::runPasses() {
  return options.dfPasses.empty() || (runPhase("df passes",
                                               [&](OpPassManager &passes) {
                                                 (void)parsePassPipeline(options.dfPasses, passes);
                                                 passes.addPass(df::createDfVerifyProgramPass());
                                               }) ||
                                      fail(ExitCode::Usage));
}

/// Keeps what is fetched. What is wrong with it is not the module's fault.
bool Compiler::cutGraph(DiagnosticCollector &diagnostics) {
  df::DfCutGraphPassOptions cut;
  cut.entry = options.cut.entry;
  cut.fetches.assign(options.cut.fetches.begin(), options.cut.fetches.end());
  cut.feeds.assign(options.cut.feeds.begin(), options.cut.feeds.end());
  std::string code = std::exchange(diagnostics.code, "E0221");
  bool good = runPhase("cut", [&](OpPassManager &passes) { passes.addPass(df::createDfCutGraphPass(cut)); });
  diagnostics.code = code;
  return good;
}

/// A df module must be a program; one that no spec was made into gets what a spec says.
bool Compiler::prepareProgram(DiagnosticCollector &diagnostics) {
  df::DfVerifyProgramPassOptions rules;
  // A program that is placed may be one to run, as a whole or as tasks of a cluster.
  rules.needsRole = options.phase == Phase::Trainer && options.cut.fetches.empty() && !dist::hasDevices(*module);
  if (!runPhase("check", [&](OpPassManager &passes) { passes.addPass(df::createDfVerifyProgramPass(rules)); }))
    return fail(ExitCode::Usage);
  bool good = succeeded(checkStateSize(*module)) && (options.cut.fetches.empty() || cutGraph(diagnostics));
  common::MessageList found;
  good = good && (options.phase == Phase::Df || frontend::describeProgram(*module, options.input, found));
  for (common::Message message : found.messages()) {
    message.sourceLine = diagnostics.lineOf(message.place);
    messages.add(std::move(message));
  }
  return good || fail(ExitCode::Usage);
}

/// Whether there is a way from the stage of the input to what is asked for.
bool Compiler::checkStage() {
  auto refuse = [&](std::string what, std::string expected) {
    common::Message message = common::makeError("E0209", std::move(what));
    message.expected = std::move(expected);
    return fail(ExitCode::Usage, message);
  };
  const std::string isAt = "the module is in " + nameOf(stage).str();
  switch (stage) {
  case InputStage::Nothing:
    return refuse("the module holds nothing to run: no df.function, and nothing that one is lowered to",
                  "a module of est, df, dist, linalg or llvm, as --emit prints it");
  case InputStage::Buffers:
  case InputStage::LlvmAlone:
    return refuse(isAt + ", and does not tell what the arguments of its functions are",
                  "a module of est, df, dist, linalg or llvm, as --emit prints it");
  case InputStage::Est:
  case InputStage::Graph:
  case InputStage::Placed:
    if (auto functions = module->getOps<func::FuncOp>(); !functions.empty())
      return refuse(isAt + ", and has a func.func '" + (*functions.begin()).getSymName().str() +
                        "', which is of a later stage",
                    "functions of the module's stage alone");
    break;
  default:
    break;
  }
  if (options.phase != Phase::Check && options.phase < firstPhaseOf(stage)) {
    std::vector<std::string> later;
    for (auto &[name, phase] : kEmitted)
      if (phase >= firstPhaseOf(stage))
        later.push_back(name);
    return refuse("--emit=" + nameOfPhase(options.phase) + ": " + isAt + ", a later stage",
                  "--emit=" + llvm::join(llvm::ArrayRef(later).drop_back(), ", ") + " or " + later.back());
  }
  if (stage > InputStage::Graph && !options.devices.empty())
    return refuse("--devices: " + isAt + ", where ops have their places", "a spec, or a module of est or df");
  if (stage > InputStage::Graph && !options.dfPasses.empty())
    return refuse("--df_passes: " + isAt + ", where gradients are expanded", "a spec, or a module of est or df");
  if (stage > InputStage::Graph && !options.cut.fetches.empty())
    return refuse("--fetch: " + isAt + ", which has no values of the graph", "a spec, or a module of est or df");
  return true;
}

/// Expands gradients. A module that names devices becomes programs.
bool Compiler::makePrograms() {
  if (stage >= InputStage::Placed)
    return true;
  const bool isPlaced = !options.devices.empty() || options.phase == Phase::Dist || dist::hasDevices(*module);
  if (!isPlaced)
    unobserved = withoutFetches(*module);
  frontend::describeGraph(*module);
  if (!runPhase("gradients", [&](OpPassManager &passes) { df::buildGradientPipeline(passes, keepsAttention()); }))
    return false;
  if (!isPlaced)
    return true;
  dist::DistPlacePassOptions placement;
  placement.devices.assign(options.devices.begin(), options.devices.end());
  placement.soft = options.softPlacement;
  stage = InputStage::Placed;
  return runPhase("placement",
                  [&](OpPassManager &passes) {
                    passes.addPass(dist::createDistPlacePass(placement));
                    passes.addPass(dist::createDistPartitionPass());
                  }) ||
         fail(ExitCode::Usage);
}

/// Programs become functions that talk over queues; all functions become segments on tensors.
bool Compiler::makeSegments() {
  if (stage >= InputStage::Tensors && options.hostTables >= 0) {
    common::Message message =
        common::makeError("E0203", "--host_tables: where tables of this module lie is decided already");
    message.expected = "a spec, or a module of an earlier stage";
    return fail(ExitCode::Usage, message);
  }
  if (stage == InputStage::Llvm && (options.phase == Phase::Nvvm || options.lineInfo)) {
    common::Message message = common::makeError("E0203", std::string(options.lineInfo ? "--line_info" : "--emit=nvvm") +
                                                             ": kernels of this module are PTX already");
    message.expected = "a spec, or a module of an earlier stage";
    return fail(ExitCode::Usage, message);
  }
  dist::DistJoinPassOptions joining;
  joining.types = {"CPU"};
  if (options.target == "cuda")
    joining.types.push_back("GPU");
  if (stage == InputStage::Placed &&
      !runPhase("join", [&](OpPassManager &passes) { passes.addPass(dist::createDistJoinPass(joining)); }))
    return fail(ExitCode::Usage);
  std::vector<std::string> onHost;
  if (options.target == "cuda") {
    auto found = entriesOnHost(*module, options.target);
    if (auto *message = std::get_if<common::Message>(&found))
      return fail(ExitCode::Usage, *message);
    onHost = std::get<0>(found);
  }
  if (stage < InputStage::Tensors &&
      !runPhase("df", [&](OpPassManager &passes) { df::buildSegmentPipeline(passes, /*splitUpdate=*/true); }))
    return false;
  if (!kernelTable.empty())
    for (auto *program : {&module, &unobserved})
      if (*program)
        (**program)->setAttr(kern::kKernelTableAttr, StringAttr::get(context.get(), kernelTable));
  // Text of a later stage tells of which program it is.
  if (!(*module)->hasAttr(kPlanAttr) && !setPlan())
    return false;
  if (stage >= InputStage::Tensors)
    return true;
  auto addPasses = [&](OpPassManager &passes) {
    passes.addPass(createConvertDfToLinalg());
    passes.addPass(createJoinFeatures());
    if (options.hostTables >= 0 || !onHost.empty()) {
      KeepOnHostOptions kept;
      kept.bytes = options.hostTables;
      kept.entries = SmallVector<std::string>(onHost.begin(), onHost.end());
      passes.addPass(createKeepOnHost(kept));
    }
    passes.addPass(createShareSegments());
  };
  // Kernels of attention are the device's: what a host runs is what attention stands for.
  const WalkResult found = module->walk([](Operation *op) {
    return isa<df::AttentionOp, df::AttentionGradOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (found.wasInterrupted() && options.hasHostCode && options.phase >= Phase::Shared) {
    hostModule = module->clone();
    std::swap(module, hostModule);
    const bool good = runPhase("attention for hosts", [&](OpPassManager &passes) {
      passes.addPass(df::createDfDecomposePass());
      passes.addPass(df::createDfSimplifyPass());
      passes.addPass(createCSEPass());
      addPasses(passes);
    });
    std::swap(module, hostModule);
    if (!good)
      return false;
  }
  return runPhase("df to linalg", addPasses);
}

/// Tells which program the module is. Tasks of a cluster observe their steps as they like: the program is that without
/// what observers get.
bool Compiler::setPlan() {
  std::string plan = planFingerprint(*module);
  if (unobserved) {
    std::swap(module, unobserved);
    if (!runPhase("unobserved step",
                  [&](OpPassManager &passes) { df::buildDfPipeline(passes, /*splitUpdate=*/true, keepsAttention()); }))
      return false;
    if (canTrainTogether(*module, *unobserved))
      plan = planFingerprint(*module);
    std::swap(module, unobserved);
    unobserved = {};
  }
  (*module)->setAttr(kPlanAttr, StringAttr::get(context.get(), plan));
  return true;
}

PipelineResult Compiler::runOn(ModuleOp program, const std::string &name,
                               llvm::function_ref<void(OpPassManager &)> build, std::vector<Diagnostic> *held) {
  PassManager passes(context.get(), ModuleOp::getOperationName());
  // What comes before code is made tells users what is wrong with their model. What makes code verifies its result at
  // its end: between its passes that takes a third of their time, and finds what is wrong with the compiler.
  const bool isInternal = name == kKernelsPhase;
  passes.enableVerifier(!isInternal);
  if (!options.printAfter.empty())
    passes.enableIRPrinting([](Pass *, Operation *) { return false; },
                            [&](Pass *pass, Operation *) {
                              std::string name = pass->getArgument().str();
                              if (!name.empty() && !llvm::is_contained(passesRun, name))
                                passesRun.push_back(name);
                              return llvm::is_contained(options.printAfter, name);
                            },
                            /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false);
  build(passes);
  auto modelName = program->getAttrOfType<StringAttr>(kNameAttr);
  return runPipeline(
      passes, program,
      {modelName ? modelName.str() : std::string(), options.reproducer, isInternal, options.plugins, held});
}

bool Compiler::runPhase(const std::string &name, llvm::function_ref<void(OpPassManager &)> build) {
  const PipelineResult outcome = runOn(*module, name, build);
  endPhase(name);
  return checkOutcome(outcome, name);
}

bool Compiler::checkOutcome(const PipelineResult &outcome, const std::string &name) {
  if (outcome.good)
    return true;
  if (outcome.crashed) {
    // What it left behind cannot even be destroyed.
    (void)module.release();
    (void)context.release();
    (void)threads.release();
  }
  if (outcome.isInternal || !outcome.reproducer.empty() || !outcome.problem.empty()) {
    common::Message message =
        common::makeError("E0704", "the compiler " +
                                       std::string(outcome.crashed      ? "crashed"
                                                   : outcome.isInternal ? "failed"
                                                                        : "stopped") +
                                       " in " + (outcome.pass.empty() ? "phase '" + name + "'" : outcome.pass));
    if (!outcome.isInternal)
      message.severity = common::Severity::Note;
    if (outcome.problem.empty())
      message.help = std::string(outcome.isInternal ? "please report it with " : "see ") + outcome.reproducer +
                     ", which '" + reproducerCommand(options.plugins) + "' runs";
    else
      message.help = "no reproducer: " + outcome.problem;
    messages.add(message);
  }
  return fail(outcome.crashed ? ExitCode::Internal : ExitCode::CompileFailed);
}

/// --print_after of a pass that did not run is a slip.
bool Compiler::checkPrintAfter() {
  for (const std::string &name : options.printAfter) {
    if (llvm::is_contained(passesRun, name))
      continue;
    common::Message message =
        common::makeError("E0203", "--print_after: no pass '" + name + "' ran", common::didYouMean(name, passesRun));
    message.expected = "one of " + llvm::join(passesRun, ", ");
    messages.add(message);
    return fail(ExitCode::Usage);
  }
  return true;
}

/// Whether there is a place for the output: told before the work, not after it.
bool Compiler::checkOutput() {
  const std::string &path = options.output;
  if (path == "-" && options.phase > Phase::Ptx)
    return fail(ExitCode::Usage,
                common::makeError("E0203", "-o -: only --emit=est, df, dist, linalg, llvm, nvvm and ptx go to stdout",
                                  "-o FILE"));
  if (path.empty() || path == "-" ||
      (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_directory(path) && !llvm::sys::fs::is_regular_file(path)))
    return true;
  if (llvm::sys::fs::is_directory(path))
    return failToWrite(std::make_error_code(std::errc::is_a_directory),
                       "cannot write '" + path + "': it is a directory");
  llvm::StringRef directory = llvm::sys::path::parent_path(path);
  std::error_code cause = llvm::sys::fs::access(directory.empty() ? "." : directory, llvm::sys::fs::AccessMode::Write);
  return !cause || failToWrite(cause, "cannot write '" + path + "': " + cause.message());
}

/// Whether there is such a target, and what is asked for fits it.
bool Compiler::checkTarget() {
  auto refuse = [&](std::string what, std::string expected) {
    common::Message message = common::makeError("E0203", std::move(what));
    message.expected = std::move(expected);
    messages.add(std::move(message)); // of the command line, not of the input
    return fail(ExitCode::Usage);
  };
  for (const std::string &chip : options.chips)
    if (std::string problem = checkChip(chip); !problem.empty())
      return refuse("--chip: " + problem, {});
  const bool isOfKernels = options.phase >= Phase::Nvvm && options.phase <= Phase::Cubin;
  if (options.target == "cuda") {
    if (options.phase >= Phase::Ptx && isOfKernels && options.chips.size() > 1)
      return refuse("--emit=" + nameOfPhase(options.phase) + " is a file for one chip; found --chip " +
                        llvm::join(options.chips, ", "),
                    "one --chip");
    return true;
  }
  if (isOfKernels)
    return refuse("--emit=" + nameOfPhase(options.phase) + ": there is none for target " + options.target,
                  "--target=cuda");
  if (!options.chips.empty())
    return refuse("--chip: target " + options.target + " has none", "--target=cuda");
  if (options.lineInfo)
    return refuse("--line_info: target " + options.target + " has no kernels of a GPU", "--target=cuda");
  return true;
}

/// The lines of the table of tiles that the chips have, if there is one.
bool Compiler::readKernelTable() {
  const std::string &path = options.kernelTable;
  if (path.empty())
    return true;
  auto refuse = [&](std::string what, std::string expected) {
    common::Message message = common::makeError("E0203", "--kernel_table: " + what);
    message.expected = std::move(expected);
    messages.add(std::move(message)); // of the command line, not of the input
    return fail(ExitCode::Usage);
  };
  if (options.target != "cuda")
    return refuse("target " + options.target + " has no tiles to choose", "--target=cuda");
  if (stage >= InputStage::Tensors)
    return refuse("which tiles products of this module have is decided already",
                  "a spec, or a module of an earlier stage");
  constexpr uint64_t kMostBytes = 4 << 20;
  uint64_t size = 0;
  if (!llvm::sys::fs::file_size(path, size) && size > kMostBytes)
    return refuse("'" + path + "' has " + std::to_string(size) + " bytes",
                  "a table of at most " + std::to_string(kMostBytes));
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return refuse("cannot read '" + path + "': " + buffer.getError().message(), "a table that mlc tune-kernels wrote");
  common::KernelTable table, selected;
  if (!common::parseKernelTable(path, std::string_view((*buffer)->getBuffer()), table, messages) ||
      !cuda::checkTiles(path, table, messages) || !cuda::selectTiles(path, table, options.chips, selected, messages))
    return fail(ExitCode::Usage);
  kernelTable = kernelTableText(selected, /*withFigures=*/false);
  return true;
}

/// What code runs on: `target`'s CPU alone, or with a device.
static std::unique_ptr<KernelTarget> kernelTargetOf(const CompileOptions &options, const CpuTarget &target) {
  if (options.target == "cuda")
    return std::make_unique<CudaKernelTarget>(target.getMachine(), options.chips, options.lineInfo,
                                              options.phase == Phase::Nvvm ? "nvvm" : "ptx");
  if (options.target == "cpu-two-spaces")
    return std::make_unique<CpuTwoSpacesTarget>(target.getMachine());
  return std::make_unique<CpuKernelTarget>(target.getMachine());
}

bool Compiler::run() {
  if (!checkOutput())
    return false;
  registerDialects(registry);
  if (!loadPlugins() || !readPasses())
    return false;
  // As many threads as this process may use, not as the host has.
  context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  if (const int processors = common::machineLimits().processors; processors > 1) {
    threads = std::make_unique<llvm::DefaultThreadPool>(llvm::hardware_concurrency(processors));
    context->setThreadPool(*threads);
  }
  // Handlers that come with the dialects see diagnostics first.
  DiagnosticCollector diagnostics(context.get(), messages);
  context->loadAllAvailableDialects();
  remarks.emplace(*context, options.remarks);
  context->printOpOnDiagnostic(false); // its place and what is wrong are enough
  if (!options.printAfter.empty())
    context->disableMultithreading(); // as the printing of IR needs it
  if (!readInput(diagnostics))
    return false;
  endPhase("read");
  stage = inputStageOf(*module);
  if (!checkStage())
    return false;
  if (options.phase == Phase::Est)
    return writeText(printed(*module));
  // What the cache is asked for must be known before; a spec's df follows from it.
  if (stage == InputStage::Est && !options.cut.fetches.empty()) {
    if (!convertSpec())
      return false;
    stage = InputStage::Graph;
  }
  if (stage == InputStage::Graph && (!convertUpdates() || !prepareProgram(diagnostics)))
    return false;
  if (options.checkManifest)
    if (ExitCode code = options.checkManifest(manifestOf(*module)); code != ExitCode::Success)
      return fail(code);
  if (!checkTarget() || !readKernelTable())
    return false;
  auto target = resolveCpu(options.cpu);
  if (!target) {
    messages.add(common::makeError("E0203", "--cpu: " + llvm::toString(target.takeError())));
    return fail(ExitCode::Usage);
  }
  if (!options.cacheDirectory.empty()) {
    bool library = options.phase == Phase::Shared;
    result.path = cachePath(*target) + (library ? ".so" : "");
    if (library ? llvm::sys::fs::exists(result.path) : llvm::sys::fs::can_execute(result.path)) {
      markUsed(result.path);
      result.cached = true;
      return true;
    }
    if (std::error_code error = llvm::sys::fs::create_directories(llvm::sys::path::parent_path(result.path)))
      return fail(ExitCode::OutputNotWritable, common::makeError("E0601",
                                                                 "cannot make the directory of the cache '" +
                                                                     options.cacheDirectory + "': " + error.message(),
                                                                 "--cache_dir DIRECTORY, or mlc compile -o TRAINER"));
  }
  if (stage == InputStage::Est && (!convertSpec() || !prepareProgram(diagnostics)))
    return false;
  if (!runPasses())
    return false;
  if (auto name = (*module)->getAttrOfType<StringAttr>(kNameAttr))
    result.name = name.str();
  if (options.phase == Phase::Df)
    return writeText(printed(*module));
  if (!makePrograms())
    return false;
  if (options.phase == Phase::Dist)
    return writeText(printed(*module));
  if (!makeSegments())
    return false;
  // What was lowered to the LLVM dialect has declarations of its segments beside it.
  OwningOpRef<ModuleOp> declared = stage == InputStage::Llvm ? declaredSegments(*module) : OwningOpRef<ModuleOp>();
  auto plan = (*module)->getAttrOfType<StringAttr>(kPlanAttr);
  FailureOr<ArtifactInfo> info =
      collectArtifactInfo(declared ? *declared : *module, plan.str() + target->required + MLC_VERSION);
  if (failed(info))
    return fail(ExitCode::CompileFailed);
  if (!checkSettings(*info, messages))
    return fail(ExitCode::Usage);
  if (options.phase == Phase::Check)
    return true;
  const std::unique_ptr<KernelTarget> kernels = kernelTargetOf(options, *target);
  info->cpuFeatures = target->required;
  describeBuild(*info, options.cpu);
  if (options.phase == Phase::Linalg)
    return writeText(printed(*module));
  if (std::optional<KernelDevice> device = kernels->getDevice()) {
    if (options.target == "cuda" && options.hasHostCode)
      hostInfo = std::make_shared<ArtifactInfo>(*info);
    addDevice(*info, *device, *module);
  }
  return generate(*target, *kernels, *info);
}

CompileResult mlc::compile(const CompileOptions &options, common::MessageList &messages, std::string &text) {
  Compiler compiler(options, messages, text);
  if (compiler.run())
    compiler.checkPrintAfter();
  if (compiler.remarks)
    compiler.remarks->addTo(messages);
  return compiler.result;
}
