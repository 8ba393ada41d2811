// From the text of a cell to the values of a column. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cell goes through: doubled quotes -> `strip` -> (numbers: blanks and tabs at both ends) -> missing marks -> value.
// Numbers are decimal as std::from_chars reads them, with an optional '+'; nan is missing, inf and infinity are floats
// that a column may refuse; what is too small for a float becomes the nearest subnormal or zero, what is too large is
// an error. Weights of rows are not negative. BOOL is true or false in any case, 1 or 0.
// A cell of a multi-valued column is cut at its separator and each piece goes that way, its weight taken off after
// `strip`; missing values are left out, and a cell of which none remains is missing: it has no values unless the column
// says otherwise.
#ifndef MLCRT_INPUT_COLUMNPARSER_H
#define MLCRT_INPUT_COLUMNPARSER_H

#include "absl/status/statusor.h"
#include "runtime/src/input/Batch.h"
#include "runtime/src/input/CsvScanner.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/input/InputFormat.h"
#include "runtime/src/input/TfExample.h"
#include "runtime/src/input/ValueList.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Between the elements of a vector in one cell.
inline constexpr char kElementSeparator = '|';

/// Bytes of a value of dtype `dtype` (one that columns have), or 0 for another dtype.
int64_t valueSize(int32_t dtype);

/// Parses the cells of one column. Immutable, thread-safe.
class ColumnParser {
public:
  /// Usage error: a default value that does not parse.
  static absl::StatusOr<ColumnParser> create(const InputColumn &column, const std::vector<std::string> &missing);

  /// What became of a cell.
  enum class Outcome {
    Value,
    SkipRow,
    Missing,
    Bad,
    OutOfRange,
    NotFinite,
    Negative,
    WrongCount,
    WrongKind,
    BadWeight,
    Damaged
  };

  /// Parses `field` into `out`: column().elements() values of the dtype. Strings point into the field or into `arena`.
  /// Missing: a value that has to be there is not.
  Outcome parse(const CsvField &field, StringArena &arena, void *out) const;

  /// The same for a cell of a multi-valued column: appends its values to `out`. `dropped` grows by the values beyond
  /// the most that a row may have. What has been appended when another outcome than Value comes back is not defined.
  Outcome parseList(const CsvField &field, StringArena &arena, ValueList &out, int64_t &dropped) const;

  /// The error for a cell that did not become a value.
  absl::Status explain(const CsvField &field, const Origin &origin, Outcome outcome) const;

  /// The same for the feature of the column's name in a tf.Example: an absent or empty one is missing. Floats are read
  /// from a float list, integers and BOOL from an int64 list, strings from a bytes list; texts stay where they lie. A
  /// list with weights has them in the float list "<name>.weight", one for each value; without it they are 1.
  Outcome parse(const ExampleFeature &feature, void *out) const;
  Outcome parseList(const ExampleFeature &feature, const ExampleFeature &weights, ValueList &out,
                    int64_t &dropped) const;
  /// The error for a feature that did not become a value.
  absl::Status explain(const ExampleFeature &feature, const ExampleFeature &weights, const Origin &origin,
                       Outcome outcome) const;

  /// One value, as it stands between separators: Value, or Missing for a missing mark. A string points into `text`.
  Outcome parseElement(std::string_view text, void *out) const;
  /// The error for one that is no value; `number` counts from 1.
  absl::Status explainElement(std::string_view text, int64_t number, const Origin &origin, Outcome outcome) const;

  /// The error for a number that checkNumber refuses; `what` is the number and where it stands.
  absl::Status explainNumber(const std::string &what, const Origin &origin, Outcome outcome) const;

  const InputColumn &column() const { return column_; }
  /// Whether a row has any number of values.
  bool isList() const { return list_; }
  /// Whether values may be dropped because a row has too many.
  bool mayDropValues() const { return isList() && column_.multiValue->maxValues > 0; }
  /// An empty list for the values of a multi-valued column.
  ValueList makeList() const { return ValueList(valueBytes_, isList() && column_.multiValue->weightSeparator != 0); }
  /// Bytes of the values of one row; of one value for a multi-valued column.
  int64_t rowBytes() const { return rowBytes_; }
  /// Whether a cell of this column can make the row be skipped.
  bool maySkip() const { return onMissing_ == MissingAction::SkipRow; }

private:
  enum class MissingAction { Error, SkipRow, Fill };

  std::string_view clean(std::string_view text) const;
  bool isMissing(std::string_view text) const;
  Outcome parseValues(std::string_view text, void *out) const;
  Outcome parseValue(std::string_view text, void *out) const;
  /// What becomes of a number that was read. Each cell may come here.
  Outcome checkNumber(const void *value) const {
    if (!isChecked_)
      return Outcome::Value;
    if (dtype_ != MLCRT_F32 || isWeight_)
      return checkAnyNumber(value);
    float number;
    std::memcpy(&number, value, sizeof(number));
    return std::isfinite(number) ? Outcome::Value : Outcome::NotFinite;
  }
  Outcome checkAnyNumber(const void *value) const;
  static Outcome parseNumber(int32_t dtype, std::string_view text, void *out);
  Outcome fill(void *out) const;
  void writeFill(size_t i, char *out) const;
  void keepFillTexts(int64_t count);
  absl::Status explainValue(std::string_view text, const std::string &in, const Origin &origin, Outcome outcome) const;
  // tf.Example.
  bool isMissingNumber(const char *value) const;
  Outcome takeValue(ExampleCursor &cursor, char *out, ExampleCursor::Step &step) const;
  // Multi-valued columns.
  Outcome splitElement(std::string_view element, std::string_view &value, float &weight) const;
  Outcome parseElements(std::string_view text, ValueList &out, int64_t &dropped) const;
  Outcome fillList(ValueList &out) const;
  absl::Status setListDefault();
  absl::Status explainList(const CsvField &field, const Origin &origin, Outcome outcome) const;

  // What every cell needs stands together.
  int32_t dtype_ = MLCRT_STRING;
  bool list_ = false;
  /// A cell that reads as a value is that value, whatever else it might stand for.
  bool plain_ = false;
  bool isWeight_ = false;
  /// Whether some numbers of the dtype are refused.
  bool isChecked_ = false;
  /// Bit min(size, 63) is set for each mark's size: most cells are told from all marks by it.
  uint64_t missingSizes_ = 1;
  int64_t valueBytes_ = 0, rowBytes_ = 0, elements_ = 1;

  InputColumn column_;
  std::vector<std::string> missing_;
  /// The missing marks that are numbers of the dtype, as bytes.
  std::vector<std::string> missingNumbers_;
  MissingAction onMissing_ = MissingAction::Error;
  /// The values a missing cell gets; strings as text in fillText_. fillWeights_: of a list, one for each value.
  std::vector<char> fill_;
  std::vector<std::string> fillText_;
  std::vector<float> fillWeights_;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_COLUMNPARSER_H
