// Reads data to the end, whatever is wrong with them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/DataCheck.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/cli/NearestMatch.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/input/ArrayTable.h"
#include "runtime/src/input/CellText.h"
#include "runtime/src/input/FileData.h"
#include "runtime/src/input/FileList.h"
#include "runtime/src/input/NumberCheck.h"
#include "runtime/src/input/ParquetInput.h"
#include "runtime/src/input/RecordIndex.h"
#include "runtime/src/input/RowParser.h"
#include "runtime/src/input/TfRecord.h"
#include "runtime/src/input/Unpack.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <unordered_set>

namespace mlcrt {

using mlc::common::ColumnCheck;
using mlc::common::Message;

namespace {

/// What one column of the input is read by: a parser that tells missing cells, and the checks of its values.
struct CheckedColumn {
  ColumnParser parser;
  std::vector<size_t> checks;
};

/// The values of a check, for look-up.
struct Known {
  std::unordered_set<std::string> texts;
  std::unordered_set<int64_t> integers;
};

/// A row of every column.
struct RowRoom {
  std::vector<std::vector<char>> cells;
  std::vector<ValueList> lists;
  std::vector<int64_t> ends;
  std::vector<RowTarget> targets;

  explicit RowRoom(const std::vector<BoundColumn> &columns) : ends(columns.size()) {
    for (const BoundColumn &column : columns) {
      cells.emplace_back(static_cast<size_t>(column.parser.rowBytes()) + sizeof(mlcrt_string));
      lists.push_back(column.parser.makeList());
      lists.back().reserve(1);
    }
    for (size_t i = 0; i < columns.size(); ++i)
      targets.push_back(columns[i].parser.isList() ? RowTarget{nullptr, 0, &ends[i], &lists[i]}
                                                   : RowTarget{cells[i].data(), 0, nullptr, nullptr});
  }
};

class Checker {
public:
  Checker(const InputFormat &format, const std::vector<ColumnCheck> &checks, int64_t rows, DataFindings &findings,
          DataErrors &errors)
      : format_(format), checks_(checks), most_(rows > 0 ? rows : INT64_MAX), findings_(findings), errors_(errors) {}

  absl::Status prepare();
  /// Whether files are Parquet; E0311 as formatOfFiles.
  absl::Status findFormat(const std::vector<DataFile> &files);
  void check(const std::vector<std::string> &globs);
  /// Reads at most `rows` rows of a file, evenly.
  absl::Status sample(const DataFile &file, int64_t rows);
  /// Reads files of arrays, or at most `rows` rows of them, evenly.
  absl::Status checkArrays(const std::vector<DataFile> &files, int64_t rows);

private:
  void add(const absl::Status &status) {
    if (errors_.messages.size() < errors_.most)
      errors_.messages.push_back(messageOf(status));
    else
      ++errors_.further;
  }
  absl::StatusOr<FileData> open(const DataFile &file, int64_t mostBytes = INT64_MAX) const;
  absl::Status checkFile(const DataFile &file);
  absl::Status checkText(const std::string &path, std::string_view text, int64_t rows);
  bool checkRow(std::string_view record, const FileLayout &layout, Origin origin, RowRoom &row);
  bool checkRecord(const ArrayTable &table, const std::vector<size_t> &columns, int64_t record);
  bool checkValue(size_t check, int32_t dtype, const char *value, const Origin &origin);
  void addUnknown(const ColumnCheck &check, std::string text, const Origin &origin);
  static void addNumber(ColumnFindings &column, double number);

  InputFormat format_; ///< of the files
  const std::vector<ColumnCheck> &checks_;
  int64_t most_;
  DataFindings &findings_;
  DataErrors &errors_;
  std::vector<BoundColumn> bound_;
  std::unique_ptr<RowParser> parser_;
  std::vector<CheckedColumn> columns_;
  std::vector<Known> known_;
  RowScratch scratch_;
  StringArena arena_;
  std::vector<char> arrayRow_;
  /// Messages of values that should not be there, by check and text; -1: among the further ones.
  std::map<std::pair<const ColumnCheck *, std::string>, int64_t> unknown_;
};

} // namespace

void ValueCounts::add(std::string_view value) {
  if (isFull_)
    return;
  const auto [found, isNew] = counts_.try_emplace(std::string(value), 0);
  ++found->second;
  ++total_;
  isFull_ = counts_.size() == kMost;
}

int64_t ValueCounts::singles() const {
  return std::count_if(counts_.begin(), counts_.end(), [](const auto &each) { return each.second == 1; });
}

int64_t ValueCounts::countOf(const std::string &value) const {
  const auto found = counts_.find(value);
  return found == counts_.end() ? 0 : found->second;
}

absl::Status Checker::prepare() {
  findings_.columns.resize(checks_.size());
  known_.resize(checks_.size());
  for (const InputColumn &column : format_.columns) {
    absl::StatusOr<ColumnParser> parser = ColumnParser::create(column, format_.missing);
    if (!parser.ok())
      return parser.status();
    InputColumn strict = column;
    strict.defaultValue.reset();
    strict.onMissing = OnMissing::Error;
    absl::StatusOr<ColumnParser> telling = ColumnParser::create(strict, format_.missing);
    if (!telling.ok())
      return telling.status();
    bound_.push_back({*std::move(parser)});
    columns_.push_back({*std::move(telling), {}});
  }
  for (size_t i = 0; i < checks_.size(); ++i) {
    const InputColumn *column = format_.find(checks_[i].column);
    if (!column)
      return usageError("", data_code::kFeature, absl::StrCat("there is no column '", checks_[i].column, "' to check"));
    columns_[static_cast<size_t>(column - format_.columns.data())].checks.push_back(i);
    for (const std::string &term : checks_[i].terms) {
      known_[i].texts.insert(term);
      int64_t value = 0;
      if (column->dtype != MLCRT_STRING && absl::SimpleAtoi(term, &value))
        known_[i].integers.insert(value);
    }
  }
  parser_ = std::make_unique<RowParser>(format_, bound_);
  return absl::OkStatus();
}

absl::Status Checker::findFormat(const std::vector<DataFile> &files) {
  absl::StatusOr<InputFormat> found = formatOfFiles(files, format_);
  if (found.ok())
    format_ = *std::move(found);
  return found.status();
}

void Checker::check(const std::vector<std::string> &globs) {
  absl::StatusOr<std::vector<DataFile>> files = resolveFiles(globs);
  if (!files.ok())
    return add(files.status());
  absl::StatusOr<bool> arrays = holdArrays(*files);
  if (!arrays.ok())
    return add(arrays.status());
  if (*arrays) {
    if (absl::Status status = checkArrays(*files, most_); !status.ok())
      add(status);
    return;
  }
  if (absl::Status status = findFormat(*files); !status.ok())
    return add(status);
  for (const DataFile &file : *files) {
    if (findings_.rows >= most_)
      return;
    if (absl::Status status = checkFile(file); !status.ok())
      add(status);
    ++findings_.files;
  }
}

/// Opens a file; of one of Parquet, `mostBytes` of its text are enough.
absl::StatusOr<FileData> Checker::open(const DataFile &file, int64_t mostBytes) const {
  FileDataOptions options;
  options.compression = format_.compression();
  if (format_.tfrecord)
    options.isPlain = startsWithRecord;
  std::error_code error;
  options.spillDir = std::filesystem::temp_directory_path(error).string();
  if (format_.parquet)
    options.parquet = [&](const std::string &path, std::string_view bytes, const UnpackSink &sink) {
      return writeParquetText(path, bytes, {&format_, &bound_, nullptr, mostBytes}, sink, nullptr);
    };
  return FileData::open(file, options);
}

absl::Status Checker::checkFile(const DataFile &file) {
  absl::StatusOr<FileData> data = open(file);
  if (!data.ok())
    return data.status();
  if (absl::Status status = checkText(file.path, data->bytes(), INT64_MAX); !status.ok())
    return status;
  return data->check();
}

/// Checks the rows of a text, or at most `rows` of them, evenly.
absl::Status Checker::checkText(const std::string &path, std::string_view text, int64_t rows) {
  absl::StatusOr<RecordIndex> index = RecordIndex::build(path, text, format_.records());
  if (!index.ok())
    return index.status();
  FileLayout layout;
  if (!format_.tfrecord) {
    absl::StatusOr<FileLayout> found =
        bindFile(path, index->header(text), index->headerLine(),
                 index->size() > 0 ? index->record(text, 0) : std::string_view(), format_, bound_);
    if (!found.ok())
      return found.status();
    layout = *std::move(found);
  }
  RowRoom row(bound_);
  const int64_t every = std::max<int64_t>(1, index->size() / std::max<int64_t>(rows, 1));
  for (int64_t i = 0; i < index->size() && findings_.rows < most_; i += every) {
    const Origin origin = format_.hasLines() ? Origin{path, index->line(i)} : Origin{path, 0, 0, i + 1};
    arena_.clear();
    ++findings_.rows;
    findings_.bad += !checkRow(index->record(text, i), layout, origin, row);
  }
  return absl::OkStatus();
}

/// Files up to this size are read whole for a sample; of larger ones so many windows of this size.
static constexpr int64_t kWholeBytes = int64_t{1} << 24, kWindowBytes = int64_t{1} << 16, kWindows = 64;

/// Whole lines of a large file of lines, its first ones among them. A line end within quotes is taken for one of a
/// row: such rows do not parse, and do not count.
static std::string linesOf(const DataFile &file) {
  std::ifstream stream(file.toOpen(), std::ios::binary);
  std::string text, window(static_cast<size_t>(kWindowBytes), '\0');
  for (int64_t i = 0; i < kWindows && stream; ++i) {
    stream.seekg(i * ((file.size - kWindowBytes) / (kWindows - 1)));
    if (!stream.read(window.data(), kWindowBytes))
      break;
    const size_t begin = i == 0 ? 0 : window.find('\n') + 1, end = window.rfind('\n') + 1;
    if (begin < end)
      text.append(window, begin, end - begin);
  }
  return text;
}

absl::Status Checker::sample(const DataFile &file, int64_t rows) {
  most_ = findings_.rows + rows;
  ++findings_.files;
  if (file.size <= kWholeBytes || format_.parquet) {
    absl::StatusOr<FileData> data = open(file, kWholeBytes);
    return data.ok() ? checkText(file.path, data->bytes(), rows) : data.status();
  }
  const std::string text = format_.tfrecord ? "" : linesOf(file);
  const bool isPacked = format_.compression() != Compression::None && detectCompression(text) != Compression::None;
  return text.empty() || isPacked ? absl::OkStatus() : checkText(file.path, text, rows);
}

bool Checker::checkRow(std::string_view record, const FileLayout &layout, Origin origin, RowRoom &row) {
  const RowFault fault = parser_->parse(record, layout, 0, row.targets, scratch_, arena_);
  bool good = fault != RowFault::Bad;
  if (!good)
    add(parser_->explain(record, layout, origin));
  findings_.skipped += fault == RowFault::Skipped;
  if (!scratch_.isSplit)
    return false;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const ColumnParser &parser = columns_[i].parser;
    if (format_.hasLines())
      origin.field = layout.fieldOf[i] + 1;
    if (parser.isList())
      row.lists[i].shrink(0);
    const ColumnParser::Outcome outcome = parser_->parseCell(i, parser, layout, 0, row.targets[i], scratch_, arena_);
    // Of rows that are skipped, training sees no value.
    const bool list = parser.isList(), seen = outcome == ColumnParser::Outcome::Value && fault != RowFault::Skipped;
    const int64_t count = !seen ? 0 : list ? row.lists[i].size() : parser.column().elements();
    const char *values = list ? row.lists[i].data() : row.cells[i].data();
    const int32_t dtype = parser.column().dtype;
    for (size_t check : columns_[i].checks) {
      ColumnFindings &column = findings_.columns[check];
      ++column.rows;
      column.missing += outcome == ColumnParser::Outcome::Missing;
      for (int64_t k = 0; k < count; ++k) {
        const bool known = checkValue(check, dtype, values + k * valueSize(dtype), origin);
        good = good && (known || !checks_[check].required);
      }
    }
  }
  return good;
}

absl::Status Checker::checkArrays(const std::vector<DataFile> &files, int64_t rows) {
  FileDataOptions options;
  std::error_code error;
  options.spillDir = std::filesystem::temp_directory_path(error).string();
  absl::StatusOr<ArrayTable> table = ArrayTable::open(files, options);
  if (!table.ok())
    return table.status();
  // The columns that are looked at, as the features that a trainer reads.
  std::vector<TensorSpec> features;
  std::vector<size_t> columns;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const InputColumn &column = columns_[i].parser.column();
    if (columns_[i].checks.empty())
      continue;
    Dims dims = {MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH)};
    dims.insert(dims.end(), column.shape.begin(), column.shape.end());
    features.emplace_back(column.name.c_str(), column.dtype, std::move(dims));
    columns.push_back(i);
    if (columns_[i].parser.isList())
      return usageError(files.front().path, data_code::kFeature,
                        absl::StrCat("column '", column.name, "' has any number of values, which arrays have not"));
  }
  if (absl::Status status = table->bind(features, &format_); !status.ok())
    return status;
  findings_.files += static_cast<int64_t>(files.size());
  const int64_t every = std::max<int64_t>(1, table->rows() / std::max<int64_t>(rows, 1));
  for (int64_t record = 0; record < table->rows() && findings_.rows < rows; record += every) {
    ++findings_.rows;
    findings_.bad += !checkRecord(*table, columns, record);
  }
  return absl::OkStatus();
}

/// Checks a row of arrays, whose features are `columns`.
bool Checker::checkRecord(const ArrayTable &table, const std::vector<size_t> &columns, int64_t record) {
  bool good = true;
  arena_.clear();
  for (size_t k = 0; k < columns.size(); ++k) {
    const CheckedColumn &column = columns_[columns[k]];
    const int32_t dtype = column.parser.column().dtype;
    arrayRow_.resize(static_cast<size_t>(column.parser.rowBytes()) + sizeof(mlcrt_string));
    const absl::Status status = table.gather(k, {record}, arrayRow_.data(), arena_);
    if (!status.ok())
      add(status);
    good = good && status.ok();
    for (size_t check : column.checks) {
      ++findings_.columns[check].rows;
      for (int64_t i = 0; status.ok() && i < column.parser.column().elements(); ++i) {
        const bool known = checkValue(check, dtype, arrayRow_.data() + i * valueSize(dtype), table.where(record));
        good = good && (known || !checks_[check].required);
      }
    }
  }
  return good;
}

/// Adds a number to the moments of a column.
void Checker::addNumber(ColumnFindings &column, double number) {
  ++column.values;
  column.min = column.values == 1 ? number : std::min(column.min, number);
  column.max = column.values == 1 ? number : std::max(column.max, number);
  const double delta = number - column.mean, n = static_cast<double>(column.values);
  column.mean += delta / n;
  // Kept as a variance until all is read.
  column.stddev += (delta * (number - column.mean) - column.stddev) / n;
}

static int64_t integerOf(int32_t dtype, const char *value) {
  int64_t integer = 0;
  if (dtype != MLCRT_I64)
    return static_cast<int64_t>(numberAt(dtype, value, 0));
  std::memcpy(&integer, value, sizeof(integer));
  return integer;
}

/// Counts a value; false if it is none of those that the check knows.
bool Checker::checkValue(size_t number, int32_t dtype, const char *value, const Origin &origin) {
  const ColumnCheck &check = checks_[number];
  ColumnFindings &column = findings_.columns[number];
  if (check.kind == ColumnCheck::Kind::Numbers) {
    const double number = numberAt(dtype, value, 0);
    addNumber(column, number);
    // Numbers are counted by their bytes.
    column.counts.add({reinterpret_cast<const char *>(&number), sizeof(number)});
    return true;
  }
  ++column.values;
  std::string text;
  bool known;
  if (dtype == MLCRT_STRING) {
    mlcrt_string cell;
    std::memcpy(&cell, value, sizeof(cell));
    text.assign(cell.data, static_cast<size_t>(cell.size));
    column.counts.add(text);
    known = known_[number].texts.count(text) != 0;
  } else {
    const int64_t integer = integerOf(dtype, value);
    column.counts.add({reinterpret_cast<const char *>(&integer), sizeof(integer)});
    known = check.kind == ColumnCheck::Kind::Ids ? integer >= 0 && integer < check.size
                                                 : known_[number].integers.count(integer) != 0;
    text = known ? "" : absl::StrCat(integer);
  }
  if (known || check.kind == ColumnCheck::Kind::Any)
    return true;
  ++column.unknown;
  if (check.required)
    addUnknown(check, std::move(text), origin);
  return false;
}

/// Punctuation at the ends of `text` without which it is a term; empty if there is no such.
static std::string stripOf(const std::string &text, const std::vector<std::string> &terms) {
  for (const std::string &term : terms) {
    const size_t at = term.empty() ? std::string::npos : text.find(term);
    if (at == std::string::npos)
      continue;
    std::string rest;
    for (char c : text.substr(0, at) + text.substr(at + term.size()))
      if (rest.find(c) == std::string::npos)
        rest += c;
    if (std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::ispunct(c) || c == ' '; }))
      return rest;
  }
  return {};
}

/// An error for a value that training stops at; one that was found before is counted.
void Checker::addUnknown(const ColumnCheck &check, std::string text, const Origin &origin) {
  const auto [place, isNew] = unknown_.try_emplace({&check, text}, -1);
  if (!isNew) {
    if (place->second >= 0)
      ++errors_.messages[static_cast<size_t>(place->second)].count;
    return;
  }
  if (errors_.messages.size() >= errors_.most) {
    ++errors_.further;
    return;
  }
  place->second = static_cast<int64_t>(errors_.messages.size());
  std::string expected, help;
  if (check.kind == ColumnCheck::Kind::Ids) {
    expected = absl::StrCat("an integer from 0 to ", check.size - 1);
  } else {
    constexpr size_t kNamed = 10;
    for (size_t i = 0; i < check.terms.size() && i < kNamed; ++i)
      absl::StrAppend(&expected, i == 0 ? "'" : i + 1 == check.terms.size() ? " or '" : ", '", check.terms[i], "'");
    if (check.terms.size() > kNamed)
      absl::StrAppend(&expected, " and ", check.terms.size() - kNamed, " more");
    const std::string strip = stripOf(text, check.terms);
    help = strip.empty() ? mlc::common::didYouMean(text, check.terms)
                         : absl::StrCat("column '", check.column, "' lacks  strip: \"", strip, "\"");
  }
  if (!check.origin.empty())
    absl::StrAppend(&expected, " (", check.origin, ")");
  const bool terms = check.kind == ColumnCheck::Kind::Terms;
  add(dataError(origin, "E0302",
                absl::StrCat(check.use, " ", terms ? quotedCell(text) : text, " of '", check.name, "' ",
                             terms ? "is not in the vocabulary" : "is out of range"),
                expected, help));
}

static void finishMoments(DataFindings &findings) {
  for (ColumnFindings &column : findings.columns)
    column.stddev =
        column.values > 1
            ? std::sqrt(column.stddev * static_cast<double>(column.values) / static_cast<double>(column.values - 1))
            : 0;
}

absl::Status checkData(const std::vector<std::string> &globs, const InputFormat &format,
                       const std::vector<ColumnCheck> &checks, int64_t rows, DataFindings &findings,
                       DataErrors &errors) {
  Checker checker(format, checks, rows, findings, errors);
  if (absl::Status status = checker.prepare(); !status.ok())
    return status;
  checker.check(globs);
  finishMoments(findings);
  return absl::OkStatus();
}

/// Rows of a sample, and files that they are of at most.
static constexpr int64_t kSampleRows = 4096, kSampleFiles = 16;

DataFindings sampleData(const std::vector<DataFile> &files, const InputFormat &format,
                        const std::vector<ColumnCheck> &checks) {
  DataFindings findings;
  DataErrors errors;
  errors.most = 0;
  Checker checker(format, checks, /*rows=*/0, findings, errors);
  const absl::StatusOr<bool> arrays = holdArrays(files);
  if (!checker.prepare().ok() || !arrays.ok() || (!*arrays && !checker.findFormat(files).ok()))
    return findings;
  if (*arrays)
    (void)checker.checkArrays(files, kSampleRows);
  const int64_t count = static_cast<int64_t>(files.size()), read = std::min(count, kSampleFiles);
  for (int64_t i = 0; i < read && !*arrays; ++i)
    (void)checker.sample(files[static_cast<size_t>(i * count / read)], kSampleRows / read); // who trains tells errors
  finishMoments(findings);
  return findings;
}

} // namespace mlcrt
