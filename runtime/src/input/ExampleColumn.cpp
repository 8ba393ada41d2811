// From the features of a tf.Example to the values of a column.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/CellText.h"
#include "runtime/src/input/ColumnParser.h"
#include "runtime/src/input/TfExample.h"

#include "absl/strings/str_cat.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace mlcrt {

using Step = ExampleCursor::Step;
using Outcome = ColumnParser::Outcome;

/// The list that a column of dtype `dtype` is read from.
static ExampleFeature::Kind kindOf(int32_t dtype) {
  switch (dtype) {
  case MLCRT_STRING:
    return ExampleFeature::Bytes;
  case MLCRT_F32:
  case MLCRT_F64:
    return ExampleFeature::Floats;
  default:
    return ExampleFeature::Ints;
  }
}

template <typename T> static Outcome store(T value, void *out) {
  std::memcpy(out, &value, sizeof(T));
  return Outcome::Value;
}

static Outcome storeInt(int64_t value, int32_t dtype, void *out) {
  switch (dtype) {
  case MLCRT_I64:
    return store(value, out);
  case MLCRT_I32:
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
      return Outcome::OutOfRange;
    return store(static_cast<int32_t>(value), out);
  default:
    return value == 0 || value == 1 ? store(static_cast<uint8_t>(value), out) : Outcome::Bad;
  }
}

bool ColumnParser::isMissingNumber(const char *value) const {
  for (const std::string &mark : missingNumbers_)
    if (std::memcmp(mark.data(), value, static_cast<size_t>(valueBytes_)) == 0)
      return true;
  return false;
}

/// The next value of a list; Missing if it is a missing mark.
ColumnParser::Outcome ColumnParser::takeValue(ExampleCursor &cursor, char *out, ExampleCursor::Step &step) const {
  Outcome outcome = Outcome::Value;
  if (column_.dtype == MLCRT_STRING) {
    std::string_view text;
    if ((step = cursor.next(text)) != Step::Value)
      return outcome;
    text = clean(text);
    return isMissing(text) ? Outcome::Missing : parseValue(text, out);
  }
  if (kindOf(column_.dtype) == ExampleFeature::Floats) {
    float value;
    if ((step = cursor.next(value)) != Step::Value)
      return outcome;
    if (std::isnan(value))
      return Outcome::Missing;
    outcome = column_.dtype == MLCRT_F32 ? store(value, out) : store(static_cast<double>(value), out);
  } else {
    int64_t value;
    if ((step = cursor.next(value)) != Step::Value)
      return outcome;
    outcome = storeInt(value, column_.dtype, out);
  }
  if (outcome != Outcome::Value)
    return outcome;
  return isMissingNumber(out) ? Outcome::Missing : checkNumber(out);
}

ColumnParser::Outcome ColumnParser::parse(const ExampleFeature &feature, void *out) const {
  if (feature.kind == ExampleFeature::Absent || feature.list.empty())
    return fill(out);
  if (feature.kind != kindOf(column_.dtype))
    return Outcome::WrongKind;
  ExampleCursor cursor(feature.list);
  char *to = static_cast<char *>(out);
  for (int64_t i = 0;; ++i, to += valueBytes_) {
    char spare[sizeof(mlcrt_string)];
    Step step;
    const Outcome outcome = takeValue(cursor, i < elements_ ? to : spare, step);
    if (step == Step::Damaged)
      return Outcome::Damaged;
    if (step == Step::End)
      return i == elements_ ? Outcome::Value : i == 0 ? fill(out) : Outcome::WrongCount;
    if (i >= elements_)
      return Outcome::WrongCount;
    if (outcome == Outcome::Missing && elements_ == 1) {
      // One value, and that is a missing one; a second would be an error all the same.
      if (takeValue(cursor, spare, step); step != Step::End)
        return Outcome::WrongCount;
      return fill(out);
    }
    if (outcome != Outcome::Value)
      return outcome == Outcome::Missing ? Outcome::Bad : outcome;
  }
}

ColumnParser::Outcome ColumnParser::parseList(const ExampleFeature &feature, const ExampleFeature &weights,
                                              ValueList &out, int64_t &dropped) const {
  const MultiValue &multi = *column_.multiValue;
  const bool weighted = multi.weightSeparator && weights.kind != ExampleFeature::Absent;
  if (feature.kind != ExampleFeature::Absent && !feature.list.empty() && feature.kind != kindOf(column_.dtype))
    return Outcome::WrongKind;
  if (weighted && !weights.list.empty() && weights.kind != ExampleFeature::Floats)
    return Outcome::BadWeight;
  ExampleCursor cursor(feature.list), weightCursor(weights.list);
  const int64_t before = out.size(), most = multi.maxValues > 0 ? before + multi.maxValues : INT64_MAX;
  while (true) {
    char value[sizeof(mlcrt_string)];
    float weight = 1;
    Step step, weightStep = Step::Value;
    const Outcome outcome = takeValue(cursor, value, step);
    if (weighted)
      weightStep = weightCursor.next(weight);
    if (step == Step::Damaged)
      return Outcome::Damaged;
    if (weighted && (weightStep != step || !std::isfinite(weight)))
      return Outcome::BadWeight;
    if (step == Step::End)
      return out.size() > before ? Outcome::Value : fillList(out);
    if (outcome == Outcome::Missing)
      continue;
    if (outcome != Outcome::Value)
      return outcome;
    if (out.size() >= most)
      ++dropped;
    else
      std::memcpy(out.push(weight), value, static_cast<size_t>(valueBytes_));
  }
}

static int64_t countValues(const ExampleFeature &feature) {
  ExampleCursor cursor(feature.list);
  std::string_view text;
  float number;
  int64_t integer, count = 0;
  while (true) {
    const Step step = feature.kind == ExampleFeature::Bytes    ? cursor.next(text)
                      : feature.kind == ExampleFeature::Floats ? cursor.next(number)
                                                               : cursor.next(integer);
    if (step != Step::Value)
      return count;
    ++count;
  }
}

absl::Status ColumnParser::explain(const ExampleFeature &feature, const ExampleFeature &weights, const Origin &origin,
                                   Outcome outcome) const {
  const std::string name = absl::StrCat("feature '", column_.fieldName(), "'"), dtype(columnDtypeName(column_.dtype));
  const auto kind = [](ExampleFeature::Kind of) { return std::string(kindName(of)); };
  switch (outcome) {
  case Outcome::WrongKind:
    return dataError(origin, data_code::kValue, absl::StrCat(name, " is of kind ", kind(feature.kind)),
                     absl::StrCat(kind(kindOf(column_.dtype)), " for ", dtype));
  case Outcome::WrongCount:
    return dataError(origin, data_code::kValue, absl::StrCat(name, " has ", countValues(feature), " values"),
                     absl::StrCat(elements_, " of ", dtype), elements_ == 1 ? "a column may have multi_value" : "");
  case Outcome::BadWeight:
    return dataError(origin, data_code::kValue,
                     weights.kind != ExampleFeature::Floats
                         ? absl::StrCat("feature '", column_.weightName(), "' is of kind ", kind(weights.kind))
                         : absl::StrCat("feature '", column_.weightName(), "' has ", countValues(weights), " values"),
                     absl::StrCat("a float list of ", countValues(feature), " finite weights"));
  case Outcome::Damaged:
    return dataError(origin, data_code::kRecord, absl::StrCat("the list of ", name, " is damaged"),
                     kind(kindOf(column_.dtype)));
  case Outcome::Missing:
    return dataError(origin, data_code::kMissing, absl::StrCat("missing value in ", name), dtype,
                     "a column may have default_value, or on_missing: SKIP_ROW");
  default:
    break;
  }
  // The value at fault.
  ExampleCursor cursor(feature.list), again(feature.list);
  float real = 0;
  for (int64_t number = 1;; ++number) {
    char value[sizeof(mlcrt_string)];
    Step step;
    const Outcome found = takeValue(cursor, value, step);
    if (step != Step::Value)
      return absl::InternalError(absl::StrCat(toText(origin), ": a feature was taken for a bad one"));
    int64_t integer = 0;
    if (feature.kind == ExampleFeature::Ints)
      again.next(integer);
    else if (feature.kind == ExampleFeature::Floats)
      again.next(real);
    if (found == Outcome::Value || (found == Outcome::Missing && isList()))
      continue;
    if (found == Outcome::NotFinite || found == Outcome::Negative) {
      const std::string number_ = feature.kind == ExampleFeature::Ints ? absl::StrCat(integer) : absl::StrCat(real);
      return explainNumber(absl::StrCat(number_, ", value ", number, " of ", name), origin, found);
    }
    const std::string text = feature.kind == ExampleFeature::Ints ? absl::StrCat("number ", integer) : "a missing mark";
    return dataError(
        origin, data_code::kValue,
        absl::StrCat(text, ", value ", number, " of ", name, found == Outcome::OutOfRange ? ", is out of range" : ""),
        column_.dtype == MLCRT_BOOL ? "0 or 1 for BOOL" : dtype);
  }
}

} // namespace mlcrt
