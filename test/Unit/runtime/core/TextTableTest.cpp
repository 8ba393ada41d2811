// Tables of text columns.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/TextTable.h"

#include "gtest/gtest.h"

using namespace mlcrt;

TEST(TextTable, TextsStandLeftNumbersRight) {
  const std::vector<std::vector<std::string>> rows = {{"name", "count", "x"}, {"a", "7"}, {"longer", "1234567", ""}};
  EXPECT_EQ(textTable(rows, TableLayout::Texts), "name    count    x\n"
                                                 "a       7\n"
                                                 "longer  1234567\n");
  EXPECT_EQ(textTable(rows, TableLayout::Numbers), "name      count  x\n"
                                                   "a             7\n"
                                                   "longer  1234567\n");
  EXPECT_EQ(textTable({}, TableLayout::Texts), "");
}
