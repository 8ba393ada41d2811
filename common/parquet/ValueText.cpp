// Values as the text of a CSV cell.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parquet/ValueText.h"

#include <charconv>
#include <cmath>

namespace mlc::common::parquet {

template <typename T> static void appendInteger(T value, std::string &out) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

template <typename T> static void appendReal(T value, bool isWhole, std::string &out) {
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  const T magnitude = std::fabs(value);
  // An integer of 64 bits has no exponent.
  const bool isFixed = magnitude == 0 || (magnitude >= T(1e-4) && magnitude < T(isWhole ? 1e19 : 1e16));
  char text[32];
  const char *end = std::to_chars(text, text + sizeof(text), value,
                                  isFixed ? std::chars_format::fixed : std::chars_format::scientific)
                        .ptr;
  const std::string_view digits(text, static_cast<size_t>(end - text));
  out += digits;
  if (isFixed && !isWhole && digits.find('.') == std::string_view::npos)
    out += ".0";
}

/// `value` with at least `digits` digits.
static void appendPadded(int64_t value, int digits, std::string &out) {
  char text[24];
  const auto size = static_cast<int>(std::to_chars(text, text + sizeof(text), value).ptr - text);
  out.append(static_cast<size_t>(std::max(digits - size, 0)), '0');
  out.append(text, static_cast<size_t>(size));
}

/// A day since 1970-01-01 as year-month-day (the proleptic Gregorian calendar).
static void appendDate(int64_t day, std::string &out) {
  // Years that begin on the first of March end on the day that leaps, in eras of 400 years (Hinnant 2014).
  const int64_t shifted = day + 719468, era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const int64_t dayOfEra = shifted - era * 146097;
  const int64_t yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const int64_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const int64_t march = (5 * dayOfYear + 2) / 153, month = march < 10 ? march + 3 : march - 9;
  const int64_t year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  if (year < 0)
    out += '-';
  appendPadded(std::abs(year), 4, out);
  out += '-';
  appendPadded(month, 2, out);
  out += '-';
  appendPadded(dayOfYear - (153 * march + 2) / 5 + 1, 2, out);
}

/// A time of day of `unit` to the second, 10 ^ digits; a fraction only where there is one.
static void appendTime(int64_t time, int64_t unit, int digits, std::string &out) {
  const int64_t seconds = time / unit, fraction = time % unit;
  appendPadded(seconds / 3600, 2, out);
  out += ':';
  appendPadded(seconds / 60 % 60, 2, out);
  out += ':';
  appendPadded(seconds % 60, 2, out);
  if (fraction == 0)
    return;
  out += '.';
  appendPadded(fraction, digits, out);
}

static void appendTimestamp(const Column &column, int64_t value, std::string &out) {
  int64_t unit = 1;
  for (int32_t i = 0; i < column.digits; ++i)
    unit *= 10;
  if (column.meaning == Meaning::Time) {
    if (value < 0) {
      out += '-';
      // The least number has no opposite; no time of day comes near it.
      value = value == INT64_MIN ? INT64_MAX : -value;
    }
    return appendTime(value, unit, column.digits, out);
  }
  const int64_t perDay = unit * 86400;
  const int64_t day = value / perDay - (value % perDay < 0 ? 1 : 0);
  appendDate(day, out);
  out += ' ';
  // Before 1970 the day begins before the value.
  appendTime(value % perDay < 0 ? value % perDay + perDay : value % perDay, unit, column.digits, out);
  if (column.isUtc)
    out += "+00:00";
}

/// Big-endian bytes, or an integer, with `digits` digits after the point.
static bool appendDecimal(const Column &column, const Value &value, std::string &out) {
  __int128 number = value.integer;
  if (column.physical != Physical::Int32 && column.physical != Physical::Int64) {
    if (value.bytes.empty() || value.bytes.size() > sizeof(number))
      return false;
    unsigned __int128 bits = static_cast<signed char>(value.bytes.front()) < 0 ? ~static_cast<unsigned __int128>(0) : 0;
    for (const char byte : value.bytes)
      bits = bits << 8 | static_cast<uint8_t>(byte);
    number = static_cast<__int128>(bits);
  }
  unsigned __int128 left =
      number < 0 ? ~static_cast<unsigned __int128>(number) + 1 : static_cast<unsigned __int128>(number);
  char text[96];
  char *at = text + sizeof(text);
  for (int32_t i = 0; left != 0 || i <= column.digits; ++i, left /= 10) {
    if (i == column.digits && i > 0)
      *--at = '.';
    *--at = static_cast<char>('0' + static_cast<int>(left % 10));
  }
  if (number < 0)
    *--at = '-';
  out.append(at, text + sizeof(text));
  return true;
}

bool appendValue(const Column &column, const Value &value, bool isWhole, std::string &out) {
  switch (column.meaning) {
  case Meaning::Bool:
    out += value.integer ? "True" : "False";
    break;
  case Meaning::Integer:
    appendInteger(value.integer, out);
    break;
  case Meaning::Unsigned:
    if (column.physical == Physical::Int32)
      appendInteger(static_cast<uint32_t>(value.integer), out);
    else
      appendInteger(static_cast<uint64_t>(value.integer), out);
    break;
  case Meaning::Real:
    if (column.physical == Physical::Float)
      appendReal(value.single, isWhole, out);
    else
      appendReal(value.real, isWhole, out);
    break;
  case Meaning::Text:
    out += value.bytes;
    break;
  case Meaning::Date:
    appendDate(value.integer, out);
    break;
  case Meaning::Time:
  case Meaning::Timestamp:
    appendTimestamp(column, value.integer, out);
    break;
  case Meaning::Decimal:
    return appendDecimal(column, value, out);
  }
  return true;
}

} // namespace mlc::common::parquet
