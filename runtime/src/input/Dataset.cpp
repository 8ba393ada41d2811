// Opening, parsing and gathering of examples.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/Dataset.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/input/ColumnBinding.h"
#include "runtime/src/input/ColumnParser.h"
#include "runtime/src/input/FileData.h"
#include "runtime/src/input/RecordIndex.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
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

/// What a record is when it is no example.
enum class RowFault : uint8_t { None, Skipped, Bad };

/// Raw records that are parsed as one task, and whose strings share an arena.
constexpr int64_t kChunk = 1 << 14;

/// Where the values of a row go: for each feature the first byte of row 0.
using Destinations = std::vector<char *>;

} // namespace

struct Dataset::Impl {
  std::vector<DataFile> list;
  InputFormat format;
  std::vector<mlcrt_value> features;
  std::vector<ColumnParser> parsers;
  std::vector<OpenFile> files;
  int64_t rawRecords = 0;
  /// Raw numbers of the examples; empty if every record is one.
  std::vector<int64_t> kept;
  int64_t skipped = 0, bad = 0;
  /// Parsed columns, one per feature; empty unless decoded.
  bool decoded = false;
  std::vector<std::unique_ptr<char, void (*)(void *)>> columns;
  std::vector<StringArena> arenas;

  int64_t size() const { return kept.empty() ? rawRecords : static_cast<int64_t>(kept.size()); }
  int64_t rawOf(int64_t record) const { return kept.empty() ? record : kept[static_cast<size_t>(record)]; }
  size_t fileOf(int64_t raw) const;

  absl::Status openFiles(const DatasetOptions &options);
  absl::Status parseAll(const DatasetOptions &options);
  absl::Status settleFaults(const std::vector<RowFault> &faults);
  void compact();
  void dropTexts();
  absl::Status allocateColumns();
  RowFault parseRow(int64_t raw, int64_t row, const Destinations &out, std::vector<CsvField> &fields,
                    StringArena &arena) const;
  absl::Status explain(int64_t raw) const;
  absl::Status checkFiles() const;
  void keepTexts(int64_t row, const Destinations &out, StringArena &arena) const;
};

size_t Dataset::Impl::fileOf(int64_t raw) const {
  const auto after = std::upper_bound(files.begin(), files.end(), raw,
                                      [](int64_t record, const OpenFile &file) { return record < file.firstRecord; });
  return static_cast<size_t>(after - files.begin()) - 1;
}

RowFault Dataset::Impl::parseRow(int64_t raw, int64_t row, const Destinations &out, std::vector<CsvField> &fields,
                                 StringArena &arena) const {
  const OpenFile &file = files[fileOf(raw)];
  const std::string_view record = file.index.record(file.data.bytes(), raw - file.firstRecord);
  if (splitRecord(record, format.csv, fields) != 0 || static_cast<int64_t>(fields.size()) != file.layout.fields)
    return RowFault::Bad;
  RowFault fault = RowFault::None;
  for (size_t i = 0; i < parsers.size(); ++i) {
    const CsvField &field = fields[static_cast<size_t>(file.layout.fieldOf[i])];
    switch (parsers[i].parse(field, arena, out[i] + row * parsers[i].rowBytes())) {
    case ColumnParser::Outcome::Value:
      break;
    case ColumnParser::Outcome::SkipRow:
      fault = RowFault::Skipped; // an error in another column of the row still counts
      break;
    default:
      return RowFault::Bad;
    }
  }
  return fault;
}

/// Copies the strings of a row that lie in a mapped file, which may change under them, to `arena`.
void Dataset::Impl::keepTexts(int64_t row, const Destinations &out, StringArena &arena) const {
  for (size_t i = 0; i < parsers.size(); ++i) {
    if (parsers[i].column().dtype != MLCRT_STRING)
      continue;
    auto *cells = reinterpret_cast<mlcrt_string *>(out[i] + row * parsers[i].rowBytes());
    for (int64_t k = 0; k < parsers[i].column().elements(); ++k) {
      char *copy = arena.allocate(cells[k].size);
      std::copy_n(cells[k].data, cells[k].size, copy);
      cells[k].data = copy;
    }
  }
}

/// Whether all mapped files are what they were.
absl::Status Dataset::Impl::checkFiles() const {
  for (const OpenFile &file : files)
    if (absl::Status status = file.data.check(); !status.ok())
      return status;
  return absl::OkStatus();
}

/// The error of a record that parseRow found bad: parsed again, slowly.
absl::Status Dataset::Impl::explain(int64_t raw) const {
  const size_t number = fileOf(raw);
  const OpenFile &file = files[number];
  const int64_t i = raw - file.firstRecord;
  const std::string_view record = file.index.record(file.data.bytes(), i);
  Origin origin{list[number].path, file.index.line(i), 0};
  std::vector<CsvField> fields;
  const int64_t malformed = splitRecord(record, format.csv, fields);
  if (malformed != 0) {
    origin.field = malformed;
    return dataError(origin, data_code::kRecord, "text behind a closing quote", "the delimiter, or a doubled quote");
  }
  const auto found = static_cast<int64_t>(fields.size());
  if (found != file.layout.fields)
    return raggedRow(origin, record, found, file.layout.fields, format.csv);
  StringArena arena;
  for (size_t k = 0; k < parsers.size(); ++k) {
    std::vector<char> value(static_cast<size_t>(parsers[k].rowBytes()));
    const CsvField &field = fields[static_cast<size_t>(file.layout.fieldOf[k])];
    const ColumnParser::Outcome outcome = parsers[k].parse(field, arena, value.data());
    if (outcome == ColumnParser::Outcome::Value || outcome == ColumnParser::Outcome::SkipRow)
      continue;
    origin.field = file.layout.fieldOf[k] + 1;
    return parsers[k].explain(field, origin, outcome);
  }
  return absl::InternalError(absl::StrCat(toText(origin), ": a row was taken for a bad one"));
}

absl::Status Dataset::Impl::openFiles(const DatasetOptions &options) {
  if (list.empty())
    return usageError("", data_code::kNoSuchFile, "no data file is given");
  int64_t stored = 0;
  for (const DataFile &file : list)
    stored += file.size;
  FileDataOptions data;
  data.compression = format.csv.compression;
  std::error_code error;
  data.spillDir = options.cacheDir.empty() ? std::filesystem::temp_directory_path(error).string() : options.cacheDir;
  if (!options.cacheDir.empty())
    std::filesystem::create_directories(options.cacheDir, error);
  // All in memory or none: plain files are told by their size, packed ones as they grow.
  data.memoryLimit = stored <= options.memoryLimit ? options.memoryLimit : 0;
  decoded = true;
  std::vector<std::string> undeclared;
  for (const DataFile &file : list) {
    absl::StatusOr<FileData> opened = FileData::open(file, data);
    if (!opened.ok())
      return opened.status();
    const std::string_view text = opened->bytes();
    decoded = decoded && opened->inMemory();
    data.memoryLimit = std::max<int64_t>(0, data.memoryLimit - static_cast<int64_t>(text.size()));
    absl::StatusOr<RecordIndex> index = loadRecordIndex(file, text, format.csv, options.cacheDir, options.note);
    if (absl::Status status = opened->check(); !status.ok())
      return status;
    if (!index.ok())
      return index.status();
    absl::StatusOr<FileLayout> layout = bindFile(file.path, index->header(text), index->headerLine(), format, parsers);
    if (!layout.ok())
      return layout.status();
    for (const std::string &name : layout->undeclared)
      if (std::find(undeclared.begin(), undeclared.end(), name) == undeclared.end())
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
  if (rawRecords == 0)
    return dataError({list.front().path}, data_code::kEmpty, "there is a header and no row", "at least one row");
  return absl::OkStatus();
}

absl::Status Dataset::Impl::allocateColumns() {
  for (const ColumnParser &parser : parsers) {
    const size_t bytes = static_cast<size_t>(rawRecords * parser.rowBytes());
    columns.emplace_back(static_cast<char *>(std::malloc(std::max<size_t>(bytes, 1))), std::free);
    if (!columns.back())
      return absl::ResourceExhaustedError(
          absl::StrCat("no memory for ", rawRecords, " rows of column '", parser.column().name, "'"));
  }
  return absl::OkStatus();
}

/// Parses every record, into the columns (decoded) or only to find the rows that are dropped.
absl::Status Dataset::Impl::parseAll(const DatasetOptions &options) {
  const int64_t chunks = (rawRecords + kChunk - 1) / kChunk;
  std::vector<RowFault> faults(static_cast<size_t>(rawRecords), RowFault::None);
  if (decoded) {
    if (absl::Status status = allocateColumns(); !status.ok())
      return status;
    arenas.resize(static_cast<size_t>(chunks));
  }
  std::atomic<int64_t> nextChunk{0};
  auto work = [&] {
    std::vector<CsvField> fields;
    StringArena scratchArena;
    std::vector<std::vector<char>> scratch;
    Destinations out;
    for (size_t i = 0; i < parsers.size(); ++i) {
      if (!decoded)
        scratch.emplace_back(static_cast<size_t>(parsers[i].rowBytes()));
      out.push_back(decoded ? columns[i].get() : scratch.back().data());
    }
    for (int64_t chunk; (chunk = nextChunk.fetch_add(1)) < chunks;) {
      StringArena &arena = decoded ? arenas[static_cast<size_t>(chunk)] : scratchArena;
      const int64_t end = std::min((chunk + 1) * kChunk, rawRecords);
      for (int64_t raw = chunk * kChunk; raw < end; ++raw) {
        faults[static_cast<size_t>(raw)] = parseRow(raw, decoded ? raw : 0, out, fields, arena);
        if (!decoded)
          arena.clear();
      }
    }
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
  return settleFaults(faults);
}

absl::Status Dataset::Impl::settleFaults(const std::vector<RowFault> &faults) {
  for (int64_t raw = 0; raw < rawRecords; ++raw) {
    const RowFault fault = faults[static_cast<size_t>(raw)];
    if (fault == RowFault::Skipped)
      ++skipped;
    if (fault == RowFault::Bad && ++bad > format.csv.maxBadRows)
      return explain(raw);
  }
  if (skipped + bad == 0)
    return absl::OkStatus();
  kept.reserve(static_cast<size_t>(rawRecords - skipped - bad));
  for (int64_t raw = 0; raw < rawRecords; ++raw)
    if (faults[static_cast<size_t>(raw)] == RowFault::None)
      kept.push_back(raw);
  if (kept.empty())
    return dataError({list.front().path}, data_code::kEmpty,
                     absl::StrCat("all ", rawRecords, " rows are dropped (", skipped, " by on_missing: SKIP_ROW, ", bad,
                                  " as bad rows)"),
                     "at least one row");
  if (decoded)
    compact();
  return absl::OkStatus();
}

/// Moves the rows of the examples together, so that example i is row i.
void Dataset::Impl::compact() {
  for (size_t k = 0; k < parsers.size(); ++k) {
    const int64_t bytes = parsers[k].rowBytes();
    for (size_t i = 0; i < kept.size(); ++i)
      std::memmove(columns[k].get() + static_cast<int64_t>(i) * bytes, columns[k].get() + kept[i] * bytes,
                   static_cast<size_t>(bytes));
  }
}

/// Gives the bytes of the files back if no column points into them.
void Dataset::Impl::dropTexts() {
  for (const ColumnParser &parser : parsers)
    if (parser.column().dtype == MLCRT_STRING)
      return;
  for (OpenFile &file : files)
    file.data = FileData();
  arenas.clear();
}

Dataset::Dataset(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Dataset::~Dataset() = default;

absl::StatusOr<std::unique_ptr<Dataset>> Dataset::open(std::vector<DataFile> files, const InputFormat &format,
                                                       const std::vector<mlcrt_value> &features,
                                                       const DatasetOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->list = std::move(files);
  impl->format = format;
  impl->features = features;
  absl::StatusOr<std::vector<ColumnParser>> parsers = bindFeatures(format, features);
  if (!parsers.ok())
    return parsers.status();
  impl->parsers = *std::move(parsers);
  if (absl::Status status = impl->openFiles(options); !status.ok())
    return status;
  const bool mayDrop =
      format.csv.maxBadRows > 0 || std::any_of(impl->parsers.begin(), impl->parsers.end(),
                                               [](const ColumnParser &parser) { return parser.maySkip(); });
  if (impl->decoded || mayDrop)
    if (absl::Status status = impl->parseAll(options); !status.ok())
      return status;
  if (impl->decoded)
    impl->dropTexts();
  if (impl->skipped + impl->bad > 0 && options.note)
    options.note(absl::StrCat(impl->list.front().path, impl->list.size() > 1 ? " and others" : "", ": of ",
                              impl->rawRecords, " rows ", impl->skipped, " are skipped for a missing value and ",
                              impl->bad, " are bad"));
  return std::unique_ptr<Dataset>(new Dataset(std::move(impl)));
}

int64_t Dataset::size() const { return impl_->size(); }
const std::vector<DataFile> &Dataset::files() const { return impl_->list; }
int64_t Dataset::skippedRows() const { return impl_->skipped; }
int64_t Dataset::badRows() const { return impl_->bad; }
bool Dataset::decoded() const { return impl_->decoded; }

void Dataset::prepare(Batch &batch, int64_t capacity) const {
  batch.columns_.clear();
  batch.storage_.clear();
  batch.destinations_.clear();
  for (size_t i = 0; i < impl_->parsers.size(); ++i) {
    const mlcrt_value &feature = impl_->features[i];
    int64_t bytes = std::max<int64_t>(capacity * impl_->parsers[i].rowBytes(), 1);
    bytes = (bytes + MLCRT_ALIGNMENT - 1) / MLCRT_ALIGNMENT * MLCRT_ALIGNMENT;
    batch.storage_.emplace_back(std::aligned_alloc(MLCRT_ALIGNMENT, static_cast<size_t>(bytes)));
    mlcrt_buffer buffer{};
    buffer.data = batch.storage_.back().get();
    buffer.dtype = feature.dtype;
    buffer.rank = feature.rank;
    std::copy(feature.dims, feature.dims + feature.rank, buffer.dims);
    buffer.dims[0] = 0;
    batch.columns_.push_back(buffer);
    batch.destinations_.push_back(static_cast<char *>(buffer.data));
  }
  batch.rows_ = 0;
  batch.records_.clear();
  batch.records_.reserve(static_cast<size_t>(capacity));
}

/// out[i] = in[rows[i]] for values of `Bytes` bytes.
template <int64_t Bytes> static void gather(const char *in, const std::vector<int64_t> &rows, char *out) {
  for (const int64_t row : rows) {
    std::memcpy(out, in + row * Bytes, Bytes);
    out += Bytes;
  }
}

static void gatherRows(const char *in, int64_t bytes, const std::vector<int64_t> &rows, char *out) {
  switch (bytes) {
  case 1:
    return gather<1>(in, rows, out);
  case 4:
    return gather<4>(in, rows, out);
  case 8:
    return gather<8>(in, rows, out);
  case 16:
    return gather<16>(in, rows, out);
  default:
    for (const int64_t row : rows) {
      std::memcpy(out, in + row * bytes, static_cast<size_t>(bytes));
      out += bytes;
    }
  }
}

absl::Status Dataset::fill(Batch &batch) const {
  batch.rows_ = static_cast<int64_t>(batch.records_.size());
  batch.arena_.clear();
  for (mlcrt_buffer &buffer : batch.columns_)
    buffer.dims[0] = batch.rows_;
  if (impl_->decoded) {
    for (size_t k = 0; k < impl_->parsers.size(); ++k)
      gatherRows(impl_->columns[k].get(), impl_->parsers[k].rowBytes(), batch.records_, batch.destinations_[k]);
    return absl::OkStatus();
  }
  const auto rawOf = [&](int64_t row) { return impl_->rawOf(batch.records_[static_cast<size_t>(row)]); };
  for (int64_t row = 0; row < batch.rows_; ++row) {
    if (impl_->parseRow(rawOf(row), row, batch.destinations_, batch.fields_, batch.arena_) != RowFault::None) {
      const absl::Status changed = impl_->files[impl_->fileOf(rawOf(row))].data.check();
      return changed.ok() ? impl_->explain(rawOf(row)) : changed;
    }
    impl_->keepTexts(row, batch.destinations_, batch.arena_);
  }
  // What was parsed counts only if the files are still what they were; each is asked once for neighbours of a batch.
  const FileData *last = nullptr;
  for (int64_t row = 0; row < batch.rows_; ++row) {
    const FileData &data = impl_->files[impl_->fileOf(rawOf(row))].data;
    if (&data == last)
      continue;
    if (absl::Status status = data.check(); !status.ok())
      return status;
    last = &data;
  }
  return absl::OkStatus();
}

Origin Dataset::where(int64_t record, std::string_view feature) const {
  const int64_t raw = impl_->rawOf(record);
  const size_t number = impl_->fileOf(raw);
  const OpenFile &file = impl_->files[number];
  Origin origin{impl_->list[number].path, file.index.line(raw - file.firstRecord), 0};
  for (size_t i = 0; i < impl_->parsers.size(); ++i)
    if (impl_->parsers[i].column().name == feature)
      origin.field = file.layout.fieldOf[i] + 1;
  return origin;
}

} // namespace mlcrt
