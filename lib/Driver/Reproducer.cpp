// Reproducers: see Reproducer.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/Reproducer.h"
#include "common/cli/ShellText.h"
#include "lib/Driver/OutputFile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>

using namespace mlir;
using namespace mlc;

namespace {

/// What the handlers of signals, the pass manager and runPipeline share.
struct Attempt {
  const ReproducerOptions &options;
  PipelineResult result;
  std::atomic<bool> passFailed{false};
  std::string text; ///< of the reproducer

  explicit Attempt(const ReproducerOptions &o) : options(o) {}

  /// Writes the text; to stderr the place of it, where nobody is left to tell.
  void write() {
    std::string path = options.path;
    if (path.empty()) {
      std::string name = options.name.empty() ? "module" : options.name;
      for (char &c : name)
        if (!llvm::isAlnum(c) && c != '-' && c != '_')
          c = '_';
      llvm::SmallString<128> made;
      if (std::error_code error = llvm::sys::fs::createTemporaryFile("mlc-" + name, "mlir", made)) {
        result.problem = "no temporary file: " + error.message();
        return;
      }
      path = std::string(made);
    }
    if (std::error_code error = writeOutputFile(path, text))
      result.problem = "cannot write '" + path + "': " + error.message();
    else
      result.reproducer = path;
  }
};

/// The attempt whose passes this thread runs; null: none, or a thread of the context, which works for all.
thread_local const Attempt *running = nullptr;

/// Keeps what the pass manager writes. After a crash of a thread of the context nothing runs after it.
class KeptStream : public ReproducerStream {
public:
  explicit KeptStream(Attempt &attempt) : attempt(attempt), stream(attempt.text) {}
  ~KeptStream() override {
    if (attempt.passFailed)
      return;
    attempt.write();
    if (!attempt.result.reproducer.empty())
      llvm::errs() << "mlc: the compiler crashed: please report it with " << attempt.result.reproducer << ", which '"
                   << reproducerCommand(attempt.options.plugins) << "' runs\n";
  }
  StringRef description() override { return "reproducer"; }
  raw_ostream &os() override { return stream; }

private:
  Attempt &attempt;
  llvm::raw_string_ostream stream;
};

/// Tells a failure from a crash.
class FailureWatch : public PassInstrumentation {
public:
  explicit FailureWatch(Attempt &attempt) : attempt(attempt) {}
  /// Passes on the module run in a thread of the pass manager's own, which also tells what those on functions found.
  void runBeforePass(Pass *, Operation *op) override {
    if (isa<ModuleOp>(op))
      running = &attempt;
  }
  void runAfterPassFailed(Pass *, Operation *) override { attempt.passFailed = true; }

private:
  Attempt &attempt;
};

} // namespace

std::string mlc::reproducerCommand(const std::vector<std::string> &plugins) {
  std::string command = "mlc-opt --run-reproducer";
  for (const std::string &plugin : plugins)
    command += " --load-dialect-plugin=" + common::shellWord(plugin);
  return command;
}

PipelineResult mlc::runPipeline(PassManager &passes, ModuleOp module, const ReproducerOptions &options) {
  Attempt attempt(options);
  PipelineResult &result = attempt.result;
  std::atomic<bool> hasError{false};
  {
    llvm::SaveAndRestore<const Attempt *> here(running, &attempt);
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
      if (running && running != &attempt)
        return failure();
      // The pass manager's own summary: what failed, and where the reproducer is.
      if (StringRef(diagnostic.str())
              .starts_with("Failures have been detected while processing an MLIR pass pipeline")) {
        for (Diagnostic &note : diagnostic.getNotes()) {
          std::string text = note.str();
          result.pass = StringRef(text).split('[').second.rsplit(']').first.str();
        }
        return success();
      }
      hasError = hasError || diagnostic.getSeverity() == DiagnosticSeverity::Error;
      if (!options.held || !running)
        return failure();
      options.held->push_back(std::move(diagnostic));
      return success();
    });
    passes.enableCrashReproducerGeneration([&](std::string &) { return std::make_unique<KeptStream>(attempt); });
    // After the one above, so that it is told first: that one writes the reproducer of a failure at once.
    passes.addInstrumentation(std::make_unique<FailureWatch>(attempt));
    result.good = succeeded(passes.run(module));
  }
  if (result.good)
    return result;
  result.crashed = !attempt.passFailed;
  if (!result.crashed) {
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
    result.isInternal = options.isInternal || !hasError || failed(verify(module));
    if (result.isInternal || !options.path.empty())
      attempt.write();
  }
  result.isInternal |= result.crashed;
  return result;
}
