// From a checkpoint to an exported model.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/ExportRun.h"

#include "runtime/src/train/ModelExport.h"
#include "runtime/src/train/RestoredModel.h"

#include <filesystem>

namespace mlcrt {

/// The directory that exports of this model go to.
static std::string baseDirectory(const RunContext &context, const RestoredModel &model) {
  const RunOptions &options = context.options;
  if (!options.output.empty())
    return options.output;
  std::filesystem::path modelDir = options.modelDir;
  if (modelDir.empty()) {
    modelDir = std::filesystem::path(model.checkpoint).lexically_normal();
    if (!modelDir.has_filename())
      modelDir = modelDir.parent_path();
    modelDir = modelDir.parent_path();
  }
  return (modelDir / "export" / options.name.value_or(context.artifact->table().name)).string();
}

absl::StatusOr<ExportRunResult> runExport(RunContext &context) {
  absl::StatusOr<RestoredModel> model = restoreModel(context);
  if (!model.ok())
    return model.status();
  const Artifact &artifact = *context.artifact;
  if (absl::Status status = artifact.require({MLCRT_ROLE_PREDICT}); !status.ok())
    return status;
  ModelExport exporter(context);
  absl::StatusOr<ExportRequest> request =
      exporter.describe(*model->program, model->checkpoint, model->step, model->seed, model->rows.get());
  if (!request.ok())
    return request.status();
  request->base = baseDirectory(context, *model);
  const int64_t goldenRows = request->signature.goldenRows;
  absl::StatusOr<WrittenExport> written = writeExport(*model->program, *std::move(request));
  if (!written.ok())
    return written.status();
  context.reporter.line("exported step " + std::to_string(model->step) + " with " + std::to_string(goldenRows) +
                        " golden rows");
  return ExportRunResult{written->path, model->step, goldenRows};
}

} // namespace mlcrt
