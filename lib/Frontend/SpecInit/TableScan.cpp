//===- TableScan.cpp - One look at all rows of a table -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/TableScan.h"
#include "lib/Frontend/SpecInit/PartsOfFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/xxhash.h"

#include <deque>

using namespace mlc;
using namespace mlc::frontend;

namespace {
/// What came of a part: parts are read in any order, and told in theirs.
struct PartResult {
  int64_t number = 0;
  int64_t rows = 0;
  /// In the part's last row, and about which the number of the row is not known yet.
  TableProblem problem;
  std::string before; ///< "row " in front of its number
  ValidationCut cut;
};

/// One thread's share of a table.
class Scanner {
public:
  Scanner(const std::vector<std::string> &files, const TableForm &form, const std::vector<ScannedColumn> &columns)
      : files_(files), form_(form), columns_(columns.begin(), columns.end()) {
    for (auto [i, column] : llvm::enumerate(columns_))
      byName_[column.name] = i;
  }

  bool read(const FilePart &part);
  std::deque<ScannedColumn> &columns() { return columns_; }
  std::vector<PartResult> &results() { return results_; }

private:
  bool readText(const FilePart &part, PartResult &result);
  bool readRecords(const FilePart &part, PartResult &result);
  bool readRecord(llvm::StringRef record, PartResult &result);
  ScannedColumn &columnOf(llvm::StringRef name);
  bool fail(PartResult &result, const FilePart &part, const char *code, const char *before, std::string what) {
    result.problem = {code, std::move(what), files_[part.file]};
    result.before = before;
    return false;
  }
  bool isFull(const PartResult &result) const { return form_.rows > 0 && rows_ + result.rows >= form_.rows; }

  const std::vector<std::string> &files_;
  const TableForm &form_;
  std::deque<ScannedColumn> columns_;
  llvm::StringMap<size_t> byName_;
  std::vector<PartResult> results_;
  int64_t part_ = 0;
  int64_t rows_ = 0;
};
} // namespace

/// Parts whose rows choose the seed of the validation cut: more than enough of them.
static constexpr int64_t kCutParts = 16;

bool Scanner::read(const FilePart &part) {
  PartResult result;
  result.number = part_ = part.number;
  for (ScannedColumn &column : columns_)
    column.statistics.beginPart(part.number);
  bool more = form_.csv ? readText(part, result) : readRecords(part, result);
  rows_ += result.rows;
  more &= !(form_.rows > 0 && rows_ >= form_.rows);
  results_.push_back(std::move(result));
  return more;
}

bool Scanner::readText(const FilePart &part, PartResult &result) {
  RowSplitter splitter(*form_.csv);
  llvm::StringRef rest = part.text;
  if (part.isFirst)
    rest.consume_front("\xEF\xBB\xBF");
  bool isHeader = part.isFirst && form_.header;
  const size_t label = byName_.lookup(form_.label);
  while (!rest.empty()) {
    if (splitter.take(rest, /*isLast=*/true) != RowSplitter::Found::Row)
      continue;
    if (std::exchange(isHeader, false))
      continue;
    llvm::ArrayRef<llvm::StringRef> fields = splitter.row().fields;
    ++result.rows;
    if (fields.size() != columns_.size())
      return fail(result, part, "E0314", "row ",
                  " has " + std::to_string(fields.size()) + " fields; expected " + std::to_string(columns_.size()));
    llvm::StringRef labelText = fields[label].rtrim('.');
    const uint64_t labelHash = llvm::xxh3_64bits(labelText);
    for (auto [column, field] : llvm::zip_equal(columns_, fields))
      column.statistics.add(field, labelHash);
    if (part.number < kCutParts && !isMissingMark(labelText))
      result.cut.add(splitter.row().record, labelText);
    if (isFull(result))
      return true;
  }
  return !splitter.isOpen() || fail(result, part, "E0311", "", "cannot read: a quote is not closed");
}

ScannedColumn &Scanner::columnOf(llvm::StringRef name) {
  auto [found, isNew] = byName_.try_emplace(name, columns_.size());
  if (!isNew)
    return columns_[found->second];
  ScannedColumn &column = columns_.emplace_back();
  column.name = name.str();
  column.statistics.beginPart(part_);
  return column;
}

/// Counts the features of a record; false if it is no tf.Example, or has a feature of another kind than before.
bool Scanner::readRecord(llvm::StringRef record, PartResult &result) {
  // The label first: it stands beside all other values.
  std::string label;
  if (!forEachFeature(record, [&](llvm::StringRef name, FeatureTexts::Kind kind, llvm::StringRef list) {
        if (name != form_.label)
          return true;
        return forEachText(kind, list, [&](llvm::StringRef text) { label = text.rtrim('.').str(); });
      }))
    return false;
  const uint64_t labelHash = llvm::xxh3_64bits(label);
  bool good = forEachFeature(record, [&](llvm::StringRef name, FeatureTexts::Kind kind, llvm::StringRef list) {
    ScannedColumn &column = columnOf(name);
    int64_t values = 0;
    auto count = [&](llvm::StringRef text) {
      ++values;
      if (kind == FeatureTexts::Bytes)
        column.statistics.add(text, labelHash);
      else
        column.statistics.addValue(text, labelHash);
    };
    if (!forEachText(kind, list, count))
      return false;
    if (values == 0)
      return true;
    if (column.rows == 0)
      column.kind = kind;
    if (column.kind != kind) {
      result.problem.what = " has feature '" + name.str() + "' of kind " + kindName(kind).str() + "; expected " +
                            kindName(column.kind).str() + " as before";
      return false;
    }
    column.leastValues = column.rows == 0 ? values : std::min(column.leastValues, values);
    column.mostValues = std::max(column.mostValues, values);
    ++column.rows;
    return true;
  });
  if (good && result.number < kCutParts && !isMissingMark(label))
    result.cut.add(record, label);
  return good;
}

bool Scanner::readRecords(const FilePart &part, PartResult &result) {
  llvm::StringRef rest = part.text, record;
  while (!rest.empty()) {
    ++result.rows;
    std::string what;
    if (!takeRecord(rest, record, what))
      return fail(result, part, "E0311", "cannot read: record ", " " + (what.empty() ? "ends within it" : what));
    if (!readRecord(record, result)) {
      bool isKind = !result.problem.what.empty();
      return fail(result, part, isKind ? "E0315" : "E0311", isKind ? "record " : "cannot read: record ",
                  isKind ? result.problem.what : " is no tf.Example");
    }
    if (isFull(result))
      return true;
  }
  return true;
}

/// How many bytes of a text are whole rows. Quotes may keep line ends.
static size_t wholeRows(llvm::StringRef text, const CsvForm &form) {
  if (!form.quotes || !text.contains('"')) {
    const size_t end = text.rfind('\n');
    return end == llvm::StringRef::npos ? 0 : end + 1;
  }
  RowSplitter splitter(form);
  llvm::StringRef rest = text;
  while (!rest.empty() && splitter.take(rest, /*isLast=*/false) != RowSplitter::Found::More)
    continue;
  return text.size() - rest.size();
}

/// How many bytes of a text are whole records; all if it is damaged, which who reads them tells.
static size_t wholeRecords(llvm::StringRef text) {
  size_t size = 0;
  while (std::optional<uint64_t> next = recordSize(text.drop_front(size))) {
    if (*next > text.size() - size)
      return size;
    size += *next;
  }
  return text.size() - size < kRecordHeadBytes ? size : text.size();
}

static void merge(ScannedColumn &into, ScannedColumn &&from) {
  if (from.rows > 0) {
    into.leastValues = into.rows == 0 ? from.leastValues : std::min(into.leastValues, from.leastValues);
    into.mostValues = std::max(into.mostValues, from.mostValues);
    if (into.rows == 0)
      into.kind = from.kind;
    into.rows += from.rows;
  }
  into.statistics.merge(std::move(from.statistics));
}

TableProblem mlc::frontend::scanTable(const std::vector<std::string> &files, const TableForm &form, TableScan &scan) {
  // The first rows are those of the first parts: one thread reads them in order.
  const unsigned threads = form.rows > 0 ? 1 : std::max(1u, llvm::hardware_concurrency().compute_thread_count());
  std::vector<std::unique_ptr<Scanner>> scanners;
  for (unsigned i = 0; i < threads; ++i)
    scanners.push_back(std::make_unique<Scanner>(files, form, scan.columns));
  PartReader reader;
  bool (*isPlain)(llvm::StringRef) = startsWithRecord;
  if (!form.csv)
    reader.isPlain = isPlain;
  auto whole = [&](llvm::StringRef text) { return form.csv ? wholeRows(text, *form.csv) : wholeRecords(text); };
  auto read = [&](unsigned thread, const FilePart &part) { return scanners[thread]->read(part); };
  reader.wholeRows = whole;
  reader.read = read;
  FileProblem unreadable = readParts(files, threads, reader);

  std::vector<PartResult> results;
  for (auto &scanner : scanners)
    for (PartResult &result : scanner->results())
      results.push_back(std::move(result));
  llvm::sort(results, [](const PartResult &a, const PartResult &b) { return a.number < b.number; });
  for (PartResult &result : results) {
    scan.rows += result.rows;
    scan.cut.append(std::move(result.cut));
    if (!result.problem.code)
      continue;
    if (!result.before.empty())
      result.problem.what = result.before + std::to_string(scan.rows) + result.problem.what;
    return result.problem;
  }
  if (!unreadable.what.empty())
    return {"E0311", "cannot read: " + unreadable.what, files[unreadable.file]};
  if (scan.rows == 0)
    return {"E0312", "the files have no rows", files.front()};

  if (!form.csv) {
    std::set<std::string> names;
    for (auto &scanner : scanners)
      for (const ScannedColumn &column : scanner->columns())
        names.insert(column.name);
    for (const std::string &name : names)
      scan.columns.emplace_back().name = name;
  }
  llvm::StringMap<size_t> byName;
  for (auto [i, column] : llvm::enumerate(scan.columns))
    byName[column.name] = i;
  for (auto &scanner : scanners)
    for (ScannedColumn &column : scanner->columns()) {
      ScannedColumn &mine = scan.columns[byName.lookup(column.name)];
      if (mine.rows > 0 && column.rows > 0 && mine.kind != column.kind)
        return {"E0315",
                "feature '" + column.name + "' is of kind " + kindName(mine.kind).str() +
                    " in one record and of kind " + kindName(column.kind).str() + " in another",
                files.front()};
      merge(mine, std::move(column));
    }
  for (ScannedColumn &column : scan.columns) {
    column.statistics.finish();
    if (!form.csv && column.mostValues <= 1)
      column.statistics.addMissing(scan.rows - column.statistics.rows());
  }
  return {};
}
