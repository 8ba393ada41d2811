// Blocks that Snappy packed: elements of all kinds, and everything hostile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/data/Snappy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace mlc::common;
using testing::HasSubstr;
using namespace std::string_literals;

/// What a good block holds.
static std::string unpacked(std::string_view packed) {
  std::string bytes = "before", problem;
  EXPECT_TRUE(unpackSnappy(packed, bytes, problem)) << problem;
  return bytes;
}

TEST(SnappyTest, Elements) {
  EXPECT_EQ(unpacked("\0"s), "");
  EXPECT_EQ(unpacked("\x03\x08"
                     "abc"s),
            "abc");
  // A copy of 11 bytes from 2 before, which reaches into what it makes.
  EXPECT_EQ(unpacked("\x0d\x04"
                     "ab\x1d\x02"s),
            "ababababababa");
  // Offsets of 2 and of 4 bytes.
  EXPECT_EQ(unpacked("\x09\x08"
                     "abc\x0a\x03\0\x0b\x03\0\0\0"s),
            "abcabcabc");
  // Lengths of literals of 1 and of 2 bytes.
  EXPECT_EQ(unpacked("\x46\xf0\x45"s + std::string(70, 'x')), std::string(70, 'x'));
  EXPECT_EQ(unpacked("\xac\x02\xf4\x2b\x01"s + std::string(300, 'y')), std::string(300, 'y'));
}

TEST(SnappyTest, Damage) {
  const auto problem = [](const std::string &packed) {
    std::string bytes, problem;
    EXPECT_FALSE(unpackSnappy(packed, bytes, problem));
    return problem;
  };
  EXPECT_THAT(problem(""), HasSubstr("the unpacked size does not end"));
  EXPECT_THAT(problem("\xff\xff\xff\xff\x0f"s), HasSubstr("4294967295, which 5 packed bytes cannot give"));
  EXPECT_THAT(problem("\x02\x00"s), HasSubstr("packed byte 1: an element that does not end in the block"));
  EXPECT_THAT(problem("\x02\xf0"s), HasSubstr("an element that does not end in the block"));
  EXPECT_THAT(problem("\x01\x04"
                      "ab"s),
              HasSubstr("more bytes than the 1 of the unpacked size"));
  EXPECT_THAT(problem("\x08\x00"
                      "a\x01\x02"s),
              HasSubstr("packed byte 3: a copy from 2 bytes before, of 1"));
  EXPECT_THAT(problem("\x08\x00"
                      "a\x01\x00"s),
              HasSubstr("a copy from 0 bytes before"));
  EXPECT_THAT(problem("\x05\x00"
                      "a"s),
              HasSubstr("the block ends after 1 unpacked bytes of 5"));
}

/// Whatever comes, the answer is bound by what came.
TEST(SnappyTest, AnyBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string packed(random() % 40, '\0');
    for (char &c : packed)
      c = static_cast<char>(random());
    if (!packed.empty())
      packed[0] = static_cast<char>(packed[0] & 0x7f);
    std::string bytes, problem;
    ASSERT_TRUE(unpackSnappy(packed, bytes, problem) ? bytes.size() <= 22 * packed.size() : !problem.empty());
  }
}
