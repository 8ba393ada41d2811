// One execution of an entry.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EntryRun.h"

#include "runtime/src/run/RunEntry.h"
#include "runtime/src/train/PlacedRun.h"
#include "runtime/src/train/RestoredModel.h"

namespace mlcrt {

static RunRequest requestOf(const RunContext &context, int64_t seed, int64_t step) {
  const RunOptions &options = context.options;
  RunRequest request;
  request.inputs = options.inputs;
  if (options.fetches.empty()) {
    request.entries = options.entries;
  } else { // --entry told what the program, which is nothing else, was cut from
    request.inputFlag = "feed";
    for (const std::string &feed : options.feeds)
      request.inputs.push_back(feed);
  }
  request.output = options.output;
  request.threads = context.threads();
  request.seed = options.seed.value_or(seed);
  request.step = step;
  request.json = options.json;
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
  const RunOptions &options = context.options;
  if (!options.modelDir.empty() || !options.checkpoint.empty()) {
    absl::StatusOr<RestoredModel> model = restoreModel(context);
    if (!model.ok())
      return model.status();
    if (isPlacedRun(context))
      return print(context, runPlaced(context, *model->program, requestOf(context, model->seed, model->step),
                                      /*isRestored=*/true));
    return runEntryOnce(context, *model->program, model->seed, model->step);
  }
  absl::StatusOr<std::unique_ptr<Program>> program = context.makeProgram();
  if (!program.ok())
    return program.status();
  if (absl::Status status = tellDevices(context, **program); !status.ok())
    return status;
  if (absl::Status status = context.configuration.bind(**program); !status.ok())
    return status;
  const int64_t seed = options.seed.value_or(context.configuration.number("run_config.seed"));
  if (isPlacedRun(context))
    return print(context, runPlaced(context, **program, requestOf(context, seed, /*step=*/0), /*isRestored=*/false));
  ThreadPool pool(context.threads());
  if (absl::Status status = (*program)->initialize(seed, pool); !status.ok())
    return status;
  return runEntryOnce(context, **program, seed, 0);
}

} // namespace mlcrt
