//===- NamePatternsTest.cpp - Ranges, globs and variables ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/NamePatterns.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc::frontend;
using testing::ElementsAre;
using testing::HasSubstr;

static std::vector<std::string> expanded(llvm::StringRef text) {
  std::vector<std::string> names;
  EXPECT_EQ(expandRanges(text, names), "");
  return names;
}

TEST(NamePatterns, RangesExpand) {
  EXPECT_THAT(expanded("plain"), ElementsAre("plain"));
  EXPECT_THAT(expanded("I[1-3]"), ElementsAre("I1", "I2", "I3"));
  EXPECT_THAT(expanded("I[09-11]x"), ElementsAre("I09x", "I10x", "I11x"));
  EXPECT_THAT(expanded("a[1-2]b[3-4]"), ElementsAre("a1b3", "a1b4", "a2b3", "a2b4"));
  EXPECT_THAT(expanded("a[[1-2]"), ElementsAre("a[1-2]"));
}

TEST(NamePatterns, MalformedRanges) {
  std::vector<std::string> names;
  EXPECT_THAT(expandRanges("I[1-", names), HasSubstr("malformed"));
  EXPECT_THAT(expandRanges("I[a-b]", names), HasSubstr("malformed"));
  EXPECT_THAT(expandRanges("I[3-1]", names), HasSubstr("must grow"));
  EXPECT_THAT(expandRanges("I[1-999999999]", names), HasSubstr("at most"));
  EXPECT_TRUE(names.empty());
}

TEST(NamePatterns, Globs) {
  EXPECT_TRUE(isGlob("*_embedding"));
  EXPECT_FALSE(isGlob("age"));
  EXPECT_TRUE(matchesGlob("*", ""));
  EXPECT_TRUE(matchesGlob("*_X_*", "a_X_b_X_c"));
  EXPECT_TRUE(matchesGlob("a?c", "abc"));
  EXPECT_TRUE(matchesGlob("*ab", "aab"));
  EXPECT_FALSE(matchesGlob("a?c", "ac"));
  EXPECT_FALSE(matchesGlob("*_embedding", "embedding_x"));
}

TEST(NamePatterns, Variables) {
  setenv("MLC_TEST_SET", "there", 1);
  setenv("MLC_TEST_EMPTY", "", 1);
  unsetenv("MLC_TEST_UNSET");
  std::string result;
  EXPECT_EQ(expandVariables("${MLC_TEST_SET:-no}/a-${MLC_TEST_UNSET:-b}.csv", result), "");
  EXPECT_EQ(result, "there/a-b.csv");
  EXPECT_EQ(expandVariables("x${MLC_TEST_EMPTY:-fallback}${MLC_TEST_EMPTY}$y", result), "");
  EXPECT_EQ(result, "xfallback$y");
  EXPECT_EQ(expandVariables("${MLC_TEST_UNSET}", result), "environment variable 'MLC_TEST_UNSET' is not set");
  EXPECT_EQ(expandVariables("${MLC", result), "'${' has no '}'");
}
