//===- ColumnStatistics.h - What the cells of a column have in common -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_COLUMNSTATISTICS_H
#define LIB_FRONTEND_SPECINIT_COLUMNSTATISTICS_H

#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mlc::frontend {

/// Whether a cell is one of the marks of a missing value ("", "?", "NA", "null", "nan", "-").
bool isMissingMark(llvm::StringRef cell);

/// Statistics of one column in one pass, in memory that does not grow with the rows.
class ColumnStatistics {
public:
  /// Counts a cell that stands beside `label`; marks of missing values are told by isMissingMark.
  void add(llvm::StringRef cell, llvm::StringRef label);
  /// Counts a cell that is a value, whatever it looks like.
  void addValue(llvm::StringRef cell, llvm::StringRef label = {});

  int64_t rows() const { return rows_; }
  int64_t missing() const { return missing_; }
  int64_t present() const { return rows_ - missing_; }
  /// Number of different values; an estimate above kMostValues.
  int64_t distinct() const;
  bool isExact() const { return !overflow_; }
  bool isInteger() const { return present() > 0 && integers_ == present(); }
  bool isNumber() const { return present() > 0 && numbers_ == present(); }
  double mean() const { return mean_; }
  double stddev() const;
  double skew() const;
  double min() const { return min_; }
  double max() const { return max_; }
  /// Integers that grow by one from row to row.
  bool isCounter() const { return isInteger() && counter_ && present() > 1; }
  /// Each value has one label, and values come more than once on average.
  bool determinesLabel() const;
  /// The values: by number if they are numbers, most frequent first else, then by their bytes. Empty if not exact.
  std::vector<std::string> values() const;
  /// How often a value came; 0 if it did not. Only if exact.
  int64_t count(llvm::StringRef value) const { return values_.contains(value) ? values_.find(value)->second.count : 0; }
  /// The parts that `separator` cuts the cells into.
  struct Terms {
    /// Cells, different ones, and those that it cuts.
    int64_t cells = 0, distinctCells = 0, cutCells = 0;
    /// Parts of all cells, and different ones.
    int64_t total = 0, distinct = 0;
    /// Those that occur at least twice, most frequent first, then by their bytes.
    std::vector<std::string> frequent;
  };
  /// Of the cells whose values are counted: the first kMostValues different ones.
  Terms split(char separator) const;
  /// The marks of missing values that occur, without the empty one.
  const std::set<std::string> &marks() const { return marks_; }

  /// Values that are counted one by one.
  static constexpr size_t kMostValues = 100000;

private:
  struct Value {
    int64_t count = 0;
    std::string label;
    bool oneLabel = true;
  };

  int64_t rows_ = 0, missing_ = 0, integers_ = 0, numbers_ = 0;
  double mean_ = 0, second_ = 0, third_ = 0, min_ = 0, max_ = 0, last_ = 0;
  bool counter_ = true, overflow_ = false;
  llvm::StringMap<Value> values_;
  std::set<std::string> marks_;
  /// The least hashes seen: their spread tells how many there are.
  std::set<uint64_t> sketch_;
};

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_COLUMNSTATISTICS_H
