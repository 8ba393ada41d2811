//===- Times.cpp - Columns of dates and times ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/Times.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <utility>

using namespace mlc::frontend;

/// Takes a number of at most `most` digits between two bounds.
static bool takeNumber(llvm::StringRef &text, size_t least, size_t most, int low, int high) {
  llvm::StringRef digits = text.take_while([](char c) { return llvm::isDigit(c); }).take_front(most);
  int value = 0;
  if (digits.size() < least || digits.getAsInteger(10, value) || value < low || value > high)
    return false;
  text = text.drop_front(digits.size());
  return true;
}

/// What may stand after a date: 12:30, 12:30:05.25, with Z or an offset.
static bool isClock(llvm::StringRef text) {
  if (text.empty())
    return true;
  if (!text.consume_front("T") && !text.consume_front(" "))
    return false;
  if (!takeNumber(text, 1, 2, 0, 24) || !text.consume_front(":") || !takeNumber(text, 2, 2, 0, 59))
    return false;
  if (text.consume_front(":") && !takeNumber(text, 2, 2, 0, 60))
    return false;
  if (text.consume_front("."))
    text = text.ltrim("0123456789");
  if (text.empty() || text == "Z" || text == "z" || text == " UTC")
    return true;
  if (!text.consume_front("+") && !text.consume_front("-"))
    return false;
  if (!takeNumber(text, 2, 2, 0, 14))
    return false;
  text.consume_front(":");
  return text.empty() || (takeNumber(text, 2, 2, 0, 59) && text.empty());
}

static bool isSorted(llvm::StringRef text) {
  if (!takeNumber(text, 4, 4, 1000, 2999))
    return false;
  const char separator = text.empty() ? 0 : text.front();
  if ((separator != '-' && separator != '/' && separator != '.') || text.size() < 3)
    return false;
  text = text.drop_front();
  if (!takeNumber(text, 2, 2, 1, 12))
    return false;
  if (text.empty())
    return true;
  if (text.front() != separator)
    return false;
  text = text.drop_front();
  return takeNumber(text, 2, 2, 1, 31) && isClock(text);
}

static bool isUnsorted(llvm::StringRef text) {
  if (!takeNumber(text, 1, 2, 1, 31) || text.empty())
    return false;
  const char separator = text.front();
  if (separator != '/' && separator != '.' && separator != '-')
    return false;
  text = text.drop_front();
  if (!takeNumber(text, 1, 2, 1, 31) || text.empty() || text.front() != separator)
    return false;
  text = text.drop_front();
  return (takeNumber(text, 4, 4, 1900, 2999) || takeNumber(text, 2, 2, 0, 99)) && isClock(text);
}

static bool isDigits(llvm::StringRef text) {
  return text.size() == 8 && takeNumber(text, 4, 4, 1900, 2100) && takeNumber(text, 2, 2, 1, 12) &&
         takeNumber(text, 2, 2, 1, 31);
}

/// Whether a name's words are such as name times.
static bool speaksOfTime(llvm::StringRef name) {
  const std::string lower = name.lower();
  return llvm::StringRef(lower).ends_with("_at") ||
         llvm::any_of(std::initializer_list<llvm::StringRef>{"time", "date", "stamp", "epoch"},
                      [&](llvm::StringRef word) { return llvm::StringRef(lower).contains(word); });
}

TimeForm mlc::frontend::timeFormOf(llvm::StringRef name, const ColumnStatistics &statistics) {
  if (statistics.present() == 0 || statistics.distinct() < 2)
    return TimeForm::None;
  auto all = [&](bool (*has)(llvm::StringRef)) {
    bool good = true;
    statistics.forEachValue([&](llvm::StringRef value, int64_t) { good = good && has(value.trim()); });
    return good;
  };
  if (!statistics.isNumber())
    return all(isSorted) ? TimeForm::Sorted : all(isUnsorted) ? TimeForm::Unsorted : TimeForm::None;
  if (!statistics.isInteger())
    return TimeForm::None;
  if (all(isDigits))
    return TimeForm::Digits;
  // From 1980 to 2050.
  constexpr double kFirst = 3.15e8, kLast = 2.53e9;
  auto isWithin = [&](double unit) { return statistics.min() >= kFirst * unit && statistics.max() <= kLast * unit; };
  if (!speaksOfTime(name))
    return TimeForm::None;
  return isWithin(1) ? TimeForm::Seconds : isWithin(1000) ? TimeForm::Milliseconds : TimeForm::None;
}

llvm::StringRef mlc::frontend::describe(TimeForm form) {
  switch (form) {
  case TimeForm::None:
    return "no time";
  case TimeForm::Sorted:
    return "a time";
  case TimeForm::Unsorted:
    return "a time whose text does not sort, as 2024-01-31 does";
  case TimeForm::Digits:
    return "a date in digits";
  case TimeForm::Seconds:
    return "seconds since 1970";
  case TimeForm::Milliseconds:
    return "milliseconds since 1970";
  }
  llvm_unreachable("all forms have a text");
}

std::optional<std::string> mlc::frontend::newestFrom(const ColumnStatistics &statistics, bool isNumber, double share) {
  std::vector<std::pair<std::string, int64_t>> values;
  int64_t total = 0;
  statistics.forEachValue([&](llvm::StringRef value, int64_t count) {
    values.emplace_back(value.str(), count);
    total += count;
  });
  auto number = [](llvm::StringRef text) {
    double value = 0;
    text.trim().getAsDouble(value);
    return value;
  };
  llvm::sort(values, [&](const auto &a, const auto &b) {
    return isNumber ? std::make_pair(number(a.first), a.first) < std::make_pair(number(b.first), b.first)
                    : a.first < b.first;
  });
  // The newest values, until they have the share.
  int64_t newer = 0;
  for (size_t i = values.size(); i-- > 1;) {
    newer += values[i].second;
    if (static_cast<double>(newer) >= share * static_cast<double>(total) && newer < total)
      return values[i].first;
  }
  return std::nullopt;
}
