// From the text of a cell to the values of a column.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ColumnParser.h"

#include "runtime/src/input/CellText.h"
#include "runtime/src/input/NumberCheck.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace mlcrt {

/// Separates the elements of a vector in one cell.

int64_t valueSize(int32_t dtype) {
  switch (dtype) {
  case MLCRT_BOOL:
    return 1;
  case MLCRT_F32:
  case MLCRT_I32:
    return 4;
  case MLCRT_F64:
  case MLCRT_I64:
    return 8;
  case MLCRT_STRING:
    return sizeof(mlcrt_string);
  default:
    return 0;
  }
}

static bool isNumber(int32_t dtype) { return dtype != MLCRT_STRING; }

/// Drops a '+' that a digit, a point or a letter follows; "+-1" stays as it is and does not parse.
static std::string_view dropPlus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+')
    text.remove_prefix(1);
  return text;
}

/// Reads "-12.345", digits on both sides of an optional point, if the digits as one integer and the power of ten are
/// exact in T: their quotient is then the nearest T, which is what from_chars gives. False for anything else.
template <typename T> static bool parseShortDecimal(std::string_view text, T &value) {
  constexpr bool isDouble = sizeof(T) == sizeof(double);
  constexpr uint64_t kExact = uint64_t{1} << (isDouble ? 53 : 24);
  constexpr int kMostDigits = isDouble ? 18 : 9, kMostPlaces = isDouble ? 17 : 8;
  static constexpr T powers[] = {T(1),   T(1e1),  T(1e2),  T(1e3),  T(1e4),  T(1e5),  T(1e6),  T(1e7),  T(1e8),
                                 T(1e9), T(1e10), T(1e11), T(1e12), T(1e13), T(1e14), T(1e15), T(1e16), T(1e17)};
  const char *at = text.data(), *const end = at + text.size();
  const bool negative = at != end && *at == '-';
  at += negative;
  const char *const begin = at;
  if (end - begin > kMostDigits + 1)
    return false;
  uint64_t digits = 0;
  const auto takeDigits = [&] {
    const char *const first = at;
    for (unsigned digit; at != end && (digit = static_cast<unsigned char>(*at) - '0') < 10; ++at)
      digits = digits * 10 + digit;
    return at - first;
  };
  int64_t places = 0;
  if (takeDigits() == 0)
    return false;
  if (at != end && *at == '.') {
    ++at;
    if ((places = takeDigits()) == 0)
      return false;
  }
  if (at != end || digits > kExact || places > kMostPlaces)
    return false;
  // The sign, also of zero, without a branch: nothing foretells it.
  using Bits = std::conditional_t<isDouble, uint64_t, uint32_t>;
  const T magnitude = static_cast<T>(static_cast<int64_t>(digits)) / powers[places];
  Bits bits;
  std::memcpy(&bits, &magnitude, sizeof(bits));
  bits |= static_cast<Bits>(negative) << (8 * sizeof(bits) - 1);
  std::memcpy(&value, &bits, sizeof(value));
  return true;
}

/// NotFinite: an infinite number, which is stored.
template <typename T> static ColumnParser::Outcome parseFloat(std::string_view text, void *out) {
  T value = 0;
  if (parseShortDecimal(text, value)) {
    std::memcpy(out, &value, sizeof(T));
    return ColumnParser::Outcome::Value;
  }
  text = dropPlus(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty() || error == std::errc::invalid_argument)
    return ColumnParser::Outcome::Bad;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not tell too small from too large and leaves the value alone; strtod does.
    const std::string copy(text);
    value = sizeof(T) == sizeof(float) ? static_cast<T>(std::strtof(copy.c_str(), nullptr))
                                       : static_cast<T>(std::strtod(copy.c_str(), nullptr));
    if (std::isinf(value))
      return ColumnParser::Outcome::OutOfRange;
  }
  if (std::isnan(value)) // nan(payload): only the plain word is a missing mark
    return ColumnParser::Outcome::Bad;
  std::memcpy(out, &value, sizeof(T));
  return std::isinf(value) ? ColumnParser::Outcome::NotFinite : ColumnParser::Outcome::Value;
}

template <typename T> static ColumnParser::Outcome parseInt(std::string_view text, void *out) {
  text = dropPlus(text);
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty() || error == std::errc::invalid_argument)
    return ColumnParser::Outcome::Bad;
  if (error == std::errc::result_out_of_range)
    return ColumnParser::Outcome::OutOfRange;
  std::memcpy(out, &value, sizeof(T));
  return ColumnParser::Outcome::Value;
}

static ColumnParser::Outcome parseBool(std::string_view text, void *out) {
  const absl::string_view view(text.data(), text.size());
  const bool yes = view == "1" || absl::EqualsIgnoreCase(view, "true");
  if (!yes && view != "0" && !absl::EqualsIgnoreCase(view, "false"))
    return ColumnParser::Outcome::Bad;
  *static_cast<uint8_t *>(out) = yes ? 1 : 0;
  return ColumnParser::Outcome::Value;
}

static ColumnParser::Outcome storeText(std::string_view text, void *out) {
  const mlcrt_string value{text.data(), static_cast<int64_t>(text.size())};
  std::memcpy(out, &value, sizeof(value));
  return ColumnParser::Outcome::Value;
}

ColumnParser::Outcome ColumnParser::parseNumber(int32_t dtype, std::string_view text, void *out) {
  switch (dtype) {
  case MLCRT_F32:
    return parseFloat<float>(text, out);
  case MLCRT_F64:
    return parseFloat<double>(text, out);
  case MLCRT_I32:
    return parseInt<int32_t>(text, out);
  case MLCRT_I64:
    return parseInt<int64_t>(text, out);
  default:
    return parseBool(text, out);
  }
}

ColumnParser::Outcome ColumnParser::parseValue(std::string_view text, void *out) const {
  if (dtype_ == MLCRT_STRING)
    return storeText(text, out);
  const Outcome outcome = parseNumber(dtype_, text, out);
  return outcome == Outcome::Value || outcome == Outcome::NotFinite ? checkNumber(out) : outcome;
}

ColumnParser::Outcome ColumnParser::checkAnyNumber(const void *value) const {
  switch (refusedNumber(dtype_, value, 1, column_.finite, isWeight_).fault) {
  case NumberFault::NotFinite:
    return Outcome::NotFinite;
  case NumberFault::Negative:
    return Outcome::Negative;
  case NumberFault::None:
    break;
  }
  return Outcome::Value;
}

ColumnParser::Outcome ColumnParser::parseValues(std::string_view text, void *out) const {
  if (elements_ == 1)
    return parseValue(text, out);
  if (std::count(text.begin(), text.end(), kElementSeparator) != elements_ - 1)
    return Outcome::WrongCount;
  for (int64_t i = 0; i < elements_; ++i) {
    const size_t end = std::min(text.find(kElementSeparator), text.size());
    const std::string_view element = text.substr(0, end);
    const Outcome outcome =
        parseValue(isNumber(column_.dtype) ? trimBlanks(element) : element, static_cast<char *>(out) + i * valueBytes_);
    if (outcome != Outcome::Value)
      return outcome;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return Outcome::Value;
}

std::string_view ColumnParser::clean(std::string_view text) const {
  if (!column_.strip.empty()) {
    const size_t first = text.find_first_not_of(column_.strip);
    if (first == std::string_view::npos)
      return text.substr(0, 0);
    text = text.substr(first, text.find_last_not_of(column_.strip) - first + 1);
  }
  return isNumber(column_.dtype) ? trimBlanks(text) : text;
}

bool ColumnParser::isMissing(std::string_view text) const {
  if ((missingSizes_ >> std::min<size_t>(text.size(), 63) & 1) == 0)
    return false;
  if (text.empty())
    return true;
  if (isNumber(column_.dtype) && absl::EqualsIgnoreCase(absl::string_view(text.data(), text.size()), "nan"))
    return true;
  return std::find(missing_.begin(), missing_.end(), text) != missing_.end();
}

absl::StatusOr<ColumnParser> ColumnParser::create(const InputColumn &column, const std::vector<std::string> &missing) {
  ColumnParser parser;
  parser.column_ = column;
  parser.dtype_ = column.dtype;
  parser.list_ = column.multiValue.has_value();
  parser.valueBytes_ = valueSize(column.dtype);
  parser.elements_ = column.elements();
  parser.rowBytes_ = parser.valueBytes_ * parser.elements_;
  parser.missing_ = missing;
  parser.missing_.insert(parser.missing_.end(), column.missing.begin(), column.missing.end());
  if (isNumber(column.dtype))
    parser.missingSizes_ |= uint64_t{1} << 3; // nan
  for (const std::string &mark : parser.missing_)
    parser.missingSizes_ |= uint64_t{1} << std::min<size_t>(mark.size(), 63);

  for (const std::string &mark : parser.missing_) {
    std::string bytes(static_cast<size_t>(parser.valueBytes_), '\0');
    if (!isNumber(column.dtype))
      continue;
    const Outcome outcome = parseNumber(column.dtype, trimBlanks(mark), bytes.data());
    if (outcome == Outcome::Value || outcome == Outcome::NotFinite)
      parser.missingNumbers_.push_back(std::move(bytes));
  }
  parser.isWeight_ = column.role == ColumnRole::Weight;
  parser.isChecked_ = parser.isWeight_ || (column.finite && (column.dtype == MLCRT_F32 || column.dtype == MLCRT_F64));
  parser.plain_ = parser.elements_ == 1 && column.strip.empty() && parser.missingNumbers_.empty() && !parser.isWeight_;
  if (column.multiValue && column.onMissing == OnMissing::Auto) {
    if (absl::Status status = parser.setListDefault(); !status.ok())
      return status;
    return parser;
  }
  const bool hasNoValue = column.dtype == MLCRT_STRING || column.dtype == MLCRT_I32 || column.dtype == MLCRT_I64;
  if (column.onMissing == OnMissing::SkipRow) {
    parser.onMissing_ = MissingAction::SkipRow;
    return parser;
  }
  if (column.onMissing == OnMissing::Error || (!column.defaultValue && !(column.categorical && hasNoValue)))
    return parser;

  parser.onMissing_ = MissingAction::Fill;
  parser.fill_.resize(parser.rowBytes_);
  if (!column.defaultValue) {
    if (column.dtype != MLCRT_STRING)
      std::fill(parser.fill_.begin(), parser.fill_.end(), char(-1)); // -1 in each integer
    else
      parser.fillText_.assign(parser.elements_, "");
    return parser;
  }
  // One value stands for every element, unless there is one for each.
  std::string text(parser.clean(*column.defaultValue));
  if (parser.elements_ > 1 && text.find(kElementSeparator) == std::string::npos) {
    const std::string one = text;
    for (int64_t i = 1; i < parser.elements_; ++i)
      absl::StrAppend(&text, std::string(1, kElementSeparator), one);
  }
  const Outcome outcome = parser.parseValues(text, parser.fill_.data());
  if (outcome != Outcome::Value)
    return usageError("", data_code::kFormat,
                      absl::StrCat("default_value '", *column.defaultValue, "' of column '", column.fieldName(),
                                   "' is no value of the column"),
                      absl::StrCat(std::string(columnDtypeName(column.dtype)),
                                   parser.elements_ > 1 ? absl::StrCat(" x ", parser.elements_) : ""));
  parser.keepFillTexts(parser.elements_);
  return parser;
}

void ColumnParser::keepFillTexts(int64_t count) {
  for (int64_t i = 0; column_.dtype == MLCRT_STRING && i < count; ++i) {
    mlcrt_string value;
    std::memcpy(&value, fill_.data() + i * sizeof(value), sizeof(value));
    fillText_.emplace_back(value.data, value.size);
  }
}

void ColumnParser::writeFill(size_t i, char *out) const {
  if (column_.dtype != MLCRT_STRING) {
    std::memcpy(out, fill_.data() + i * valueBytes_, valueBytes_);
    return;
  }
  const mlcrt_string value{fillText_[i].data(), static_cast<int64_t>(fillText_[i].size())};
  std::memcpy(out, &value, sizeof(value));
}

ColumnParser::Outcome ColumnParser::fill(void *out) const {
  if (onMissing_ == MissingAction::SkipRow)
    return Outcome::SkipRow;
  if (onMissing_ == MissingAction::Error)
    return Outcome::Missing;
  for (int64_t i = 0; i < elements_; ++i)
    writeFill(static_cast<size_t>(i), static_cast<char *>(out) + i * valueBytes_);
  return Outcome::Value;
}

ColumnParser::Outcome ColumnParser::parse(const CsvField &field, StringArena &arena, void *out) const {
  std::string_view text = field.text;
  // Most cells are what they should be at the first look.
  if (plain_ && !field.escaped) {
    switch (dtype_) {
    case MLCRT_STRING:
      if ((missingSizes_ >> std::min<size_t>(text.size(), 63) & 1) == 0)
        return storeText(text, out);
      break;
    case MLCRT_F32:
      if (parseFloat<float>(text, out) == Outcome::Value)
        return Outcome::Value;
      break;
    case MLCRT_F64:
      if (parseFloat<double>(text, out) == Outcome::Value)
        return Outcome::Value;
      break;
    case MLCRT_I64:
      if (parseInt<int64_t>(text, out) == Outcome::Value)
        return Outcome::Value;
      break;
    default:
      break;
    }
  }
  if (field.escaped) {
    char *copy = arena.allocate(static_cast<int64_t>(text.size()));
    text = std::string_view(copy, unescapeField(field, copy));
  }
  text = clean(text);
  return isMissing(text) ? fill(out) : parseValues(text, out);
}

std::string quotedCell(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string result(text.substr(0, kMost));
  for (char &c : result)
    if (static_cast<unsigned char>(c) < 0x20)
      c = ' ';
  return absl::StrCat("'", result, text.size() > kMost ? "..." : "", "'");
}

absl::Status ColumnParser::explain(const CsvField &field, const Origin &origin, Outcome outcome) const {
  if (isList())
    return explainList(field, origin, outcome);
  std::string in = absl::StrCat(" in column '", column_.fieldName(), "'");
  std::string_view text = clean(field.text);
  if (elements_ > 1 && outcome != Outcome::Missing && outcome != Outcome::WrongCount) {
    // The element at fault instead of the whole cell.
    std::vector<char> value(static_cast<size_t>(valueBytes_));
    for (int64_t i = 1; i <= elements_; ++i) {
      const std::string_view element = trimBlanks(text.substr(0, text.find(kElementSeparator)));
      if (parseValue(element, value.data()) == outcome) {
        in = absl::StrCat(", value ", i, " of ", elements_, in);
        text = element;
        break;
      }
      text.remove_prefix(text.find(kElementSeparator) + 1);
    }
  }
  return explainValue(text, in, origin, outcome);
}

ColumnParser::Outcome ColumnParser::parseElement(std::string_view text, void *out) const {
  text = clean(text);
  return isMissing(text) ? Outcome::Missing : parseValue(text, out);
}

absl::Status ColumnParser::explainElement(std::string_view text, int64_t number, const Origin &origin,
                                          Outcome outcome) const {
  return explainValue(clean(text), absl::StrCat(", value ", number, " in column '", column_.fieldName(), "'"), origin,
                      outcome);
}

absl::Status ColumnParser::explainValue(std::string_view text, const std::string &in, const Origin &origin,
                                        Outcome outcome) const {
  const std::string dtype(columnDtypeName(column_.dtype));
  switch (outcome) {
  case Outcome::Missing:
    return dataError(origin, data_code::kMissing,
                     absl::StrCat("missing value", in, text.empty() ? "" : absl::StrCat(": ", quotedCell(text))), dtype,
                     "a column may have default_value, or on_missing: SKIP_ROW");
  case Outcome::OutOfRange:
    return dataError(origin, data_code::kValue, absl::StrCat("number ", quotedCell(text), in, " is out of range"),
                     dtype);
  case Outcome::NotFinite:
  case Outcome::Negative:
    return explainNumber(absl::StrCat(quotedCell(text), in), origin, outcome);
  case Outcome::WrongCount:
    return dataError(origin, data_code::kValue,
                     absl::StrCat("found ", std::count(text.begin(), text.end(), kElementSeparator) + 1, " values in ",
                                  quotedCell(text), in),
                     absl::StrCat(elements_, " values of ", dtype, " separated by '|'"));
  default:
    return dataError(origin, data_code::kValue,
                     absl::StrCat(column_.dtype == MLCRT_BOOL ? "bad bool " : "bad number ", quotedCell(text), in),
                     column_.dtype == MLCRT_BOOL ? "true, false, 1 or 0" : dtype,
                     text == column_.fieldName() ? "the first line looks like a header: csv { header: true }" : "");
  }
}

absl::Status ColumnParser::explainNumber(const std::string &what, const Origin &origin, Outcome outcome) const {
  const std::string dtype(columnDtypeName(column_.dtype));
  if (outcome == Outcome::Negative)
    return dataError(origin, data_code::kValue, absl::StrCat("negative weight ", what),
                     absl::StrCat("a weight >= 0 of ", dtype));
  return dataError(origin, data_code::kValue, absl::StrCat("number ", what, " is not finite"),
                   absl::StrCat("a finite ", dtype), "a mark for missing values is declared by input.missing");
}

} // namespace mlcrt
