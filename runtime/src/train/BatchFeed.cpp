// Opening data for entries and running entries over it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/BatchFeed.h"

#include "absl/strings/str_cat.h"
#include "common/cli/NearestMatch.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/input/DataError.h"

#include <algorithm>
#include <cassert>

namespace mlcrt {

/// Batches in memory: the one in use, and those that are read ahead; where batches are launched, one more.
static int slotsOf(const Program &program) { return program.artifact().table().num_spaces > 0 ? 4 : 3; }

namespace {
/// The features to read, each once.
class WantedFeatures {
public:
  WantedFeatures(EntryData &data, std::vector<TensorSpec> &wanted) : data_(data), wanted_(wanted) {}

  /// Index of the feature of that name, or -1.
  int32_t find(std::string_view name) const {
    for (size_t i = 0; i < wanted_.size(); ++i)
      if (name == wanted_[i].name)
        return static_cast<int32_t>(i);
    return -1;
  }

  /// Index of a feature, which is added if it is not there. `symbol` is its first dimension.
  int32_t add(const std::string &name, int32_t dtype, int32_t symbol, const std::vector<int64_t> &shape) {
    if (int32_t index = find(name); index >= 0)
      return index;
    Dims dims = {MLCRT_DIM_SYMBOL(symbol)};
    dims.insert(dims.end(), shape.begin(), shape.end());
    wanted_.emplace_back(data_.names.emplace_back(name).c_str(), dtype, std::move(dims));
    data_.features.push_back(-1);
    return static_cast<int32_t>(wanted_.size()) - 1;
  }

  /// The first dimension of the values of a multi-valued column: that of those which are read already.
  int32_t symbolOf(const std::string &name) const {
    for (const std::string &part : {name, name + MLCRT_WEIGHT_SUFFIX})
      if (int32_t index = find(part); index >= 0)
        return firstSymbol(wanted_[index].value());
    return MLCRT_SYMBOL_BATCH + 1;
  }

private:
  EntryData &data_;
  std::vector<TensorSpec> &wanted_;
};
} // namespace

/// Adds the features of a column that is forwarded. Undeclared columns are added to `format`.
static absl::Status addForward(const std::string &name, InputFormat &format, WantedFeatures &wanted, EntryData &data) {
  if (std::any_of(data.forward.begin(), data.forward.end(),
                  [&](const ForwardColumn &other) { return other.name == name; }))
    return absl::OkStatus();
  const InputColumn *column = format.find(name);
  if (!column && format.tfrecord) {
    std::vector<std::string> names;
    for (const InputColumn &candidate : format.columns)
      names.push_back(candidate.name);
    return usageError("", data_code::kFeature, "no column '" + name + "' to forward", "a column that the spec declares",
                      mlc::common::didYouMean(name, names));
  }
  if (!column) {
    InputColumn text;
    text.name = name;
    text.defaultValue = "";
    column = &format.columns.emplace_back(std::move(text));
  }
  ForwardColumn forward;
  forward.name = name;
  if (!column->multiValue) {
    forward.single = column->shape.empty();
    forward.cells = wanted.add(name, column->dtype, MLCRT_SYMBOL_BATCH, column->shape);
  } else {
    const int32_t symbol = wanted.symbolOf(name);
    forward.separator = column->multiValue->separator;
    forward.values = wanted.add(name, column->dtype, symbol, {});
    forward.ends = wanted.add(name + MLCRT_ENDS_SUFFIX, MLCRT_I64, MLCRT_SYMBOL_BATCH, {});
    if (column->multiValue->weightSeparator)
      forward.weights = wanted.add(name + MLCRT_WEIGHT_SUFFIX, MLCRT_F32, symbol, {});
  }
  data.forward.push_back(std::move(forward));
  return absl::OkStatus();
}

/// Adds the features of arrays that are forwarded, as they are.
static absl::Status forwardArrays(const std::vector<std::string> &names, const ArrayTable &arrays,
                                  WantedFeatures &wanted, EntryData &data) {
  for (const std::string &name : names) {
    const StoredArray *array = arrays.find(name);
    if (!array)
      return usageError("", data_code::kFeature, "no array '" + name + "' to forward",
                        "an array of " + arrays.list().front().path);
    ForwardColumn forward;
    forward.name = name;
    forward.single = array->shape.size() == 1;
    const bool isColumn = !array->shape.empty();
    forward.cells = wanted.add(name, array->dtype, MLCRT_SYMBOL_BATCH,
                               {array->shape.begin() + (isColumn ? 1 : 0), array->shape.end()});
    data.forward.push_back(std::move(forward));
  }
  return absl::OkStatus();
}

/// The matrices of the artifact all of whose columns are read; `data.matrices` gets their indices.
static std::vector<MatrixLayout> matricesOf(const Artifact &artifact, EntryData &data) {
  std::vector<MatrixLayout> layouts;
  for (int64_t m = 0; m < artifact.table().num_matrices; ++m) {
    const mlcrt_matrix &matrix = artifact.table().matrices[m];
    MatrixLayout layout{matrix.value.dtype, matrix.value.dims[1], {}};
    for (int64_t c = 0; c < matrix.num_columns; ++c) {
      const auto wanted = std::find(data.features.begin(), data.features.end(), matrix.columns[c].feature);
      if (wanted != data.features.end())
        layout.columns.push_back({static_cast<size_t>(wanted - data.features.begin()), matrix.columns[c].offset});
    }
    if (static_cast<int64_t>(layout.columns.size()) != matrix.num_columns)
      continue;
    layouts.push_back(std::move(layout));
    data.matrices.push_back(static_cast<int32_t>(m));
  }
  return layouts;
}

/// Opens files of records in the format that the manifest tells.
static absl::StatusOr<std::unique_ptr<Dataset>>
openRecords(const Configuration &configuration, const Artifact &artifact, std::vector<DataFile> files,
            const EntryDataOptions &options, std::vector<TensorSpec> &wanted, EntryData &data, const NoteSink &note) {
  const InputFormat *told = configuration.formatOf(options.source);
  if (!told)
    return messageStatus(absl::StatusCode::kFailedPrecondition,
                         mlc::common::makeError("E0407",
                                                "the artifact's manifest lacks 'input': it cannot read such files",
                                                "files of arrays: .npy, .npz or .safetensors"));
  InputFormat format = *told;
  WantedFeatures features(data, wanted);
  for (const std::string &name : options.forward)
    if (absl::Status status = addForward(name, format, features, data); !status.ok())
      return status;
  DatasetOptions datasetOptions;
  datasetOptions.cacheDir = options.cacheDir;
  datasetOptions.threads = options.threads;
  datasetOptions.note = note;
  datasetOptions.dropBadRows = options.dropBadRows;
  datasetOptions.mayBeEmpty = options.mayBeEmpty;
  datasetOptions.matrices = matricesOf(artifact, data);
  if (options.memoryLimit >= 0)
    datasetOptions.memoryLimit = options.memoryLimit;
  absl::StatusOr<std::optional<RowSelection>> selection = configuration.selectRows(options.source.rows);
  if (!selection.ok())
    return selection.status();
  datasetOptions.selection = *std::move(selection);
  return Dataset::open(std::move(files), format, wanted, datasetOptions);
}

/// kInvalidArgument (E0226): the settings cut the rows of a source that has no records to cut by.
static absl::Status checkUncut(const Configuration &configuration, const BatchSource &source, const std::string &name) {
  absl::StatusOr<std::optional<RowSelection>> selection = configuration.selectRows(source.rows);
  if (!selection.ok())
    return selection.status();
  if (!*selection)
    return absl::OkStatus();
  return usageError("", "E0226", absl::StrCat(name, ": arrays have no records to cut by"), "",
                    "--eval_files, and the spec without train.validation");
}

/// Opens files of arrays, which say themselves what they hold.
static absl::StatusOr<ArrayTable> openArrayFiles(std::vector<DataFile> files, const EntryDataOptions &options) {
  FileDataOptions fileOptions;
  fileOptions.spillDir = options.cacheDir;
  if (options.memoryLimit >= 0)
    fileOptions.memoryLimit = options.memoryLimit;
  return ArrayTable::open(std::move(files), fileOptions);
}

/// A data set of arrays.
static absl::StatusOr<std::unique_ptr<Dataset>>
readArrays(const Configuration &configuration, const Artifact &artifact, absl::StatusOr<ArrayTable> arrays,
           const EntryDataOptions &options, std::vector<TensorSpec> &wanted, EntryData &data, const NoteSink &note) {
  if (!arrays.ok())
    return arrays.status();
  WantedFeatures features(data, wanted);
  if (absl::Status status = forwardArrays(options.forward, *arrays, features, data); !status.ok())
    return status;
  if (absl::Status status = arrays->bind(wanted, configuration.input()); !status.ok())
    return status;
  std::string unknown;
  for (const std::string &name : arrays->unread())
    if (artifact.featureIndex(name) < 0)
      unknown += (unknown.empty() ? "'" : ", '") + name + "'";
  if (!unknown.empty())
    note(arrays->list().front().path + ": skipped, as the model has no such feature: " + unknown);
  wanted = arrays->features();
  return Dataset::ofArrays(*std::move(arrays), wanted);
}

/// Batches of a stream.
static absl::StatusOr<std::unique_ptr<Dataset>>
readStream(const Configuration &configuration, const EntryDataOptions &options, const std::vector<TensorSpec> &wanted) {
  if (!options.forward.empty())
    return usageError("", data_code::kFeature, "a stream has no columns to forward");
  absl::StatusOr<std::unique_ptr<StreamTable>> table =
      StreamTable::create(options.source.stream, wanted, configuration.input());
  if (!table.ok())
    return table.status();
  return Dataset::ofStream(*std::move(table), wanted);
}

absl::Status noFilesError(const std::string &what) {
  mlc::common::Message message = mlc::common::makeError("E0206", "no files to read");
  message.field = what;
  message.help = "--" + what.substr(0, what.find('.')) + "_files GLOB";
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

absl::StatusOr<EntryData> openEntryData(const Configuration &configuration, const Artifact &artifact,
                                        const mlcrt_entry &entry, const EntryDataOptions &options, Reporter &reporter) {
  const BatchSource &source = options.source;
  if (source.empty())
    return noFilesError(source.what);
  EntryData data;
  data.passes = source.passes == 0 ? 1 : source.passes;
  data.dropRemainder = source.dropRemainder;
  std::vector<TensorSpec> wanted;
  std::vector<bool> used = artifact.usedFeatures(entry);
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i])
      continue;
    wanted.push_back(artifact.table().features[i]);
    data.features.push_back(static_cast<int32_t>(i));
  }
  const NoteSink note = [&](std::string_view text) { reporter.line(text); };
  absl::StatusOr<std::unique_ptr<Dataset>> dataset;
  if (source.stream) {
    if (absl::Status status = checkUncut(configuration, source, source.stream->name()); !status.ok())
      return status;
    dataset = readStream(configuration, options, wanted);
  } else if (source.arrays) {
    if (absl::Status status = checkUncut(configuration, source, source.arrays->name); !status.ok())
      return status;
    dataset = readArrays(configuration, artifact, ArrayTable::ofMemory(*source.arrays), options, wanted, data, note);
  } else {
    absl::StatusOr<std::vector<DataFile>> files = resolveFiles(source.globs);
    if (!files.ok())
      return files.status();
    absl::StatusOr<bool> areArrays = holdArrays(*files);
    if (!areArrays.ok())
      return areArrays.status();
    if (*areArrays)
      if (absl::Status status = checkUncut(configuration, source, files->front().path); !status.ok())
        return status;
    dataset = *areArrays ? readArrays(configuration, artifact, openArrayFiles(*std::move(files), options), options,
                                      wanted, data, note)
                         : openRecords(configuration, artifact, *std::move(files), options, wanted, data, note);
  }
  if (!dataset.ok())
    return dataset.status();
  data.dataset = *std::move(dataset);
  return data;
}

void fillView(const Artifact &artifact, const EntryData &data, const Batch &batch, BatchView &view) {
  view.rows = batch.rows();
  view.features.resize(artifact.table().num_features);
  for (size_t i = 0; i < data.features.size(); ++i)
    if (data.features[i] >= 0)
      view.features[data.features[i]] = batch.columns()[i];
  view.matrices.resize(artifact.table().num_matrices);
  for (size_t m = 0; m < data.matrices.size(); ++m)
    view.matrices[data.matrices[m]] = batch.matrices()[m];
}

static Prefetcher makePrefetcher(const Program &program, const EntryData &data, int64_t batchSize, int64_t maxBatches,
                                 bool readsAhead, Prefetcher::Prepare prepare) {
  BatchOptions batches;
  batches.batchSize = batchSize;
  batches.dropRemainder = data.dropRemainder;
  PrefetchOptions options;
  options.slots = slotsOf(program);
  if (data.dataset->stream() || !readsAhead)
    options.threads = 0; // whoever runs this may be who gives the next batch
  options.maxBatches = maxBatches;
  options.epochs = data.passes;
  options.observation = program.observation();
  return Prefetcher(BatchReader(*data.dataset, batches), options, std::move(prepare));
}

std::vector<EntryFeed::Slot> EntryFeed::makeSlots(const EntryRunner &runner, int count) {
  std::vector<Slot> slots(static_cast<size_t>(count));
  for (Slot &slot : slots)
    slot.features = runner.makeSlot();
  return slots;
}

EntryFeed::EntryFeed(Program &program, const mlcrt_entry &entry, ThreadPool &pool, const EntryData &data,
                     int64_t batchSize, int64_t maxBatches, const CallContext &context, RowSource *rows,
                     bool dropBadRows, std::shared_ptr<FedColumns> fed, bool goesAhead)
    : program_(program), data_(data), context_(context), dropBadRows_(dropBadRows), fed_(std::move(fed)),
      goesAhead_(goesAhead), inputPool_(1), runner_(program, entry, pool), inputRunner_(program, entry, inputPool_),
      rowFeed_(program, runner_, pool, rows), otherSlot_(runner_.makeSlot()),
      slots_(makeSlots(inputRunner_, slotsOf(program))),
      prefetcher_(
          makePrefetcher(program, data, batchSize, maxBatches, !fed_, [this](int index, Batch &batch) -> absl::Status {
            Slot &slot = slots_[index];
            fillView(program_.artifact(), data_, batch, slot.view);
            if (fed_)
              if (absl::Status status = fed_->apply(slot.view); !status.ok())
                return status;
            absl::Status status = withoutBadRows(
                slot, batch, [&] { return inputRunner_.runFeatures(slot.view, slot.features, contextOf(batch)); });
            if (status.ok() && batch.rows() > 0)
              inputRunner_.bringAhead(slot.view, slot.features);
            return status;
          })) {}

/// Runs an entry on a batch. Each row that it reports is dropped and the rest run again: a batch is small, and rows
/// that the reader lets pass but the entry does not are few.
absl::Status EntryFeed::withoutBadRows(Slot &slot, Batch &batch, const std::function<absl::Status()> &run) {
  while (batch.rows() > 0) {
    const absl::Status status = run();
    const int64_t row = badRowOf(status, batch);
    if (status.ok() || row < 0 || !dropBadRows_)
      return locate(status, *data_.dataset, batch);
    {
      std::lock_guard<std::mutex> lock(droppedMutex_);
      if (constexpr int64_t kNamed = 3; ++dropped_ <= kNamed)
        droppedTexts_ +=
            (droppedTexts_.empty() ? "" : "; ") + std::string(locate(status, *data_.dataset, batch).message());
    }
    if (absl::Status again = data_.dataset->drop(batch, row); !again.ok())
      return again;
    fillView(program_.artifact(), data_, batch, slot.view);
  }
  return absl::OkStatus();
}

CallContext EntryFeed::contextOf(const Batch &batch) const {
  CallContext context = context_;
  context.firstRow = batch.before().position + otherRows_;
  return context;
}

absl::StatusOr<bool> EntryFeed::begin(int kept) {
  absl::StatusOr<Prefetcher::Item> item = prefetcher_.next(kept);
  if (!item.ok())
    return item.status();
  if (!item->batch)
    return false;
  Begun &begun = begun_.emplace_back(Begun{*item, /*isLaunched=*/false});
  // One without rows, as all were dropped, gives nothing.
  if (!goesAhead_ || rowFeed_.isNeeded() || item->batch->rows() == 0 || !runner_.canLaunch())
    return true;
  Slot &slot = slots_[item->slot];
  runner_.launchStep(slot.view, slot.features, contextOf(*item->batch));
  begun.isLaunched = true;
  return true;
}

absl::Status EntryFeed::settle(const Begun &begun) {
  Slot &slot = slots_[begun.item.slot];
  Batch &batch = *begun.item.batch;
  // The device has something to do while this batch is looked at.
  if (begun.isLaunched && begun_.size() == 1 && prefetcher_.readySlot() >= 0)
    ahead_ = begin(/*kept=*/1).status();
  bool isFirst = true;
  return withoutBadRows(slot, batch, [&] {
    if (isFirst && begun.isLaunched) {
      isFirst = false;
      const absl::Status status = runner_.settleStep();
      if (!status.ok()) // what comes after it was launched for nothing
        for (Begun &later : begun_)
          later.isLaunched = false;
      return status;
    }
    // What is after the features of a batch whose rows became fewer is computed anew.
    if (!std::exchange(isFirst, false))
      if (absl::Status features = runner_.runFeatures(slot.view, slot.features, contextOf(batch)); !features.ok())
        return features;
    if (absl::Status taken = rowFeed_.take(slot.features); !taken.ok())
      return taken;
    return runner_.runStep(slot.view, slot.features, contextOf(batch));
  });
}

absl::StatusOr<const Batch *> EntryFeed::next() {
  if (!ahead_.ok())
    return ahead_;
  if (begun_.empty())
    if (absl::StatusOr<bool> more = begin(/*kept=*/0); !more.ok() || !*more)
      return more.ok() ? absl::StatusOr<const Batch *>(nullptr) : more.status();
  const Begun begun = begun_.front();
  if (absl::Status status = settle(begun); !status.ok()) {
    begun_.clear();
    return status;
  }
  begun_.pop_front();
  batchRows_ += begun.item.batch->rows();
  return begun.item.batch;
}

absl::Status EntryFeed::run(const BatchView &rows) {
  assert(data_.dataset->stream() && "input threads are ahead");
  CallContext context = context_;
  context.firstRow = batchRows_ + otherRows_;
  if (absl::Status status = runner_.runFeatures(rows, otherSlot_, context); !status.ok())
    return status;
  if (absl::Status status = rowFeed_.take(otherSlot_); !status.ok())
    return status;
  if (absl::Status status = runner_.runStep(rows, otherSlot_, context); !status.ok())
    return status;
  otherRows_ += rows.rows;
  return absl::OkStatus();
}

} // namespace mlcrt
