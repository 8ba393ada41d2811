// A Parquet file as the CSV text of the same table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parquet/ParquetText.h"

#include "common/cli/NearestMatch.h"

#include <algorithm>

namespace mlc::common::parquet {

/// Bytes of a piece, and some more for a row.
static constexpr size_t kPieceBytes = size_t{1} << 18;

std::unique_ptr<ParquetText> ParquetText::open(std::string_view file, const TextOptions &options, Problem &problem) {
  auto text = std::make_unique<ParquetText>();
  if (!readFooter(file, text->footer_, problem))
    return nullptr;
  std::vector<const WantedColumn *> wanted(text->footer_.columns.size());
  const std::vector<std::string> names = text->names();
  for (const WantedColumn &column : options.columns) {
    const auto found = std::find(names.begin(), names.end(), column.name);
    if (found == names.end()) {
      problem = {"E0317", "the file lacks the column '" + column.name + "'", {}, didYouMean(column.name, names), 0};
      return nullptr;
    }
    if (std::find(found + 1, names.end(), column.name) != names.end()) {
      problem = {"E0317", "the column '" + column.name + "' is there twice", "distinct names", {}, 0};
      return nullptr;
    }
    wanted[static_cast<size_t>(found - names.begin())] = &column;
  }
  static const WantedColumn kDefault;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i] && !options.all)
      continue;
    const Column &column = text->footer_.columns[i];
    const WantedColumn &how = wanted[i] ? *wanted[i] : kDefault;
    const bool isSpare = !wanted[i] && options.isLenient;
    if (isSpare && !column.unsupported.empty()) {
      text->leftOut_.push_back(&column);
      continue;
    }
    if (!column.unsupported.empty()) {
      problem = {"E0311",
                 "column '" + column.name + "' is " + column.unsupported,
                 "bools, numbers, texts, dates, times, decimals, or lists of them",
                 {},
                 0};
      return nullptr;
    }
    text->columns_.emplace_back(file, column, how.separator, how.isWhole, /*isSpare=*/isSpare);
  }
  return text;
}

std::vector<std::string> ParquetText::names() const {
  std::vector<std::string> names;
  for (const Column &column : footer_.columns)
    names.push_back(column.name);
  return names;
}

/// Appends a text as a field: in quotes if there is something in it that ends a field.
bool ParquetText::appendQuoted(const ColumnReader &column, std::string_view cell, Problem &problem) {
  bool isPlain = true;
  for (const char c : cell) {
    isPlain = isPlain && c != ',' && c != '"' && c != '\n' && c != '\r';
    if (c == '\0') {
      problem = {"E0313", "column '" + column.column().name + "' has a text with a NUL byte", "text", {}, row_ + 1};
      return false;
    }
  }
  if (isPlain) {
    piece_ += cell;
    return true;
  }
  piece_ += '"';
  for (const char c : cell) {
    piece_ += c;
    if (c == '"')
      piece_ += c;
  }
  piece_ += '"';
  return true;
}

bool ParquetText::appendRow(Problem &problem) {
  const size_t begin = piece_.size();
  bool isFirst = true;
  for (ColumnReader &column : columns_) {
    if (!isFirst)
      piece_ += ',';
    isFirst = false;
    bool good = true;
    if (!column.isText()) {
      good = column.appendCell(piece_, problem);
    } else {
      cell_.clear();
      good = column.appendCell(cell_, problem) && appendQuoted(column, cell_, problem);
    }
    if (!good) {
      problem.row = row_ + 1;
      return false;
    }
  }
  // A line without a byte would be no row.
  if (piece_.size() == begin)
    piece_ += "\"\"";
  piece_ += '\n';
  ++row_;
  return true;
}

void ParquetText::appendNames() {
  Problem none;
  for (const ColumnReader &column : columns_) {
    if (&column != &columns_.front())
      piece_ += ',';
    appendQuoted(column, column.column().name, none);
  }
  piece_ += piece_.empty() ? "\"\"\n" : "\n";
}

std::string_view ParquetText::next(Problem &problem) {
  piece_.clear();
  if (!isBegun_)
    appendNames();
  isBegun_ = true;
  for (; group_ < footer_.groups.size(); ++group_, rowOfGroup_ = 0) {
    const RowGroup &group = footer_.groups[group_];
    if (rowOfGroup_ == 0)
      for (ColumnReader &column : columns_)
        if (!column.begin(group.chunks[column.column().leaf], static_cast<int64_t>(group_), group.rows, problem))
          return {};
    for (; rowOfGroup_ < group.rows; ++rowOfGroup_) {
      if (piece_.size() >= kPieceBytes)
        return piece_;
      if (!appendRow(problem))
        return {};
    }
    for (ColumnReader &column : columns_)
      if (!column.finish(problem))
        return {};
  }
  return piece_;
}

} // namespace mlc::common::parquet
