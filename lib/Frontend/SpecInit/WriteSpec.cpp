//===- WriteSpec.cpp - A first spec as text ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"
#include "lib/Frontend/SpecInit/SpecPlan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <cstdio>

using namespace mlc;
using namespace mlc::frontend;

/// Skew above which numbers go through a logarithm.
static constexpr double kMostSkew = 10;
/// Categories that become indicators in a dnn; more become embeddings.
static constexpr int64_t kMostIndicators = 20;

/// How long training lasts.
static constexpr int64_t kBatch = 64, kLeastEpochs = 10, kLeastSteps = 1000;
/// Dropout by rows: what few rows say by chance is learned, too.
static constexpr std::pair<int64_t, const char *> kDropouts[] = {{2000, "0.5"}, {10000, "0.3"}};

std::string mlc::frontend::numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string mlc::frontend::vocabularyFileName(const std::string &output, const std::string &column) {
  std::string name = llvm::sys::path::stem(output).str() + "." + column + ".txt";
  for (char &c : name)
    if (c == '/' || c == '\\' || c == ' ')
      c = '_';
  return name;
}

static std::string list(const std::vector<std::string> &texts) {
  std::string result = "[";
  for (size_t i = 0; i < texts.size(); ++i)
    result += (i ? ", " : "") + quoted(texts[i]);
  return result + "]";
}

/// A name in a field that expands ranges.
static std::string nameText(const std::string &name) {
  std::string text;
  for (char c : name)
    text += c == '[' ? std::string("[[") : std::string(1, c);
  return quoted(text);
}

namespace {
class Writer {
public:
  Writer(const SpecInitOptions &options, const SpecPlan &plan) : options_(options), plan_(plan) {}

  SpecInitResult write() {
    writeInput();
    writeFeatureColumns();
    writeModel();
    writeHead();
    writeRun();
    // Comments stand in one column, but behind long lines.
    constexpr size_t kWidest = 100;
    size_t width = 0;
    for (auto &[line, comment] : lines_)
      if (!comment.empty() && line.size() <= kWidest)
        width = std::max(width, line.size());
    for (auto &[line, comment] : lines_) {
      result_.text += line;
      if (!comment.empty())
        result_.text += line.empty()
                            ? "# " + comment
                            : std::string(std::max(width, line.size()) - line.size() + 2, ' ') + "# " + comment;
      result_.text += '\n';
    }
    return std::move(result_);
  }

private:
  void add(std::string line, std::string comment = {}) { lines_.emplace_back(std::move(line), std::move(comment)); }

  /// Numbers that are small only sometimes: a logarithm comes first.
  static bool isSkewed(const ColumnStatistics &statistics) {
    return statistics.skew() > kMostSkew && statistics.min() >= 0;
  }
  /// Rows to learn from: at least 2, since the label has values.
  int64_t rows() const { return plan_.columns[plan_.label].statistics.present(); }
  bool isLabelText() const { return !plan_.columns[plan_.label].statistics.isNumber(); }

  void writeInput() {
    const ColumnStatistics &label = plan_.columns[plan_.label].statistics;
    add("", "Made by mlc spec init from " + std::to_string(label.rows()) + " rows.");
    std::string name = llvm::sys::path::stem(options_.output.empty() ? options_.files.front() : options_.output).str();
    for (char &c : name)
      if (!llvm::isAlnum(c) && c != '_' && c != '.' && c != '-')
        c = '_';
    add("name: " + quoted(name));
    add("input {");
    std::string csv = std::string("  csv { header: ") + (plan_.header ? "true" : "false");
    if (plan_.form.delimiter != ',')
      csv += "  field_delim: " + quoted(std::string(1, plan_.form.delimiter));
    if (plan_.form.skipInitialSpace)
      csv += "  skip_initial_space: true";
    add(csv + (plan_.header ? " }" : ""));
    if (!plan_.header) {
      for (size_t i = 0; i < plan_.columns.size(); ++i)
        add((i ? "                      " : "        column_names: [") + quoted(plan_.columns[i].name) +
            (i + 1 < plan_.columns.size() ? "," : "] }"));
    }
    std::set<std::string> marks;
    for (const ColumnPlan &column : plan_.columns)
      if (column.use != ColumnUse::Dropped)
        marks.insert(column.statistics.marks().begin(), column.statistics.marks().end());
    for (const std::string &mark : marks)
      add("  missing: " + quoted(mark));
    for (const ColumnPlan &column : plan_.columns)
      writeColumn(column);
    add("}");
  }

  void writeColumn(const ColumnPlan &column) {
    const ColumnStatistics &statistics = column.statistics;
    std::string start = "  column { name: " + nameText(column.name) + "  dtype: ";
    std::string missing =
        std::to_string(statistics.missing()) + " of " + std::to_string(statistics.rows()) + " missing";
    switch (column.use) {
    case ColumnUse::Dropped:
      add("  # " + column.name, column.evidence);
      return;
    case ColumnUse::Numeric:
      if (statistics.missing() > 0)
        add(start + "FLOAT32  default_value: \"" + numberText(statistics.mean()) + "\" }", missing + "; the mean");
      else
        add(start + "FLOAT32 }", numberText(statistics.min()) + " to " + numberText(statistics.max()));
      return;
    case ColumnUse::Label: {
      bool regression = plan_.task == Task::Regression;
      std::string text = start + (isLabelText() ? "STRING" : regression ? "FLOAT32" : "INT64");
      if (!plan_.strip.empty())
        text += "  strip: " + quoted(plan_.strip);
      if (statistics.missing() > 0)
        text += "  on_missing: SKIP_ROW";
      add(text + " }", "the label: " + plan_.taskEvidence + (statistics.missing() ? "; " + missing : ""));
      return;
    }
    case ColumnUse::Weight:
      add(start + "FLOAT32" + (statistics.missing() ? "  default_value: \"1\"" : "") + " }", "the weight");
      return;
    default:
      add(start + (statistics.isInteger() && !column.separator ? "INT64" : "STRING") +
              (column.separator ? "  multi_value { separator: " + quoted(std::string(1, column.separator)) + " }"
                                : "") +
              " }",
          statistics.missing() ? missing : "");
    }
  }

  void writeFeatureColumns() {
    for (const ColumnPlan &column : plan_.columns) {
      const ColumnStatistics &statistics = column.statistics;
      std::string key = nameText(column.name);
      if (column.use == ColumnUse::Numeric) {
        std::string normalizer = "  log1p {}", why = column.evidence;
        if (isSkewed(statistics))
          why = "skew " + numberText(statistics.skew()) + "; " + why;
        else
          normalizer = "  z_score { mean: " + numberText(statistics.mean()) +
                       "  stddev: " + numberText(statistics.stddev()) + " }";
        add("feature_column { numeric { key: " + key + normalizer + " } }", why);
      } else if (column.use == ColumnUse::VocabularyList) {
        add("feature_column { categorical_with_vocabulary_list { key: " + key +
                "  vocabulary_list: " + list(column.vocabulary) + "  num_oov_buckets: 1 } }",
            column.evidence);
      } else if (column.use == ColumnUse::VocabularyFile) {
        writeVocabulary(column, key);
      } else if (column.use == ColumnUse::HashBucket) {
        // A power of two of twice the values.
        int64_t buckets = static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(2 * column.categories)));
        add("feature_column { categorical_with_hash_bucket { key: " + key +
                "  hash_bucket_size: " + std::to_string(buckets) + " } }",
            column.evidence);
      }
    }
    for (const ColumnPlan &column : plan_.columns)
      if (column.isCategorical() && plan_.hasDnn)
        writeDense(column);
  }

  void writeVocabulary(const ColumnPlan &column, const std::string &key) {
    std::string name = vocabularyFileName(options_.output, column.name);
    std::string terms;
    for (const std::string &term : column.vocabulary)
      terms += term + "\n";
    result_.vocabularies.emplace_back(name, terms);
    add("feature_column { categorical_with_vocabulary_file { key: " + key + "  vocabulary_file: " + quoted(name) +
            "  num_oov_buckets: 1 } }",
        column.evidence);
  }

  void writeDense(const ColumnPlan &column) {
    std::string key = nameText(column.name);
    if (column.categories <= kMostIndicators) {
      add("feature_column { indicator { categorical_column: " + key + " } }");
      dense_.push_back(column.name + "_indicator");
      return;
    }
    int64_t dimension = 4;
    while (dimension < 32 && dimension * dimension * 2 < column.categories)
      dimension *= 2;
    add("feature_column { embedding { categorical_column: " + key + "  dimension: " + std::to_string(dimension) +
        "  sparse_update: LAZY } }");
    dense_.push_back(column.name + "_embedding");
  }

  void writeModel() {
    std::vector<std::string> numbers, categories;
    for (const ColumnPlan &column : plan_.columns) {
      if (column.use == ColumnUse::Numeric)
        numbers.push_back(column.name);
      else if (column.isCategorical())
        categories.push_back(column.name);
    }
    std::vector<std::string> all = numbers;
    all.insert(all.end(), categories.begin(), categories.end());
    dense_.insert(dense_.begin(), numbers.begin(), numbers.end());
    add("model {");
    bool both = plan_.hasLinear && plan_.hasDnn;
    std::string indent = both ? "    " : "  ";
    if (both)
      add("  dnn_linear_combined {");
    if (plan_.hasLinear) {
      add(indent + "linear {");
      addColumns(indent, both && !categories.empty() ? categories : all);
      add(indent + "  optimizer { ftrl { learning_rate: 0.2 } }");
      add(indent + "}");
    }
    if (plan_.hasDnn) {
      add(indent + "dnn {");
      addColumns(indent, dense_);
      std::string units = "  hidden_units: [64, 32]", why;
      for (auto [most, rate] : kDropouts)
        if (rows() < most) {
          units += std::string("  dropout: ") + rate;
          why = "below " + std::to_string(most) + " rows";
          break;
        }
      add(indent + units, why);
      add(indent + "  optimizer { adam { learning_rate: 0.001 } }");
      add(indent + "}");
    }
    if (both)
      add("  }");
    add("}");
  }

  void addColumns(const std::string &indent, const std::vector<std::string> &names) {
    std::string line = indent + "  feature_columns: [";
    std::string hang(line.size(), ' ');
    for (size_t i = 0; i < names.size(); ++i) {
      std::string next = nameText(names[i]) + (i + 1 < names.size() ? "," : "]");
      if (i > 0 && line.size() + next.size() > 100) {
        add(line);
        line = hang + next;
      } else {
        line += (i ? " " : "") + next;
      }
    }
    add(line);
  }

  void writeHead() {
    const ColumnPlan &label = plan_.columns[plan_.label];
    std::string line = "head { label: " + quoted(label.name);
    for (const ColumnPlan &column : plan_.columns)
      if (column.use == ColumnUse::Weight)
        line += "  weight_column: " + quoted(column.name);
    std::string vocabulary = plan_.classes.empty() ? "" : " label_vocabulary: " + list(plan_.classes) + " ";
    std::string comment = plan_.taskEvidence;
    if (plan_.task == Task::Binary) {
      line += "  binary_class {" + vocabulary + "}";
    } else if (plan_.task == Task::MultiClass) {
      line += "  multi_class {" +
              (vocabulary.empty() ? " n_classes: " + std::to_string(plan_.classCount) + " " : vocabulary) + "}";
    } else {
      line += "  regression { label_transform { z_score { mean: " + numberText(label.statistics.mean()) +
              "  stddev: " + numberText(label.statistics.stddev()) + " } } }";
    }
    add(line + " }", comment);
  }

  void writeRun() {
    llvm::SmallString<256> directory(options_.output.empty() ? "." : llvm::sys::path::parent_path(options_.output));
    llvm::sys::fs::make_absolute(directory);
    llvm::sys::path::remove_dots(directory, /*remove_dot_dot=*/true);
    std::vector<std::string> files;
    for (const std::string &file : options_.files) {
      llvm::SmallString<256> path(file);
      llvm::sys::fs::make_absolute(path);
      llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
      llvm::StringRef relative = path;
      // Within the spec's directory the path goes with it.
      if (!options_.output.empty() && relative.consume_front(directory) && relative.consume_front("/"))
        files.push_back(relative.str());
      else
        files.push_back(path.str().str());
    }
    // Few rows are seen more often: a network needs steps.
    int64_t epochs = std::max(kLeastEpochs, (kLeastSteps * kBatch + rows() - 1) / rows());
    add("train { files: " + (files.size() == 1 ? quoted(files[0]) : list(files)) +
        "  batch_size: " + std::to_string(kBatch) + "  epochs: " + std::to_string(epochs) + " }");
  }

  const SpecInitOptions &options_;
  const SpecPlan &plan_;
  SpecInitResult result_;
  std::vector<std::string> dense_;
  std::vector<std::pair<std::string, std::string>> lines_;
};
} // namespace

SpecInitResult mlc::frontend::writeSpec(const SpecInitOptions &options, const SpecPlan &plan) {
  return Writer(options, plan).write();
}
