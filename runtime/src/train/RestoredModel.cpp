// Restoring the model that a verb runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/RestoredModel.h"

#include "common/cli/ShellText.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/train/Evaluation.h"
#include "runtime/src/train/MemoryCheck.h"
#include "runtime/src/train/WarmStart.h"

#include "absl/strings/numbers.h"

#include <optional>

namespace mlcrt {

using mlc::common::makeError;
using mlc::common::Message;

static absl::Status noCheckpointTo(const RunOptions &options, const std::string &trainCommand,
                                   const std::string &modelDir) {
  // tf.estimator would go on with initial values; metrics of an untrained model only look like an answer.
  Message message = makeError("E0401", "no checkpoint to " + options.verb,
                              trainCommand.empty() ? "train first"
                                                   : "train first: " + trainCommand + " --model_dir " +
                                                         mlc::common::shellWord(modelDir));
  message.place.file = modelDir;
  message.expected = "a directory ckpt-<step> with a MANIFEST.json";
  return messageStatus(absl::StatusCode::kNotFound, message);
}

/// The first of the best checkpoints of early stopping, as the newest checkpoint has them, that is there.
static absl::StatusOr<std::optional<ChosenCheckpoint>> findBest(const CheckpointPath &newest,
                                                                const std::vector<CheckpointPath> &all) {
  absl::StatusOr<CheckpointManifest> manifest = readManifest(newest.path);
  if (!manifest.ok())
    return adviseOnDamage(manifest.status(), newest.path);
  for (const StopRecord &record : manifest->earlyStopping)
    for (const CheckpointPath &each : all)
      if (record.bestStep == each.step)
        return ChosenCheckpoint{each.path, "the best by " + record.metric +
                                               (record.eval.empty() ? "" : " of eval '" + record.eval + "'") + ", " +
                                               numberText(record.best)};
  return std::nullopt;
}

absl::StatusOr<ChosenCheckpoint> checkpointToRun(const RunOptions &options, const std::string &trainCommand) {
  const std::string modelDir = options.modelDir, asked = options.checkpoint;
  const bool isStep = !asked.empty() && asked.find_first_not_of("0123456789") == std::string::npos;
  if (!asked.empty() && !isStep && asked != "best" && asked != "latest") {
    absl::StatusOr<std::string> path = requireCheckpoint(asked);
    return path.ok() ? absl::StatusOr<ChosenCheckpoint>(ChosenCheckpoint{*path, ""}) : path.status();
  }
  if (modelDir.empty()) {
    Message message = makeError("E0206", "--checkpoint " + asked + " needs the directory of the checkpoints",
                                "--model_dir DIRECTORY");
    return messageStatus(absl::StatusCode::kInvalidArgument, message);
  }
  if (isStep) {
    int64_t step = 0;
    if (!absl::SimpleAtoi(asked, &step))
      return messageStatus(absl::StatusCode::kInvalidArgument, makeError("E0203", "'" + asked + "' is no step"));
    absl::StatusOr<std::string> path = findCheckpoint(modelDir, step);
    return path.ok() ? absl::StatusOr<ChosenCheckpoint>(ChosenCheckpoint{*path, ""}) : path.status();
  }
  absl::StatusOr<std::vector<CheckpointPath>> all = CheckpointStore(modelDir).list();
  if (!all.ok())
    return all.status();
  if (all->empty())
    return noCheckpointTo(options, trainCommand, modelDir);
  const CheckpointPath &newest = all->back();
  if (asked == "latest" || (asked.empty() && options.verb == "run"))
    return ChosenCheckpoint{newest.path, ""};
  absl::StatusOr<std::optional<ChosenCheckpoint>> best = findBest(newest, *all);
  if (!best.ok())
    return best.status();
  if (best->has_value()) {
    if ((*best)->path != newest.path && asked.empty())
      (*best)->why += "; the newest, ckpt-" + std::to_string(newest.step) + ", by --checkpoint latest";
    return **best;
  }
  if (asked.empty())
    return ChosenCheckpoint{newest.path, ""};
  Message message =
      makeError("E0401", "no best checkpoint: early stopping kept none", "--checkpoint latest, or a step");
  message.place.file = modelDir;
  message.expected = "a run with train.early_stopping";
  return messageStatus(absl::StatusCode::kNotFound, message);
}

/// Whether the verb reads variables that checkpoints do not hold before anything writes to them: in evaluations,
/// eval_reset does.
static bool readsEvalState(const RunContext &context) {
  const mlcrt_artifact &table = context.artifact->table();
  auto isEvaluation = [&](int32_t role) {
    return role == MLCRT_ROLE_EVAL_RESET || role == MLCRT_ROLE_EVAL_UPDATE || role == MLCRT_ROLE_EVAL_RESULT;
  };
  for (int32_t e = 0; e < table.num_entries; ++e) {
    const mlcrt_entry &entry = table.entries[e];
    if (entry.role == MLCRT_ROLE_INIT || (context.options.verb != "run" && isEvaluation(entry.role)))
      continue;
    for (int32_t s = 0; s < entry.num_segments; ++s)
      for (int32_t i = 0; i < entry.segments[s].num_operands; ++i)
        if (const mlcrt_operand &operand = entry.segments[s].operands[i];
            operand.source == MLCRT_SOURCE_VARIABLE && (table.variables[operand.index].flags & MLCRT_VARIABLE_EVAL))
          return true;
  }
  return false;
}

absl::Status initializeEvalState(const RunContext &context, int64_t seed, Program &program) {
  if (!readsEvalState(context))
    return absl::OkStatus();
  ThreadPool pool(context.threads());
  return program.initialize(seed, pool);
}

absl::StatusOr<CheckpointManifest> restoreCheckpoint(RunContext &context, const std::string &directory,
                                                     Program &program, std::unique_ptr<CheckpointRows> *rows) {
  absl::StatusOr<CheckpointManifest> manifest = readManifest(directory);
  if (!manifest.ok())
    return adviseOnDamage(manifest.status(), directory);
  const SettingTexts settings = context.configuration.compiledTexts();
  // Of a part of the state checkVariables compares what there is.
  const bool isPart = context.options.partOfState && context.artifact->onlyReadsState();
  if (absl::Status status = isPart ? checkTerms(directory, *manifest, settings)
                                   : checkFingerprint(directory, *manifest, *context.artifact, settings);
      !status.ok()) {
    Message message = messageOf(status);
    message.help = "another --model_dir, or the trainer that wrote it";
    return messageStatus(status.code(), message);
  }
  if (absl::Status status = initializeEvalState(context, manifest->seed, program); !status.ok())
    return status;
  if (!rows) {
    if (absl::Status status = restoreState(directory, *manifest, *context.artifact, program.state()); !status.ok())
      return adviseOnDamage(status, directory);
    return manifest;
  }
  absl::StatusOr<std::unique_ptr<CheckpointRows>> left =
      CheckpointRows::restore(directory, *manifest, *context.artifact, program.state());
  if (!left.ok())
    return adviseOnDamage(left.status(), directory);
  *rows = *std::move(left);
  return manifest;
}

absl::Status checkReadMemory(const RunContext &context, mlc::common::MemoryNeed need, const mlcrt_entry *entry,
                             int64_t rows) {
  if (context.options.force)
    return absl::OkStatus();
  const Artifact &artifact = *context.artifact;
  if (entry) {
    need.rows = rows;
    need.workspace = workspaceNeed(artifact, *entry, rows, context.threads());
  }
  return checkMemory(artifact, need, mlc::common::machineLimits(), context.options.verb, MemoryUse::Read);
}

/// The program with the settings of the run, before its state has values.
static absl::StatusOr<std::unique_ptr<Program>> programToRun(RunContext &context) {
  absl::StatusOr<std::unique_ptr<Program>> program = context.makeProgram();
  if (!program.ok())
    return program.status();
  if (absl::Status status = tellDevices(context, **program); !status.ok())
    return status;
  (*program)->homes().keepValues();
  if (absl::Status status = context.configuration.bind(**program); !status.ok())
    return status;
  return program;
}

/// The model with the values that training would begin with, with a warning.
static absl::StatusOr<RestoredModel> initialModel(RunContext &context) {
  absl::StatusOr<std::unique_ptr<Program>> program = programToRun(context);
  if (!program.ok())
    return program.status();
  const int64_t seed = context.options.seed.value_or(context.configuration.number("run_config.seed"));
  ThreadPool pool(context.threads());
  if (absl::Status status = (*program)->initialize(seed, pool); !status.ok())
    return status;
  absl::StatusOr<InitialValues> values = findInitialValues(context.configuration, *context.artifact, context.reporter);
  if (!values.ok())
    return values.status();
  StateTarget target((*program)->state());
  if (absl::Status status = values->copyTo(target); !status.ok())
    return status;
  const std::string begun = values->warmStart.empty() ? "" : ", and those of " + values->warmStart;
  Message warning =
      makeError("E0401", "no checkpoint to " + context.options.verb + ": the model has its initial values" + begun);
  warning.severity = mlc::common::Severity::Warning;
  warning.place.file = context.options.modelDir;
  context.reporter.message(warning);
  return RestoredModel{*std::move(program), "", 0, seed, nullptr};
}

/// The model with the values that the caller gives.
static absl::StatusOr<RestoredModel> givenModel(RunContext &context) {
  absl::StatusOr<std::unique_ptr<Program>> program = programToRun(context);
  if (!program.ok())
    return program.status();
  const int64_t seed = context.options.seed.value_or(context.configuration.number("run_config.seed"));
  if (absl::Status status = initializeEvalState(context, seed, **program); !status.ok())
    return status;
  if (absl::Status status = writeGivenState(*context.given, /*isEval=*/false, **program); !status.ok())
    return status;
  return RestoredModel{*std::move(program), "", *context.given->step, seed, nullptr};
}

absl::StatusOr<RestoredModel> restoreModel(RunContext &context) {
  if (context.given && context.given->step)
    return givenModel(context);
  absl::StatusOr<ChosenCheckpoint> chosen = checkpointToRun(context.options, context.options.commandFor("train"));
  if (absl::IsNotFound(chosen.status()) && context.options.mayBeInitial && context.options.checkpoint.empty())
    return initialModel(context);
  if (!chosen.ok())
    return chosen.status();
  const std::string &directory = chosen->path;
  if (context.options.verb != "run")
    if (absl::Status status = checkReadMemory(context, readNeed(*context.artifact)); !status.ok())
      return status;
  absl::StatusOr<std::unique_ptr<Program>> program = programToRun(context);
  if (!program.ok())
    return program.status();
  // Entries that `run` runs may read anything.
  std::unique_ptr<CheckpointRows> rows;
  absl::StatusOr<CheckpointManifest> manifest =
      restoreCheckpoint(context, directory, **program, context.options.verb == "run" ? nullptr : &rows);
  if (!manifest.ok())
    return manifest.status();
  context.reporter.line("restored " + directory + (chosen->why.empty() ? "" : ": " + chosen->why));
  return RestoredModel{*std::move(program), directory, manifest->step, manifest->seed, std::move(rows)};
}

} // namespace mlcrt
