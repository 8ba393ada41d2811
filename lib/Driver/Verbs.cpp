// The verbs of mlc that compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Verbs.h"
#include "common/CommandTable.h"
#include "mlc/Driver/Compile.h"
#include "mlcrt/abi.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlc;

std::string mlc::versionText() {
  return std::string("mlc ") + MLC_VERSION + "\nLLVM " + LLVM_VERSION_STRING + "\nabi " +
         std::to_string(MLCRT_ABI_MAJOR) + "." + std::to_string(MLCRT_ABI_MINOR) + "\n";
}

/// Whether the file is an executable already: a compiled trainer.
static bool isTrainer(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFileSlice(path, 4, 0);
  return buffer && (*buffer)->getBuffer() == llvm::StringRef("\177ELF", 4);
}

static std::string timing(const CompileResult &result) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  double total = 0;
  for (auto &[phase, seconds] : result.seconds) {
    stream << llvm::format("%8.3f s  ", seconds) << phase << '\n';
    total += seconds;
  }
  stream << llvm::format("%8.3f s  total\n", total);
  return text;
}

static VerbResult runCompile(const common::CommandLine &line, common::MessageList &messages, std::string &text) {
  CompileOptions options;
  options.input = line.positionals.front();
  options.output = line.text("output");
  options.phase = phaseOf(line.text("emit", "exe"));
  options.cpu = line.text("cpu", "x86-64-v3");
  options.printAfter = line.texts("print_after");
  CompileResult result = compile(options, messages, text);
  if (result.code != common::ExitCode::Success)
    return {result.code, {}, {}};
  double total = 0;
  for (auto &phase : result.seconds)
    total += phase.second;
  if (line.on("timing"))
    llvm::errs() << timing(result);
  if (!result.path.empty() && !line.on("quiet"))
    llvm::errs() << "compiled " << (result.name.empty() ? options.input : result.name) << " for cpu " << options.cpu
                 << llvm::format(" in %.1f s      ", total) << result.path << '\n';
  return {};
}

VerbResult mlc::runVerb(const common::CommandLine &line, common::MessageList &messages, std::string &text) {
  if (line.verb == "compile")
    return runCompile(line, messages, text);
  VerbResult result;
  const std::string &input = line.positionals.front();
  if (line.verb == "info" || isTrainer(input)) {
    if (!isTrainer(input)) {
      common::Message message = common::makeError("E0205", "not a compiled trainer");
      message.place.file = input;
      message.expected = "an executable that mlc compile made";
      messages.add(message);
      return {common::ExitCode::Corrupt, {}, {}};
    }
    result.program = input;
  } else {
    CompileOptions options;
    options.input = input;
    options.cpu = line.text("cpu", "native");
    options.cacheDirectory = line.text("cache_dir", defaultCacheDirectory());
    CompileResult compiled = compile(options, messages, text);
    if (compiled.code != common::ExitCode::Success)
      return {compiled.code, {}, {}};
    if (!line.on("json") && !line.on("quiet") && !compiled.cached) {
      double total = 0;
      for (auto &phase : compiled.seconds)
        total += phase.second;
      llvm::errs() << "compiled " << compiled.name << " for cpu " << options.cpu << llvm::format(" in %.1f s\n", total);
    }
    result.program = compiled.path;
  }
  result.command = {"mlc " + line.verb};
  for (std::string &argument : common::trainerArguments(line))
    result.command.push_back(argument);
  return result;
}
