//===- SpecPlan.h - What a first spec says of each column -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_SPECPLAN_H
#define LIB_FRONTEND_SPECINIT_SPECPLAN_H

#include "lib/Frontend/SpecInit/ColumnStatistics.h"
#include "lib/Frontend/SpecInit/CsvRows.h"
#include "lib/Frontend/SpecInit/TableScan.h"
#include "lib/Frontend/SpecInit/Times.h"
#include "mlc/Frontend/SpecInit/SpecInit.h"

#include <optional>

namespace mlc::frontend {

/// What becomes of a column.
enum class ColumnUse { Dropped, Time, Numeric, VocabularyList, VocabularyFile, HashBucket, Indices, Label, Weight };

/// One column of the data.
struct ColumnPlan : ScannedColumn {
  ColumnUse use = ColumnUse::Dropped;
  /// Why: "dropped: one value".
  std::string evidence;
  TimeForm time = TimeForm::None;
  /// Of tf.Examples: a row has several values, and how many if that is always the same.
  bool isList() const { return mostValues > 1; }
  int64_t size() const { return isList() && leastValues == mostValues ? mostValues : 0; }
  /// Of categories: what a cell is cut at (0: one category each), how many there are, and which (empty: too many).
  char separator = 0;
  int64_t categories = 0;
  std::vector<std::string> vocabulary;
  /// Of a model that takes ids: LibSVM's indices, too.
  bool isCategorical() const {
    return use == ColumnUse::Indices || use == ColumnUse::VocabularyList || use == ColumnUse::VocabularyFile ||
           use == ColumnUse::HashBucket;
  }
};

enum class Task { Binary, MultiClass, Regression };

/// A spec before it is text.
struct SpecPlan {
  /// None: tf.Examples.
  std::optional<CsvForm> form;
  /// The text is that of Parquet files, which has not these columns, and what they are.
  bool isParquet = false;
  std::vector<std::pair<std::string, std::string>> leftOut;
  bool header = true;
  /// Of all files.
  int64_t scannedRows = 0;
  std::vector<ColumnPlan> columns;
  int label = -1;
  Task task = Task::Binary;
  /// Classes of the label as in the files; empty if the label is the class.
  std::vector<std::string> classes;
  int64_t classCount = 0;
  bool hasLinear = false, hasDnn = true;
  /// Characters cut from the label's ends.
  std::string strip;
  std::string taskEvidence;
  ValidationCut cut;
  /// The column of times to cut by, or -1.
  int time = -1;
  std::string from;
  /// Rows to learn from: those with a label, at least 2.
  int64_t rows() const { return columns[label].statistics.present(); }
};

/// A number as specs have it: six digits.
std::string numberText(double value);
/// The name of the file of terms of a column, which stands beside the spec `output`.
std::string vocabularyFileName(const std::string &output, const std::string &column);

/// The text of a spec, and its files of terms.
SpecInitResult writeSpec(const SpecInitOptions &options, const SpecPlan &plan);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_SPECPLAN_H
