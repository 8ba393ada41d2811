// Tables of text columns for people. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_TEXTTABLE_H
#define MLCRT_CORE_TEXTTABLE_H

#include <string>
#include <vector>

namespace mlcrt {

/// How the cells of a table stand in their columns.
enum class TableLayout {
  Texts,  ///< flush left
  Numbers ///< flush right but for the first column, of names
};

/// A line for each row; columns are as wide as their widest cell, two blanks between. Rows may have fewer cells.
std::string textTable(const std::vector<std::vector<std::string>> &rows, TableLayout layout);

} // namespace mlcrt

#endif // MLCRT_CORE_TEXTTABLE_H
