//===- WriteSpec.cpp - A first spec as text ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"
#include "lib/Frontend/SpecInit/PathFrom.h"
#include "lib/Frontend/SpecInit/SpecPlan.h"
#include "mlc/Frontend/SpecInit/Recipe.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <cstdio>

using namespace mlc;
using namespace mlc::frontend;

/// Skew above which a label >= 0 is learned as its logarithm.
static constexpr double kMostLabelSkew = 3;
/// A class is rare that has less than this part of what it had if all classes came alike often.
static constexpr double kRare = 0.5;

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
    recipe_ = makeRecipe({plan_.rows(), inputs_, columns_, plan_.task == Task::Regression});
    writeModel();
    writeHead();
    writeRun();
    // Comments stand in one column, but after long lines.
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

  bool isLabelText() const { return !isNumber(plan_.columns[plan_.label]); }
  /// Of tf.Examples the kind decides, and not what the text looks like.
  bool isNumber(const ColumnPlan &column) const {
    return plan_.form ? column.statistics.isNumber() : column.kind != FeatureTexts::Bytes;
  }
  bool isInteger(const ColumnPlan &column) const {
    return plan_.form ? column.statistics.isInteger() : column.kind == FeatureTexts::Ints;
  }

  void writeInput() {
    add("", "Made by mlc spec init from " + std::to_string(plan_.scannedRows) + " rows.");
    std::string name = llvm::sys::path::stem(options_.output.empty() ? options_.files.front() : options_.output).str();
    for (char &c : name)
      if (!llvm::isAlnum(c) && c != '_' && c != '.' && c != '-')
        c = '_';
    add("name: " + quoted(name));
    add("input {");
    std::string csv = std::string("  csv { header: ") + (plan_.header ? "true" : "false");
    if (plan_.form && plan_.form->delimiter != ',')
      csv += "  field_delim: " + quoted(std::string(1, plan_.form->delimiter));
    if (plan_.form && plan_.form->skipInitialSpace)
      csv += "  skip_initial_space: true";
    const bool isLibSvm = plan_.form && plan_.form->restOfLine;
    add(!plan_.form       ? "  tfrecord {}"
        : plan_.isParquet ? "  parquet {}"
        : isLibSvm        ? "  libsvm {}"
                          : csv + (plan_.header ? " }" : ""));
    if (plan_.form && !plan_.header && !isLibSvm) {
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
    for (const auto &[column, what] : plan_.leftOut)
      add("  # " + column, "not read: " + what);
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
    case ColumnUse::Time:
      add(start + (isInteger(column) ? "INT64 }" : "STRING }"), column.evidence);
      return;
    case ColumnUse::Numeric:
      start += isInteger(column) && !plan_.form ? "INT64" : "FLOAT32";
      if (column.size() > 0)
        start += "  shape: " + std::to_string(column.size());
      if (column.size() > 0 && column.rows < plan_.scannedRows)
        missing =
            std::to_string(plan_.scannedRows - column.rows) + " of " + std::to_string(plan_.scannedRows) + " missing";
      if (statistics.missing() > 0 || (column.size() > 0 && column.rows < plan_.scannedRows))
        add(start + "  default_value: \"" +
                (isInteger(column) && !plan_.form ? std::to_string(std::llround(statistics.mean()))
                                                  : numberText(statistics.mean())) +
                "\" }",
            missing + "; the mean");
      else
        add(start + " }", numberText(statistics.min()) + " to " + numberText(statistics.max()));
      return;
    case ColumnUse::Label: {
      bool regression = plan_.task == Task::Regression;
      std::string text = start + (isLabelText() ? "STRING"
                                  : !plan_.form ? (isInteger(column) ? "INT64" : "FLOAT32")
                                  : regression  ? "FLOAT32"
                                                : "INT64");
      if (!plan_.strip.empty())
        text += "  strip: " + quoted(plan_.strip);
      if (statistics.missing() > 0)
        text += "  on_missing: SKIP_ROW";
      add(text + " }", "the label: " + plan_.taskEvidence + (statistics.missing() ? "; " + missing : ""));
      return;
    }
    case ColumnUse::Indices:
      add(start + "INT64  multi_value { separator: \" \"  weight_separator: \":\" } }", column.evidence);
      return;
    case ColumnUse::Weight:
      add(start + "FLOAT32" + (statistics.missing() ? "  default_value: \"1\"" : "") + " }", "the weight");
      return;
    default:
      add(start + (isInteger(column) && !column.separator ? "INT64" : "STRING") +
              (column.separator  ? "  multi_value { separator: " + quoted(std::string(1, column.separator)) + " }"
               : column.isList() ? "  multi_value {}"
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
        if (isSkewed(statistics.skew(), statistics.min()))
          why = "skew " + numberText(statistics.skew()) + "; " + why;
        else
          normalizer = "  z_score { mean: " + numberText(statistics.mean()) +
                       "  stddev: " + numberText(statistics.stddev()) + " }";
        add("feature_column { numeric { key: " + key + normalizer + " } }", why);
        inputs_ += std::max<int64_t>(1, column.size());
        columns_ += std::max<int64_t>(1, column.size());
      } else if (column.use == ColumnUse::VocabularyList) {
        add("feature_column { categorical_with_vocabulary_list { key: " + key +
                "  vocabulary_list: " + list(column.vocabulary) + "  num_oov_buckets: 1 } }",
            column.evidence);
      } else if (column.use == ColumnUse::Indices) {
        add("feature_column { categorical_with_identity { key: " + key +
                "  num_buckets: " + std::to_string(column.categories + 1) +
                "  default_value: " + std::to_string(column.categories) + " } }",
            "the last one is for indices that are new");
        add("feature_column { weighted_categorical { categorical_column: " + key +
            "  weight_feature_key: " + nameText(column.name + ".weight") + " } }");
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
    for (const ColumnPlan &column : plan_.columns) {
      columns_ += column.isCategorical();
      if (column.isCategorical() && plan_.hasDnn)
        writeDense(column);
    }
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

  /// The feature column of a column's ids: LibSVM's indices have weights.
  static std::string nameOfIds(const ColumnPlan &column) {
    return column.use == ColumnUse::Indices ? column.name + "_weighted_by_" + column.name + ".weight" : column.name;
  }

  void writeDense(const ColumnPlan &column) {
    const std::string name = nameOfIds(column);
    std::string key = nameText(name);
    const int64_t dimension = embeddingDimension(column.categories);
    if (dimension == 0) {
      add("feature_column { indicator { categorical_column: " + key + " } }");
      dense_.push_back(name + "_indicator");
      inputs_ += column.categories + 1; // one for values that are new
      return;
    }
    add("feature_column { embedding { categorical_column: " + key + "  dimension: " + std::to_string(dimension) +
        "  sparse_update: LAZY } }");
    dense_.push_back(name + "_embedding");
    inputs_ += dimension;
  }

  void writeModel() {
    std::vector<std::string> numbers, categories;
    for (const ColumnPlan &column : plan_.columns) {
      if (column.use == ColumnUse::Numeric)
        numbers.push_back(column.name);
      else if (column.isCategorical())
        categories.push_back(nameOfIds(column));
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
      std::string units = "  hidden_units: [";
      for (size_t i = 0; i < recipe_.hiddenUnits.size(); ++i)
        units += (i ? ", " : "") + std::to_string(recipe_.hiddenUnits[i]);
      units += "]";
      if (recipe_.dropout > 0)
        units += "  dropout: " + numberText(recipe_.dropout);
      add(indent + units, "by " + std::to_string(plan_.rows()) + " rows x " + std::to_string(inputs_) + " inputs");
      add(indent + "  regularizer { l2: " + numberText(recipe_.l2) + " }");
      add(indent + "  optimizer { adam { learning_rate: " + numberText(recipe_.learningRate) + " } }");
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

  /// Weights by which all classes count alike in the loss: "class_weights: [...] ".
  std::string classWeights(std::string &comment) const {
    std::vector<std::string> values = plan_.classes;
    const bool areNumbers = values.empty();
    for (int64_t i = 0; areNumbers && i < plan_.classCount; ++i)
      values.push_back(std::to_string(i));
    std::vector<double> counts;
    double total = 0;
    for (const std::string &value : values) {
      const ColumnStatistics &statistics = plan_.columns[plan_.label].statistics;
      counts.push_back(static_cast<double>(statistics.count(value) +
                                           (plan_.strip.empty() ? 0 : statistics.count(value + plan_.strip))));
      total += counts.back();
    }
    double rarest = *llvm::min_element(counts) / total;
    comment += "; the rarest class has " + numberText(100 * rarest) + " %";
    if (!options_.balance) {
      if (rarest * static_cast<double>(counts.size()) < kRare)
        comment += "; --balance weights it: more of it is found, and the log loss grows";
      return "";
    }
    std::string text = plan_.classes.empty() && plan_.task == Task::Binary ? " class_weights: [" : "class_weights: [";
    for (auto [i, count] : llvm::enumerate(counts))
      text += (i ? ", " : "") + numberText(total / (static_cast<double>(counts.size()) * count));
    comment += "; --balance: all classes weigh alike";
    return text + "] ";
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
      line += "  binary_class {" + vocabulary + classWeights(comment) + "}";
    } else if (plan_.task == Task::MultiClass) {
      line += "  multi_class {" +
              (vocabulary.empty() ? " n_classes: " + std::to_string(plan_.classCount) + " " : vocabulary) +
              classWeights(comment) + "}";
    } else if (label.statistics.skew() > kMostLabelSkew && label.statistics.min() >= 0) {
      line += "  regression { label_transform { log1p {} } }";
      comment += "; skew " + numberText(label.statistics.skew()) + ": relative errors count";
    } else {
      line += "  regression { label_transform { z_score { mean: " + numberText(label.statistics.mean()) +
              "  stddev: " + numberText(label.statistics.stddev()) + " } } }";
    }
    add(line + " }", comment);
  }

  void writeValidation() {
    double share = validationShare(plan_.rows());
    if (plan_.time >= 0) {
      const ColumnPlan &time = plan_.columns[plan_.time];
      add("  validation { column: " + quoted(time.name) + "  from: " + quoted(plan_.from) + " }",
          "the newest " + numberText(100 * share) + " % of the rows, as predictions are of newer rows still");
      return;
    }
    ValidationCut::Choice cut = plan_.cut.choose(share, plan_.task == Task::Regression);
    const bool isOfAll = cut.rows == plan_.rows();
    add("  validation { share: " + numberText(share) + "  seed: " + std::to_string(cut.seed) + " }",
        (isOfAll ? std::to_string(cut.heldOut) + " of " + std::to_string(cut.rows) + " rows; " : "") + "the seed of " +
            std::to_string(ValidationCut::kSeeds) + " whose cut has the " +
            (plan_.task == Task::Regression ? "labels" : "classes") + " most evenly");
  }

  void writeRun() {
    std::vector<std::string> files;
    for (const std::string &file : options_.files)
      files.push_back(pathFrom(options_.output, file));
    add("train {");
    add("  files: " + (files.size() == 1 ? quoted(files[0]) : list(files)));
    add("  batch_size: " + std::to_string(recipe_.batchSize) + "  epochs: " + std::to_string(recipe_.epochs),
        "at most: early_stopping ends it");
    writeValidation();
    add("  early_stopping { metric: \"average_loss\"  stop_if: NO_DECREASE  max_steps_without: " +
            std::to_string(recipe_.patienceSteps) + " }",
        std::to_string(recipe_.patienceSteps / recipe_.evaluationSteps) + " evaluations");
    add("}");
    add("eval { on_validation: true  every_n_steps: " + std::to_string(recipe_.evaluationSteps) + " }");
  }

  const SpecInitOptions &options_;
  const SpecPlan &plan_;
  SpecInitResult result_;
  std::vector<std::string> dense_;
  /// Inputs of a network, and columns they come from.
  int64_t inputs_ = 0, columns_ = 0;
  Recipe recipe_;
  std::vector<std::pair<std::string, std::string>> lines_;
};
} // namespace

SpecInitResult mlc::frontend::writeSpec(const SpecInitOptions &options, const SpecPlan &plan) {
  return Writer(options, plan).write();
}
