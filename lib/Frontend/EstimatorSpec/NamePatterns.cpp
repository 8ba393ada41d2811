//===- NamePatterns.cpp - Ranges and globs in lists of names -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/NamePatterns.h"

#include <cstdint>
#include <cstdlib>

using namespace mlc::frontend;

/// Most names that one range may make: a limit for slips of the finger.
static constexpr uint64_t kMaxRange = 100000;

std::string mlc::frontend::expandRanges(llvm::StringRef text, std::vector<std::string> &names) {
  std::string before;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '[') {
      before += text[i];
      continue;
    }
    if (text.substr(i + 1).starts_with("[")) {
      before += '[';
      ++i;
      continue;
    }
    auto [range, after] = text.substr(i + 1).split(']');
    auto [low, high] = range.split('-');
    uint64_t first = 0, last = 0;
    if (range.size() == text.size() - i - 1 || low.getAsInteger(10, first) || high.getAsInteger(10, last))
      return "'" + text.str() + "' has a malformed range; expected '[FIRST-LAST]', or '[[' for a bracket";
    if (first > last || last - first >= kMaxRange)
      return "the range of '" + text.str() + "' must grow and have at most " + std::to_string(kMaxRange) + " names";
    std::vector<std::string> rest;
    if (std::string error = expandRanges(after, rest); !error.empty())
      return error;
    size_t width = low.starts_with("0") ? low.size() : 0;
    for (uint64_t number = first; number <= last; ++number) {
      std::string digits = std::to_string(number);
      if (digits.size() < width)
        digits.insert(0, width - digits.size(), '0');
      for (const std::string &tail : rest)
        names.push_back(before + digits + tail);
    }
    return {};
  }
  names.push_back(before);
  return {};
}

bool mlc::frontend::isGlob(llvm::StringRef text) { return text.find_first_of("*?") != llvm::StringRef::npos; }

bool mlc::frontend::matchesGlob(llvm::StringRef pattern, llvm::StringRef name) {
  size_t p = 0, n = 0, star = llvm::StringRef::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != llvm::StringRef::npos) {
      // The star takes one byte more.
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

std::string mlc::frontend::expandVariables(llvm::StringRef text, std::string &result) {
  result.clear();
  while (true) {
    auto [before, rest] = text.split("${");
    result += before;
    if (before.size() == text.size())
      return {};
    size_t close = rest.find('}');
    if (close == llvm::StringRef::npos)
      return "'${' has no '}'";
    auto [name, fallback] = rest.take_front(close).split(":-");
    bool hasFallback = name.size() < close;
    const char *value = std::getenv(name.str().c_str());
    if (!value && !hasFallback)
      return "environment variable '" + name.str() + "' is not set";
    result += value && (*value || !hasFallback) ? value : fallback.str();
    text = rest.substr(close + 1);
  }
}
