//===- CsvRows.h - Rows of delimited text, for a look at data -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_CSVROWS_H
#define LIB_FRONTEND_SPECINIT_CSVROWS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
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
};

/// Calls `row` with the fields of each row of a file (plain, gzip or zstd) until it returns false: double quotes (if
/// they are any) keep delimiters and line ends, "" in them is a quote; empty lines are no rows. Returns what is wrong
/// with the file, else the empty text.
///
/// The trainer's reader makes batches of typed columns of known names and belongs to the runtime; here neither names
/// nor types are known yet.
std::string readRows(const std::string &path, const CsvForm &form,
                     llvm::function_ref<bool(const std::vector<std::string> &)> row);

/// The form that makes most fields, in equal number in the first rows.
CsvForm voteForm(const std::string &path, std::string &problem);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_CSVROWS_H
