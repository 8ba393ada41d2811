// Words that a shell reads back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/ShellText.h"

#include <gtest/gtest.h>

using mlc::common::shellWord;

TEST(ShellText, Words) {
  EXPECT_EQ(shellWord("m/a-b_1.csv"), "m/a-b_1.csv");
  EXPECT_EQ(shellWord("train.epochs=3"), "train.epochs=3");
  EXPECT_EQ(shellWord("data/*.csv"), "'data/*.csv'");
  EXPECT_EQ(shellWord("my dir"), "'my dir'");
  EXPECT_EQ(shellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(shellWord(""), "''");
  EXPECT_EQ(shellWord("$HOME"), "'$HOME'");
}
