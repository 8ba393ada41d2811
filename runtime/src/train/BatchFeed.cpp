// Opening data for entries and running entries over it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/BatchFeed.h"

#include "runtime/src/checkpoint/StatusMessage.h"

namespace mlcrt {

static constexpr int kSlots = 3;

absl::StatusOr<EntryData> openEntryData(const Configuration &configuration, const Artifact &artifact,
                                        const mlcrt_entry &entry, const std::vector<std::string> &globs,
                                        const std::string &what, int threads, Reporter &reporter,
                                        const std::string &cacheDir) {
  if (!configuration.input())
    return messageStatus(
        absl::StatusCode::kFailedPrecondition,
        mlc::common::makeError("E0407", "the artifact's manifest lacks 'input': it cannot read files"));
  if (globs.empty()) {
    mlc::common::Message message = mlc::common::makeError("E0206", "no files to read");
    message.field = what;
    message.help = "--" + what.substr(0, what.find('.')) + "_files GLOB";
    return messageStatus(absl::StatusCode::kInvalidArgument, message);
  }
  absl::StatusOr<std::vector<DataFile>> files = resolveFiles(globs);
  if (!files.ok())
    return files.status();
  EntryData data;
  std::vector<mlcrt_value> wanted;
  std::vector<bool> used = artifact.usedFeatures(entry);
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i])
      continue;
    wanted.push_back(artifact.table().features[i]);
    data.features.push_back(static_cast<int32_t>(i));
  }
  DatasetOptions options;
  options.cacheDir = cacheDir;
  options.threads = threads;
  options.note = [&](std::string_view note) { reporter.line(note); };
  absl::StatusOr<std::unique_ptr<Dataset>> dataset =
      Dataset::open(*std::move(files), *configuration.input(), wanted, options);
  if (!dataset.ok())
    return dataset.status();
  data.dataset = *std::move(dataset);
  return data;
}

void fillView(const Artifact &artifact, const EntryData &data, const Batch &batch, BatchView &view) {
  view.rows = batch.rows();
  view.features.resize(artifact.table().num_features);
  for (size_t i = 0; i < data.features.size(); ++i)
    view.features[data.features[i]] = batch.columns()[i];
}

absl::Status locate(const absl::Status &status, const Dataset &dataset, const Batch &batch) {
  if (status.ok())
    return status;
  const StepError error = stepErrorOf(status);
  if (error.code != MLCRT_DATA_ERROR || error.row < 0 || error.row >= static_cast<int64_t>(batch.records().size()))
    return status;
  return dataError(dataset.where(batch.records()[error.row], error.feature), "E0302", error.message, error.expected);
}

static Prefetcher makePrefetcher(const EntryData &data, int64_t batchSize, int64_t maxBatches,
                                 Prefetcher::Prepare prepare) {
  BatchOptions batches;
  batches.batchSize = batchSize;
  PrefetchOptions options;
  options.slots = kSlots;
  options.maxBatches = maxBatches;
  options.epochs = 1;
  return Prefetcher(BatchReader(*data.dataset, batches), options, std::move(prepare));
}

std::vector<EntryFeed::Slot> EntryFeed::makeSlots(const EntryRunner &runner) {
  std::vector<Slot> slots(kSlots);
  for (Slot &slot : slots)
    slot.features = runner.makeSlot();
  return slots;
}

EntryFeed::EntryFeed(Program &program, const mlcrt_entry &entry, ThreadPool &pool, const EntryData &data,
                     int64_t batchSize, int64_t maxBatches, const CallContext &context)
    : program_(program), data_(data), context_(context), inputPool_(1), runner_(program, entry, pool),
      inputRunner_(program, entry, inputPool_), slots_(makeSlots(inputRunner_)),
      prefetcher_(makePrefetcher(data, batchSize, maxBatches, [this](int index, Batch &batch) {
        Slot &slot = slots_[index];
        fillView(program_.artifact(), data_, batch, slot.view);
        return locate(inputRunner_.runFeatures(slot.view, slot.features, contextOf(batch)), *data_.dataset, batch);
      })) {}

CallContext EntryFeed::contextOf(const Batch &batch) const {
  CallContext context = context_;
  context.firstRow = batch.before().position;
  return context;
}

absl::StatusOr<const Batch *> EntryFeed::next() {
  absl::StatusOr<Prefetcher::Item> item = prefetcher_.next();
  if (!item.ok())
    return item.status();
  if (!item->batch)
    return nullptr;
  Slot &slot = slots_[item->slot];
  if (absl::Status status = runner_.runStep(slot.view, slot.features, contextOf(*item->batch)); !status.ok())
    return locate(status, *data_.dataset, *item->batch);
  return item->batch;
}

} // namespace mlcrt
