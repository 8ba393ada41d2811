// A Parquet file as the CSV text of the same table. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who reads rows reads text (docs/architecture.md): a Parquet file is one more way to pack it, as gzip is. The text is
// the one that pandas' DataFrame.to_csv(index=False) writes, so that both files are the same rows with the same missing
// values, and the same numbers, which keep all their bits.
#ifndef MLC_COMMON_PARQUET_PARQUETTEXT_H
#define MLC_COMMON_PARQUET_PARQUETTEXT_H

#include "common/parquet/ColumnReader.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::common::parquet {

/// A column that is asked for.
struct WantedColumn {
  std::string name;
  /// Between the values of a list.
  char separator = '|';
  /// Real numbers are read as integers.
  bool isWhole = false;
};

/// What of a file becomes text.
struct TextOptions {
  /// All columns, or `columns`.
  bool all = true;
  std::vector<WantedColumn> columns;
  /// All columns, but of those beside `columns` what no cell holds is left out, and texts in lists may have separators.
  bool isLenient = false;
};

/// Reads a file row group by row group: a page of each column is in memory at a time.
class ParquetText {
public:
  /// `file` are the bytes of the whole file, which stay. Null, and `problem` is set: as readFooter; E0317: a column
  /// that is asked for is not there, or twice; E0311: it is of a type that is no cell's.
  static std::unique_ptr<ParquetText> open(std::string_view file, const TextOptions &options, Problem &problem);

  /// The next piece of the text, whole lines, valid until the next call: first the names of the columns. Empty at the
  /// end, or where `problem` is set. E0311: damaged pages, a codec that is not read; E0313, E0315: a text that has a
  /// NUL byte or, in a list, the separator.
  std::string_view next(Problem &problem);

  /// Names of all columns of the file.
  std::vector<std::string> names() const;
  /// Those that were left out as no cell holds them.
  const std::vector<const Column *> &leftOut() const { return leftOut_; }

private:
  bool appendRow(Problem &problem);
  bool appendQuoted(const ColumnReader &column, std::string_view cell, Problem &problem);
  void appendNames();

  Footer footer_;
  std::deque<ColumnReader> columns_; // whose pages do not move
  std::vector<const Column *> leftOut_;
  std::string piece_, cell_;
  size_t group_ = 0;
  int64_t rowOfGroup_ = 0, row_ = 0;
  bool isBegun_ = false;
};

} // namespace mlc::common::parquet

#endif // MLC_COMMON_PARQUET_PARQUETTEXT_H
