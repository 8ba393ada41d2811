// Opening, parsing and gathering of examples.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/Dataset.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/core/Environment.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/input/ColumnBinding.h"
#include "runtime/src/input/ColumnStore.h"
#include "runtime/src/input/FileData.h"
#include "runtime/src/input/ParquetInput.h"
#include "runtime/src/input/RecordIndex.h"
#include "runtime/src/input/RowParser.h"
#include "runtime/src/input/TfRecord.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <system_error>
#include <thread>

namespace mlcrt {

namespace {

struct OpenFile {
  FileData data;
  RecordIndex index;
  FileLayout layout;
  /// Raw number of its first record: records are counted through all files, dropped ones included.
  int64_t firstRecord = 0;
};

} // namespace

struct Dataset::Impl {
  std::vector<DataFile> list;
  InputFormat format;
  std::vector<TensorSpec> features;
  std::vector<MatrixLayout> matrices;
  std::vector<BoundColumn> bound;
  std::unique_ptr<RowParser> parser;
  std::vector<OpenFile> files;
  int64_t rawRecords = 0;
  /// Raw numbers of the examples; empty if every record is one, or none is.
  std::vector<int64_t> kept;
  bool noneKept = false;
  /// Bad rows that are dropped at most.
  int64_t maxBadRows = 0;
  bool mayBeEmpty = false;
  int64_t skipped = 0, bad = 0;
  /// The errors of the first bad rows.
  std::string badRows;
  /// Values dropped because a row had too many.
  std::atomic<int64_t> droppedValues{0};
  /// Parsed columns; empty unless decoded.
  bool decoded = false;
  ColumnStore columns;
  std::vector<StringArena> arenas;
  /// Set instead of files, parser and columns.
  std::optional<ArrayTable> arrays;
  std::unique_ptr<StreamTable> stream;
  std::vector<ArrayPart> parts; ///< of arrays and streams: what the features are

  bool holdsArrays() const { return arrays || stream; }
  int64_t size() const {
    if (stream)
      return StreamTable::kMostRows;
    if (arrays)
      return arrays->rows();
    if (noneKept)
      return 0;
    return kept.empty() ? rawRecords : static_cast<int64_t>(kept.size());
  }
  int64_t rawOf(int64_t record) const { return kept.empty() ? record : kept[static_cast<size_t>(record)]; }
  size_t fileOf(int64_t raw) const;

  absl::Status openFiles(const DatasetOptions &options);
  absl::Status selectRows(const RowSelection &selection);
  absl::Status parseAll(const DatasetOptions &options);
  absl::Status settleFaults(const std::vector<RowFault> &faults);
  void dropTexts();
  RowFault parseRow(int64_t raw, int64_t row, const std::vector<RowTarget> &out, RowScratch &scratch,
                    StringArena &arena) const;
  absl::Status explain(int64_t raw) const;
  Origin originOf(int64_t raw) const;
  absl::Status checkFiles() const;
  void keepTexts(int64_t row, const std::vector<RowTarget> &out, StringArena &arena) const;
  void prepare(Batch &batch, int64_t capacity, const std::vector<TensorSpec> &sized) const;
};

size_t Dataset::Impl::fileOf(int64_t raw) const {
  const auto after = std::upper_bound(files.begin(), files.end(), raw,
                                      [](int64_t record, const OpenFile &file) { return record < file.firstRecord; });
  return static_cast<size_t>(after - files.begin()) - 1;
}

RowFault Dataset::Impl::parseRow(int64_t raw, int64_t row, const std::vector<RowTarget> &out, RowScratch &scratch,
                                 StringArena &arena) const {
  const OpenFile &file = files[fileOf(raw)];
  const std::string_view record = file.index.record(file.data.bytes(), raw - file.firstRecord);
  return parser->parse(record, file.layout, row, out, scratch, arena);
}

/// Copies the strings of a row that lie in a mapped file, which may change under them, to `arena`.
void Dataset::Impl::keepTexts(int64_t row, const std::vector<RowTarget> &out, StringArena &arena) const {
  for (size_t i = 0; i < bound.size(); ++i) {
    const ColumnParser &column = bound[i].parser;
    if (column.column().dtype != MLCRT_STRING)
      continue;
    const int64_t first = !column.isList() ? row * column.column().elements() : row > 0 ? out[i].ends[row - 1] : 0;
    const int64_t last = column.isList() ? out[i].ends[row] : first + column.column().elements();
    auto *cells = reinterpret_cast<mlcrt_string *>(column.isList() ? out[i].values->data() : out[i].cells);
    for (int64_t k = first; k < last; ++k) {
      char *copy = arena.allocate(cells[k].size);
      std::copy_n(cells[k].data, cells[k].size, copy);
      cells[k].data = copy;
    }
  }
}

/// Room for `capacity` rows of each column, and for any number of values. `sized`: the features, with the sizes that
/// this batch has in the place of symbols.
void Dataset::Impl::prepare(Batch &batch, int64_t capacity, const std::vector<TensorSpec> &sized) const {
  batch.columns_.clear();
  batch.matrices_.clear();
  batch.storage_.clear();
  batch.lists_.clear();
  batch.targets_.clear();
  batch.capacity_ = capacity;
  for (const TensorSpec &feature : sized)
    batch.columns_.push_back({nullptr, feature.dtype, feature.dims});
  std::vector<RowTarget> &targets = batch.targets_;
  const auto allocate = [&](int64_t rowBytes) {
    int64_t bytes = std::max<int64_t>(capacity * rowBytes, 1);
    bytes = (bytes + MLCRT_ALIGNMENT - 1) / MLCRT_ALIGNMENT * MLCRT_ALIGNMENT;
    batch.storage_.emplace_back(std::aligned_alloc(MLCRT_ALIGNMENT, static_cast<size_t>(bytes)));
    return static_cast<char *>(batch.storage_.back().get());
  };
  for (size_t k = 0; holdsArrays() && k < features.size(); ++k) {
    RowTarget &target = targets.emplace_back();
    if (parts[k].kind == ArrayPart::Kind::Values) {
      batch.lists_.push_back(std::make_unique<ValueList>(dtypeSize(features[k].dtype), parts[k].weights >= 0));
      batch.lists_.back()->reserve(capacity);
      target.ends = reinterpret_cast<int64_t *>(allocate(static_cast<int64_t>(sizeof(int64_t))));
      target.values = batch.lists_.back().get();
    }
    if (parts[k].kind != ArrayPart::Kind::Cells)
      continue;
    target.pitch = elementsOfRow(sized[k].value()) * dtypeSize(sized[k].dtype);
    target.cells = allocate(target.pitch);
  }
  std::map<int64_t, RowTarget> inMatrices; // by feature
  for (const MatrixLayout &matrix : matrices) {
    const int64_t size = dtypeSize(matrix.dtype);
    char *cells = allocate(matrix.width * size);
    batch.matrices_.push_back({cells, matrix.dtype, {0, matrix.width}});
    for (const MatrixLayout::Column &column : matrix.columns) {
      inMatrices[static_cast<int64_t>(column.feature)] = {cells + column.offset * size, matrix.width * size, nullptr,
                                                          nullptr};
      batch.columns_[column.feature].rowStride = matrix.width;
    }
  }
  for (const BoundColumn &column : bound) {
    const bool list = column.parser.isList();
    if (const auto place = inMatrices.find(column.cells); place != inMatrices.end()) {
      targets.push_back(place->second);
      continue;
    }
    RowTarget target;
    if (list) {
      batch.lists_.push_back(std::make_unique<ValueList>(column.parser.makeList()));
      batch.lists_.back()->reserve(capacity);
      target.ends = reinterpret_cast<int64_t *>(allocate(static_cast<int64_t>(sizeof(int64_t))));
      target.values = batch.lists_.back().get();
    } else {
      target.pitch = column.parser.rowBytes();
      target.cells = allocate(target.pitch);
    }
    targets.push_back(target);
  }
}

/// Whether all mapped files are what they were.
absl::Status Dataset::Impl::checkFiles() const {
  for (const OpenFile &file : files)
    if (absl::Status status = file.data.check(); !status.ok())
      return status;
  return absl::OkStatus();
}

/// The error of a record that parseRow found bad.
absl::Status Dataset::Impl::explain(int64_t raw) const {
  const size_t number = fileOf(raw);
  const OpenFile &file = files[number];
  const int64_t i = raw - file.firstRecord;
  return parser->explain(file.index.record(file.data.bytes(), i), file.layout, originOf(raw));
}

/// The place of a record.
Origin Dataset::Impl::originOf(int64_t raw) const {
  const size_t number = fileOf(raw);
  const int64_t record = raw - files[number].firstRecord;
  if (!format.hasLines())
    return {list[number].path, 0, 0, record + 1};
  return {list[number].path, files[number].index.line(record)};
}

absl::Status Dataset::Impl::openFiles(const DatasetOptions &options) {
  if (list.empty())
    return usageError("", data_code::kNoSuchFile, "no data file is given");
  int64_t stored = 0;
  for (const DataFile &file : list)
    stored += file.size;
  FileDataOptions data;
  data.compression = format.compression();
  if (format.tfrecord)
    data.isPlain = startsWithRecord;
  std::error_code error;
  data.spillDir = options.cacheDir.empty() ? std::filesystem::temp_directory_path(error).string() : options.cacheDir;
  if (!options.cacheDir.empty())
    std::filesystem::create_directories(options.cacheDir, error);
  // All in memory or none: plain files are told by their size, packed ones as they grow.
  data.memoryLimit = stored <= options.memoryLimit ? options.memoryLimit : 0;
  decoded = true;
  std::vector<std::string> undeclared;
  const ParquetSelection selection{&format, &bound, options.selection ? &*options.selection : nullptr};
  if (format.parquet)
    data.parquet = [&](const std::string &path, std::string_view bytes, const UnpackSink &sink) {
      return writeParquetText(path, bytes, selection, sink, &undeclared);
    };
  for (const DataFile &file : list) {
    absl::StatusOr<FileData> opened = FileData::open(file, data);
    if (!opened.ok())
      return opened.status();
    const std::string_view text = opened->bytes();
    decoded = decoded && opened->inMemory();
    data.memoryLimit = std::max<int64_t>(0, data.memoryLimit - static_cast<int64_t>(text.size()));
    // The text of a Parquet file depends on what is read of it: no index of it is kept.
    absl::StatusOr<RecordIndex> index =
        loadRecordIndex(file, text, format.records(), format.parquet ? "" : options.cacheDir, options.note);
    if (absl::Status status = opened->check(); !status.ok())
      return status;
    if (!index.ok())
      return index.status();
    absl::StatusOr<FileLayout> layout = FileLayout();
    if (!format.tfrecord)
      layout = bindFile(file.path, index->header(text), index->headerLine(),
                        index->size() > 0 ? index->record(text, 0) : std::string_view(), format, bound);
    if (!layout.ok())
      return layout.status();
    for (const std::string &name : layout->undeclared)
      if (!format.parquet && std::find(undeclared.begin(), undeclared.end(), name) == undeclared.end())
        undeclared.push_back(name);
    const int64_t records = index->size();
    files.push_back({*std::move(opened), *std::move(index), *std::move(layout), rawRecords});
    rawRecords += records;
  }
  if (!undeclared.empty() && options.note) {
    constexpr size_t kNamed = 5;
    std::string names;
    for (size_t i = 0; i < undeclared.size() && i < kNamed; ++i)
      absl::StrAppend(&names, i ? ", '" : "'", undeclared[i], "'");
    if (undeclared.size() > kNamed)
      absl::StrAppend(&names, " and ", undeclared.size() - kNamed, " more");
    options.note(absl::StrCat(list.front().path, ": skipped, as the spec does not declare it: ", names));
  }
  if (rawRecords == 0 && !mayBeEmpty)
    return dataError({list.front().path}, data_code::kEmpty,
                     format.tfrecord  ? "there is no record"
                     : format.parquet ? "there is no row"
                                      : "there is a header and no row",
                     format.tfrecord ? "at least one record" : "at least one row");
  return absl::OkStatus();
}

/// Keeps the records of one side of a cut.
absl::Status Dataset::Impl::selectRows(const RowSelection &selection) {
  absl::StatusOr<std::unique_ptr<RowSelector>> selector = RowSelector::create(format, selection);
  if (!selector.ok())
    return selector.status();
  for (size_t i = 0; i < files.size(); ++i)
    if (absl::Status status =
            (*selector)->select(list[i].path, files[i].data.bytes(), files[i].index, files[i].firstRecord, kept);
        !status.ok())
      return status;
  if (kept.empty())
    return dataError(
        {list.front().path}, data_code::kEmpty,
        absl::StrCat("train.validation leaves ", rawRecords, " of ", rawRecords, " rows ",
                     selection.heldOut ? "to train on, none to validate" : "to validate, none to train on"),
        "at least one row on each side");
  return checkFiles();
}

/// Parses every record that is selected, into the columns (decoded) or only to find the rows that are dropped.
absl::Status Dataset::Impl::parseAll(const DatasetOptions &options) {
  const int64_t records = size();
  const int64_t chunks = (records + ColumnStore::kChunk - 1) / ColumnStore::kChunk;
  std::vector<RowFault> faults(static_cast<size_t>(records), RowFault::None);
  if (decoded) {
    if (absl::Status status = columns.allocate(bound, records); !status.ok())
      return status;
    arenas.resize(static_cast<size_t>(chunks));
  }
  std::atomic<int64_t> nextChunk{0};
  auto work = [&] {
    RowScratch scratch;
    StringArena scratchArena;
    Batch one; // whose only row is dropped again and again
    if (!decoded)
      prepare(one, 1, features);
    std::vector<RowTarget> out = one.targets_;
    for (int64_t chunk; (chunk = nextChunk.fetch_add(1)) < chunks;) {
      if (decoded)
        out = columns.chunk(chunk);
      StringArena &arena = decoded ? arenas[static_cast<size_t>(chunk)] : scratchArena;
      const int64_t first = chunk * ColumnStore::kChunk, end = std::min(first + ColumnStore::kChunk, records);
      for (int64_t record = first; record < end; ++record) {
        faults[static_cast<size_t>(record)] =
            parseRow(rawOf(record), decoded ? record - first : 0, out, scratch, arena);
        if (!decoded)
          arena.clear();
      }
    }
    droppedValues += scratch.droppedValues;
  };
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < std::min<int64_t>(options.threads, chunks); ++i) {
    try {
      helpers.emplace_back(work);
    } catch (const std::system_error &) {
      break; // fewer threads, the same result
    }
  }
  work();
  for (std::thread &helper : helpers)
    helper.join();
  if (absl::Status status = checkFiles(); !status.ok())
    return status;
  columns.finish();
  return settleFaults(faults);
}

absl::Status Dataset::Impl::settleFaults(const std::vector<RowFault> &faults) {
  int64_t firstBad = 0;
  const int64_t records = size();
  for (int64_t record = 0; record < records; ++record) {
    const RowFault fault = faults[static_cast<size_t>(record)];
    if (fault == RowFault::Skipped)
      ++skipped;
    if (fault != RowFault::Bad)
      continue;
    const int64_t raw = rawOf(record);
    if (maxBadRows == 0)
      return explain(raw);
    if (++bad == 1)
      firstBad = raw;
    if (constexpr int64_t kNamed = 3; bad <= kNamed)
      absl::StrAppend(&badRows, badRows.empty() ? "" : "; ", explain(raw).message());
  }
  if (bad > maxBadRows) {
    const Origin first = originOf(firstBad);
    return dataError(first, data_code::kBadRows,
                     absl::StrCat("of ", records, " rows ", bad, " are bad; the first: ", badRows),
                     absl::StrCat("at most ", maxBadRows, ", which is ", format.parquet ? "" : "csv.", "max_bad_rows"));
  }
  if (skipped + bad == 0)
    return absl::OkStatus();
  std::vector<int64_t> good, raws;
  good.reserve(static_cast<size_t>(records - skipped - bad));
  raws.reserve(good.capacity());
  for (int64_t record = 0; record < records; ++record)
    if (faults[static_cast<size_t>(record)] == RowFault::None) {
      good.push_back(record);
      raws.push_back(rawOf(record));
    }
  kept = std::move(raws);
  noneKept = kept.empty();
  if (noneKept && !mayBeEmpty)
    return dataError({list.front().path}, data_code::kEmpty,
                     absl::StrCat("all ", records, " rows are dropped (", skipped, " by on_missing: SKIP_ROW, ", bad,
                                  " as bad rows)"),
                     "at least one row");
  if (decoded && !noneKept)
    columns.keep(good);
  return absl::OkStatus();
}

/// Gives the bytes of the files back if no column points into them.
void Dataset::Impl::dropTexts() {
  for (const BoundColumn &column : bound)
    if (column.parser.column().dtype == MLCRT_STRING)
      return;
  for (OpenFile &file : files)
    file.data = FileData();
  arenas.clear();
}

Dataset::Dataset(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Dataset::~Dataset() = default;

absl::StatusOr<std::unique_ptr<Dataset>> Dataset::open(std::vector<DataFile> files, const InputFormat &format,
                                                       const std::vector<TensorSpec> &features,
                                                       const DatasetOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->list = std::move(files);
  absl::StatusOr<InputFormat> found = formatOfFiles(impl->list, format);
  if (!found.ok())
    return found.status();
  impl->format = *std::move(found);
  impl->features = features;
  impl->matrices = options.matrices;
  impl->maxBadRows = options.dropBadRows ? std::numeric_limits<int64_t>::max() : impl->format.maxBadRows();
  impl->mayBeEmpty = options.mayBeEmpty;
  absl::StatusOr<std::vector<BoundColumn>> bound = bindFeatures(impl->format, features);
  if (!bound.ok())
    return bound.status();
  impl->bound = *std::move(bound);
  impl->parser = std::make_unique<RowParser>(impl->format, impl->bound);
  if (absl::Status status = impl->openFiles(options); !status.ok())
    return status;
  if (options.selection)
    if (absl::Status status = impl->selectRows(*options.selection); !status.ok())
      return status;
  const int64_t records = impl->size();
  const bool mayDrop =
      impl->maxBadRows > 0 || std::any_of(impl->bound.begin(), impl->bound.end(), [](const BoundColumn &column) {
        return column.parser.maySkip() || column.parser.mayDropValues();
      });
  if (impl->decoded || mayDrop)
    if (absl::Status status = impl->parseAll(options); !status.ok())
      return status;
  if (impl->decoded)
    impl->dropTexts();
  if (impl->skipped + impl->bad > 0 && options.note)
    options.note(absl::StrCat(impl->list.front().path, impl->list.size() > 1 ? " and others" : "", ": of ", records,
                              " rows ", impl->skipped, " are skipped for a missing value and ", impl->bad, " are bad",
                              impl->bad > 0 ? absl::StrCat("; the first: ", impl->badRows) : ""));
  if (impl->droppedValues > 0 && options.note)
    options.note(absl::StrCat(impl->list.front().path, impl->list.size() > 1 ? " and others" : "", ": ",
                              impl->droppedValues.load(), " values beyond max_values of their row are dropped"));
  return std::unique_ptr<Dataset>(new Dataset(std::move(impl)));
}

std::unique_ptr<Dataset> Dataset::ofArrays(ArrayTable arrays, const std::vector<TensorSpec> &features) {
  auto impl = std::make_unique<Impl>();
  impl->list = arrays.list();
  impl->features = features;
  impl->parts = arrays.parts();
  impl->arrays = std::move(arrays);
  return std::unique_ptr<Dataset>(new Dataset(std::move(impl)));
}

std::unique_ptr<Dataset> Dataset::ofStream(std::unique_ptr<StreamTable> stream,
                                           const std::vector<TensorSpec> &features) {
  auto impl = std::make_unique<Impl>();
  impl->features = features;
  impl->parts = stream->parts();
  impl->stream = std::move(stream);
  return std::unique_ptr<Dataset>(new Dataset(std::move(impl)));
}

StreamTable *Dataset::stream() const { return impl_->stream.get(); }
int64_t Dataset::size() const { return impl_->size(); }
const std::vector<DataFile> &Dataset::files() const { return impl_->list; }
int64_t Dataset::fileRows() const { return impl_->arrays ? impl_->arrays->rows() : impl_->rawRecords; }
int64_t Dataset::fileRow(int64_t record) const { return impl_->rawOf(record); }
int64_t Dataset::skippedRows() const { return impl_->skipped; }
int64_t Dataset::badRows() const { return impl_->bad; }
int64_t Dataset::droppedValues() const { return impl_->droppedValues; }
bool Dataset::decoded() const { return impl_->decoded; }

/// Whether rows of the features have a size that only a batch of the stream knows.
static bool varies(const std::vector<TensorSpec> &features) {
  return std::any_of(features.begin(), features.end(), [](const TensorSpec &feature) {
    return std::any_of(feature.dims.begin() + (feature.rank() > 0), feature.dims.end(),
                       [](int64_t dim) { return dim < 0; });
  });
}

/// Whether rows of the batch are of these sizes.
static bool fits(const Batch &batch, const std::vector<TensorSpec> &sized) {
  return std::equal(sized.begin(), sized.end(), batch.columns().begin(), batch.columns().end(),
                    [](const TensorSpec &feature, const TensorView &column) {
                      return std::equal(feature.dims.begin() + (feature.rank() > 0), feature.dims.end(),
                                        column.dims.begin() + (column.rank() > 0), column.dims.end());
                    });
}

void Dataset::prepare(Batch &batch, int64_t capacity) const {
  impl_->prepare(batch, stream() && varies(impl_->features) ? 0 : capacity, impl_->features);
  batch.records_.clear();
  batch.records_.reserve(static_cast<size_t>(capacity));
  show(batch);
  show(batch);
}

/// Points the batch's buffers to its rows and values.
void Dataset::show(Batch &batch) const {
  batch.rows_ = static_cast<int64_t>(batch.records_.size());
  for (TensorView &matrix : batch.matrices_)
    matrix.dims[0] = batch.rows_;
  const auto set = [&](int64_t feature, void *data, int64_t first) {
    if (feature < 0)
      return;
    TensorView &buffer = batch.columns_[static_cast<size_t>(feature)];
    buffer.data = data;
    buffer.dims[0] = first;
  };
  for (size_t k = 0; impl_->holdsArrays() && k < batch.targets_.size(); ++k) {
    const RowTarget &target = batch.targets_[k];
    if (target.cells)
      set(static_cast<int64_t>(k), target.cells, batch.rows_);
    if (!target.values)
      continue;
    set(static_cast<int64_t>(k), target.values->data(), target.values->size());
    set(impl_->parts[k].ends, target.ends, batch.rows_);
    set(impl_->parts[k].weights, target.values->weights(), target.values->size());
  }
  for (size_t k = 0; k < impl_->bound.size(); ++k) {
    const BoundColumn &column = impl_->bound[k];
    const RowTarget &target = batch.targets_[k];
    set(column.cells, target.cells, batch.rows_);
    if (!target.values)
      continue;
    set(column.ends, target.ends, batch.rows_);
    set(column.values, target.values->data(), target.values->size());
    set(column.weights, target.values->weights(), target.values->size());
  }
}

absl::Status Dataset::fill(Batch &batch) const {
  const auto rows = static_cast<int64_t>(batch.records_.size());
  batch.arena_.clear();
  if (impl_->stream)
    return fillFromStream(batch);
  if (impl_->arrays)
    return fillFromArrays(*impl_->arrays, batch.records_, batch);
  if (impl_->decoded) {
    impl_->columns.gather(batch.records_, batch.targets_);
    show(batch);
    return absl::OkStatus();
  }
  const auto rawOf = [&](int64_t row) { return impl_->rawOf(batch.records_[static_cast<size_t>(row)]); };
  for (int64_t row = 0; row < rows; ++row) {
    if (impl_->parseRow(rawOf(row), row, batch.targets_, batch.scratch_, batch.arena_) != RowFault::None) {
      const absl::Status changed = impl_->files[impl_->fileOf(rawOf(row))].data.check();
      return changed.ok() ? impl_->explain(rawOf(row)) : changed;
    }
    impl_->keepTexts(row, batch.targets_, batch.arena_);
  }
  // What was parsed counts only if the files are still what they were; each is asked once for neighbours of a batch.
  const FileData *last = nullptr;
  for (int64_t row = 0; row < rows; ++row) {
    const FileData &data = impl_->files[impl_->fileOf(rawOf(row))].data;
    if (&data == last)
      continue;
    if (absl::Status status = data.check(); !status.ok())
      return status;
    last = &data;
  }
  show(batch);
  return absl::OkStatus();
}

absl::Status Dataset::fillFromStream(Batch &batch) const {
  const auto *chunk = static_cast<const StreamTable::Chunk *>(batch.chunk_.get());
  const auto rows = static_cast<int64_t>(batch.records_.size());
  if (rows > batch.capacity_ || !fits(batch, chunk->table.features()))
    impl_->prepare(batch, rows, chunk->table.features());
  std::vector<int64_t> &records = batch.streamRecords_;
  records.clear();
  for (const int64_t record : batch.records_)
    records.push_back(record - chunk->firstRow);
  return fillFromArrays(chunk->table, records, batch);
}

absl::Status Dataset::fillFromArrays(const ArrayTable &arrays, const std::vector<int64_t> &records,
                                     Batch &batch) const {
  for (size_t k = 0; k < batch.targets_.size(); ++k) {
    RowTarget &target = batch.targets_[k];
    absl::Status status;
    if (target.values)
      status = arrays.gatherList(k, records, *target.values, target.ends, batch.arena_);
    else if (target.cells)
      status = arrays.gather(k, records, target.cells, batch.arena_);
    if (!status.ok())
      return status;
  }
  show(batch);
  return absl::OkStatus();
}

absl::Status Dataset::drop(Batch &batch, int64_t row) const {
  batch.records_.erase(batch.records_.begin() + row);
  return fill(batch);
}

Origin Dataset::where(int64_t record, std::string_view feature) const {
  if (impl_->stream)
    return impl_->stream->where(record);
  if (impl_->arrays)
    return impl_->arrays->where(record);
  const int64_t raw = impl_->rawOf(record);
  const OpenFile &file = impl_->files[impl_->fileOf(raw)];
  Origin origin = impl_->originOf(raw);
  if (!impl_->format.hasLines())
    return origin;
  for (size_t i = 0; i < impl_->bound.size(); ++i)
    for (const int64_t f :
         {impl_->bound[i].cells, impl_->bound[i].values, impl_->bound[i].ends, impl_->bound[i].weights})
      if (f >= 0 && impl_->features[static_cast<size_t>(f)].name == feature)
        origin.field = file.layout.fieldOf[i] + 1;
  return origin;
}

int64_t badRowOf(const absl::Status &status, const Batch &batch) {
  if (status.ok())
    return -1;
  const StepError error = stepErrorOf(status);
  const bool isOfRow = error.code == MLCRT_DATA_ERROR && error.row >= 0;
  return isOfRow && error.row < static_cast<int64_t>(batch.records().size()) ? error.row : -1;
}

absl::Status locate(const absl::Status &status, const Dataset &dataset, const Batch &batch) {
  if (badRowOf(status, batch) < 0)
    return status;
  const StepError error = stepErrorOf(status);
  return dataError(dataset.where(batch.records()[error.row], error.feature), "E0302", error.message, error.expected);
}

} // namespace mlcrt
