//===- ColumnStatistics.cpp - What the cells of a column have in common --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/ColumnStatistics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace mlc::frontend;

bool mlc::frontend::isMissingMark(llvm::StringRef cell) {
  // Most cells are told by their length or their first byte.
  if (cell.size() > 4)
    return false;
  if (cell.empty())
    return true;
  switch (cell.front()) {
  case '?':
  case '-':
    return cell.size() == 1;
  case 'n':
  case 'N':
    return cell.equals_insensitive("na") || cell.equals_insensitive("n/a") || cell.equals_insensitive("nan") ||
           cell.equals_insensitive("null");
  default:
    return false;
  }
}

/// Reads a finite number, with blanks around it.
static bool readNumber(llvm::StringRef cell, double &number, bool &isWhole) {
  llvm::StringRef text = cell.trim(" \t");
  if (text.empty() || llvm::isAlpha(text.back()))
    return false;
  text.consume_front("+");
  auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || end != text.end() || !std::isfinite(number))
    return false;
  int64_t integer = 0;
  auto [stop, misfit] = std::from_chars(text.begin(), text.end(), integer);
  isWhole = misfit == std::errc() && stop == text.end();
  return true;
}

void ColumnStatistics::Moments::add(double number, bool isWhole) {
  // One pass for three moments.
  ++count;
  double n = static_cast<double>(count), delta = number - mean, step = delta / n;
  double term = delta * step * (n - 1);
  third += term * step * (n - 2) - 3 * step * second;
  second += term;
  mean += step;
  counter &= isWhole && (count == 1 || number == last + 1);
  if (count == 1)
    first = number;
  last = number;
}

/// Adds the moments of the numbers that stand behind these (Pébay 2008).
void ColumnStatistics::Moments::append(const Moments &next) {
  if (next.count == 0) {
    counter &= next.counter;
    return;
  }
  if (count == 0) {
    bool was = counter;
    *this = next;
    counter &= was;
    return;
  }
  double a = static_cast<double>(count), b = static_cast<double>(next.count), n = a + b, delta = next.mean - mean;
  third +=
      next.third + delta * delta * delta * a * b * (a - b) / (n * n) + 3 * delta * (a * next.second - b * second) / n;
  second += next.second + delta * delta * a * b / n;
  mean += delta * b / n;
  counter = counter && next.counter && next.first == last + 1;
  count += next.count;
  last = next.last;
}

void ColumnStatistics::add(llvm::StringRef cell, uint64_t label) {
  if (!isMissingMark(cell))
    return addValue(cell, label);
  addMissing(1);
  if (!cell.empty())
    marks_.insert(cell.str());
}

void ColumnStatistics::addValue(llvm::StringRef cell, uint64_t label) {
  ++rows_;
  Value local;
  Value *value = &local;
  const uint64_t hash = llvm::xxh3_64bits(cell);
  bool isNew = true;
  if (hash <= bound()) {
    auto [found, inserted] = values_.try_emplace_with_hash(cell, static_cast<uint32_t>(hash));
    isNew = inserted;
    value = &found->second;
  }
  if (isNew) {
    value->isNumber = readNumber(cell, value->number, value->isInteger);
    value->label = label;
  }
  ++value->count;
  value->oneLabel &= value->label == label;
  if (value->isNumber) {
    const double number = value->number;
    min_ = numbers_ == 0 ? number : std::min(min_, number);
    max_ = numbers_ == 0 ? number : std::max(max_, number);
    ++numbers_;
    integers_ += value->isInteger;
    total_.add(number, value->isInteger);
  } else {
    total_.counter = false;
  }
  if (values_.size() > kMostValues)
    thin();
}

/// Halves the bound until there are few enough values below it.
void ColumnStatistics::thin() {
  while (values_.size() > kMostValues) {
    ++halvings_;
    for (auto it = values_.begin(), end = values_.end(); it != end;) {
      auto value = it++;
      if (llvm::xxh3_64bits(value->first()) > bound())
        values_.erase(value);
    }
  }
}

void ColumnStatistics::beginPart(int64_t part) {
  parts_.push_back(total_);
  total_ = Moments();
  total_.part = part;
}

void ColumnStatistics::merge(ColumnStatistics &&other) {
  if (other.numbers_ > 0) {
    min_ = numbers_ == 0 ? other.min_ : std::min(min_, other.min_);
    max_ = numbers_ == 0 ? other.max_ : std::max(max_, other.max_);
  }
  rows_ += other.rows_;
  missing_ += other.missing_;
  integers_ += other.integers_;
  numbers_ += other.numbers_;
  parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end());
  parts_.push_back(other.total_);
  marks_.insert(other.marks_.begin(), other.marks_.end());
  // What each has counted below the lower bound is complete.
  halvings_ = std::max(halvings_, other.halvings_);
  for (const auto &value : other.values_) {
    const uint64_t hash = llvm::xxh3_64bits(value.first());
    if (hash > bound())
      continue;
    auto [mine, isNew] = values_.try_emplace_with_hash(value.first(), static_cast<uint32_t>(hash), value.second);
    if (isNew)
      continue;
    mine->second.count += value.second.count;
    mine->second.oneLabel &= value.second.oneLabel && mine->second.label == value.second.label;
  }
  for (auto it = values_.begin(), end = values_.end(); it != end;) {
    auto value = it++;
    if (llvm::xxh3_64bits(value->first()) > bound())
      values_.erase(value);
  }
  thin();
}

void ColumnStatistics::finish() {
  parts_.push_back(total_);
  llvm::stable_sort(parts_, [](const Moments &a, const Moments &b) { return a.part < b.part; });
  total_ = Moments();
  for (const Moments &part : parts_)
    total_.append(part);
  parts_.clear();
}

double ColumnStatistics::stddev() const {
  return numbers_ > 1 ? std::sqrt(total_.second / static_cast<double>(numbers_ - 1)) : 0;
}

double ColumnStatistics::skew() const {
  double n = static_cast<double>(numbers_);
  return total_.second > 0 ? std::sqrt(n) * total_.third / std::pow(total_.second, 1.5) : 0;
}

bool ColumnStatistics::determinesLabel() const {
  return isExact() && values_.size() > 1 && static_cast<int64_t>(2 * values_.size()) <= present() &&
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
  if (!isExact())
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
