// What the values of a column of data should be: told by a spec, checked by the reader of data. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_COLUMNCHECK_H
#define MLC_COMMON_COLUMNCHECK_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlc::common {

/// One use of a column of the input.
struct ColumnCheck {
  enum class Kind {
    Any,     ///< any value
    Numbers, ///< numbers, whose spread is told
    Terms,   ///< one of `terms`
    Ids      ///< an integer in [0, size)
  };
  /// Of the feature column, or of the input's column for label and weight.
  std::string name;
  /// Of the input.
  std::string column;
  /// What people call the use: "numeric", "label".
  std::string use;
  Kind kind = Kind::Any;
  /// As written in a file.
  std::vector<std::string> terms = {};
  int64_t size = 0;
  /// Training stops at a value that is none of these.
  bool required = false;
  /// Where the spec says so: "census.pbtxt:35".
  std::string origin = {};
  /// What the spec takes the numbers' mean and stddev, or min and max, for.
  std::optional<std::pair<double, double>> zScore = {}, minMax = {};
  /// The artifact's table of `terms`; empty if it has none.
  std::string table = {};
  /// A label that a regression learns in its own units.
  bool isUnscaledTarget = false;
};

} // namespace mlc::common

#endif // MLC_COMMON_COLUMNCHECK_H
