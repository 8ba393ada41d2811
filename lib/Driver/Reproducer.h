// Runs a pipeline; where that fails inside of the compiler, what repeats it is written to a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_LIB_DRIVER_REPRODUCER_H
#define MLC_LIB_DRIVER_REPRODUCER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace mlc {

struct ReproducerOptions {
  std::string name; ///< of the model, for the name of the file
  std::string path; ///< the file; empty: a new one in the directory for temporary files, after internal failures alone
  bool isInternal = false;            ///< an error of these passes is never the user's
  std::vector<std::string> plugins{}; ///< that the module was read with
  /// Takes the diagnostics of the passes, for who runs other passes of the context at once; null: they are told.
  std::vector<mlir::Diagnostic> *held = nullptr;
};

struct PipelineResult {
  bool good = false;
  bool crashed = false;    ///< by a signal: neither the module nor its context may be touched or destroyed
  bool isInternal = false; ///< not the user's error: a crash, a failure without a message, a pass that left invalid IR
  std::string pass;        ///< that failed, with the op that it ran on
  std::string reproducer;  ///< the file written; 'mlc-opt --run-reproducer' runs the pipeline on the module as it was
  std::string problem;     ///< why it could not be written
};

/// The command that runs a reproducer, but for its file.
std::string reproducerCommand(const std::vector<std::string> &plugins);

/// Runs `passes` on `module`. A crash of a thread of the context, too, writes the file; the process ends then as it
/// would without. Several threads may run passes on modules of one context.
PipelineResult runPipeline(mlir::PassManager &passes, mlir::ModuleOp module, const ReproducerOptions &options);

} // namespace mlc

#endif // MLC_LIB_DRIVER_REPRODUCER_H
