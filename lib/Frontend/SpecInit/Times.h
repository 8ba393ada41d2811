//===- Times.h - Columns of dates and times -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_TIMES_H
#define LIB_FRONTEND_SPECINIT_TIMES_H

#include "lib/Frontend/SpecInit/ColumnStatistics.h"

#include <optional>
#include <string>

namespace mlc::frontend {

/// What a column of times looks like.
enum class TimeForm {
  None,
  /// 2024-01-31, 2024-01, 2024/01/31 12:30:00: the order of the bytes is that of time.
  Sorted,
  /// 31.01.2024 or 1/31/2024: it is not.
  Unsorted,
  /// The integer 20240131.
  Digits,
  /// Seconds or milliseconds since 1970, of a column whose name speaks of time.
  Seconds,
  Milliseconds,
};

/// The form that all values of a column have.
TimeForm timeFormOf(llvm::StringRef name, const ColumnStatistics &statistics);
/// "a date", ...
llvm::StringRef describe(TimeForm form);

/// The value from which on `share` of the rows are, by bytes or as numbers; none if no value leaves rows on both sides.
std::optional<std::string> newestFrom(const ColumnStatistics &statistics, bool isNumber, double share);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_TIMES_H
