// From a checkpoint and eval sets to metrics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EvaluateRun.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/train/DataSamples.h"
#include "runtime/src/train/MemoryCheck.h"
#include "runtime/src/train/ModelHealth.h"
#include "runtime/src/train/RestoredModel.h"
#include "runtime/src/train/Summaries.h"

#include <algorithm>

namespace mlcrt {

absl::Status runEvaluate(RunContext &context, const EvaluationSink &sink) {
  const Artifact &artifact = *context.artifact;
  if (absl::Status status = artifact.require({MLCRT_ROLE_EVAL_RESET, MLCRT_ROLE_EVAL_UPDATE, MLCRT_ROLE_EVAL_RESULT});
      !status.ok())
    return status;
  absl::StatusOr<RestoredModel> model = restoreModel(context);
  if (!model.ok())
    return model.status();
  if (context.options.events && context.options.modelDir.empty())
    return messageStatus(absl::StatusCode::kInvalidArgument,
                         mlc::common::makeError("E0206", "events of an evaluation need a model_dir"));
  ThreadPool pool(context.threads());
  const mlc::common::SettingsTable &settings = context.configuration.settings();
  const std::optional<std::string> &name = context.options.name;
  std::vector<EvalSet> sets;
  for (const EvalSet &set : context.configuration.evalSets())
    if (name ? set.name == *name : !context.configuration.evalSource(set).empty())
      sets.push_back(set);
  if (sets.empty())
    sets.push_back(context.configuration.evalSets().front()); // to say that it has no files
  DataSamples samples(context.configuration, artifact, context.reporter);
  samples.findTraining();
  for (const EvalSet &set : sets) {
    absl::StatusOr<EntryData> data =
        openEntryData(context.configuration, artifact, *artifact.entry(MLCRT_ROLE_EVAL_UPDATE),
                      {context.configuration.evalSource(set), pool.threads()}, context.reporter);
    if (!data.ok())
      return data.status();
    samples.judgeEvaluation(set, data->dataset->files());
    const int64_t batchSize = context.configuration.batchSize(set.prefix);
    if (absl::Status status = checkReadMemory(context, readNeed(artifact), artifact.entry(MLCRT_ROLE_EVAL_UPDATE),
                                              std::min(batchSize, data->dataset->size()));
        !status.ok())
      return status;
    absl::StatusOr<std::vector<Metric>> metrics =
        evaluate(*model->program, pool, *data, batchSize, settings.getInt(set.prefix + ".steps").value_or(-1),
                 model->seed, model->step, context.reporter, &context.stop, model->rows.get(),
                 {context.observer, context.given, context.fedColumns()});
    if (!metrics.ok())
      return metrics.status();
    if (const std::optional<std::string> &events = context.options.events) {
      RunSummaries summaries(context.options.modelDir, /*everySteps=*/0, *model->program, pool, context.reporter);
      if (absl::Status status = summaries.evaluated(*events, model->step, *metrics); !status.ok())
        return status;
    }
    sink(set, *metrics);
    for (const mlc::common::Message &warning : judgeModel(*metrics, set.name, std::nullopt))
      context.reporter.message(warning);
  }
  return absl::OkStatus();
}

} // namespace mlcrt
