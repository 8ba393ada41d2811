// Cells with any number of values.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/CellText.h"
#include "runtime/src/input/ColumnParser.h"

#include "absl/strings/str_cat.h"

#include <cstring>

namespace mlcrt {

/// Takes the text up to `separator` off the front of `text`; `last` if there was none.
static std::string_view takeElement(std::string_view &text, char separator, bool &last) {
  const void *found = text.empty() ? nullptr : std::memchr(text.data(), separator, text.size());
  last = !found;
  const size_t size = last ? text.size() : static_cast<size_t>(static_cast<const char *>(found) - text.data());
  const std::string_view element = text.substr(0, size);
  text.remove_prefix(last ? size : size + 1);
  return element;
}

ColumnParser::Outcome ColumnParser::splitElement(std::string_view element, std::string_view &value,
                                                 float &weight) const {
  value = clean(element);
  weight = 1;
  const char separator = column_.multiValue->weightSeparator;
  const size_t at = separator ? value.rfind(separator) : std::string_view::npos;
  if (at == std::string_view::npos)
    return Outcome::Value;
  const std::string_view number = trimBlanks(value.substr(at + 1));
  value = clean(value.substr(0, at));
  return parseNumber(MLCRT_F32, number, &weight) == Outcome::Value ? Outcome::Value : Outcome::BadWeight;
}

ColumnParser::Outcome ColumnParser::parseElements(std::string_view text, ValueList &out, int64_t &dropped) const {
  const MultiValue &multi = *column_.multiValue;
  const int64_t most = multi.maxValues > 0 ? out.size() + multi.maxValues : INT64_MAX;
  for (bool last = false; !last;) {
    const std::string_view element = takeElement(text, multi.separator, last);
    std::string_view value;
    float weight;
    if (const Outcome outcome = splitElement(element, value, weight); outcome != Outcome::Value)
      return outcome;
    if (isMissing(value))
      continue;
    if (out.size() >= most) {
      ++dropped;
      continue;
    }
    if (const Outcome outcome = parseValue(value, out.push(weight)); outcome != Outcome::Value)
      return outcome;
  }
  return Outcome::Value;
}

ColumnParser::Outcome ColumnParser::fillList(ValueList &out) const {
  if (onMissing_ == MissingAction::SkipRow)
    return Outcome::SkipRow;
  if (onMissing_ == MissingAction::Error)
    return Outcome::Missing;
  for (size_t i = 0; i < fillWeights_.size(); ++i)
    writeFill(i, out.push(fillWeights_[i]));
  return Outcome::Value;
}

ColumnParser::Outcome ColumnParser::parseList(const CsvField &field, StringArena &arena, ValueList &out,
                                              int64_t &dropped) const {
  std::string_view text = field.text;
  if (field.escaped) {
    char *copy = arena.allocate(static_cast<int64_t>(text.size()));
    text = std::string_view(copy, static_cast<size_t>(unescapeField(field, copy)));
  }
  const int64_t before = out.size();
  if (const Outcome outcome = parseElements(text, out, dropped); outcome != Outcome::Value)
    return outcome;
  return out.size() > before ? Outcome::Value : fillList(out);
}

absl::Status ColumnParser::setListDefault() {
  onMissing_ = MissingAction::Fill;
  if (!column_.defaultValue)
    return absl::OkStatus(); // no values
  ValueList values(valueBytes_, /*weighted=*/true);
  int64_t dropped = 0;
  if (parseElements(*column_.defaultValue, values, dropped) != Outcome::Value || dropped > 0)
    return usageError("", data_code::kFormat,
                      absl::StrCat("default_value '", *column_.defaultValue, "' of column '", column_.fieldName(),
                                   "' cannot be read as values of the column"),
                      std::string(columnDtypeName(column_.dtype)));
  fillWeights_.assign(values.weights(), values.weights() + values.size());
  fill_.assign(values.data(), values.data() + values.size() * valueBytes_);
  keepFillTexts(values.size());
  return absl::OkStatus();
}

absl::Status ColumnParser::explainList(const CsvField &field, const Origin &origin, Outcome outcome) const {
  std::string copy(field.text);
  if (field.escaped)
    copy.resize(static_cast<size_t>(unescapeField(field, copy.data())));
  if (outcome == Outcome::Missing)
    return explainValue(trimBlanks(copy), absl::StrCat(" in column '", column_.fieldName(), "'"), origin, outcome);
  std::string_view text = copy;
  int64_t number = 1;
  for (bool last = false; !last; ++number) {
    const std::string_view element = takeElement(text, column_.multiValue->separator, last);
    std::string_view value;
    float weight;
    const Outcome split = splitElement(element, value, weight);
    const std::string in = absl::StrCat(", value ", number, " in column '", column_.fieldName(), "'");
    if (split != Outcome::Value)
      return dataError(origin, data_code::kValue, absl::StrCat("bad weight in ", quotedCell(element), in),
                       absl::StrCat("value", std::string(1, column_.multiValue->weightSeparator), "finite number"));
    char bytes[sizeof(mlcrt_string)];
    if (!isMissing(value) && parseValue(value, bytes) == outcome)
      return explainValue(value, in, origin, outcome);
  }
  return absl::InternalError(absl::StrCat(toText(origin), ": a cell was taken for a bad one"));
}

} // namespace mlcrt
