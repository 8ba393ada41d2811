//===- CsvRows.cpp - Rows of delimited text, for a look at data ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/CsvRows.h"
#include "lib/Frontend/SpecInit/PackedFile.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

using namespace mlc::frontend;

/// Rows that a vote looks at.
static constexpr int kVoters = 200;

/// Takes a field that begins with a quote, from the place after it on.
RowSplitter::End RowSplitter::takeQuoted(llvm::StringRef text, size_t &at) {
  const size_t begin = at;
  std::string joined;
  bool isJoined = false;
  for (size_t from = begin;; from = at) {
    const size_t quote = text.find('"', at);
    if (quote == llvm::StringRef::npos) {
      at = text.size();
      open_ = true;
      return End::Text;
    }
    at = quote + 1;
    if (at < text.size() && text[at] == '"') { // half of a pair: one of them stays
      joined += text.slice(from, at++);
      isJoined = true;
      continue;
    }
    // What stands after the closing quote belongs to the field.
    const size_t rest = at;
    while (at < text.size() && text[at] != form_.delimiter && text[at] != '\n')
      ++at;
    const End end = at == text.size() ? End::Text : text[at] == '\n' ? End::Line : End::Delimiter;
    llvm::StringRef tail = text.slice(rest, at);
    if (end != End::Delimiter)
      tail.consume_back("\r");
    if (!isJoined && tail.empty()) {
      fields_.push_back(text.slice(begin, quote));
      return end;
    }
    joined += text.slice(from, quote);
    joined += tail;
    fields_.push_back(llvm::StringRef(joined).copy(texts_));
    return end;
  }
}

/// Takes a field that begins at `at`, up to what ends it.
RowSplitter::End RowSplitter::takeField(llvm::StringRef text, size_t &at) {
  if (form_.skipInitialSpace)
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t') && text[at] != form_.delimiter)
      ++at;
  if (form_.quotes && at < text.size() && text[at] == '"')
    return takeQuoted(text, ++at);
  const size_t begin = at;
  const char *const bytes = text.data();
  const size_t size = text.size();
  while (at < size && bytes[at] != form_.delimiter && bytes[at] != '\n')
    ++at;
  const End end = at == size ? End::Text : bytes[at] == '\n' ? End::Line : End::Delimiter;
  llvm::StringRef field = text.slice(begin, at);
  if (end != End::Delimiter)
    field.consume_back("\r");
  fields_.push_back(field);
  return end;
}

/// take() where the second field is the rest of the line.
RowSplitter::Found RowSplitter::takeLine(llvm::StringRef &text, bool isLast) {
  const size_t end = text.find('\n');
  if (end == llvm::StringRef::npos && !isLast)
    return Found::More;
  record_ = text.take_front(end);
  record_.consume_back("\r");
  text = text.drop_front(std::min(end, text.size() - 1) + 1);
  llvm::StringRef rest = record_.take_until([](char c) { return c == '#'; }).trim(" \t");
  fields_.push_back(rest.take_until([](char c) { return c == ' ' || c == '\t'; }));
  fields_.push_back(rest.drop_front(fields_[0].size()).ltrim(" \t"));
  return rest.empty() ? Found::NoRow : Found::Row;
}

RowSplitter::Found RowSplitter::take(llvm::StringRef &text, bool isLast) {
  fields_.clear();
  texts_.Reset();
  open_ = false;
  if (form_.restOfLine)
    return takeLine(text, isLast);
  const bool isComment =
      llvm::any_of(form_.comments, [&](const std::string &comment) { return text.starts_with(comment); });
  size_t at = 0;
  End end = End::Delimiter;
  if (isComment) {
    at = text.find('\n');
    end = at == llvm::StringRef::npos ? End::Text : End::Line;
    at = std::min(at, text.size());
  }
  while (end == End::Delimiter) {
    end = takeField(text, at);
    at += end == End::Delimiter;
  }
  if (end == End::Text && !isLast)
    return Found::More;
  record_ = text.take_front(at);
  record_.consume_back("\r");
  text = text.drop_front(at + (end == End::Line));
  return isComment || record_.empty() || open_ ? Found::NoRow : Found::Row;
}

std::string mlc::frontend::readRows(const std::string &path, const CsvForm &form,
                                    llvm::function_ref<bool(const CsvRow &)> row) {
  PackedFile file(path);
  const CsvForm plain;
  const CsvForm &used = file.isParquet() ? plain : form;
  RowSplitter splitter(used);
  std::string pending;
  bool isFirst = true;
  int64_t linesToSkip = used.skipLines;
  for (bool isLast = false; !isLast;) {
    // A line that does not end is read again only with as many bytes more.
    for (size_t needed = 2 * pending.size(); !isLast && pending.size() <= needed;) {
      llvm::StringRef bytes = file.next();
      isLast = bytes.empty();
      pending += bytes;
    }
    if (!file.problem().empty())
      return file.problem();
    llvm::StringRef rest = pending;
    if (std::exchange(isFirst, false))
      rest.consume_front("\xEF\xBB\xBF");
    while (linesToSkip > 0 && rest.contains('\n')) {
      rest = rest.drop_front(rest.find('\n') + 1);
      --linesToSkip;
    }
    while (linesToSkip == 0 && !rest.empty()) {
      const RowSplitter::Found found = splitter.take(rest, isLast);
      if (found == RowSplitter::Found::More)
        break;
      if (found == RowSplitter::Found::Row && !row(splitter.row()))
        return {};
    }
    pending.erase(0, pending.size() - rest.size());
  }
  return splitter.isOpen() ? "a quote is not closed" : "";
}

bool mlc::frontend::takeIndex(llvm::StringRef &values, int64_t &index) {
  double value = 0;
  llvm::StringRef pair = values.take_until([](char c) { return c == ' ' || c == '\t'; });
  values = values.drop_front(pair.size()).ltrim(" \t");
  auto [before, after] = pair.split(':');
  return !before.getAsInteger(10, index) && index >= 0 && !after.getAsDouble(value);
}

std::optional<CsvForm> mlc::frontend::libSvmForm(const std::string &path) {
  CsvForm form;
  form.delimiter = ' ';
  form.quotes = false;
  form.comments = {"#"};
  form.restOfLine = true;
  bool fits = true, isFound = false;
  int rows = 0;
  readRows(path, form, [&](const CsvRow &row) {
    double label = 0;
    int64_t index = 0;
    llvm::StringRef values = row.fields[1];
    fits = !row.fields[0].getAsDouble(label);
    isFound |= !values.empty();
    while (fits && !values.empty())
      fits = takeIndex(values, index);
    return fits && ++rows < kVoters;
  });
  return fits && isFound ? std::optional(form) : std::nullopt;
}

CsvForm mlc::frontend::voteForm(const std::string &path, std::string &problem) {
  CsvForm best;
  size_t most = 0;
  for (char delimiter : {',', '\t', ';', '|'}) {
    CsvForm form;
    form.delimiter = delimiter;
    size_t fields = 0, rows = 0, spaces = 0;
    bool even = true;
    std::string wrong = readRows(path, form, [&](const CsvRow &row) {
      if (rows++ == 0)
        fields = row.fields.size();
      even &= row.fields.size() == fields;
      // Blanks after most delimiters are no part of the fields.
      for (llvm::StringRef field : row.fields.drop_front())
        spaces += field.starts_with(" ");
      return rows < kVoters;
    });
    if (!wrong.empty() && wrong != "a quote is not closed") {
      problem = wrong;
      return best;
    }
    if (!even || fields <= most)
      continue;
    most = fields;
    form.skipInitialSpace = fields > 1 && 2 * spaces > rows * (fields - 1);
    best = form;
  }
  return best;
}
