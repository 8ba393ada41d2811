//===- TableScan.h - One look at all rows of a table -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_TABLESCAN_H
#define LIB_FRONTEND_SPECINIT_TABLESCAN_H

#include "lib/Frontend/SpecInit/ColumnStatistics.h"
#include "lib/Frontend/SpecInit/CsvRows.h"
#include "lib/Frontend/SpecInit/ExampleRows.h"
#include "lib/Frontend/SpecInit/ValidationCut.h"

#include <optional>
#include <string>
#include <vector>

namespace mlc::frontend {

/// How the files of a table are read.
struct TableForm {
  /// Delimited text, or tf.Examples.
  std::optional<CsvForm> csv;
  /// Of text: whether the first row of each file names the columns.
  bool header = true;
  std::string label;
  /// Rows to read; 0: all.
  int64_t rows = 0;
};

/// A column and what was seen in it.
struct ScannedColumn {
  std::string name;
  ColumnStatistics statistics;
  /// Of tf.Examples: the kind of its values, rows with any, and how many a row has of them.
  FeatureTexts::Kind kind = FeatureTexts::Bytes;
  int64_t rows = 0, leastValues = 0, mostValues = 0;
};

struct TableScan {
  std::vector<ScannedColumn> columns;
  int64_t rows = 0;
  ValidationCut cut;
};

/// What is wrong with a file of a table.
struct TableProblem {
  const char *code = nullptr; ///< null: nothing
  std::string what;
  std::string file;
};

/// Reads all rows, on as many threads as the machine has; the result is the same for any number of them. Columns of
/// delimited text are given by `scan.columns`, in the order of the fields; those of tf.Examples are found, and come by
/// name.
TableProblem scanTable(const std::vector<std::string> &files, const TableForm &form, TableScan &scan);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_TABLESCAN_H
