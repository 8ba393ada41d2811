// From files to predictions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/PredictRun.h"

#include "common/cli/OutputOverInput.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/train/MemoryCheck.h"
#include "runtime/src/train/Prediction.h"
#include "runtime/src/train/RestoredModel.h"

#include <algorithm>

namespace mlcrt {

/// Bytes of data files that are held in memory.
static constexpr int64_t kMemoryLimit = int64_t{64} << 20;

absl::Status predictRows(RunContext &context, Program &program, const CallContext &call, RowSource *rows,
                         mlc::common::MemoryNeed state) {
  const Artifact &artifact = *context.artifact;
  if (absl::Status status = artifact.require({MLCRT_ROLE_PREDICT}); !status.ok())
    return status;
  ThreadPool pool(context.threads());
  const mlc::common::SettingsTable &settings = context.configuration.settings();
  EntryDataOptions options;
  options.source = context.configuration.source("predict.files");
  options.threads = pool.threads();
  options.forward = settings.getStrings("predict.forward_features");
  options.memoryLimit = kMemoryLimit;
  const std::string onBadRow = context.options.onBadRow;
  options.dropBadRows = onBadRow != "fail";
  options.mayBeEmpty = true;
  absl::StatusOr<EntryData> data =
      openEntryData(context.configuration, artifact, *artifact.entry(MLCRT_ROLE_PREDICT), options, context.reporter);
  if (!data.ok())
    return data.status();
  const std::string output = context.options.output.empty() ? "-" : context.options.output;
  std::vector<std::string> inputs;
  for (const DataFile &file : data->dataset->files())
    inputs.push_back(file.path);
  if (const auto error = mlc::common::outputOverInput(output, inputs))
    return messageStatus(absl::StatusCode::kInvalidArgument, *error);
  PredictionRequest request;
  if (context.options.format == "csv")
    request.format = PredictionFormat::Csv;
  request.keys = settings.getStrings("predict.predict_keys");
  request.constants = context.configuration.predictionConstants();
  request.batchSize = context.configuration.batchSize("predict");
  request.onBadRow = onBadRow == "skip" ? OnBadRow::Skip : onBadRow == "null" ? OnBadRow::Null : OnBadRow::Fail;
  if (absl::Status status = checkReadMemory(context, std::move(state), artifact.entry(MLCRT_ROLE_PREDICT),
                                            std::min(request.batchSize, data->dataset->size()));
      !status.ok())
    return status;
  request.note = [&](std::string_view text) { context.reporter.line(text); };
  request.seed = call.seed;
  request.step = call.step;
  request.rows = rows;
  request.stop = &context.stop;
  if (output == "-")
    return predict(program, pool, *data, request, [&](std::string_view text) {
      context.reporter.result(text);
      return context.reporter.outputStatus();
    });
  absl::StatusOr<AtomicFile> file = AtomicFile::create(output);
  if (!file.ok())
    return file.status();
  absl::Status status = predict(program, pool, *data, request, [&](std::string_view text) {
    return file->write(text.data(), static_cast<int64_t>(text.size()));
  });
  return status.ok() ? file->commit() : status;
}

absl::Status runPredict(RunContext &context) {
  absl::StatusOr<RestoredModel> model = restoreModel(context);
  if (!model.ok())
    return model.status();
  CallContext call;
  call.seed = model->seed;
  call.step = model->step;
  return predictRows(context, *model->program, call, model->rows.get(), readNeed(*context.artifact));
}

} // namespace mlcrt
