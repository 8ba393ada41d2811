// Bytes as people write them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/machine/ByteCount.h"

#include "gtest/gtest.h"

using mlc::common::parseByteCount;

TEST(ByteCount, ReadsNumbersAndUnits) {
  EXPECT_EQ(parseByteCount("0"), 0);
  EXPECT_EQ(parseByteCount("4294967296"), int64_t{1} << 32);
  EXPECT_EQ(parseByteCount("512MiB"), int64_t{512} << 20);
  EXPECT_EQ(parseByteCount("4GB"), 4'000'000'000);
  EXPECT_EQ(parseByteCount("1.5 KiB"), 1536);
  EXPECT_EQ(parseByteCount("1.9B"), 1);
  EXPECT_EQ(parseByteCount("2TiB"), int64_t{2} << 40);
}

TEST(ByteCount, RefusesWhatSaysNone) {
  for (const char *text :
       {"", " ", "GB", "lots", "-1", "1e9", "4 gb", "4GBs", "1.2.3", ".", "0x10", "99999999999999TB"})
    EXPECT_EQ(parseByteCount(text), std::nullopt) << text;
}
