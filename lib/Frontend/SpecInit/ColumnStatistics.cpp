//===- ColumnStatistics.cpp - What the cells of a column have in common --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/ColumnStatistics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <farmhash.h>

using namespace mlc::frontend;

/// Hashes that the sketch keeps: about 3 % of error.
static constexpr size_t kSketch = 1024;

bool mlc::frontend::isMissingMark(llvm::StringRef cell) {
  static const char *const marks[] = {"", "?", "na", "n/a", "null", "nan", "-"};
  return llvm::any_of(marks, [&](llvm::StringRef mark) { return cell.equals_insensitive(mark); });
}

void ColumnStatistics::add(llvm::StringRef cell, llvm::StringRef label) {
  if (!isMissingMark(cell))
    return addValue(cell, label);
  ++rows_;
  ++missing_;
  if (!cell.empty())
    marks_.insert(cell.str());
}

void ColumnStatistics::addValue(llvm::StringRef cell, llvm::StringRef label) {
  ++rows_;
  double number = 0;
  int64_t integer = 0;
  // Blanks around numbers are read over.
  llvm::StringRef text = cell.trim(" \t");
  if (!text.empty() && !llvm::isAlpha(text.back()) && !text.getAsDouble(number) && std::isfinite(number)) {
    ++numbers_;
    bool whole = !text.getAsInteger(10, integer);
    integers_ += whole;
    // One pass for three moments.
    double n = static_cast<double>(numbers_), delta = number - mean_, step = delta / n;
    double term = delta * step * (n - 1);
    third_ += term * step * (n - 2) - 3 * step * second_;
    second_ += term;
    mean_ += step;
    counter_ &= whole && (numbers_ == 1 || number == last_ + 1);
    last_ = number;
    min_ = numbers_ == 1 ? number : std::min(min_, number);
    max_ = numbers_ == 1 ? number : std::max(max_, number);
  } else {
    counter_ = false;
  }
  if (!overflow_) {
    auto [value, isNew] = values_.try_emplace(cell);
    ++value->second.count;
    if (isNew)
      value->second.label = label.str();
    else
      value->second.oneLabel &= value->second.label == label;
    overflow_ = values_.size() > kMostValues;
  }
  sketch_.insert(util::Fingerprint64(cell.data(), cell.size()));
  if (sketch_.size() > kSketch)
    sketch_.erase(std::prev(sketch_.end()));
}

int64_t ColumnStatistics::distinct() const {
  if (!overflow_)
    return static_cast<int64_t>(values_.size());
  double share = static_cast<double>(*sketch_.rbegin()) / std::pow(2.0, 64);
  return static_cast<int64_t>((kSketch - 1) / share);
}

double ColumnStatistics::stddev() const {
  return numbers_ > 1 ? std::sqrt(second_ / static_cast<double>(numbers_ - 1)) : 0;
}

double ColumnStatistics::skew() const {
  double n = static_cast<double>(numbers_);
  return second_ > 0 ? std::sqrt(n) * third_ / std::pow(second_, 1.5) : 0;
}

bool ColumnStatistics::determinesLabel() const {
  return !overflow_ && values_.size() > 1 && static_cast<int64_t>(2 * values_.size()) <= present() &&
         llvm::all_of(values_, [](const auto &value) { return value.second.oneLabel; });
}

ColumnStatistics::Terms ColumnStatistics::split(char separator) const {
  Terms terms;
  llvm::StringMap<int64_t> counts;
  for (const auto &value : values_) {
    llvm::SmallVector<llvm::StringRef> parts;
    value.first().split(parts, separator, /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    int64_t count = value.second.count;
    terms.cells += count;
    terms.cutCells += parts.size() > 1 ? count : 0;
    terms.total += count * static_cast<int64_t>(parts.size());
    for (llvm::StringRef part : parts)
      counts[part] += count;
  }
  terms.distinctCells = static_cast<int64_t>(values_.size());
  terms.distinct = static_cast<int64_t>(counts.size());
  for (const auto &term : counts)
    if (term.second > 1)
      terms.frequent.push_back(term.first().str());
  llvm::sort(terms.frequent, [&](const std::string &a, const std::string &b) {
    int64_t countA = counts.lookup(a), countB = counts.lookup(b);
    return countA != countB ? countA > countB : a < b;
  });
  return terms;
}

std::vector<std::string> ColumnStatistics::values() const {
  std::vector<std::string> result;
  if (overflow_)
    return result;
  for (const auto &value : values_)
    result.push_back(value.first().str());
  auto number = [](const std::string &text) {
    double value = 0;
    llvm::StringRef(text).trim().getAsDouble(value);
    return value;
  };
  llvm::sort(result, [&](const std::string &a, const std::string &b) {
    if (isNumber())
      return std::make_pair(number(a), a) < std::make_pair(number(b), b);
    int64_t countA = values_.find(a)->second.count, countB = values_.find(b)->second.count;
    return countA != countB ? countA > countB : a < b;
  });
  return result;
}
