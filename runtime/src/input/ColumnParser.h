// From the text of a cell to the values of a column. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cell goes through: doubled quotes -> `strip` -> (numbers: blanks and tabs at both ends) -> missing marks -> value.
// Numbers are decimal as std::from_chars reads them, with an optional '+'; floats may be inf or infinity, nan is
// missing; what is too small for a float becomes the nearest subnormal or zero, what is too large is an error. BOOL is
// true or false in any case, 1 or 0.
#ifndef MLCRT_INPUT_COLUMNPARSER_H
#define MLCRT_INPUT_COLUMNPARSER_H

#include "absl/status/statusor.h"
#include "runtime/src/input/Batch.h"
#include "runtime/src/input/CsvScanner.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/input/InputFormat.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Bytes of a value of dtype `dtype` (one that columns have), or 0 for another dtype.
int64_t valueSize(int32_t dtype);

/// Parses the cells of one column. Immutable, thread-safe.
class ColumnParser {
public:
  /// Usage error: a default value that does not parse.
  static absl::StatusOr<ColumnParser> create(const InputColumn &column, const std::vector<std::string> &missing);

  /// What became of a cell.
  enum class Outcome { Value, SkipRow, Missing, Bad, OutOfRange, WrongCount };

  /// Parses `field` into `out`: column().elements() values of the dtype. Strings point into the field or into `arena`.
  /// Missing: a value that has to be there is not.
  Outcome parse(const CsvField &field, StringArena &arena, void *out) const;

  /// The error for a cell that did not become a value.
  absl::Status explain(const CsvField &field, const Origin &origin, Outcome outcome) const;

  const InputColumn &column() const { return column_; }
  /// Bytes of the values of one row.
  int64_t rowBytes() const { return rowBytes_; }
  /// Whether a cell of this column can make the row be skipped.
  bool maySkip() const { return onMissing_ == MissingAction::SkipRow; }

private:
  enum class MissingAction { Error, SkipRow, Fill };

  std::string_view clean(std::string_view text) const;
  bool isMissing(std::string_view text) const;
  Outcome parseValues(std::string_view text, void *out) const;
  Outcome parseValue(std::string_view text, void *out) const;

  InputColumn column_;
  std::vector<std::string> missing_;
  /// Bit min(size, 63) is set for each mark's size: most cells are told from all marks by it.
  uint64_t missingSizes_ = 1;
  MissingAction onMissing_ = MissingAction::Error;
  /// The values a missing cell gets; strings as text in fillText_.
  std::vector<char> fill_;
  std::vector<std::string> fillText_;
  int64_t valueBytes_ = 0, rowBytes_ = 0, elements_ = 1;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_COLUMNPARSER_H
