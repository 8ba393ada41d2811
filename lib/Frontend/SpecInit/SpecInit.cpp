//===- SpecInit.cpp - Decides what a first spec says ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlc/Frontend/SpecInit/SpecInit.h"
#include "common/cli/NearestMatch.h"
#include "lib/Frontend/EstimatorSpec/ResolvedSpec.h"
#include "lib/Frontend/SpecInit/PackedFile.h"
#include "lib/Frontend/SpecInit/RefreshSpec.h"
#include "lib/Frontend/SpecInit/SpecPlan.h"
#include "mlc/Frontend/SpecInit/Recipe.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlc;
using namespace mlc::frontend;

/// Categories that stand in the spec itself; above, in a file; above that, in buckets.
static constexpr int64_t kMostListed = 100;
static constexpr int64_t kMostInFile = 10000;
/// Integer labels with at most so many values are classes.
static constexpr int64_t kMostIntegerClasses = 10;
/// Classes of strings that a spec still lists.
static constexpr int64_t kMostClasses = 1000;
/// Cells of many values: a part of them that a separator cuts at least, and how often a word of a text comes, at
/// least, and how much more often than its cells do.
static constexpr double kLeastCut = 0.3;
static constexpr double kLeastWords = 4;
/// Rows that decide whether there is a header.
static constexpr size_t kHeaderRows = 200;

namespace {
class Planner {
public:
  Planner(const SpecInitOptions &options, common::MessageList &messages) : options_(options), messages_(messages) {}

  bool plan(SpecPlan &plan);

private:
  bool fail(std::string code, std::string what, std::string help = {}, const std::string &file = {}) {
    common::Message error = common::makeError(std::move(code), std::move(what), std::move(help));
    error.place.file = file;
    messages_.add(std::move(error));
    return false;
  }
  bool decideForm(SpecPlan &plan);
  bool findColumn(const SpecPlan &plan, const std::string &name, const char *flag, int &index);
  bool read(SpecPlan &plan);
  bool decideLabel(SpecPlan &plan);
  void decideColumn(SpecPlan &plan, ColumnPlan &column);
  bool decideFeature(ColumnPlan &column);
  bool countIndices(const SpecPlan &plan, ColumnPlan &column);
  void decideCategories(ColumnPlan &column, char separator, const ColumnStatistics::Terms &terms);

  const SpecInitOptions &options_;
  common::MessageList &messages_;
};
} // namespace

static bool isNumberText(llvm::StringRef text) {
  double number = 0;
  text = text.trim();
  return !text.empty() && !llvm::isAlpha(text.back()) && !text.getAsDouble(number);
}

/// Whether the first row names the columns: it holds the label's name, or no number above columns of numbers, or
/// values that never come again.
static bool voteHeader(const std::vector<std::vector<std::string>> &rows, const std::string &label) {
  const auto &first = rows[0];
  if (llvm::is_contained(first, label))
    return true;
  if (rows.size() < 2 ||
      llvm::any_of(first, [](const std::string &text) { return text.empty() || isNumberText(text); }))
    return false;
  bool newValues = true;
  for (size_t column = 0; column < first.size(); ++column) {
    bool numbers = true;
    for (size_t row = 1; row < rows.size(); ++row) {
      if (column >= rows[row].size())
        continue;
      numbers &= isMissingMark(rows[row][column]) || isNumberText(rows[row][column]);
      newValues &= rows[row][column] != first[column];
    }
    if (numbers)
      return true;
  }
  return newValues;
}

bool Planner::decideForm(SpecPlan &plan) {
  const std::string &file = options_.files.front();
  std::string problem;
  PackedFile packed(file, startsWithRecord);
  const llvm::StringRef start = packed.next();
  if (!packed.problem().empty())
    return fail("E0311", "cannot read: " + packed.problem(), "", file);
  plan.isParquet = packed.isParquet();
  plan.leftOut = packed.leftOut();
  if (plan.isParquet && (!options_.names.empty() || options_.noHeader))
    return fail("E0314", "the file is Parquet, whose columns have names", "without --names and --no_header", file);
  if (startsWithRecord(start)) {
    if (options_.names.empty() && !options_.noHeader && options_.multiValue.empty())
      return true;
    return fail("E0314", "the file has tf.Examples, whose features have names, and values of their own",
                "without --names, --no_header and --multi_value", file);
  }
  if (std::optional<CsvForm> libsvm = plan.isParquet ? std::nullopt : libSvmForm(file)) {
    if (!options_.names.empty() || options_.noHeader || !options_.multiValue.empty())
      return fail("E0314", "the file is LibSVM, whose columns are 'label' and 'features'",
                  "without --names, --no_header and --multi_value", file);
    plan.form = std::move(libsvm);
    plan.header = false;
    for (llvm::StringRef name : {kLibSvmLabel, kLibSvmFeatures})
      plan.columns.emplace_back().name = name.str();
    return true;
  }
  plan.form = plan.isParquet ? CsvForm() : voteForm(file, problem);
  if (!problem.empty())
    return fail("E0311", "cannot read: " + problem, "", file);
  std::vector<std::vector<std::string>> rows;
  readRows(file, *plan.form, [&](const CsvRow &row) {
    rows.emplace_back(row.fields.begin(), row.fields.end());
    return rows.size() < kHeaderRows;
  });
  if (rows.size() < (plan.isParquet ? 2 : 1))
    return fail("E0312", "the file has no rows", "", file);
  plan.header = plan.isParquet || (options_.names.empty() && !options_.noHeader && voteHeader(rows, options_.label));
  std::vector<std::string> names = plan.header ? rows[0] : options_.names;
  for (size_t i = names.size(); options_.names.empty() && !plan.header && i < rows[0].size(); ++i)
    names.push_back("c" + std::to_string(i + 1));
  if (names.size() != rows[0].size())
    return fail("E0314",
                "--names has " + std::to_string(names.size()) + " names; a row has " + std::to_string(rows[0].size()) +
                    " fields",
                "", file);
  std::set<std::string> seen;
  for (std::string &name : names) {
    if (name.empty() || !seen.insert(name).second)
      return fail("E0109", name.empty() ? "a column has no name" : "two columns are called '" + name + "'",
                  "--names, with --no_header or a file without its first line", file);
    ColumnPlan column;
    column.name = std::move(name);
    plan.columns.push_back(std::move(column));
  }
  return true;
}

/// A weight for each index up to this one is more than any memory has, and their count is far from overflowing.
static constexpr int64_t kMostIndex = int64_t(1) << 48;

/// Which indices LibSVM files have, and how many.
bool Planner::countIndices(const SpecPlan &plan, ColumnPlan &column) {
  int64_t rows = 0, values = 0, least = INT64_MAX, most = -1;
  for (const std::string &file : options_.files) {
    bool good = true;
    std::string problem = readRows(file, *plan.form, [&](const CsvRow &row) {
      llvm::StringRef rest = row.fields[1];
      for (int64_t index = 0; good && !rest.empty(); ++values) {
        good = takeIndex(rest, index);
        least = std::min(least, index);
        most = std::max(most, index);
      }
      ++rows;
      return good && (options_.rows == 0 || rows < options_.rows);
    });
    if (!good)
      return fail("E0314", "row " + std::to_string(rows) + " is no LibSVM: expected a label and index:number", "",
                  file);
    if (!problem.empty())
      return fail("E0311", "cannot read: " + problem, "", file);
  }
  if (most > kMostIndex)
    return fail("E0314", "LibSVM index " + std::to_string(most) + " is too large",
                "at most " + std::to_string(kMostIndex), options_.files.front());
  column.use = ColumnUse::Indices;
  column.categories = most + 1;
  column.evidence =
      std::to_string(values) + " values of indices " + std::to_string(least) + " to " + std::to_string(most);
  return most >= 0 || fail("E0312", "no row has a value", "", options_.files.front());
}

bool Planner::findColumn(const SpecPlan &plan, const std::string &name, const char *flag, int &index) {
  std::vector<std::string> names;
  for (auto [i, column] : llvm::enumerate(plan.columns)) {
    if (column.name == name) {
      index = static_cast<int>(i);
      return true;
    }
    // What another flag names is taken.
    if (column.name != options_.label && column.name != options_.weight &&
        !llvm::is_contained(options_.drop, column.name))
      names.push_back(column.name);
  }
  std::string help = common::didYouMean(name, names);
  if (help.empty() && plan.form && plan.form->restOfLine)
    help = "those of LibSVM files are 'label' and 'features'";
  else if (help.empty() && plan.form && !plan.header)
    help = "the files have no header; --names NAME,.. names the fields";
  return fail("E0317", std::string(flag) + ": the data have no column '" + name + "'", help, options_.files.front());
}

bool Planner::read(SpecPlan &plan) {
  TableForm form;
  form.csv = plan.form;
  form.header = plan.header;
  form.label = options_.label;
  form.rows = options_.rows;
  TableScan scan;
  for (const ColumnPlan &column : plan.columns)
    scan.columns.push_back(column);
  TableProblem problem = scanTable(options_.files, form, scan);
  if (problem.code)
    return fail(problem.code, problem.what, "", problem.file);
  plan.columns.clear();
  for (ScannedColumn &column : scan.columns)
    static_cast<ScannedColumn &>(plan.columns.emplace_back()) = std::move(column);
  plan.scannedRows = scan.rows;
  plan.cut = std::move(scan.cut);
  return true;
}

/// 0 and 1, or 0 to n - 1: the label is the class.
static bool isClassItself(const std::vector<std::string> &values) {
  for (auto [i, value] : llvm::enumerate(values))
    if (value != std::to_string(i))
      return false;
  return true;
}

bool Planner::decideLabel(SpecPlan &plan) {
  ColumnPlan &label = plan.columns[plan.label];
  const ColumnStatistics &statistics = label.statistics;
  label.use = ColumnUse::Label;
  std::vector<std::string> values = statistics.values();
  // Some files end their labels in a full stop.
  std::set<std::string> known(values.begin(), values.end());
  bool dotted = !statistics.isNumber() &&
                llvm::any_of(values, [&](const std::string &value) { return known.count(value + ".") != 0; });
  if (dotted) {
    plan.strip = ".";
    std::vector<std::string> plain;
    for (const std::string &value : values)
      if (std::string text = llvm::StringRef(value).trim('.').str(); !llvm::is_contained(plain, text))
        plain.push_back(text);
    values = plain;
  }
  int64_t count = statistics.isExact() ? static_cast<int64_t>(values.size()) : statistics.distinct();
  if (count < 2)
    return fail("E0302", "label '" + label.name + "' has " + (count == 1 ? "one value" : "no values"),
                "another --label");
  if (label.isList())
    return fail("E0123", "label '" + label.name + "' has several values in a row", "another --label");
  bool classes = statistics.isNumber() ? statistics.isInteger() && count <= kMostIntegerClasses : true;
  if (!plan.form && label.kind == FeatureTexts::Floats && count > 2)
    classes = false; // classes of floats are two
  plan.task = count == 2 ? Task::Binary : classes ? Task::MultiClass : Task::Regression;
  if (options_.task == "regression")
    plan.task = Task::Regression;
  else if (options_.task == "multi_class")
    plan.task = Task::MultiClass;
  else if (options_.task == "binary")
    plan.task = Task::Binary;
  plan.taskEvidence = std::to_string(count) + " distinct values";
  if (plan.task == Task::Regression)
    return statistics.isNumber() ||
           fail("E0123", "label '" + label.name + "' is no number: a regression takes numbers", "--task multi_class");
  if (plan.task == Task::Binary && count != 2)
    return fail("E0121", "label '" + label.name + "' has " + std::to_string(count) + " values; two classes have 2",
                "--task multi_class");
  if (plan.task == Task::MultiClass && (count < 3 || count > kMostClasses))
    return fail("E0121",
                "label '" + label.name + "' has " + std::to_string(count) + " values; classes are 3 to " +
                    std::to_string(kMostClasses),
                count < 3 ? "--task binary" : "--task regression, or another --label");
  if (statistics.isNumber() && !statistics.isInteger())
    return fail("E0123", "label '" + label.name + "' has fractions; classes are integers or strings",
                "--task regression");
  plan.classCount = count;
  // Of strings, the rarer class is the one that is looked for.
  if (!statistics.isInteger() || !isClassItself(values))
    plan.classes = values;
  return true;
}

/// The separator of cells of several values, or 0. `|` and `;` list what there is less of than of cells; a comma and a
/// blank occur in names, too: they cut a text if its words come again and again.
static char voteSeparator(const ColumnStatistics &statistics, ColumnStatistics::Terms &terms) {
  for (char separator : {'|', ';', ',', ' '}) {
    terms = statistics.split(separator);
    if (terms.distinct == 0 || static_cast<double>(terms.cutCells) <= kLeastCut * static_cast<double>(terms.cells))
      continue;
    double words = static_cast<double>(terms.total) / static_cast<double>(terms.distinct);
    double cells = static_cast<double>(terms.cells) / static_cast<double>(terms.distinctCells);
    if (separator == '|' || separator == ';' ? terms.distinct < terms.distinctCells
                                             : words >= kLeastWords && words >= kLeastWords * cells)
      return separator;
  }
  return 0;
}

void Planner::decideCategories(ColumnPlan &column, char separator, const ColumnStatistics::Terms &terms) {
  const ColumnStatistics &statistics = column.statistics;
  column.separator = separator;
  const bool isWhole = !separator && statistics.isExact();
  if (separator) {
    column.vocabulary = terms.frequent;
  } else if (isWhole) {
    column.vocabulary = statistics.values();
    // If none comes twice, the user knows better.
    if (statistics.rareValues() < statistics.distinct())
      llvm::erase_if(column.vocabulary, [&](const std::string &value) { return statistics.isRare(value); });
  }
  column.categories = separator || isWhole ? static_cast<int64_t>(column.vocabulary.size()) : statistics.distinct();
  bool listed = !column.vocabulary.empty() && column.categories <= kMostListed;
  bool inFile = !column.vocabulary.empty() && column.categories <= kMostInFile && !options_.output.empty();
  column.use = listed ? ColumnUse::VocabularyList : inFile ? ColumnUse::VocabularyFile : ColumnUse::HashBucket;
  if (separator)
    column.evidence = std::to_string(terms.total) + " values, " + std::to_string(terms.distinct) + " distinct, " +
                      std::to_string(column.categories) + " of them more than once";
  else
    column.evidence = (statistics.isExact() ? "" : "about ") + std::to_string(statistics.distinct()) + " distinct";
  if (isWhole && column.categories < statistics.distinct())
    column.evidence += ", " + std::to_string(column.categories) + " of them more than once";
  if (!listed && !inFile && column.categories <= kMostInFile)
    column.evidence += "; -o FILE writes a vocabulary";
}

void Planner::decideColumn(SpecPlan &plan, ColumnPlan &column) {
  const ColumnStatistics &statistics = column.statistics;
  int64_t distinct = statistics.distinct();
  std::string many = (statistics.isExact() ? "" : "about ") + std::to_string(distinct) + " distinct";
  if (!plan.form && decideFeature(column))
    return;
  bool forcedNumber = llvm::is_contained(options_.numeric, column.name);
  bool forcedCategory = llvm::is_contained(options_.categorical, column.name);
  auto drop = [&](std::string why) {
    column.use = ColumnUse::Dropped;
    column.evidence = "dropped: " + why;
  };
  if (llvm::is_contained(options_.drop, column.name))
    return drop("--drop");
  if (statistics.present() == 0)
    return drop("empty");
  if (distinct == 1)
    return drop("one value");
  column.time = timeFormOf(column.name, statistics);
  if (column.time != TimeForm::None && !forcedNumber && !forcedCategory && !options_.multiValue.count(column.name)) {
    column.use = ColumnUse::Time;
    column.evidence = many + "; " + describe(column.time).str() + ": a model of old rows has seen none of the new ones";
    return;
  }
  bool allDistinct = distinct == statistics.present() && statistics.present() > 20;
  bool isText = !plan.form && column.kind == FeatureTexts::Bytes;
  bool asNumber =
      forcedNumber || (statistics.isNumber() && !isText && !forcedCategory && !options_.multiValue.count(column.name));
  if (asNumber) {
    llvm::StringRef name = column.name;
    bool idName = name.equals_insensitive("id") || name.ends_with_insensitive("_id") || name.ends_with("Id") ||
                  name.ends_with("ID");
    bool isId = (statistics.isCounter() && statistics.present() > 20) || (allDistinct && idName);
    if (!forcedNumber && statistics.isInteger() && isId)
      return drop(many + " integers, like an id");
    column.use = ColumnUse::Numeric;
    column.evidence = many;
    if (statistics.isInteger() && distinct <= 20 && !forcedNumber)
      column.evidence = "integers with " + many + "; --categorical " + column.name + " if they are codes";
  } else {
    ColumnStatistics::Terms terms;
    char separator = 0;
    if (auto given = options_.multiValue.find(column.name); given != options_.multiValue.end())
      terms = statistics.split(separator = given->second);
    else if (!forcedCategory && plan.form)
      separator = voteSeparator(statistics, terms);
    if (!separator && !forcedCategory &&
        (allDistinct || (!statistics.isExact() && 10 * distinct > 9 * statistics.present())))
      return drop(many);
    decideCategories(column, separator, terms);
  }
  if (statistics.missing() > 0)
    column.evidence +=
        "; " + std::to_string(statistics.missing()) + " of " + std::to_string(statistics.rows()) + " missing";
  if (plan.task != Task::Regression && statistics.determinesLabel())
    column.evidence += "; LEAK? each value has one label";
}

/// Lists of values of tf.Examples; false for a column of one value per row.
bool Planner::decideFeature(ColumnPlan &column) {
  if (!column.isList() || llvm::is_contained(options_.drop, column.name))
    return false;
  const std::string many = std::to_string(column.leastValues) + " to " + std::to_string(column.mostValues) + " values";
  const bool isNumber = column.kind != FeatureTexts::Bytes && !llvm::is_contained(options_.categorical, column.name);
  if (isNumber && column.size() > 0) {
    column.use = ColumnUse::Numeric;
    column.evidence = std::to_string(column.size()) + " values per row";
  } else if (column.kind == FeatureTexts::Floats) {
    column.use = ColumnUse::Dropped;
    column.evidence = "dropped: " + many + " of floats per row";
  } else {
    ColumnStatistics::Terms terms;
    terms.total = column.statistics.present();
    terms.distinct = column.statistics.distinct();
    terms.frequent = column.statistics.values();
    decideCategories(column, 0, terms);
    column.evidence += "; " + many + " per row";
  }
  return true;
}

/// The cut by time: the first column of times that leaves rows on both sides.
static void decideTime(SpecPlan &plan) {
  for (auto [i, column] : llvm::enumerate(plan.columns)) {
    if (plan.time >= 0 || column.time == TimeForm::None || column.time == TimeForm::Unsorted ||
        column.use == ColumnUse::Dropped)
      continue;
    bool isNumber = column.time != TimeForm::Sorted;
    if (std::optional<std::string> from =
            newestFrom(column.statistics, isNumber, validationShare(column.statistics.present()))) {
      plan.time = static_cast<int>(i);
      plan.from = *from;
    }
  }
}

bool Planner::plan(SpecPlan &plan) {
  if (!decideForm(plan))
    return false;
  // Columns of tf.Examples are known when they are read.
  if (!plan.form && !read(plan))
    return false;
  bool good = findColumn(plan, options_.label, "--label", plan.label);
  int weight = -1, other = -1;
  if (!options_.weight.empty())
    good &= findColumn(plan, options_.weight, "--weight", weight);
  for (const std::string &name : options_.drop)
    good &= findColumn(plan, name, "--drop", other);
  for (const std::string &name : options_.categorical)
    good &= findColumn(plan, name, "--categorical", other);
  for (const std::string &name : options_.numeric)
    good &= findColumn(plan, name, "--numeric", other);
  for (const auto &[name, separator] : options_.multiValue)
    good &= findColumn(plan, name, "--multi_value", other);
  if (!good || (plan.form && !read(plan)) || !decideLabel(plan))
    return false;
  for (auto [i, column] : llvm::enumerate(plan.columns)) {
    const bool isOfLibSvm = plan.form && plan.form->restOfLine;
    if (static_cast<int>(i) == weight)
      column.use = ColumnUse::Weight;
    else if (isOfLibSvm && static_cast<int>(i) != plan.label) {
      if (!countIndices(plan, column))
        return false;
    } else if (static_cast<int>(i) != plan.label)
      decideColumn(plan, column);
    if (llvm::is_contained(options_.numeric, column.name) && !column.statistics.isNumber())
      return fail("E0123", "--numeric: column '" + column.name + "' has cells that are no numbers");
  }
  decideTime(plan);
  bool multiValued = llvm::any_of(plan.columns, [](const ColumnPlan &column) {
    return column.separator != 0 || (column.isList() && column.isCategorical());
  });
  plan.hasLinear = options_.model.empty() ? multiValued : options_.model != "dnn";
  plan.hasDnn = options_.model != "linear";
  if (plan.form && plan.form->restOfLine && options_.model.empty()) {
    plan.hasLinear = true;
    plan.hasDnn = false;
  }
  bool any = llvm::any_of(plan.columns, [](const ColumnPlan &column) {
    return column.use == ColumnUse::Numeric || column.isCategorical();
  });
  return any || fail("E0107", "no column is left to learn from", "--categorical or --numeric keeps a column");
}

bool mlc::frontend::initSpec(const SpecInitOptions &options, common::MessageList &messages, SpecInitResult &result) {
  if (!options.from.empty())
    return refreshSpec(options, messages, result);
  SpecPlan plan;
  if (!Planner(options, messages).plan(plan))
    return false;
  result = writeSpec(options, plan);
  return true;
}
