// The command mlc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/mlc/Program.h"
#include "common/cli/CommandTable.h"
#include "mlc/Driver/Launch.h"
#include "mlc/Driver/Tune.h"
#include "mlc/Driver/Verbs.h"
#include "mlc/Driver/Version.h"
#include "mlc/Support/UnfinishedFile.h"
#include "runtime/src/checkpoint/Commands.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/trainer/RunFlags.h"
#include "runtime/src/trainer/Trainer.h"
#include "tools/mlc/CheckData.h"
#include "tools/mlc/ModelVerbs.h"
#include "tools/mlc/TuneKernels.h"

#include <cerrno>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

using namespace mlc;

/// Prints messages to stderr and turns them into an exit status.
static int report(const common::CommandLine &line, const common::MessageList &messages, common::ExitCode code) {
  common::MessageStyle style;
  std::string color = line.text("color", "auto");
  style.color = color == "always" || (color == "auto" && isatty(STDERR_FILENO));
  std::string text = line.on("json") ? messages.toJson() : messages.format(style);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return exitStatus(code);
}

/// Prints a result; what cannot be written was not done.
static int print(const std::string &text, const common::CommandLine &line) {
  bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  written = std::fflush(stdout) == 0 && written;
  if (written)
    return 0;
  common::MessageList messages;
  absl::Status status = mlcrt::writeError("standard output", "cannot write", errno);
  messages.add(mlcrt::messageOf(status));
  return report(line, messages, mlcrt::exitCodeOf(status));
}

/// Prints what a verb on checkpoints has to say.
static int printOutput(const common::CommandLine &line, const mlcrt::CommandOutput &output) {
  int unwritten = print(output.text, line);
  if (!output.note.empty() && !line.on("quiet"))
    std::fprintf(stderr, "%s\n", output.note.c_str());
  if (!output.messages.empty())
    report(line, output.messages, output.code);
  return unwritten ? unwritten : exitStatus(output.code);
}

int mlc::programMain(int argc, char **argv) {
  removeUnfinishedFilesOnSignals(); // the linker inherits that limits on the size of files are errors
  common::CommandTable commands = common::mlcCommands();
  common::CommandLine line;
  common::MessageList messages;
  if (!parseCommandLine(commands, std::vector<std::string>(argv + 1, argv + argc), line, messages))
    return report(line, messages, common::ExitCode::Usage);
  std::string text;
  if (line.version) {
    text = versionText();
  } else if (line.help != common::HelpKind::None) {
    text = formatHelp(commands, line.verb, line.help);
  } else if (mlcrt::isCheckpointCommand(line.verb)) {
    return printOutput(line, mlcrt::runCheckpointCommand(line));
  } else if (line.verb == "launch") {
    int status = runLaunch(line, messages);
    report(line, messages, common::ExitCode::Success);
    return status;
  } else if (line.verb == "tune") {
    const int status = runTune(line, messages, text);
    report(line, messages, common::ExitCode::Success);
    const int unwritten = print(text, line);
    return unwritten ? unwritten : status;
  } else if (line.verb == "tune-kernels") {
    const common::ExitCode code = tuneKernels(line, messages, text);
    const int status = report(line, messages, code);
    if (code != common::ExitCode::Success)
      return status;
  } else {
    VerbResult result = runVerb(line, mlcrt::checkFlagsBeforeCompile, messages, text);
    if (!messages.empty() || result.code != common::ExitCode::Success) {
      int status = report(line, messages, result.code);
      if (result.code != common::ExitCode::Success) {
        int printed = print(text, line);
        return printed != 0 ? printed : status;
      }
    }
    if (result.data) {
      std::string found;
      absl::Status status = checkData(line, *result.data, found, messages);
      if (int unwritten = print(line.on("quiet") ? "" : found, line))
        return unwritten;
      if (!status.ok())
        messages.add(mlcrt::messageOf(status));
      common::ExitCode wrong = status.ok() ? common::ExitCode::Corrupt : mlcrt::exitCodeOf(status);
      return report(line, messages, messages.errorCount() == 0 ? common::ExitCode::Success : wrong);
    }
    if (line.verb == "predict" && !result.exported.empty())
      return mlcrt::predictExportMain(line, result.exported);
    if (line.verb == "run" && result.command.empty())
      return mlcrt::runModelMain(line, result.library.empty() ? result.exported : result.library);
    if (!result.library.empty() || !result.exported.empty()) {
      absl::StatusOr<std::string> output = describeModel(line, result);
      if (output.ok())
        return print(*output, line);
      messages.add(mlcrt::messageOf(output.status()));
      return report(line, messages, mlcrt::exitCodeOf(output.status()));
    }
    // train, evaluate, predict: the trainer takes over, signals and exit status included.
    if (!result.command.empty()) {
      std::vector<char *> arguments;
      for (std::string &argument : result.command)
        arguments.push_back(argument.data());
      arguments.push_back(nullptr);
      execv(result.program.c_str(), arguments.data());
      messages.add(common::makeError("E0407", "cannot run '" + result.program + "'"));
      return report(line, messages, common::ExitCode::Corrupt);
    }
  }
  return print(text, line);
}
