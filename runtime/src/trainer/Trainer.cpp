// Dispatch of the trainer's verbs; evaluate and predict.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/trainer/Trainer.h"

#include "common/cli/CommandTable.h"
#include "common/machine/MachineLimits.h"
#include "runtime/src/checkpoint/Commands.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/device/cuda/CudaKind.h"
#include "runtime/src/export/CodeChoice.h"
#include "runtime/src/export/ExportedModel.h"
#include "runtime/src/train/EntryRun.h"
#include "runtime/src/train/EvaluateRun.h"
#include "runtime/src/train/EvaluationReport.h"
#include "runtime/src/train/ExportRun.h"
#include "runtime/src/train/Info.h"
#include "runtime/src/train/PredictRun.h"
#include "runtime/src/train/Preflight.h"
#include "runtime/src/train/RunConfigInfo.h"
#include "runtime/src/train/TrainRun.h"
#include "runtime/src/trainer/Console.h"
#include "runtime/src/trainer/RunFlags.h"
#include "runtime/src/trainer/Signals.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <unistd.h>

namespace mlcrt {

using mlc::common::CommandLine;
using mlc::common::CommandTable;
using mlc::common::ExitCode;
using mlc::common::MessageList;

namespace {
/// What the verbs of a program run with.
struct Session {
  explicit Session(const CommandLine &line)
      : line(line), console(consoleOptions(line)), reporter(console, logJson(line)) {}

  static ConsoleOptions consoleOptions(const CommandLine &line);
  static bool logJson(const CommandLine &line) { return line.text("log_format") == "json"; }
  /// Tells why, and returns the exit status.
  int fail(const absl::Status &status) {
    reporter.message(messageOf(status));
    return exitStatus(exitCodeOf(status));
  }
  /// The exit status of a verb that ended with `status`, or, if that is no error, with `exitCode`. What did not reach
  /// stdout was not done.
  int finish(const absl::Status &status, ExitCode exitCode) {
    if (!status.ok())
      return fail(status);
    absl::Status output = reporter.outputStatus();
    return output.ok() ? exitStatus(exitCode) : fail(output);
  }
  /// Opens the log, and gives the process the kinds of devices that artifacts may name. Whether there is one of a kind
  /// is seen when an artifact opens it.
  absl::Status open();

  const CommandLine &line;
  Console console;
  Reporter reporter;
  StopToken stop;
  int64_t gpuMemory = -1; ///< as of RunOptions
};
} // namespace

ConsoleOptions Session::consoleOptions(const CommandLine &line) {
  ConsoleOptions options;
  options.logJson = logJson(line);
  if (const char *seconds = std::getenv("MLC_PROGRESS_SECONDS"))
    options.progressSeconds = std::atof(seconds);
  options.terminal = ::isatty(STDERR_FILENO) && !options.logJson;
  options.json = line.on("json");
  options.quiet = line.on("quiet");
  std::string color = line.text("color", "auto");
  options.color = color == "always" || (color == "auto" && options.terminal);
  return options;
}

absl::Status Session::open() {
  if (line.has("log_file"))
    if (absl::Status status = reporter.openLog(line.text("log_file")); !status.ok())
      return status;
  registerCudaDevices();
  if (!line.has("gpu_memory"))
    return absl::OkStatus();
  absl::StatusOr<int64_t> memory = parseGpuMemory("--gpu_memory", line.text("gpu_memory"));
  if (memory.ok())
    gpuMemory = *memory;
  return memory.status();
}

static absl::Status printEvaluations(Session &session, RunContext &context) {
  return runEvaluate(context, [&](const EvalSet &set, const std::vector<Metric> &metrics) {
    const ClassNames &classes = context.configuration.classes();
    const bool hasReport = context.options.report;
    if (session.console.json())
      session.reporter.result(metricsJson(metrics, set.name, hasReport ? reportJson(metrics, classes) : "") + "\n");
    else
      session.reporter.result((set.name.empty() ? "" : "[" + set.name + "]\n") + metricsText(metrics) +
                              (hasReport ? "\n" + reportText(metrics, classes) : ""));
  });
}

static absl::Status printExport(Session &session, RunContext &context) {
  absl::StatusOr<ExportRunResult> made = runExport(context);
  if (!made.ok())
    return made.status();
  JsonObject object;
  object.text("path", made->path).integer("step", made->step).integer("golden_rows", made->goldenRows);
  session.reporter.result((session.console.json() ? object.str() : made->path) + "\n");
  return absl::OkStatus();
}

static ExitCode showRunConfig(Session &session, RunContext &context) {
  mlc::common::RunConfig run;
  MessageList messages;
  const bool good = readRunConfig(std::getenv("TF_CONFIG"), context.options.modelDir, run, messages);
  if (!messages.empty())
    session.reporter.messages(messages);
  if (good)
    session.reporter.result(describeRunConfig(run, context.configuration, session.console.json()));
  return good ? ExitCode::Success : ExitCode::Usage;
}

static absl::Status runVerb(Session &session, RunContext &context, ExitCode &exitCode) {
  const std::string &verb = context.options.verb;
  if (verb == "info" && session.line.on("runconfig")) {
    exitCode = showRunConfig(session, context);
    return absl::OkStatus();
  }
  if (verb == "info") {
    if (!context.options.modelDir.empty())
      return messageStatus(absl::StatusCode::kInvalidArgument,
                           mlc::common::makeError("E0206", "--model_dir without --runconfig", "info --runconfig"));
    session.reporter.result(describeArtifact(*context.artifact, context.configuration, session.console.json()));
    return absl::OkStatus();
  }
  // No signal is lost from here on: what was begun is saved.
  SignalWatch watch(session.stop);
  if (verb == "train")
    return runTrain(context, exitCode);
  absl::Status status = verb == "evaluate" ? printEvaluations(session, context)
                        : verb == "export" ? printExport(session, context)
                        : verb == "run"    ? runEntryOnce(context)
                                           : runPredict(context);
  if (absl::IsCancelled(status)) {
    exitCode = session.stop.exitCode();
    return absl::OkStatus();
  }
  return status;
}

/// The event "done" of a run that failed, `step` where it got that far.
static std::string failedEvent(const mlc::common::Message &message, int exit, std::optional<int64_t> step) {
  JsonObject event;
  event.text("event", "done");
  if (step)
    event.integer("step", *step);
  return event.text("reason", "error").raw("message", messageToJson(message)).integer("exit", exit).str();
}

/// What --set changes, for the help of a verb that takes it; empty if the artifact is damaged, which its use will tell.
static std::string settingsHelp(const CommandLine &line, const mlcrt_artifact *table) {
  const std::vector<std::string> runs = {"train", "evaluate", "predict", "export", "run"};
  if (!table || std::find(runs.begin(), runs.end(), line.verb) == runs.end() ||
      line.help == mlc::common::HelpKind::Short)
    return {};
  auto artifact = Artifact::fromTable(table, "linked-in artifact", CpuCheck::Skip);
  if (!artifact.ok())
    return {};
  auto configuration = Configuration::fromArtifact(**artifact);
  if (!configuration.ok())
    return {};
  return "\nsettings, changed by --set PATH=VALUE:\n" +
         describeSettings(configuration->settings(), mlc::common::SettingStage::Start);
}

/// Runs `body` with the settings in force; returns the exit status.
static int withConfiguration(Session &session, std::shared_ptr<const Artifact> artifact, const std::string &command,
                             const std::function<absl::Status(RunContext &)> &body) {
  absl::StatusOr<Configuration> configuration = Configuration::fromArtifact(*artifact);
  if (!configuration.ok())
    return session.fail(configuration.status());
  RunOptions options = runOptions(session.line, {command});
  options.gpuMemory = session.gpuMemory;
  MessageList messages;
  if (!configuration->apply(options, messages)) {
    session.reporter.messages(messages);
    return exitStatus(ExitCode::Usage);
  }
  RunContext context{std::move(artifact), *configuration, options, session.reporter, session.stop};
  absl::Status status = body(context);
  if (absl::IsCancelled(status))
    return exitStatus(session.stop.exitCode());
  return session.finish(status, ExitCode::Success);
}

/// Whether the artifact can do at all what the verb wants.
static bool hasEntryOf(const Artifact &artifact, const std::string &verb) {
  auto has = [&](mlcrt_role role) { return artifact.entry(role) != nullptr; };
  return verb == "train"      ? has(MLCRT_ROLE_TRAIN) || has(MLCRT_ROLE_TRAIN_GRAD)
         : verb == "evaluate" ? has(MLCRT_ROLE_EVAL_UPDATE)
                              : has(MLCRT_ROLE_PREDICT);
}

int trainerMain(int argc, char **argv, const mlcrt_artifact *table) {
  // A limit on the size of files is an error of the write, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  std::vector<std::string> command(argv, argv + argc);
  if (command.empty())
    command.push_back("trainer");
  CommandTable commands = mlc::common::trainerCommands(command.front());
  CommandLine line;
  MessageList messages;
  bool parsed = parseCommandLine(commands, {command.begin() + 1, command.end()}, line, messages);
  Session session(line);
  Reporter &reporter = session.reporter;
  if (!parsed) {
    reporter.messages(messages);
    return exitStatus(ExitCode::Usage);
  }
  if (line.version) {
    reporter.result(std::string("mlc runtime ") + MLC_VERSION + ", abi " + std::to_string(MLCRT_ABI_MAJOR) + "." +
                    std::to_string(MLCRT_ABI_MINOR) + "\n");
    return session.finish(absl::OkStatus(), ExitCode::Success);
  }
  if (line.help != mlc::common::HelpKind::None) {
    reporter.result(formatHelp(commands, line.verb, line.help) + settingsHelp(line, table));
    return session.finish(absl::OkStatus(), ExitCode::Success);
  }
  if (absl::Status status = session.open(); !status.ok())
    return session.fail(status);
  if (isCheckpointCommand(line.verb)) {
    CommandOutput output = runCheckpointCommand(line);
    reporter.result(output.text);
    if (!output.messages.empty())
      reporter.messages(output.messages);
    if (!output.note.empty())
      reporter.line(output.note);
    return session.finish(absl::OkStatus(), output.code);
  }
  // A program that reads the events of train waits for the last one, however the run ends.
  auto tellEnd = [&](const mlc::common::Message &message, int exit, std::optional<int64_t> step = {}) {
    if (line.verb == "train")
      reporter.event(failedEvent(message, exit, step));
    return exit;
  };
  auto failVerb = [&](const absl::Status &status, std::optional<int64_t> step = {}) {
    return tellEnd(messageOf(status), session.fail(status), step);
  };
  if (!table)
    return failVerb(absl::FailedPreconditionError("the artifact needs a newer runtime"));
  RunOptions options = runOptions(line, command);
  options.gpuMemory = session.gpuMemory;
  // What only looks at the table runs on any processor, and is of no device.
  const bool isRun = line.verb != "info";
  if (isRun) {
    const absl::StatusOr<CodeChoice> choice = chooseCode(*table, options.device, options.gpus);
    if (!choice.ok())
      return failVerb(choice.status());
    if (!choice->whyHost.empty())
      reporter.line("device   cpu: " + choice->whyHost);
    table = choice->table;
  }
  const CpuCheck cpu = isRun ? CpuCheck::Required : CpuCheck::Skip;
  absl::StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::fromTable(table, command.front(), cpu);
  if (!artifact.ok())
    return failVerb(artifact.status());
  absl::StatusOr<Configuration> configuration = Configuration::fromArtifact(**artifact);
  if (!configuration.ok())
    return failVerb(configuration.status());
  if (!configuration->apply(options, messages)) {
    reporter.messages(messages);
    return tellEnd(messages.messages().front(), exitStatus(ExitCode::Usage));
  }
  // Before a large state is made. That there is no such entry is told by its use.
  if (hasEntryOf(**artifact, line.verb))
    if (absl::Status status = checkRun(options, *configuration); !status.ok())
      return failVerb(status);
  RunContext context{*artifact, *configuration, options, reporter, session.stop};
  ExitCode exitCode = ExitCode::Success;
  absl::Status status;
  try {
    status = runVerb(session, context, exitCode);
  } catch (const std::bad_alloc &) { // with --force, or where others take the memory
    mlc::common::Message message = mlc::common::makeError("E0502", "memory ran out");
    message.expected = machineText(mlc::common::machineLimits());
    status = messageStatus(absl::StatusCode::kInvalidArgument, message);
  }
  return status.ok() ? session.finish(status, exitCode)
                     : failVerb(status, context.outcome ? std::optional(context.outcome->step) : std::nullopt);
}

/// Loads an export for a verb; a line says why it does not run on a GPU that it has code for.
static absl::StatusOr<ExportedModel> openExport(Session &session, const std::string &directory) {
  ExportLoadOptions options;
  options.device = session.line.text("device", "auto");
  options.gpuMemory = session.gpuMemory;
  absl::StatusOr<ExportedModel> model = loadExport(directory, options);
  if (model.ok() && !model->whyHost.empty())
    session.reporter.line("device   cpu: " + model->whyHost);
  return model;
}

int predictExportMain(const CommandLine &line, const std::string &directory) {
  Session session(line);
  if (absl::Status status = session.open(); !status.ok())
    return session.fail(status);
  absl::StatusOr<ExportedModel> model = openExport(session, directory);
  if (!model.ok())
    return session.fail(model.status());
  return withConfiguration(session, model->artifact, "mlc predict " + directory, [&](RunContext &context) {
    SignalWatch watch(session.stop);
    // Its weights are mapped from its files.
    return predictRows(context, *model->program, model->context(), model->weights.get(), /*state=*/{});
  });
}

/// Opens a library, the part of it that runs; a line says why that is not the one for GPUs.
static absl::StatusOr<std::shared_ptr<const Artifact>> openLibrary(Session &session, const std::string &path) {
  absl::StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::open(path);
  if (!artifact.ok())
    return artifact;
  const absl::StatusOr<CodeChoice> choice = chooseCode((*artifact)->table(), session.line.text("device", "auto"));
  if (!choice.ok())
    return choice.status();
  if (!choice->whyHost.empty())
    session.reporter.line("device   cpu: " + choice->whyHost);
  return choice->table == &(*artifact)->table() ? artifact : hostPart(*artifact);
}

int runModelMain(const CommandLine &line, const std::string &path) {
  Session session(line);
  if (absl::Status status = session.open(); !status.ok())
    return session.fail(status);
  if (!std::filesystem::is_directory(path)) {
    absl::StatusOr<std::shared_ptr<const Artifact>> artifact = openLibrary(session, path);
    if (!artifact.ok())
      return session.fail(artifact.status());
    return withConfiguration(session, *artifact, "mlc run", [](RunContext &context) { return runEntryOnce(context); });
  }
  absl::StatusOr<ExportedModel> model = openExport(session, path);
  if (!model.ok())
    return session.fail(model.status());
  return withConfiguration(session, model->artifact, "mlc run " + path, [&](RunContext &context) {
    return runEntryOnce(context, *model->program, model->signature.seed, model->signature.step);
  });
}

} // namespace mlcrt
