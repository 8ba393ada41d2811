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

namespace {
/// Cuts a stream of bytes into rows.
class Splitter {
public:
  Splitter(const CsvForm &form, llvm::function_ref<bool(const std::vector<std::string> &)> row)
      : form_(form), row_(row), linesToSkip_(form.skipLines) {
    for (const std::string &comment : form.comments)
      longestComment_ = std::max(longestComment_, comment.size());
  }

  /// False when no more rows are wanted.
  bool put(char c) {
    if (inComment_ || linesToSkip_ > 0) {
      if (c == '\n') {
        inComment_ = false;
        linesToSkip_ = std::max<int64_t>(linesToSkip_ - 1, 0);
      }
      return true;
    }
    if (!inQuotes_ && start_.size() < longestComment_ && c != '\n') {
      start_ += c;
      if (llvm::is_contained(form_.comments, start_)) {
        inComment_ = true;
        clearRow();
        return true;
      }
    }
    if (inQuotes_) {
      if (c == '"') {
        inQuotes_ = false;
        afterQuote_ = true;
      } else {
        field_ += c;
      }
      return true;
    }
    if (form_.quotes && c == '"' && afterQuote_) {
      field_ += c;
      inQuotes_ = true;
    } else if (form_.quotes && c == '"' && field_.empty()) {
      inQuotes_ = quoted_ = true;
    } else if (c == form_.delimiter) {
      endField();
    } else if (c == '\n') {
      return endRow();
    } else if (c != '\r' && !((c == ' ' || c == '\t') && form_.skipInitialSpace && field_.empty() && !quoted_)) {
      field_ += c;
    }
    afterQuote_ = false;
    return true;
  }

  bool endRow() {
    start_.clear();
    if (fields_.empty() && field_.empty() && !quoted_)
      return true;
    endField();
    bool more = row_(fields_);
    fields_.clear();
    return more;
  }
  bool isOpen() const { return inQuotes_; }

private:
  void endField() {
    fields_.push_back(std::move(field_));
    field_.clear();
    quoted_ = false;
  }

  void clearRow() {
    start_.clear();
    fields_.clear();
    field_.clear();
    quoted_ = inQuotes_ = afterQuote_ = false;
  }

  const CsvForm &form_;
  llvm::function_ref<bool(const std::vector<std::string> &)> row_;
  std::vector<std::string> fields_;
  std::string field_;
  int64_t linesToSkip_;
  /// The first bytes of the row, as many as a mark of a comment may have.
  std::string start_;
  size_t longestComment_ = 0;
  bool inComment_ = false;
  bool inQuotes_ = false;
  bool quoted_ = false;
  /// The last byte was a quote that may have closed a field or may be half of a pair.
  bool afterQuote_ = false;
};
} // namespace

std::string mlc::frontend::readRows(const std::string &path, const CsvForm &form,
                                    llvm::function_ref<bool(const std::vector<std::string> &)> row) {
  PackedFile file(path);
  Splitter splitter(form, row);
  bool first = true;
  for (llvm::StringRef text = file.next(); !text.empty(); text = file.next()) {
    if (std::exchange(first, false))
      text.consume_front("\xEF\xBB\xBF");
    for (char c : text)
      if (!splitter.put(c))
        return {};
  }
  if (!file.problem().empty())
    return file.problem();
  if (splitter.isOpen())
    return "a quote is not closed";
  splitter.endRow();
  return {};
}

CsvForm mlc::frontend::voteForm(const std::string &path, std::string &problem) {
  CsvForm best;
  size_t most = 0;
  for (char delimiter : {',', '\t', ';', '|'}) {
    CsvForm form;
    form.delimiter = delimiter;
    size_t fields = 0, rows = 0, spaces = 0;
    bool even = true;
    std::string wrong = readRows(path, form, [&](const std::vector<std::string> &row) {
      if (rows++ == 0)
        fields = row.size();
      even &= row.size() == fields;
      // Blanks behind most delimiters are no part of the fields.
      for (size_t i = 1; i < row.size(); ++i)
        spaces += !row[i].empty() && row[i][0] == ' ';
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
