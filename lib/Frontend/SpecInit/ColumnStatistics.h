//===- ColumnStatistics.h - What the cells of a column have in common -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_COLUMNSTATISTICS_H
#define LIB_FRONTEND_SPECINIT_COLUMNSTATISTICS_H

#include "lib/Frontend/SpecInit/ValueTable.h"
#include "mlc/Frontend/SpecInit/Recipe.h"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace mlc::frontend {

/// Whether a cell is one of the marks of a missing value ("", "?", "NA", "null", "nan", "-").
bool isMissingMark(llvm::StringRef cell);

/// Statistics of one column in one pass, in memory that does not grow with the rows. Threads may count parts of a
/// column each with statistics of their own, which merge() joins: the result is the same whoever counted which part.
class ColumnStatistics {
public:
  /// Values that are counted one by one. Of more, those whose hash is below a bound, which halves each time that there
  /// are too many: a sample of the values, and as many times more there are.
  static constexpr size_t kMostValues = 16384, kMostTerms = 100000;

  explicit ColumnStatistics(size_t mostValues = kMostValues) : mostValues_(mostValues) {}
  /// Counts a cell that stands beside a label of this hash; marks of missing values are told by isMissingMark.
  void add(llvm::StringRef cell, uint64_t label = 0);
  /// Counts a cell that is a value, whatever it looks like.
  void addValue(llvm::StringRef cell, uint64_t label = 0);
  /// Counts rows without a value.
  void addMissing(int64_t rows) { rows_ += rows, missing_ += rows; }
  /// What is counted from here on is part `part` of the column.
  void beginPart(int64_t part);
  /// Adds what another has counted of the same column: other parts of it.
  void merge(ColumnStatistics &&other);
  /// Puts the parts together; after the last cell, before anything is asked that depends on their order.
  void finish();

  int64_t rows() const { return rows_; }
  int64_t missing() const { return missing_; }
  int64_t present() const { return rows_ - missing_; }
  /// Number of different values; an estimate above mostValues.
  int64_t distinct() const { return static_cast<int64_t>(values_.size()) << halvings_; }
  bool isExact() const { return halvings_ == 0; }
  bool isInteger() const { return present() > 0 && integers_ == present(); }
  bool isNumber() const { return present() > 0 && numbers_ == present(); }
  double mean() const { return total_.mean; }
  double stddev() const;
  double skew() const;
  double min() const { return total_.least; }
  double max() const { return total_.most; }
  /// Integers that grow by one from row to row.
  bool isCounter() const { return isInteger() && total_.counter && present() > 1; }
  /// Each value has one label, and values come more than once on average.
  bool determinesLabel() const;
  /// The values: by number if they are numbers, most frequent first else, then by their bytes. Empty if not exact.
  std::vector<std::string> values() const;
  /// How often a value came; 0 if it did not. Only if exact.
  int64_t count(llvm::StringRef value) const;
  /// The parts that `separator` cuts the cells into.
  struct Terms {
    /// Cells, different ones, and those that it cuts.
    int64_t cells = 0, distinctCells = 0, cutCells = 0;
    /// Parts of all cells, and different ones.
    int64_t total = 0, distinct = 0;
    /// Those that occur at least twice, most frequent first, then by their bytes.
    std::vector<std::string> frequent;
  };
  /// Of the cells whose values are counted: all, or a sample of the different ones.
  Terms split(char separator) const;
  /// The marks of missing values that occur, without the empty one.
  const std::set<std::string> &marks() const { return marks_; }
  /// Whether a value is one that a vocabulary leaves out: it came once, so that nothing of it can be both learned and
  /// checked. Where a vocabulary lacks such values, their rows teach the bucket of values that are not in it what a new
  /// value says. Of a column of few cells none is left out. Only if exact.
  bool isRare(llvm::StringRef value) const { return present() > kFewCells && count(value) < 2; }
  /// How many of the values are.
  int64_t rareValues() const;
  /// Calls `visit` with each counted value and how often it came, in no order.
  template <typename Visit> void forEachValue(Visit visit) const {
    values_.forEach([&](llvm::StringRef text, const ValueTable::Value &value) { visit(text, value.count); });
  }

private:
  /// Of the numbers of a part: count, mean, sums of the second and third powers of what they are beyond it.
  struct Moments {
    int64_t part = 0, count = 0;
    double mean = 0, second = 0, third = 0;
    double first = 0, last = 0, least = 0, most = 0;
    bool counter = true;
    void append(const Moments &next);
  };
  uint64_t bound() const { return UINT64_MAX >> halvings_; }
  void thin();
  void flush();

  size_t mostValues_;
  int64_t rows_ = 0, missing_ = 0, integers_ = 0, numbers_ = 0;
  Moments total_;
  std::vector<Moments> parts_;
  /// Numbers that are not in total_ yet, and whether all cells since the last flush were integers.
  std::array<double, 128> numbersToAdd_;
  size_t toAdd_ = 0;
  bool allInteger_ = true;
  unsigned halvings_ = 0;
  ValueTable values_;
  std::set<std::string> marks_;
};

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_COLUMNSTATISTICS_H
