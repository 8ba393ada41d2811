// The verbs of mlc spec.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/SpecVerbs.h"
#include "common/cli/OutputOverInput.h"
#include "lib/Driver/OutputFile.h"
#include "mlc/Driver/Compile.h"
#include "mlc/Frontend/EstimatorSpec/OtherFiles.h"
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"
#include "mlc/Frontend/SpecInit/SpecInit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlc;
using common::ExitCode;

std::vector<frontend::SpecChange> mlc::changesOf(const common::CommandLine &line) {
  std::vector<frontend::SpecChange> changes;
  for (auto &[flag, value] : line.inOrder) {
    if (flag == "set")
      changes.push_back({frontend::SpecChange::Set, value});
    else if (flag == "unset")
      changes.push_back({frontend::SpecChange::Unset, value});
    else if (flag == "overlay")
      changes.push_back({frontend::SpecChange::Overlay, value});
  }
  return changes;
}

/// The text of a spec.
static bool readText(const std::string &path, common::MessageList &messages, std::string &text) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false);
  common::Message error;
  if (buffer) {
    text = (*buffer)->getBuffer().str();
    std::optional<frontend::OtherFile> other = frontend::otherFileKind(path, text);
    if (!other)
      return true;
    error = common::makeError("E0114", "this is " + other->what, other->help);
  } else {
    error = common::makeError("E0114", "cannot read: " + buffer.getError().message());
  }
  error.place.file = path;
  messages.add(std::move(error));
  return false;
}

/// Replaces a file as a whole.
static bool writeText(const std::string &path, const std::string &text, common::MessageList &messages) {
  if (std::error_code failure = writeOutputFile(path, text)) {
    common::Message error = common::makeError("E0601", "cannot write: " + failure.message());
    error.place.file = path;
    messages.add(std::move(error));
    return false;
  }
  return true;
}

bool mlc::checkSpecSettings(const common::CommandLine &line, common::MessageList &messages) {
  CompileOptions options;
  options.input = line.positionals.front();
  options.changes = changesOf(line);
  options.phase = Phase::Check;
  common::MessageList found;
  std::string none;
  const bool good = compile(options, found, none).code == ExitCode::Success;
  for (const common::Message &message : found.messages())
    if (message.severity == common::Severity::Error) // warnings of the spec were told when it was read
      messages.add(message);
  return good;
}

static ExitCode runCheck(const common::CommandLine &line, common::MessageList &messages) {
  const std::string &path = line.positionals.front();
  if (line.has("rows")) {
    messages.add(common::makeError("E0206", "--rows says how many rows --data reads", "--data --rows N"));
    return ExitCode::Usage;
  }
  bool good = frontend::checkSpec(path, changesOf(line), messages) && checkSpecSettings(line, messages);
  if (good && !line.on("quiet") && !line.on("json"))
    llvm::errs() << path << ": fine\n";
  return good ? ExitCode::Success : ExitCode::Usage;
}

static ExitCode runShow(const common::CommandLine &line, common::MessageList &messages, std::string &text) {
  frontend::ShowOptions options;
  options.resolved = line.on("resolved");
  options.origin = line.on("origin");
  options.json = line.text("format") == "json" || (line.on("json") && !line.has("format"));
  bool good = frontend::showSpec(line.positionals.front(), changesOf(line), options, messages, text);
  return good ? ExitCode::Success : ExitCode::Usage;
}

static ExitCode runDiff(const common::CommandLine &line, common::MessageList &messages, std::string &text) {
  std::vector<frontend::SpecDifference> differences;
  if (!frontend::diffSpecs(line.positionals[0], line.positionals[1], messages, differences))
    return ExitCode::Usage;
  llvm::raw_string_ostream stream(text);
  for (const frontend::SpecDifference &each : differences) {
    if (line.on("json")) {
      llvm::json::Object object{{"path", each.path}};
      if (!each.before.empty())
        object["before"] = each.before;
      if (!each.after.empty())
        object["after"] = each.after;
      stream << llvm::json::Value(std::move(object)) << '\n';
    } else if (each.before.empty()) {
      stream << "+ " << each.path << ": " << each.after << '\n';
    } else if (each.after.empty()) {
      stream << "- " << each.path << ": " << each.before << '\n';
    } else {
      stream << "  " << each.path << ": " << each.before << " -> " << each.after << '\n';
    }
  }
  return differences.empty() ? ExitCode::Success : ExitCode::Differs;
}

/// `spec fmt` and `spec upgrade`: both rewrite a file in place.
static ExitCode runRewrite(const common::CommandLine &line, common::MessageList &messages) {
  bool differs = false;
  for (const std::string &path : line.positionals) {
    std::string before, after;
    if (!readText(path, messages, before))
      return ExitCode::Usage;
    bool read = line.verb == "spec fmt" ? frontend::formatSpec(path, before, messages, after)
                                        : frontend::upgradeSpec(path, before, messages, after);
    if (!read)
      return ExitCode::Usage;
    if (before == after)
      continue;
    differs = true;
    if (!line.on("quiet"))
      llvm::errs() << path << (line.on("check") ? ": differs\n" : ": rewritten\n");
    if (!line.on("check") && !writeText(path, after, messages))
      return ExitCode::OutputNotWritable;
  }
  return differs && line.on("check") ? ExitCode::Differs : ExitCode::Success;
}

/// The values of a flag that takes lists with commas.
static std::vector<std::string> listOf(const common::CommandLine &line, const char *flag) {
  std::vector<std::string> result;
  for (const std::string &text : line.texts(flag)) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(text).split(parts, ',');
    for (llvm::StringRef part : parts)
      result.push_back(part.trim().str());
  }
  return result;
}

static ExitCode runInit(const common::CommandLine &line, common::MessageList &messages, std::string &text) {
  frontend::SpecInitOptions options;
  options.files = line.positionals;
  options.label = line.text("label");
  options.from = line.text("from");
  options.weight = line.text("weight");
  options.drop = listOf(line, "drop");
  options.categorical = listOf(line, "categorical");
  options.numeric = listOf(line, "numeric");
  for (llvm::StringRef text : line.texts("multi_value")) {
    if (text.size() < 3 || text[text.size() - 2] != ':') {
      common::Message error = common::makeError("E0203", "'" + text.str() + "' is not a value of --multi_value",
                                                "as in --multi_value 'genres:|'");
      error.expected = "COLUMN:SEPARATOR, the separator one byte";
      messages.add(std::move(error));
      return ExitCode::Usage;
    }
    options.multiValue[text.drop_back(2).str()] = text.back();
  }
  options.model = line.text("model");
  options.task = line.text("task");
  options.balance = line.on("balance");
  options.names = listOf(line, "names");
  options.noHeader = line.on("no_header");
  options.rows = line.integer("rows").value_or(0);
  options.output = line.text("output");
  frontend::SpecInitResult result;
  if (!frontend::initSpec(options, messages, result))
    return ExitCode::Usage;
  if (options.output.empty()) {
    text = result.text;
    return ExitCode::Success;
  }
  std::vector<std::pair<std::string, std::string>> files = {{options.output, result.text}};
  for (auto &[name, terms] : result.vocabularies) {
    llvm::SmallString<256> path = llvm::sys::path::parent_path(options.output);
    llvm::sys::path::append(path, name);
    files.emplace_back(path.str().str(), terms);
  }
  for (auto &[path, content] : files)
    if (llvm::sys::fs::exists(path) && !line.on("force")) {
      common::Message error = common::makeError("E0405", "the file exists", "--force, or another -o");
      error.place.file = path;
      messages.add(std::move(error));
    }
  if (messages.hasErrors())
    return ExitCode::OutputNotWritable;
  for (auto &[path, content] : files)
    if (auto error = common::outputOverInput(path, options.files))
      messages.add(std::move(*error));
  if (messages.hasErrors())
    return ExitCode::Usage;
  for (auto &[path, content] : files) {
    if (!writeText(path, content, messages))
      return ExitCode::OutputNotWritable;
    if (!line.on("quiet"))
      llvm::errs() << "wrote    " << path << '\n';
  }
  return ExitCode::Success;
}

ExitCode mlc::runSpecVerb(const common::CommandLine &line, common::MessageList &messages, std::string &text) {
  if (line.verb == "spec check")
    return runCheck(line, messages);
  if (line.verb == "spec init")
    return runInit(line, messages, text);
  if (line.verb == "spec show")
    return runShow(line, messages, text);
  if (line.verb == "spec explain")
    return frontend::explain(line.positionals.front(), messages, text) ? ExitCode::Success : ExitCode::Usage;
  if (line.verb == "spec diff")
    return runDiff(line, messages, text);
  if (line.verb == "spec schema") {
    text = frontend::specSchema(line.text("format", "proto"));
    return ExitCode::Success;
  }
  return runRewrite(line, messages);
}
