// Restoring the model that a verb runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/RestoredModel.h"

#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <optional>

namespace mlcrt {

using mlc::common::CommandLine;
using mlc::common::makeError;
using mlc::common::Message;

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

/// Whether the verb reads variables that checkpoints do not hold before anything writes to them: in evaluations,
/// eval_reset does.
static bool readsEvalState(const RunContext &context) {
  const mlcrt_artifact &table = context.artifact->table();
  auto isEvaluation = [&](int32_t role) {
    return role == MLCRT_ROLE_EVAL_RESET || role == MLCRT_ROLE_EVAL_UPDATE || role == MLCRT_ROLE_EVAL_RESULT;
  };
  for (int32_t e = 0; e < table.num_entries; ++e) {
    const mlcrt_entry &entry = table.entries[e];
    if (entry.role == MLCRT_ROLE_INIT || (context.line.verb != "run" && isEvaluation(entry.role)))
      continue;
    for (int32_t s = 0; s < entry.num_segments; ++s)
      for (int32_t i = 0; i < entry.segments[s].num_operands; ++i)
        if (const mlcrt_operand &operand = entry.segments[s].operands[i];
            operand.source == MLCRT_SOURCE_VARIABLE && (table.variables[operand.index].flags & MLCRT_VARIABLE_EVAL))
          return true;
  }
  return false;
}

absl::StatusOr<CheckpointManifest> restoreCheckpoint(RunContext &context, const std::string &directory,
                                                     Program &program) {
  absl::StatusOr<CheckpointManifest> manifest = readManifest(directory);
  if (!manifest.ok())
    return adviseOnDamage(manifest.status(), directory);
  if (absl::Status status =
          checkFingerprint(directory, *manifest, *context.artifact, context.configuration.compiledTexts());
      !status.ok()) {
    Message message = messageOf(status);
    message.help = "another --model_dir, or the trainer that wrote it";
    return messageStatus(status.code(), message);
  }
  if (readsEvalState(context)) {
    ThreadPool pool(context.threads());
    if (absl::Status status = program.initialize(manifest->seed, pool); !status.ok())
      return status;
  }
  if (absl::Status status = restoreState(directory, *manifest, *context.artifact, program.state()); !status.ok())
    return adviseOnDamage(status, directory);
  return manifest;
}

absl::StatusOr<RestoredModel> restoreModel(RunContext &context) {
  absl::StatusOr<std::string> directory = checkpointToRun(context);
  if (!directory.ok())
    return directory.status();
  absl::StatusOr<std::unique_ptr<Program>> program = Program::create(context.artifact);
  if (!program.ok())
    return program.status();
  if (absl::Status status = context.configuration.bind(**program); !status.ok())
    return status;
  absl::StatusOr<CheckpointManifest> manifest = restoreCheckpoint(context, *directory, **program);
  if (!manifest.ok())
    return manifest.status();
  context.reporter.line("restored " + *directory);
  return RestoredModel{*std::move(program), *directory, manifest->step, manifest->seed};
}

} // namespace mlcrt
