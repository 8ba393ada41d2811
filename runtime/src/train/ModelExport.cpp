// Golden rows and signature of an export.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/ModelExport.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/export/Golden.h"

#include <utility>

namespace mlcrt {

static constexpr int64_t kGoldenRows = 8;

std::vector<ModelExport::Source> ModelExport::findSources() const {
  std::vector<Source> sources;
  auto add = [&](BatchSource source) {
    if (!source.empty() && !source.stream) // what a stream gives is gone then
      sources.push_back({std::move(source), {}});
  };
  if (!context_.options.goldenFiles.empty()) {
    add({"golden_files", context_.options.goldenFiles});
    return sources;
  }
  const Configuration &configuration = context_.configuration;
  add(configuration.source("predict.files"));
  for (const EvalSet &set : configuration.evalSets())
    add(configuration.source(set.prefix + ".files"));
  add(configuration.source("train.files"));
  return sources;
}

/// The predictions of the first rows.
absl::StatusOr<std::string> ModelExport::predictGolden(Source &source, Program &program, ExportRequest &request) {
  ExportSignature &signature = request.signature;
  const Artifact &artifact = *context_.artifact;
  const mlcrt_entry &entry = *artifact.entry(MLCRT_ROLE_PREDICT);
  if (!source.data) {
    EntryDataOptions options;
    options.source = source.source;
    options.memoryLimit = 0; // a few rows of what may be many
    absl::StatusOr<EntryData> data = openEntryData(context_.configuration, artifact, entry, options, context_.reporter);
    if (!data.ok())
      return data.status();
    source.data = *std::move(data);
  }
  ThreadPool pool(1);
  CallContext call;
  call.seed = signature.seed;
  call.step = signature.step;
  EntryFeed feed(program, entry, pool, *source.data, context_.options.goldenRows.value_or(kGoldenRows),
                 /*maxBatches=*/1, call, request.rows);
  absl::StatusOr<const Batch *> batch = feed.next();
  if (!batch.ok())
    return batch.status();
  BatchView view;
  fillView(artifact, *source.data, **batch, view);
  return goldenText(artifact, view, feed.runner(), signature.goldenRows);
}

/// Golden rows of the first files that can be read.
absl::Status ModelExport::addGolden(Program &program, ExportRequest &request) {
  if (context_.options.goldenRows.value_or(kGoldenRows) == 0)
    return absl::OkStatus();
  const absl::StatusOr<std::string> sums = program.devices().sums();
  if (!sums.ok())
    return sums.status();
  if (!sums->empty()) { // other GPUs, and hosts, would give other last bits
    context_.reporter.line("exported without golden rows: sums are those of " + *sums);
    return absl::OkStatus();
  }
  if (!sources_)
    sources_ = findSources();
  while (!sources_->empty()) {
    Source &source = sources_->front();
    absl::StatusOr<std::string> golden = predictGolden(source, program, request);
    if (golden.ok()) {
      request.golden = *std::move(golden);
      return absl::OkStatus();
    }
    if (!context_.options.goldenFiles.empty())
      return golden.status();
    context_.reporter.line("no golden rows from " + source.source.what + ": " + messageOf(golden.status()).what);
    sources_->erase(sources_->begin());
  }
  context_.reporter.line("exported without golden rows: no data files; --golden_files GLOB names some");
  return absl::OkStatus();
}

absl::StatusOr<ExportRequest> ModelExport::describe(Program &program, const std::string &checkpoint, int64_t step,
                                                    int64_t seed, TableSource *rows) {
  ExportRequest request;
  request.rows = rows;
  ExportSignature &signature = request.signature;
  signature.compiler = context_.configuration.compiler();
  signature.runtime = MLC_VERSION;
  signature.cpu = context_.configuration.cpu();
  signature.compat = context_.configuration.compat();
  signature.signatures = context_.configuration.signatures();
  if (auto classes = context_.configuration.classes().find(""); classes != context_.configuration.classes().end())
    signature.classes = classes->second;
  signature.checkpoint = checkpoint;
  signature.step = step;
  signature.seed = seed;
  if (absl::Status status = addGolden(program, request); !status.ok())
    return status;
  return request;
}

} // namespace mlcrt
