// Edit distance and the nearest valid name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/NearestMatch.h"

#include <gtest/gtest.h>

using namespace mlc::common;

TEST(NearestMatch, Distance) {
  EXPECT_EQ(editDistance("", ""), 0u);
  EXPECT_EQ(editDistance("abc", ""), 3u);
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(editDistance("ab", "ba"), 1u) << "a swap of neighbours is one edit";
  EXPECT_EQ(editDistance("ca", "abc"), 3u) << "swapped text is not edited again";
}

TEST(NearestMatch, AtMostAThird) {
  std::vector<std::string> names = {"dropout", "hidden_units", "optimizer"};
  EXPECT_EQ(nearestMatch("drop_out", names), "dropout");
  EXPECT_EQ(nearestMatch("hiden_unit", names), "hidden_units");
  EXPECT_EQ(nearestMatch("dropwxyz", names), "") << "4 edits of 8";
  EXPECT_EQ(nearestMatch("x", {}), "");
  EXPECT_EQ(didYouMean("otpimizer", names), "did you mean 'optimizer'?");
  EXPECT_EQ(didYouMean("banana", names), "");
}

TEST(NearestMatch, CaseIsNoDifference) {
  EXPECT_EQ(nearestMatch("Y", {"a", "y"}), "y");
  EXPECT_EQ(nearestMatch("AGE", {"agency", "age", "Age_of_car"}), "age");
  EXPECT_EQ(nearestMatch("hash_Bucket", {"hash_bucket", "Hash_Bucket", "hash_Buckets"}), "hash_bucket")
      << "as many letters, the case of one";
  EXPECT_EQ(didYouMean("DropOut", {"dropout"}), "did you mean 'dropout'?");
}

TEST(NearestMatch, NothingLeftIsAnotherName) {
  EXPECT_EQ(nearestMatch("x", {"a", "b"}), "");
  EXPECT_EQ(nearestMatch("x", {"xy"}), "xy");
  EXPECT_EQ(nearestMatch("", {"a"}), "");
}

TEST(NearestMatch, FirstOfEquals) { EXPECT_EQ(nearestMatch("bat", {"cat", "rat"}), "cat"); }
