// From a checkpoint to an exported model.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/ExportRun.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/export/ExportWriter.h"
#include "runtime/src/export/Golden.h"
#include "runtime/src/train/BatchFeed.h"
#include "runtime/src/train/RestoredModel.h"

#include <filesystem>

namespace mlcrt {

static constexpr int64_t kGoldenRows = 8;

/// The predictions of the first rows of some files.
static absl::StatusOr<std::string> predictGolden(RunContext &context, RestoredModel &model,
                                                 const std::vector<std::string> &globs, const std::string &what,
                                                 int64_t most, int64_t &rows) {
  const Artifact &artifact = *context.artifact;
  const mlcrt_entry &entry = *artifact.entry(MLCRT_ROLE_PREDICT);
  EntryDataOptions options;
  options.globs = globs;
  options.what = what;
  options.memoryLimit = 0; // a few rows of what may be many
  absl::StatusOr<EntryData> data = openEntryData(context.configuration, artifact, entry, options, context.reporter);
  if (!data.ok())
    return data.status();
  ThreadPool pool(1);
  CallContext call;
  call.seed = model.seed;
  call.step = model.step;
  EntryFeed feed(*model.program, entry, pool, *data, most, /*maxBatches=*/1, call);
  absl::StatusOr<const Batch *> batch = feed.next();
  if (!batch.ok())
    return batch.status();
  BatchView view;
  fillView(artifact, *data, **batch, view);
  return goldenText(artifact, view, feed.runner(), rows);
}

/// Golden rows of the first files that can be read.
static absl::Status findGolden(RunContext &context, RestoredModel &model, ExportRequest &request) {
  const int64_t most = context.line.integer("golden_rows").value_or(kGoldenRows);
  if (most == 0)
    return absl::OkStatus();
  const mlc::common::SettingsTable &settings = context.configuration.settings();
  std::vector<std::pair<std::string, std::vector<std::string>>> sources;
  const bool asked = context.line.has("golden_files");
  if (asked) {
    sources.emplace_back("golden_files", context.line.texts("golden_files"));
  } else {
    sources.emplace_back("predict.files", settings.getStrings("predict.files"));
    for (const EvalSet &set : context.configuration.evalSets())
      sources.emplace_back(set.prefix + ".files", settings.getStrings(set.prefix + ".files"));
    sources.emplace_back("train.files", settings.getStrings("train.files"));
  }
  for (const auto &[what, globs] : sources) {
    if (globs.empty())
      continue;
    absl::StatusOr<std::string> golden = predictGolden(context, model, globs, what, most, request.signature.goldenRows);
    if (golden.ok()) {
      request.golden = *std::move(golden);
      return absl::OkStatus();
    }
    if (asked)
      return golden.status();
    context.reporter.line("no golden rows from " + what + ": " + messageOf(golden.status()).what);
  }
  context.reporter.line("exported without golden rows: no data files; --golden_files GLOB names some");
  return absl::OkStatus();
}

/// The directory that exports of this model go to.
static std::string baseDirectory(const RunContext &context, const RestoredModel &model) {
  const mlc::common::CommandLine &line = context.line;
  if (line.has("output"))
    return line.text("output");
  std::filesystem::path modelDir = line.text("model_dir");
  if (modelDir.empty()) {
    modelDir = std::filesystem::path(model.checkpoint).lexically_normal();
    if (!modelDir.has_filename())
      modelDir = modelDir.parent_path();
    modelDir = modelDir.parent_path();
  }
  return (modelDir / "export" / line.text("name", context.artifact->table().name)).string();
}

absl::Status runExport(RunContext &context) {
  absl::StatusOr<RestoredModel> model = restoreModel(context);
  if (!model.ok())
    return model.status();
  const Artifact &artifact = *context.artifact;
  if (absl::Status status = artifact.require({MLCRT_ROLE_PREDICT}); !status.ok())
    return status;
  ExportRequest request;
  request.base = baseDirectory(context, *model);
  ExportSignature &signature = request.signature;
  signature.compiler = context.configuration.compiler();
  signature.runtime = MLC_VERSION;
  signature.cpu = context.configuration.cpu();
  signature.compat = context.configuration.compat();
  signature.classes = context.configuration.classes();
  signature.checkpoint = model->checkpoint;
  signature.step = model->step;
  signature.seed = model->seed;
  if (absl::Status status = findGolden(context, *model, request); !status.ok())
    return status;
  const int64_t goldenRows = signature.goldenRows;
  absl::StatusOr<std::string> path = writeExport(*model->program, std::move(request));
  if (!path.ok())
    return path.status();
  context.reporter.line("exported step " + std::to_string(model->step) + " with " + std::to_string(goldenRows) +
                        " golden rows");
  context.reporter.result(
      context.reporter.json()
          ? JsonObject().text("path", *path).integer("step", model->step).integer("golden_rows", goldenRows).str() +
                "\n"
          : *path + "\n");
  return absl::OkStatus();
}

} // namespace mlcrt
