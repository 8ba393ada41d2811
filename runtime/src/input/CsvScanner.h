// Where CSV records begin and end, and what their fields are. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grammar (RFC 4180 with the options of `CsvFormat`): a record ends at a line feed, or a carriage return and a line
// feed, outside quotes, or at the end of the file. A quote opens a quoted field only as the first character of the
// field (after blanks that skipInitialSpace skips); elsewhere in an unquoted field it is an ordinary character. After
// the closing quote comes the delimiter or the end of the record. Empty lines and comment lines are no records. A UTF-8
// byte order mark at the start of the file is dropped.
#ifndef MLCRT_INPUT_CSVSCANNER_H
#define MLCRT_INPUT_CSVSCANNER_H

#include "absl/status/status.h"
#include "runtime/src/input/InputFormat.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Finds the records of a file, one after the other.
class CsvScanner {
public:
  /// `text` is the whole file. Skips the byte order mark and `format.skipLines` lines.
  CsvScanner(std::string_view text, const CsvFormat &format);

  /// What `next` found.
  enum class Result { Record, End, UnterminatedQuote };

  /// Goes to the next record. After Record: [begin(), end()) is its text without the line end, line() the line on which
  /// it begins. After UnterminatedQuote: line() and field() say where the quote opens.
  Result next();

  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }
  int64_t line() const { return line_; }
  int64_t field() const { return field_; }

private:
  bool isComment(std::string_view line) const;
  Result scanQuoted();

  std::string_view text_;
  const CsvFormat &format_;
  size_t position_ = 0;
  int64_t nextLine_ = 1;
  int64_t begin_ = 0, end_ = 0, line_ = 0, field_ = 0;
};

/// A field of a record.
struct CsvField {
  /// Its text; for a quoted field what stands between the quotes, doubled quotes still doubled.
  std::string_view text;
  /// Whether `text` has doubled quotes that stand for one.
  bool escaped = false;
};

/// Splits `record` (from CsvScanner, without the line end) into `fields` (cleared first). Returns the number, from 1,
/// of a field that has text after its closing quote, or 0 if all are well formed.
int64_t splitRecord(std::string_view record, const CsvFormat &format, std::vector<CsvField> &fields);

/// Writes the text of an escaped field, one quote for each doubled one, to `out` (room for field.text.size() bytes) and
/// returns its size.
int64_t unescapeField(const CsvField &field, char *out);

} // namespace mlcrt

#endif // MLCRT_INPUT_CSVSCANNER_H
