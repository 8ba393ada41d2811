//===- SpecColumns.cpp - Data read as a spec says, for their statistics --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/SpecColumns.h"
#include "common/cli/NearestMatch.h"
#include "lib/Frontend/SpecInit/CsvRows.h"
#include "lib/Frontend/SpecInit/ExampleRows.h"
#include "lib/Frontend/SpecInit/PackedFile.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

using namespace mlc;
using namespace mlc::frontend;
using mlc::spec::v1::Column;

namespace {
class Counter {
public:
  Counter(const SpecDocument &document, const ResolvedSpec &resolved, const StatisticsOfInputs &statistics,
          common::MessageList &messages)
      : document_(document), resolved_(resolved), statistics_(statistics), messages_(messages),
        input_(document.spec().input()) {}

  bool count(const std::vector<std::string> &files, int64_t rows);

private:
  bool fail(const std::string &file, std::string code, std::string what) {
    common::Message error = common::makeError(std::move(code), std::move(what));
    error.place.file = file;
    messages_.add(std::move(error));
    return false;
  }
  bool bind(const std::string &file, const std::vector<std::string> &names);
  llvm::StringRef clean(llvm::StringRef cell, const InputColumn &column) const;
  bool isMissing(llvm::StringRef cell, const InputColumn &column) const;
  bool isMissingNumber(llvm::StringRef cell, const InputColumn &column) const;
  bool countRows(const std::vector<std::string> &files, int64_t most);
  bool countExamples(const std::vector<std::string> &files, int64_t most);
  void countRow(llvm::ArrayRef<llvm::StringRef> row);
  /// The values of a column in an example, without missing ones; none if it lacks the column.
  std::vector<llvm::StringRef> valuesOf(const llvm::StringMap<FeatureTexts> &example, const InputColumn &column) const;
  std::string wrongKind(const llvm::StringMap<FeatureTexts> &example) const;
  void countExample(const llvm::StringMap<FeatureTexts> &example);
  bool lacks(const InputColumn &column, const std::string &file, const std::vector<std::string> &names);
  void countCell(llvm::StringRef cell, size_t index);

  const SpecDocument &document_;
  const ResolvedSpec &resolved_;
  const StatisticsOfInputs &statistics_;
  common::MessageList &messages_;
  const mlc::spec::v1::Input &input_;
  /// Field of each input column in the file that is read.
  std::vector<size_t> fields_;
};
} // namespace

bool Counter::bind(const std::string &file, const std::vector<std::string> &names) {
  fields_.clear();
  bool good = true;
  for (const InputColumn &column : resolved_.inputs) {
    auto found = llvm::find(names, column.name);
    fields_.push_back(found - names.begin());
    if (found == names.end())
      good = lacks(column, file, names);
  }
  return good;
}

/// Tells that a file with columns `names` has not this one.
bool Counter::lacks(const InputColumn &column, const std::string &file, const std::vector<std::string> &names) {
  common::Message error =
      document_.makeError("E0317", column.span, "the data have no column '" + column.name + "' (" + file + ")");
  error.field = document_.path(*column.message, "name");
  error.help = common::didYouMean(column.name, names);
  messages_.add(std::move(error));
  return false;
}

llvm::StringRef Counter::clean(llvm::StringRef cell, const InputColumn &column) const {
  if (const std::string &strip = column.message->strip(); !strip.empty())
    cell = cell.trim(strip);
  return column.isString() ? cell : cell.trim(" \t");
}

bool Counter::isMissing(llvm::StringRef cell, const InputColumn &column) const {
  return cell.empty() || (!column.isString() && cell.equals_insensitive("nan")) ||
         llvm::is_contained(input_.missing(), cell) || llvm::is_contained(column.message->missing(), cell);
}

void Counter::countCell(llvm::StringRef cell, size_t index) {
  const InputColumn &column = resolved_.inputs[index];
  std::string digits;
  int64_t integer = 0;
  // Integers are the same however they are written.
  if (column.isInteger() && !cell.getAsInteger(10, integer))
    cell = digits = std::to_string(integer);
  for (ColumnStatistics *statistics : statistics_[index])
    statistics->addValue(cell);
}

void Counter::countRow(llvm::ArrayRef<llvm::StringRef> row) {
  for (auto [i, column] : llvm::enumerate(resolved_.inputs))
    if (column.message->on_missing() == Column::SKIP_ROW && isMissing(clean(row[fields_[i]], column), column))
      return;
  for (auto [i, column] : llvm::enumerate(resolved_.inputs)) {
    llvm::StringRef cell = clean(row[fields_[i]], column);
    if (statistics_[i].empty() || isMissing(cell, column))
      continue;
    if (!column.isMultiValued() && column.elements() == 1) {
      countCell(cell, i);
      continue;
    }
    const auto &multi = column.message->multi_value();
    llvm::SmallVector<llvm::StringRef> parts;
    cell.split(parts, column.isMultiValued() ? llvm::StringRef(multi.separator()) : "|");
    int64_t values = 0;
    for (llvm::StringRef part : parts) {
      if (column.isMultiValued() && !multi.weight_separator().empty())
        part = part.substr(0, part.rfind(multi.weight_separator()));
      part = clean(part, column);
      if (isMissing(part, column))
        continue;
      if (multi.has_max_values() && values++ == multi.max_values())
        break;
      countCell(part, i);
    }
  }
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static FeatureTexts::Kind kindOf(const InputColumn &column) {
  return column.isString() ? FeatureTexts::Bytes : column.isInteger() ? FeatureTexts::Ints : FeatureTexts::Floats;
}

std::vector<llvm::StringRef> Counter::valuesOf(const llvm::StringMap<FeatureTexts> &example,
                                               const InputColumn &column) const {
  std::vector<llvm::StringRef> values;
  auto found = example.find(column.name);
  if (found == example.end())
    return values;
  for (const std::string &text : found->second.values)
    if (llvm::StringRef cell = column.isString() ? clean(text, column) : llvm::StringRef(text);
        !isMissing(cell, column) && !isMissingNumber(cell, column))
      values.push_back(cell);
  return values;
}

/// Marks of missing numbers are numbers in records, however they are written.
bool Counter::isMissingNumber(llvm::StringRef cell, const InputColumn &column) const {
  double value = 0, mark = 0;
  if (column.isString() || cell.getAsDouble(value))
    return false;
  auto isMark = [&](const std::string &text) { return !llvm::StringRef(text).getAsDouble(mark) && mark == value; };
  return llvm::any_of(input_.missing(), isMark) || llvm::any_of(column.message->missing(), isMark);
}

/// What does not fit a column of the spec, or the empty text.
std::string Counter::wrongKind(const llvm::StringMap<FeatureTexts> &example) const {
  for (const InputColumn &column : resolved_.inputs) {
    auto found = example.find(column.name);
    if (found != example.end() && !found->second.values.empty() && found->second.kind != kindOf(column))
      return "feature '" + column.name + "' is of kind " + kindName(found->second.kind).str() + "; its column needs " +
             kindName(kindOf(column)).str();
  }
  return {};
}

void Counter::countExample(const llvm::StringMap<FeatureTexts> &example) {
  for (const InputColumn &column : resolved_.inputs)
    if (column.message->on_missing() == Column::SKIP_ROW && valuesOf(example, column).empty())
      return;
  for (auto [i, column] : llvm::enumerate(resolved_.inputs)) {
    std::vector<llvm::StringRef> values = valuesOf(example, column);
    if (const auto &multi = column.message->multi_value(); multi.has_max_values())
      values.resize(std::min(values.size(), static_cast<size_t>(multi.max_values())));
    if (!statistics_[i].empty())
      for (llvm::StringRef value : values)
        countCell(value, i);
  }
}

bool Counter::countExamples(const std::vector<std::string> &files, int64_t most) {
  int64_t rows = 0;
  std::set<std::string> names;
  for (const std::string &file : files) {
    std::string misfit;
    std::string wrong = readExamples(file, [&](const llvm::StringMap<FeatureTexts> &example) {
      ++rows;
      misfit = wrongKind(example);
      if (!misfit.empty())
        return false;
      for (const auto &feature : example)
        names.insert(feature.first().str());
      countExample(example);
      return most == 0 || rows < most;
    });
    if (!wrong.empty())
      return fail(file, "E0311", "cannot read: " + wrong);
    if (!misfit.empty())
      return fail(file, "E0315", "record " + std::to_string(rows) + " of the data: " + misfit);
    if (most > 0 && rows >= most)
      break;
  }
  if (rows == 0)
    return fail(files.front(), "E0312", "the files have no rows");
  // One record may lack any column; that all do is a slip.
  bool good = true;
  for (const InputColumn &column : resolved_.inputs)
    if (!names.count(column.name))
      good = lacks(column, files.front(), {names.begin(), names.end()});
  return good;
}

//===----------------------------------------------------------------------===//
// Delimited text
//===----------------------------------------------------------------------===//

bool Counter::count(const std::vector<std::string> &files, int64_t most) {
  return input_.has_tfrecord() ? countExamples(files, most) : countRows(files, most);
}

bool Counter::countRows(const std::vector<std::string> &files, int64_t most) {
  if (input_.has_libsvm())
    return fail(files.front(), "E0311", "is LibSVM, of which numbers and terms are not counted");
  const auto &csv = input_.csv();
  CsvForm form;
  form.delimiter = csv.field_delim()[0];
  form.skipInitialSpace = csv.skip_initial_space();
  form.quotes = csv.use_quote_delim();
  form.comments.assign(csv.comment().begin(), csv.comment().end());
  form.skipLines = csv.skip_lines();
  int64_t rows = 0;
  for (const std::string &file : files) {
    std::vector<std::string> names(csv.column_names().begin(), csv.column_names().end());
    bool header = csv.header() || PackedFile(file).isParquet(), good = header || bind(file, names);
    std::string wrong = readRows(file, form, [&](const CsvRow &read) {
      llvm::ArrayRef<llvm::StringRef> row = read.fields;
      if (!good)
        return false;
      if (std::exchange(header, false)) {
        names.assign(row.begin(), row.end());
        return good = bind(file, names);
      }
      ++rows;
      if (row.size() != names.size())
        return good = fail(file, "E0314",
                           "row " + std::to_string(rows) + " has " + std::to_string(row.size()) + " fields; expected " +
                               std::to_string(names.size()));
      countRow(row);
      return most == 0 || rows < most;
    });
    if (!wrong.empty())
      return fail(file, "E0311", "cannot read: " + wrong);
    if (!good)
      return false;
    if (most > 0 && rows >= most)
      break;
  }
  return rows > 0 || fail(files.front(), "E0312", "the files have no rows");
}

bool mlc::frontend::countInputs(const SpecDocument &document, const ResolvedSpec &resolved,
                                const std::vector<std::string> &files, int64_t rows,
                                const StatisticsOfInputs &statistics, common::MessageList &messages) {
  if (!Counter(document, resolved, statistics, messages).count(files, rows))
    return false;
  for (const std::vector<ColumnStatistics *> &sinks : statistics)
    for (ColumnStatistics *each : sinks)
      each->finish();
  return true;
}
