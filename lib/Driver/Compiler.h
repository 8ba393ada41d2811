// One compilation. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_COMPILER_H
#define LIB_DRIVER_COMPILER_H

#include "lib/Driver/DiagnosticCollector.h"
#include "lib/Driver/InputStage.h"
#include "lib/Driver/Remarks.h"
#include "lib/Driver/Reproducer.h"
#include "mlc/Codegen/Codegen.h"
#include "mlc/Driver/Compile.h"
#include "mlc/Target/CPU/CpuTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/ThreadPool.h"

#include <chrono>

namespace mlc {

/// The phase that makes code of the module in linalg.
inline constexpr const char *kKernelsPhase = "kernels";

/// The text of a module, with a line's end.
std::string printed(mlir::ModuleOp module);

/// From an input to what options ask for, phase by phase (Compile.cpp); what is made of a module in linalg is in
/// GenerateCode.cpp. Each member that returns a bool tells whether the compilation goes on; if not, `result` has the
/// exit code, and `messages` say why.
struct Compiler {
  const CompileOptions &options;
  common::MessageList &messages;
  std::string &text;
  CompileResult result;
  mlir::DialectRegistry registry;
  std::unique_ptr<llvm::DefaultThreadPool> threads; ///< of the context; none: one thread
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The module without what observers of training steps get; null: it has nothing for them.
  mlir::OwningOpRef<mlir::ModuleOp> unobserved;
  /// The module in linalg of code for hosts, where that of the device's code has kernels that hosts lack; null: it is
  /// the same.
  mlir::OwningOpRef<mlir::ModuleOp> hostModule;
  std::optional<RemarkCollector> remarks;
  std::string pluginKey;                  ///< a hash of the plug-ins
  std::string kernelTable;                ///< the lines for the chips, without figures; empty: no table is given
  std::shared_ptr<ArtifactInfo> hostInfo; ///< of code for hosts, where there is code for a device, too
  InputStage stage = InputStage::Nothing; ///< of the module, as far as it is given or was lowered on tensors
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  /// With --print_after: names of the passes that ran.
  std::vector<std::string> passesRun;

  Compiler(const CompileOptions &o, common::MessageList &m, std::string &t) : options(o), messages(m), text(t) {}

  void endPhase(const std::string &name) {
    auto now = std::chrono::steady_clock::now();
    result.seconds.emplace_back(name, std::chrono::duration<double>(now - start).count());
    start = now;
  }

  bool fail(common::ExitCode code) {
    result.code = code;
    return false;
  }
  bool fail(common::ExitCode code, common::Message message) {
    message.place.file = message.place.file.empty() ? options.input : message.place.file;
    messages.add(std::move(message));
    return fail(code);
  }
  /// What could not be written: 194 where room would help.
  bool failToWrite(std::error_code cause, std::string what) {
    return fail(needsRoom(cause) ? common::ExitCode::DiskFull : common::ExitCode::OutputNotWritable,
                common::makeError("E0601", std::move(what)));
  }
  /// An error of the linker, or of the files that it reads and writes.
  bool failToLink(llvm::Error error) {
    std::error_code cause;
    std::string what;
    llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &e) {
      cause = e.convertToErrorCode();
      what = e.message();
    });
    if (cause == llvm::inconvertibleErrorCode())
      return fail(common::ExitCode::CompileFailed, common::makeError("E0702", what));
    return failToWrite(cause, what);
  }
  bool fail(common::ExitCode code, const std::string &errorCode, llvm::Error error) {
    return fail(code, common::makeError(errorCode, llvm::toString(std::move(error))));
  }

  bool loadPlugins();
  bool readInput(DiagnosticCollector &diagnostics);
  bool checkStage();
  bool convertSpec();
  bool convertUpdates();
  /// Whether the target has kernels of attention that store no scores.
  bool keepsAttention() const { return options.target == "cuda"; }
  bool makePrograms();
  bool makeSegments();
  bool setPlan();
  bool readPasses();
  bool runPasses();
  bool cutGraph(DiagnosticCollector &diagnostics);
  bool prepareProgram(DiagnosticCollector &diagnostics);
  bool runPhase(const std::string &name, llvm::function_ref<void(mlir::OpPassManager &)> build);
  /// Runs the passes of phase `name` on a module of the context; several threads may. `held` is as of
  /// ReproducerOptions.
  PipelineResult runOn(mlir::ModuleOp program, const std::string &name,
                       llvm::function_ref<void(mlir::OpPassManager &)> build,
                       std::vector<mlir::Diagnostic> *held = nullptr);
  /// Tells what went wrong in a phase, if something did.
  bool checkOutcome(const PipelineResult &outcome, const std::string &name);
  bool writeText(const std::string &content);
  bool writeFile(const std::string &path, llvm::StringRef bytes);
  bool checkTarget();
  bool readKernelTable();
  bool checkHostKernels(mlir::ModuleOp program);
  bool lower(const KernelTarget &target);
  bool lowerWithHost(const KernelTarget &target, mlir::OwningOpRef<mlir::ModuleOp> &same, const KernelTarget &host);
  std::string deviceKey() const;
  bool generate(const CpuTarget &target, const KernelTarget &kernels, ArtifactInfo &info);
  bool generateFile(llvm::TargetMachine &machine, const ArtifactInfo &info);
  bool writeCubin(const ArtifactInfo &info);
  bool linkArtifact(llvm::TargetMachine &machine, const ArtifactInfo &info, const CodeArchive &code);
  std::string outputPath(llvm::StringRef ending);
  std::string cachePath(const CpuTarget &target);
  bool checkPrintAfter();
  bool checkOutput();
  void measure(const ArtifactInfo &info);
  bool run();
};

} // namespace mlc

#endif // LIB_DRIVER_COMPILER_H
