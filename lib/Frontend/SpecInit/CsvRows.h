//===- CsvRows.h - Rows of delimited text, for a look at data -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_CSVROWS_H
#define LIB_FRONTEND_SPECINIT_CSVROWS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlc::frontend {

/// The form of the files, as the spec's Csv message has it.
struct CsvForm {
  char delimiter = ',';
  bool skipInitialSpace = false;
  /// Fields may stand in double quotes.
  bool quotes = true;
  /// Lines that begin with one of these are no rows.
  std::vector<std::string> comments = {};
  /// Lines to skip at the start of each file.
  int64_t skipLines = 0;
  /// LibSVM: a row has two fields, what stands before the first blanks, and the rest up to a '#'.
  bool restOfLine = false;
};

/// A row of a file, valid until the next one is read.
struct CsvRow {
  /// Without quotes around them.
  llvm::ArrayRef<llvm::StringRef> fields;
  /// Its bytes without the line end: what the trainer calls its record.
  llvm::StringRef record;
};

/// Cuts text into rows: double quotes (if the form has any) keep delimiters and line ends, "" in them is a quote; empty
/// lines and comments are no rows.
class RowSplitter {
public:
  explicit RowSplitter(const CsvForm &form) : form_(form) {}

  enum class Found { Row, NoRow, More };
  /// Takes the first line off `text`. More: it does not end within the text, which is not the last of the file.
  Found take(llvm::StringRef &text, bool isLast);
  /// The line that was taken, if it is a row.
  CsvRow row() const { return {fields_, record_}; }
  /// Whether the last line of a file ended within quotes.
  bool isOpen() const { return open_; }

private:
  enum class End { Delimiter, Line, Text };
  End takeField(llvm::StringRef text, size_t &at);
  End takeQuoted(llvm::StringRef text, size_t &at);
  Found takeLine(llvm::StringRef &text, bool isLast);

  const CsvForm &form_;
  std::vector<llvm::StringRef> fields_;
  llvm::StringRef record_;
  /// Fields that are not bytes of the text: with quotes in them.
  llvm::BumpPtrAllocator texts_;
  bool open_ = false;
};

/// Calls `row` with each row of a file (plain, gzip or zstd) until it returns false. Returns what is wrong with the
/// file, else the empty text. Rows of a Parquet file are those of the CSV file it stands for, whatever the form.
///
/// The trainer's reader makes batches of typed columns of known names and belongs to the runtime; here neither names
/// nor types are known yet.
std::string readRows(const std::string &path, const CsvForm &form, llvm::function_ref<bool(const CsvRow &)> row);

/// The form of LibSVM files, if the first rows are a number and index:number, at least once.
std::optional<CsvForm> libSvmForm(const std::string &path);

/// Takes the first index:number off `values`; false if it begins with something else.
bool takeIndex(llvm::StringRef &values, int64_t &index);

/// The form that makes most fields, in equal number in the first rows.
CsvForm voteForm(const std::string &path, std::string &problem);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_CSVROWS_H
