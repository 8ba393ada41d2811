// Help on passes: see PassHelp.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/PassHelp.h"
#include "mlc/Driver/Register.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlc;

/// Stages in the order of compilation, and what the names of their passes begin with.
static const struct {
  StringLiteral prefix, title;
} kStages[] = {
    {"convert-est-", "est to df"},
    {"df-", "df to df"},
    {"dist-", "df to programs for devices, and back"},
    {"convert-df-to-linalg", "df to linalg and kern"},
    {"codegen-", "linalg and kern to LLVM, for all targets"},
    {"cpu-", "the CPU's part of it"},
    {"cuda-", "the part of it of NVIDIA GPUs"},
    {"artifact-", "what the artifact's table says"},
    {"", "others"},
};

/// A paragraph, in lines of at most 120 columns.
static void printWrapped(StringRef text, size_t indent) {
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  size_t column = 0;
  for (StringRef word : words) {
    if (column == 0 || column + 1 + word.size() > 120) {
      if (column != 0)
        llvm::outs() << '\n';
      llvm::outs().indent(indent);
      column = indent;
    } else {
      llvm::outs() << ' ';
      ++column;
    }
    llvm::outs() << word;
    column += word.size();
  }
  llvm::outs() << '\n';
}

/// The passes of a pipeline, as --pass-pipeline takes them, but for their options.
static std::string textOf(const PassPipelineInfo &pipeline) {
  OpPassManager passes(ModuleOp::getOperationName());
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto ignore = [](const Twine &) { return failure(); };
  if (succeeded(pipeline.addToPipeline(passes, "", ignore)))
    passes.printAsTextualPipeline(stream);
  std::string names;
  int depth = 0;
  for (char c : text) {
    depth += c == '{';
    if (depth == 0)
      (names += c) += c == ',' ? " " : "";
    depth -= c == '}';
  }
  return names;
}

void mlc::printPassHelp() {
  registerMlcPasses();
  DialectRegistry registry;
  // The registry of passes cannot be listed, but the options that it makes can.
  MlirOptMainConfig::registerCLOptions(registry);
  SmallVector<StringRef> names;
  for (const auto &option : llvm::cl::getRegisteredOptions())
    names.push_back(option.first);
  llvm::sort(names);
  size_t width = 0; ///< of what stands before descriptions
  SmallVector<const PassInfo *> passes;
  SmallVector<const PassPipelineInfo *> pipelines;
  for (StringRef name : names) {
    if (const PassInfo *pass = PassInfo::lookup(name))
      passes.push_back(pass);
    else if (const PassPipelineInfo *pipeline = PassPipelineInfo::lookup(name))
      pipelines.push_back(pipeline);
    else
      continue;
    const PassRegistryEntry *entry = PassInfo::lookup(name);
    width = std::max({width, name.size() + 6, entry ? entry->getOptionWidth() + 4 : 0});
  }
  llvm::outs()
      << "Passes of mlc by stage; --help lists those of MLIR, too. In a pipeline: --pass-pipeline='builtin.module("
         "PASS{OPTION=VALUE},PASS)'.\n";
  for (const auto &stage : kStages) {
    bool isFirst = true;
    for (const PassInfo *&pass : passes) {
      if (!pass || !pass->getPassArgument().starts_with(stage.prefix))
        continue;
      if (isFirst)
        llvm::outs() << '\n' << stage.title << ":\n";
      isFirst = false;
      pass->printHelpStr(2, width);
      pass = nullptr;
    }
  }
  llvm::outs() << "\nPipelines:\n";
  for (const PassPipelineInfo *pipeline : pipelines) {
    pipeline->printHelpStr(2, width);
    printWrapped(textOf(*pipeline), 6);
  }
}
