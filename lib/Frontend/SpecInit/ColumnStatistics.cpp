//===- ColumnStatistics.cpp - What the cells of a column have in common --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/ColumnStatistics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

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

/// Reads what most numbers are: digits, perhaps with a point and a sign, that make an integer below 2^53 and a power of
/// ten, whose quotient is the number nearest to the text. False for all else, which may be a number all the same.
static bool readPlainNumber(llvm::StringRef text, double &number, bool &isWhole) {
  static constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char *at = text.begin(), *const end = text.end();
  const bool isNegative = at != end && *at == '-';
  at += isNegative;
  // Fifteen digits are below 2^53.
  if (end - at > 16 || at == end)
    return false;
  int64_t digits = 0;
  int count = 0, fraction = -1;
  for (; at != end; ++at) {
    const unsigned digit = static_cast<unsigned char>(*at) - '0';
    if (digit <= 9) {
      digits = 10 * digits + digit;
      ++count;
      fraction += fraction >= 0;
    } else if (*at == '.' && fraction < 0) {
      fraction = 0;
    } else {
      return false;
    }
  }
  if (count == 0 || count > 15)
    return false;
  isWhole = fraction < 0;
  number = static_cast<double>(digits) / kPowers[std::max(fraction, 0)];
  number = isNegative ? -number : number;
  return true;
}

/// Reads a finite number, with blanks around it.
static bool readNumber(llvm::StringRef cell, double &number, bool &isWhole) {
  if (readPlainNumber(cell, number, isWhole))
    return true;
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

/// Adds the moments of the numbers that stand after these (Pébay 2008).
void ColumnStatistics::Moments::append(const Moments &next) {
  if (next.count == 0) {
    counter &= next.counter;
    return;
  }
  if (count == 0) {
    const bool was = counter;
    const int64_t number = part;
    *this = next;
    counter &= was;
    part = number;
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
  least = std::min(least, next.least);
  most = std::max(most, next.most);
}

/// Adds the numbers that wait to the moments: in blocks, without a division for each, and more exactly.
void ColumnStatistics::flush() {
  Moments block;
  block.counter = std::exchange(allInteger_, true);
  block.count = static_cast<int64_t>(std::exchange(toAdd_, 0));
  if (block.count > 0) {
    const llvm::ArrayRef<double> numbers(numbersToAdd_.data(), static_cast<size_t>(block.count));
    block.first = block.least = block.most = numbers.front();
    block.last = numbers.back();
    double sum = 0;
    for (double number : numbers) {
      sum += number;
      block.least = std::min(block.least, number);
      block.most = std::max(block.most, number);
    }
    block.mean = sum / static_cast<double>(block.count);
    for (double number : numbers) {
      const double delta = number - block.mean;
      block.second += delta * delta;
      block.third += delta * delta * delta;
    }
    for (size_t i = 1; block.counter && i < numbers.size(); ++i)
      block.counter = numbers[i] == numbers[i - 1] + 1;
  }
  total_.append(block);
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
  ValueTable::Value local;
  ValueTable::Value *value = &local;
  const uint64_t hash = llvm::xxh3_64bits(cell);
  bool isNew = true;
  if (hash <= bound()) {
    auto [found, inserted] = values_.insert(cell, hash);
    isNew = inserted;
    value = &found;
  }
  if (isNew) {
    value->isNumber = readNumber(cell, value->number, value->isInteger);
    value->label = label;
  }
  ++value->count;
  value->oneLabel &= value->label == label;
  allInteger_ &= value->isInteger;
  if (value->isNumber) {
    ++numbers_;
    integers_ += value->isInteger;
    numbersToAdd_[toAdd_++] = value->number;
    if (toAdd_ == numbersToAdd_.size())
      flush();
  }
  if (values_.size() > mostValues_)
    thin();
}

/// Halves the bound until there are few enough values below it.
void ColumnStatistics::thin() {
  while (values_.size() > mostValues_) {
    ++halvings_;
    values_.keepBelow(bound());
  }
}

void ColumnStatistics::beginPart(int64_t part) {
  flush();
  parts_.push_back(total_);
  total_ = Moments();
  total_.part = part;
}

void ColumnStatistics::merge(ColumnStatistics &&other) {
  flush();
  other.flush();
  rows_ += other.rows_;
  missing_ += other.missing_;
  integers_ += other.integers_;
  numbers_ += other.numbers_;
  parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end());
  parts_.push_back(other.total_);
  marks_.insert(other.marks_.begin(), other.marks_.end());
  if (values_.size() == 0 && halvings_ <= other.halvings_) {
    values_ = std::move(other.values_);
    halvings_ = other.halvings_;
    return;
  }
  // What each has counted below the lower bound is complete.
  halvings_ = std::max(halvings_, other.halvings_);
  values_.keepBelow(bound());
  other.values_.forEach([&](llvm::StringRef text, const ValueTable::Value &value) {
    if (value.hash > bound())
      return;
    auto [mine, isNew] = values_.insert(text, value.hash);
    if (isNew) {
      mine = value;
      return;
    }
    mine.count += value.count;
    mine.oneLabel &= value.oneLabel && mine.label == value.label;
  });
  thin();
}

void ColumnStatistics::finish() {
  flush();
  parts_.push_back(total_);
  llvm::stable_sort(parts_, [](const Moments &a, const Moments &b) { return a.part < b.part; });
  total_ = Moments();
  for (const Moments &part : parts_)
    total_.append(part);
  parts_.clear();
}

int64_t ColumnStatistics::rareValues() const {
  int64_t rare = 0;
  if (present() > kFewCells)
    forEachValue([&](llvm::StringRef, int64_t count) { rare += count < 2; });
  return rare;
}

int64_t ColumnStatistics::count(llvm::StringRef text) const {
  const ValueTable::Value *value = values_.find(llvm::xxh3_64bits(text));
  return value ? value->count : 0;
}

double ColumnStatistics::stddev() const {
  return numbers_ > 1 ? std::sqrt(total_.second / static_cast<double>(numbers_ - 1)) : 0;
}

double ColumnStatistics::skew() const {
  double n = static_cast<double>(numbers_);
  return total_.second > 0 ? std::sqrt(n) * total_.third / std::pow(total_.second, 1.5) : 0;
}

bool ColumnStatistics::determinesLabel() const {
  if (!isExact() || values_.size() < 2 || static_cast<int64_t>(2 * values_.size()) > present())
    return false;
  bool determines = true;
  values_.forEach([&](llvm::StringRef, const ValueTable::Value &value) { determines &= value.oneLabel; });
  return determines;
}

ColumnStatistics::Terms ColumnStatistics::split(char separator) const {
  Terms terms;
  llvm::StringMap<int64_t> counts;
  forEachValue([&](llvm::StringRef text, int64_t count) {
    llvm::SmallVector<llvm::StringRef> parts;
    text.split(parts, separator, /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    terms.cells += count;
    terms.cutCells += parts.size() > 1 ? count : 0;
    terms.total += count * static_cast<int64_t>(parts.size());
    for (llvm::StringRef part : parts)
      counts[part] += count;
  });
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
  forEachValue([&](llvm::StringRef text, int64_t) { result.push_back(text.str()); });
  auto number = [](const std::string &text) {
    double value = 0;
    llvm::StringRef(text).trim().getAsDouble(value);
    return value;
  };
  llvm::sort(result, [&](const std::string &a, const std::string &b) {
    if (isNumber())
      return std::make_pair(number(a), a) < std::make_pair(number(b), b);
    int64_t countA = count(a), countB = count(b);
    return countA != countB ? countA > countB : a < b;
  });
  return result;
}
