// Dispatch of the trainer's verbs; evaluate and predict.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Trainer.h"

#include "common/CommandTable.h"
#include "common/NearestMatch.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/Commands.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/train/Evaluation.h"
#include "runtime/src/train/Info.h"
#include "runtime/src/train/Prediction.h"
#include "runtime/src/train/Signals.h"
#include "runtime/src/train/TrainRun.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <unistd.h>

namespace mlcrt {

using mlc::common::CommandLine;
using mlc::common::CommandTable;
using mlc::common::ExitCode;
using mlc::common::makeError;
using mlc::common::Message;
using mlc::common::MessageList;

/// A model with the values of a checkpoint.
struct RestoredModel {
  std::unique_ptr<Program> program;
  int64_t step = 0;
  int64_t seed = 0;
};

/// The checkpoint that evaluate and predict take: --checkpoint, or the newest of --model_dir.
static absl::StatusOr<std::string> checkpointToRun(const RunContext &context) {
  const CommandLine &line = context.line;
  if (line.has("checkpoint"))
    return requireCheckpoint(line.text("checkpoint"));
  std::string modelDir = line.text("model_dir");
  absl::StatusOr<std::optional<CheckpointPath>> newest = CheckpointStore(modelDir).newest();
  if (!newest.ok())
    return newest.status();
  if (newest->has_value())
    return (*newest)->path;
  // tf.estimator would go on with initial values; metrics of an untrained model only look like an answer.
  Message message = makeError("E0401", "no checkpoint to " + line.verb,
                              "train first: " + context.commandFor("train") + " --model_dir " + modelDir);
  message.place.file = modelDir;
  message.expected = "a directory ckpt-<step> with a MANIFEST.json";
  return messageStatus(absl::StatusCode::kNotFound, message);
}

static absl::StatusOr<RestoredModel> restoreModel(RunContext &context) {
  absl::StatusOr<std::string> directory = checkpointToRun(context);
  if (!directory.ok())
    return directory.status();
  absl::StatusOr<CheckpointManifest> manifest = readManifest(*directory);
  if (!manifest.ok())
    return adviseOnDamage(manifest.status(), *directory);
  if (absl::Status status =
          checkFingerprint(*directory, *manifest, *context.artifact, context.configuration.compiledTexts());
      !status.ok()) {
    Message message = messageOf(status);
    message.help = "another --model_dir, or the trainer that wrote it";
    return messageStatus(status.code(), message);
  }
  absl::StatusOr<std::unique_ptr<Program>> program = Program::create(context.artifact);
  if (!program.ok())
    return program.status();
  RestoredModel model{*std::move(program), manifest->step, manifest->seed};
  if (absl::Status status = context.configuration.bind(*model.program); !status.ok())
    return status;
  if (absl::Status status = restoreState(*directory, *manifest, *context.artifact, model.program->state());
      !status.ok())
    return adviseOnDamage(status, *directory);
  context.reporter.line("restored " + *directory);
  return model;
}

static absl::Status runEvaluate(RunContext &context) {
  absl::StatusOr<RestoredModel> model = restoreModel(context);
  if (!model.ok())
    return model.status();
  const Artifact &artifact = *context.artifact;
  if (absl::Status status = artifact.require({MLCRT_ROLE_EVAL_RESET, MLCRT_ROLE_EVAL_UPDATE, MLCRT_ROLE_EVAL_RESULT});
      !status.ok())
    return status;
  ThreadPool pool(context.threads());
  const mlc::common::SettingsTable &settings = context.configuration.settings();
  std::vector<EvalSet> sets;
  for (const EvalSet &set : context.configuration.evalSets())
    if (context.line.has("name") ? set.name == context.line.text("name")
                                 : !settings.getStrings(set.prefix + ".files").empty())
      sets.push_back(set);
  if (sets.empty())
    sets.push_back(context.configuration.evalSets().front()); // to say that it has no files
  for (const EvalSet &set : sets) {
    absl::StatusOr<EntryData> data = openEntryData(
        context.configuration, artifact, *artifact.entry(MLCRT_ROLE_EVAL_UPDATE),
        settings.getStrings(set.prefix + ".files"), set.prefix + ".files", pool.threads(), context.reporter);
    if (!data.ok())
      return data.status();
    absl::StatusOr<std::vector<Metric>> metrics =
        evaluate(*model->program, pool, *data, context.configuration.batchSize(set.prefix),
                 settings.getInt(set.prefix + ".steps").value_or(-1), model->seed, model->step, context.reporter);
    if (!metrics.ok())
      return metrics.status();
    if (context.reporter.json()) {
      context.reporter.result(metricsJson(*metrics, sets.size() > 1 || !set.name.empty() ? set.name : "") + "\n");
      continue;
    }
    size_t width = 0;
    for (const Metric &metric : *metrics)
      width = std::max(width, metric.name.size());
    std::string text = set.name.empty() ? "" : "[" + set.name + "]\n";
    for (const Metric &metric : *metrics)
      text += metric.name + std::string(width + 2 - metric.name.size(), ' ') + metric.text + "\n";
    context.reporter.result(text);
  }
  return absl::OkStatus();
}

static absl::Status runPredict(RunContext &context) {
  absl::StatusOr<RestoredModel> model = restoreModel(context);
  if (!model.ok())
    return model.status();
  const Artifact &artifact = *context.artifact;
  if (absl::Status status = artifact.require({MLCRT_ROLE_PREDICT}); !status.ok())
    return status;
  ThreadPool pool(context.threads());
  const mlc::common::SettingsTable &settings = context.configuration.settings();
  absl::StatusOr<EntryData> data =
      openEntryData(context.configuration, artifact, *artifact.entry(MLCRT_ROLE_PREDICT),
                    settings.getStrings("predict.files"), "predict.files", pool.threads(), context.reporter);
  if (!data.ok())
    return data.status();
  PredictionRequest request;
  if (context.line.text("format") == "csv")
    request.format = PredictionFormat::Csv;
  request.keys = settings.getStrings("predict.predict_keys");
  request.batchSize = context.configuration.batchSize("predict");
  request.seed = model->seed;
  request.step = model->step;
  std::string output = context.line.text("output", "-");
  if (output == "-")
    return predict(*model->program, pool, *data, request, [&](std::string_view text) {
      context.reporter.result(text);
      return context.reporter.outputStatus();
    });
  absl::StatusOr<AtomicFile> file = AtomicFile::create(output);
  if (!file.ok())
    return file.status();
  absl::Status status = predict(*model->program, pool, *data, request, [&](std::string_view text) {
    return file->write(text.data(), static_cast<int64_t>(text.size()));
  });
  return status.ok() ? file->commit() : status;
}

static absl::Status runVerb(RunContext &context, ExitCode &exitCode) {
  const std::string &verb = context.line.verb;
  if (verb == "train")
    return runTrain(context, exitCode);
  if (verb == "info") {
    context.reporter.result(describeArtifact(*context.artifact, context.configuration, context.reporter.json()));
    return absl::OkStatus();
  }
  SignalWatch watch;
  absl::Status status = verb == "evaluate" ? runEvaluate(context) : runPredict(context);
  if (absl::IsCancelled(status)) {
    exitCode = SignalWatch::received() == SIGINT ? ExitCode::Interrupted : ExitCode::Terminated;
    return absl::OkStatus();
  }
  return status;
}

static ReporterOptions reporterOptions(const CommandLine &line) {
  ReporterOptions options;
  options.terminal = ::isatty(STDERR_FILENO);
  options.json = line.on("json");
  options.quiet = line.on("quiet");
  std::string color = line.text("color", "auto");
  options.color = color == "always" || (color == "auto" && options.terminal);
  return options;
}

static int fail(Reporter &reporter, const absl::Status &status) {
  reporter.message(messageOf(status));
  return exitStatus(exitCodeOf(status));
}

/// What --set changes, for the help of a verb that takes it; empty if the artifact is damaged, which its use will tell.
static std::string settingsHelp(const CommandLine &line, const mlcrt_artifact *table) {
  const bool runs = line.verb == "train" || line.verb == "evaluate" || line.verb == "predict";
  if (!table || !runs || line.help == mlc::common::HelpKind::Short)
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

/// The exit status of a verb that ended with `status`, or, if that is no error, with `exitCode`. What did not reach
/// stdout was not done.
static int finish(Reporter &reporter, const absl::Status &status, ExitCode exitCode) {
  if (!status.ok())
    return fail(reporter, status);
  absl::Status output = reporter.outputStatus();
  return output.ok() ? exitStatus(exitCode) : fail(reporter, output);
}

int trainerMain(int argc, char **argv, const mlcrt_artifact *table) {
  std::vector<std::string> command(argv, argv + argc);
  if (command.empty())
    command.push_back("trainer");
  CommandTable commands = mlc::common::trainerCommands(command.front());
  CommandLine line;
  MessageList messages;
  bool parsed = parseCommandLine(commands, {command.begin() + 1, command.end()}, line, messages);
  Reporter reporter(reporterOptions(line));
  if (!parsed) {
    reporter.messages(messages);
    return exitStatus(ExitCode::Usage);
  }
  if (line.version) {
    reporter.result(std::string("mlc runtime ") + MLC_VERSION + ", abi " + std::to_string(MLCRT_ABI_MAJOR) + "." +
                    std::to_string(MLCRT_ABI_MINOR) + "\n");
    return finish(reporter, absl::OkStatus(), ExitCode::Success);
  }
  if (line.help != mlc::common::HelpKind::None) {
    reporter.result(formatHelp(commands, line.verb, line.help) + settingsHelp(line, table));
    return finish(reporter, absl::OkStatus(), ExitCode::Success);
  }
  if (line.has("log_file"))
    if (absl::Status status = reporter.openLog(line.text("log_file")); !status.ok())
      return fail(reporter, status);
  if (isCheckpointCommand(line.verb)) {
    CommandOutput output = runCheckpointCommand(line);
    reporter.result(output.text);
    if (!output.messages.empty())
      reporter.messages(output.messages);
    if (!output.note.empty())
      reporter.line(output.note);
    return finish(reporter, absl::OkStatus(), output.code);
  }
  if (!table)
    return fail(reporter, absl::FailedPreconditionError("the artifact needs a newer runtime"));
  // What only looks at the table runs on any processor.
  CpuCheck cpu = line.verb == "info" ? CpuCheck::Skip : CpuCheck::Required;
  absl::StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::fromTable(table, command.front(), cpu);
  if (!artifact.ok())
    return fail(reporter, artifact.status());
  absl::StatusOr<Configuration> configuration = Configuration::fromArtifact(**artifact);
  if (!configuration.ok())
    return fail(reporter, configuration.status());
  if (!configuration->apply(line, messages)) {
    reporter.messages(messages);
    return exitStatus(ExitCode::Usage);
  }
  RunContext context{*artifact, *configuration, line, reporter, command};
  ExitCode exitCode = ExitCode::Success;
  absl::Status status = runVerb(context, exitCode);
  return finish(reporter, status, exitCode);
}

} // namespace mlcrt
