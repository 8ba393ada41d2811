// What the rows of data files hold beside what a spec says of them. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_DATACHECK_H
#define MLCRT_TRAIN_DATACHECK_H

#include "absl/status/status.h"
#include "common/cli/Message.h"
#include "common/data/ColumnCheck.h"
#include "runtime/src/input/FileList.h"
#include "runtime/src/input/InputFormat.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mlcrt {

/// How often values came, up to the one that would be the kMost-th different one and more.
class ValueCounts {
public:
  static constexpr size_t kMost = 4096;
  void add(std::string_view value);
  /// The value that all were; null if there were none, or several.
  const std::string *onlyValue() const { return counts_.size() == 1 ? &counts_.begin()->first : nullptr; }
  /// Values counted, and those of them that were this one.
  int64_t total() const { return total_; }
  int64_t countOf(const std::string &value) const;
  /// How many values came once: about as often another row has a value that none of these had (Good 1953).
  int64_t singles() const;

private:
  std::unordered_map<std::string, int64_t> counts_;
  int64_t total_ = 0;
  bool isFull_ = false;
};

/// What is found in one column. Rows whose cells cannot be told apart count for none.
struct ColumnFindings {
  int64_t rows = 0;
  /// Rows without a value.
  int64_t missing = 0;
  int64_t values = 0;
  /// Values that are no term of the vocabulary, or no id in range, before defaults and buckets for them.
  int64_t unknown = 0;
  /// Of numbers.
  double min = 0, max = 0, mean = 0, stddev = 0;
  ValueCounts counts = {};
};

/// What is found in the files of a data set.
struct DataFindings {
  std::string name;
  int64_t files = 0, rows = 0;
  /// Rows that SKIP_ROW drops, and rows that do not parse or hold a value that training stops at.
  int64_t skipped = 0, bad = 0;
  /// One for each check.
  std::vector<ColumnFindings> columns;
};

/// Errors of data, the first of them as messages.
struct DataErrors {
  /// How many are kept.
  size_t most = 20;
  std::vector<mlc::common::Message> messages;
  int64_t further = 0;
};

/// Reads the files that `globs` name as training does, but goes on after errors: they go to `errors`, each value that
/// a check requires otherwise once with how often it was found. `rows`: how many to read, 0: all. A file that cannot be
/// read, or lacks a column, is one error. Fails only for a check of a column that `format` lacks.
absl::Status checkData(const std::vector<std::string> &globs, const InputFormat &format,
                       const std::vector<mlc::common::ColumnCheck> &checks, int64_t rows, DataFindings &findings,
                       DataErrors &errors);

/// Looks at some rows of files, from their beginnings to their ends: what is wrong with them is not told, and a large
/// file that is packed, or of records, is left out.
DataFindings sampleData(const std::vector<DataFile> &files, const InputFormat &format,
                        const std::vector<mlc::common::ColumnCheck> &checks);

/// The findings as an aligned table, or with `json` as one object per column and line: data, name, column, use, rows,
/// missing (share of rows), unknown (share of values; where values may be unknown), and for numbers min, max, mean,
/// stddev, with z_score {mean, stddev} or min_max {min, max} of the spec. Nothing without rows.
std::string describeFindings(const DataFindings &findings, const std::vector<mlc::common::ColumnCheck> &checks,
                             bool json);

} // namespace mlcrt

#endif // MLCRT_TRAIN_DATACHECK_H
