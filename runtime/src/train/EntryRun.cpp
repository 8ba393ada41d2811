// One execution of an entry.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EntryRun.h"

#include "runtime/src/run/RunEntry.h"
#include "runtime/src/train/PlacedRun.h"
#include "runtime/src/train/RestoredModel.h"

namespace mlcrt {

static RunRequest requestOf(const RunContext &context, int64_t seed, int64_t step) {
  const mlc::common::CommandLine &line = context.line;
  RunRequest request;
  request.inputs = line.texts("input");
  if (!line.has("fetch")) {
    request.entries = line.texts("entry");
  } else { // --entry told what the program, which is nothing else, was cut from
    request.inputFlag = "feed";
    for (const std::string &feed : line.texts("feed"))
      request.inputs.push_back(feed);
  }
  request.output = line.text("output");
  request.threads = context.threads();
  request.seed = line.integer("seed").value_or(seed);
  request.step = step;
  request.json = line.on("json");
  return request;
}

static absl::Status print(RunContext &context, const absl::StatusOr<std::string> &results) {
  if (!results.ok())
    return results.status();
  context.reporter.result(*results);
  return context.reporter.outputStatus();
}

absl::Status runEntryOnce(RunContext &context, Program &program, int64_t seed, int64_t step) {
  return print(context, runEntry(program, requestOf(context, seed, step)));
}

absl::Status runEntryOnce(RunContext &context) {
  const mlc::common::CommandLine &line = context.line;
  if (line.has("model_dir") || line.has("checkpoint")) {
    absl::StatusOr<RestoredModel> model = restoreModel(context);
    if (!model.ok())
      return model.status();
    if (isPlacedRun(context))
      return print(context, runPlaced(context, *model->program, requestOf(context, model->seed, model->step),
                                      /*isRestored=*/true));
    return runEntryOnce(context, *model->program, model->seed, model->step);
  }
  absl::StatusOr<std::unique_ptr<Program>> program = Program::create(context.artifact);
  if (!program.ok())
    return program.status();
  if (absl::Status status = context.configuration.bind(**program); !status.ok())
    return status;
  const int64_t seed = line.integer("seed").value_or(context.configuration.number("run_config.seed"));
  if (isPlacedRun(context))
    return print(context, runPlaced(context, **program, requestOf(context, seed, /*step=*/0), /*isRestored=*/false));
  ThreadPool pool(context.threads());
  if (absl::Status status = (*program)->initialize(seed, pool); !status.ok())
    return status;
  return runEntryOnce(context, **program, seed, 0);
}

} // namespace mlcrt
