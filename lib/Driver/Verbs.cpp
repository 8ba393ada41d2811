// The verbs of mlc that compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Verbs.h"
#include "common/cli/CommandTable.h"
#include "common/cli/ShellText.h"
#include "common/machine/ByteCount.h"
#include "lib/Driver/Remarks.h"
#include "mlc/Driver/Compile.h"
#include "mlc/Driver/Completion.h"
#include "mlc/Driver/Doctor.h"
#include "mlc/Driver/SpecVerbs.h"
#include "mlc/Driver/TimelineMerge.h"
#include "mlc/Frontend/EstimatorSpec/OtherFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlc;

namespace {
enum class FileKind { Other, Trainer, Library };
} // namespace

/// Whether the file is compiled already: an executable trainer or a shared library. An executable asks for a loader.
static FileKind kindOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer || !(*buffer)->getBuffer().starts_with(llvm::StringRef("\177ELF", 4)))
    return FileKind::Other;
  auto file = llvm::object::ELF64LEFile::create((*buffer)->getBuffer());
  if (!file)
    return llvm::consumeError(file.takeError()), FileKind::Other;
  auto headers = file->program_headers();
  if (!headers)
    return llvm::consumeError(headers.takeError()), FileKind::Other;
  bool hasLoader = llvm::any_of(*headers, [](const auto &header) { return header.p_type == llvm::ELF::PT_INTERP; });
  return hasLoader ? FileKind::Trainer : FileKind::Library;
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

/// The part of the graph that --fetch and --feed tell; NAME=FILE feeds NAME. False after an error.
static bool readCut(const common::CommandLine &line, GraphCut &cut, common::MessageList &messages) {
  cut.entry = line.has("fetch") ? line.text("entry") : "";
  cut.fetches = line.texts("fetch");
  for (const std::string &feed : line.texts("feed"))
    cut.feeds.push_back(feed.substr(0, feed.find('=')));
  for (const char *flag : {"feed", "entry"})
    if (cut.fetches.empty() && line.has(flag) && (line.verb == "compile" || flag == std::string("feed"))) {
      messages.add(common::makeError("E0206", std::string("--") + flag + " without --fetch", "--fetch NAME"));
      return false;
    }
  return true;
}

bool mlc::readTarget(const common::CommandLine &line, CompileOptions &options, common::MessageList &messages) {
  options.target = line.text("target", "cpu");
  options.chips = line.texts("chip");
  options.kernelTable = line.text("kernel_table");
  if (!line.has("host_tables"))
    return true;
  std::string text = line.text("host_tables");
  const std::optional<int64_t> bytes = common::parseByteCount(text);
  if (bytes && options.target == "cuda") {
    options.hostTables = *bytes;
    return true;
  }
  common::Message message =
      common::makeError("E0203", bytes ? "--host_tables: target " + options.target + " has one memory"
                                       : "--host_tables is '" + text + "'");
  message.expected = bytes ? "--target=cuda" : common::kByteCountForm;
  messages.add(std::move(message));
  return false;
}

/// "cuda and cpu native".
static std::string targetText(const CompileOptions &options) {
  return (options.target == "cuda" ? "cuda and cpu " : "cpu ") + options.cpu;
}

static VerbResult runCompile(const common::CommandLine &line, common::MessageList &messages, std::string &text) {
  CompileOptions options;
  options.input = line.positionals.front();
  options.output = line.text("output");
  options.phase = phaseOf(line.text("emit", "exe"));
  options.cpu = line.text("cpu", "x86-64-v3");
  if (!readTarget(line, options, messages))
    return {common::ExitCode::Usage};
  options.lineInfo = line.on("line_info");
  options.plugins = line.texts("load");
  options.dfPasses = line.text("df_passes");
  options.optimize = line.text("opt_level", "1") != "0";
  options.printAfter = line.texts("print_after");
  options.reproducer = line.text("reproducer");
  if (!parseRemarks(line.text("remarks"), options.remarks, messages))
    return {common::ExitCode::Usage};
  options.changes = changesOf(line);
  options.devices = line.texts("devices");
  options.softPlacement = line.on("soft_placement");
  if (!readCut(line, options.cut, messages))
    return {common::ExitCode::Usage};
  if (!options.cut.fetches.empty() && options.phase == Phase::Trainer) {
    messages.add(common::makeError("E0206", "--fetch makes no trainer", "--emit=so, or a stage before"));
    return {common::ExitCode::Usage};
  }
  if (std::string sanitizer = line.text("sanitize", "none"); sanitizer != "none") {
    options.sanitizer = sanitizer == "thread" ? Sanitizer::Thread : Sanitizer::Address;
    if (options.phase == Phase::Trainer) {
      messages.add(common::makeError("E0206", "--sanitize makes no trainer: the runtime in it is not instrumented",
                                     "--emit=so or --emit=obj, for a program built with the sanitizer"));
      return {common::ExitCode::Usage};
    }
  }
  CompileResult result = compile(options, messages, text);
  if (result.code != common::ExitCode::Success)
    return {result.code};
  double total = 0;
  for (auto &phase : result.seconds)
    total += phase.second;
  if (line.on("timing"))
    llvm::errs() << timing(result);
  if (!result.path.empty() && !line.on("quiet"))
    llvm::errs() << "compiled " << (result.name.empty() ? options.input : result.name) << " for " << targetText(options)
                 << llvm::format(" in %.1f s      ", total) << result.path << '\n';
  if (result.memory && options.phase == Phase::Trainer && !line.on("quiet"))
    llvm::errs() << "memory   " << memoryText(*result.memory) << '\n';
  return {};
}

/// Of the models that predict takes, all but exported ones need a checkpoint.
static bool hasCheckpoint(const common::CommandLine &line, common::MessageList &messages) {
  common::CommandTable table = common::mlcCommands();
  common::VerbSpec verb = *table.find("predict");
  verb.needsOneOf = {"model_dir", "checkpoint"};
  return checkNeeds(verb, table.program, line, messages);
}

/// A directory can be an exported model, which predict, run and info take; it is complete: nothing compiles it or
/// changes its spec.
static VerbResult runOnDirectory(const common::CommandLine &line, const std::string &path,
                                 common::MessageList &messages) {
  common::Message message;
  if (!llvm::sys::fs::exists(path + "/signature.json")) {
    const frontend::OtherFile kind = frontend::directoryKind(path);
    message = common::makeError("E0408", "this is " + kind.what + " and no exported model: no signature.json");
    message.expected = "a spec, a compiled trainer, or the directory that 'mlc export' printed";
    message.help = kind.help;
  } else if (line.verb != "predict" && line.verb != "info" && line.verb != "run") {
    message = common::makeError("E0208", "an exported model does not " + line.verb);
    message.expected = "predict, run or info";
  }
  for (const char *flag : {"model_dir", "checkpoint", "unset", "overlay", "cpu", "target", "chip", "host_tables",
                           "kernel_table", "load", "cache_dir", "fetch", "feed"})
    if (message.what.empty() && line.has(flag))
      message = common::makeError("E0208", std::string("--") + flag + " means nothing to an exported model");
  if (message.what.empty()) {
    VerbResult result;
    result.exported = path;
    return result;
  }
  message.place.file = path;
  messages.add(message);
  return {common::ExitCode::Usage};
}

/// What is wrong with a run that needs no compilation to be told: the line as the trainer gets it, against the
/// manifest.
static common::ExitCode checkAsTrainer(const common::CommandLine &line, const std::vector<std::string> &sets,
                                       const std::string &calledAs, const std::string &manifest,
                                       const BeforeCompile &beforeCompile, common::MessageList &messages) {
  common::CommandLine trainer;
  common::ExitCode code = common::ExitCode::Success;
  common::MessageList ignored; // the line was read before
  std::vector<std::string> arguments = common::trainerArguments(line, sets);
  arguments.push_back("--called_as=" + calledAs);
  if (parseCommandLine(common::trainerCommands("mlc"), arguments, trainer, ignored))
    (void)beforeCompile(trainer, manifest, messages, code);
  return code;
}

/// A call of the verb VERB with this model: the spec with what was changed in it, and how it was compiled.
static std::string calledAs(const common::CommandLine &line, const std::vector<frontend::SpecChange> &changes) {
  std::string text = "mlc VERB " + common::shellWord(line.positionals.front());
  for (const frontend::SpecChange &change : changes) {
    text += change.kind == frontend::SpecChange::Set     ? " --set "
            : change.kind == frontend::SpecChange::Unset ? " --unset "
                                                         : " --overlay ";
    text += common::shellWord(change.text);
  }
  for (const char *flag : {"cpu", "target", "host_tables", "kernel_table"})
    if (line.has(flag))
      text += std::string(" --") + flag + " " + common::shellWord(line.text(flag));
  for (const std::string &chip : line.texts("chip"))
    text += " --chip " + common::shellWord(chip);
  for (const std::string &plugin : line.texts("load"))
    text += " --load " + common::shellWord(plugin);
  return text;
}

/// What runs an entry of a model: its shared library, compiled into the cache if it is none, or the trainer.
static VerbResult modelToRun(const common::CommandLine &line, FileKind kind, const BeforeCompile &beforeCompile,
                             common::MessageList &messages, std::string &text) {
  const std::string &input = line.positionals.front();
  VerbResult result;
  CompileOptions options;
  if (!readCut(line, options.cut, messages) || !readTarget(line, options, messages))
    return {common::ExitCode::Usage};
  if (kind != FileKind::Other && !options.cut.fetches.empty()) {
    common::Message message = common::makeError("E0221", "what is compiled has no graph to fetch a value of");
    message.place.file = input;
    message.expected = "the .mlir module or the spec that it was made of";
    messages.add(message);
    return {common::ExitCode::Usage};
  }
  if (kind == FileKind::Library) {
    result.library = input;
    return result;
  }
  if (kind == FileKind::Trainer) {
    result.program = input;
    result.command = {"mlc run"};
    for (std::string &argument : common::trainerArguments(line, line.texts("set")))
      result.command.push_back(argument);
    result.command.push_back("--called_as=mlc VERB " + input);
    return result;
  }
  options.input = input;
  options.phase = Phase::Shared;
  options.cpu = line.text("cpu", "native");
  options.plugins = line.texts("load");
  options.dfPasses = line.text("df_passes");
  options.cacheDirectory = line.text("cache_dir", defaultCacheDirectory());
  options.checkManifest = [&](const std::string &manifest) {
    return checkAsTrainer(line, line.texts("set"), calledAs(line, {}), manifest, beforeCompile, messages);
  };
  CompileResult compiled = compile(options, messages, text);
  result.code = compiled.code;
  result.library = compiled.path;
  return result;
}

VerbResult mlc::runVerb(const common::CommandLine &line, const BeforeCompile &beforeCompile,
                        common::MessageList &messages, std::string &text) {
  if (line.verb == "compile")
    return runCompile(line, messages, text);
  if (line.verb == "spec check" && line.on("data")) {
    VerbResult result;
    bool good = frontend::dataFacts(line.positionals.front(), changesOf(line), messages, result.data.emplace()) &&
                checkSpecSettings(line, messages);
    if (!good)
      return {common::ExitCode::Usage};
    return result;
  }
  if (llvm::StringRef(line.verb).starts_with("spec "))
    return {runSpecVerb(line, messages, text)};
  if (line.verb == "timeline merge")
    return {mergeTimelines(line, messages)};
  if (line.verb == "doctor")
    return {runDoctor(line, text)};
  if (line.verb == "completion") {
    const std::string &shell = line.positionals.front();
    if (shell == "bash" || shell == "zsh" || shell == "fish") {
      text = completionScript(shell);
      return {};
    }
    common::Message message = common::makeError("E0203", "'" + shell + "' is no shell that mlc knows");
    message.expected = "bash, zsh or fish";
    messages.add(message);
    return {common::ExitCode::Usage};
  }
  if (line.verb == "__complete") {
    for (const std::string &candidate : completions(common::mlcCommands(), line.positionals))
      text += candidate + "\n";
    return {};
  }
  VerbResult result;
  std::vector<std::string> sets = line.texts("set");
  std::vector<frontend::SpecChange> compiledChanges;
  const std::string &input = line.positionals.front();
  if (llvm::sys::fs::is_directory(input))
    return runOnDirectory(line, input, messages);
  if (line.verb == "predict" && !hasCheckpoint(line, messages))
    return {common::ExitCode::Usage};
  FileKind kind = kindOf(input);
  for (const char *flag : {"load", "target", "chip", "host_tables", "kernel_table"})
    if (kind != FileKind::Other && line.has(flag)) {
      messages.add(common::makeError("E0208", std::string("--") + flag + " helps to compile a model; '" + input +
                                                  "' is compiled already"));
      return {common::ExitCode::Usage};
    }
  if (line.verb == "run")
    return modelToRun(line, kind, beforeCompile, messages, text);
  if (line.verb == "info" && kind == FileKind::Library) {
    result.library = input;
    return result;
  }
  if (line.verb == "info" || kind == FileKind::Trainer) {
    if (kind != FileKind::Trainer) {
      bool exists = llvm::sys::fs::exists(input);
      common::Message message =
          exists ? common::makeError("E0407", "not a compiled trainer") : common::makeError("E0400", "no such file");
      message.place.file = input;
      message.expected = "an executable or a .so that mlc compile made";
      messages.add(message);
      return {exists ? common::ExitCode::Corrupt : common::ExitCode::Usage};
    }
    for (const char *flag : {"unset", "overlay"})
      if (line.has(flag)) {
        messages.add(common::makeError("E0208", std::string("--") + flag + " changes a spec; '" + input +
                                                    "' is compiled already"));
        return {common::ExitCode::Usage};
      }
    result.program = input;
  } else {
    CompileOptions options;
    options.input = input;
    options.cpu = line.text("cpu", "native");
    if (!readTarget(line, options, messages))
      return {common::ExitCode::Usage};
    options.plugins = line.texts("load");
    options.dfPasses = line.text("df_passes");
    // What a trainer can take at its start needs no other trainer.
    if (isModuleFile(input)) {
      for (const char *flag : {"unset", "overlay"})
        if (line.has(flag)) {
          messages.add(
              common::makeError("E0208", std::string("--") + flag + " changes a spec; '" + input + "' is a module"));
          return {common::ExitCode::Usage};
        }
    } else {
      options.changes = changesOf(line);
      sets = frontend::takeStartChanges(input, options.changes);
      compiledChanges = options.changes;
    }
    options.cacheDirectory = line.text("cache_dir", defaultCacheDirectory());
    options.checkManifest = [&](const std::string &manifest) {
      return checkAsTrainer(line, sets, calledAs(line, options.changes), manifest, beforeCompile, messages);
    };
    CompileResult compiled = compile(options, messages, text);
    if (compiled.code != common::ExitCode::Success)
      return {compiled.code};
    if (!line.on("json") && !line.on("quiet") && !compiled.cached) {
      double total = 0;
      for (auto &phase : compiled.seconds)
        total += phase.second;
      llvm::errs() << "compiled " << (compiled.name.empty() ? input : compiled.name) << " for " << targetText(options)
                   << llvm::format(" in %.1f s", total)
                   << (compiled.codeCached ? ", from code that was compiled before\n" : "\n");
    }
    result.program = compiled.path;
  }
  result.command = {"mlc " + line.verb};
  for (std::string &argument : common::trainerArguments(line, sets))
    result.command.push_back(argument);
  // What its messages call the command, so that they can be typed again.
  if (line.verb != "info")
    result.command.push_back("--called_as=" + calledAs(line, compiledChanges));
  return result;
}
