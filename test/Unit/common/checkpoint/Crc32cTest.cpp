// CRC-32C against published vectors and against itself in pieces.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/checkpoint/Crc32c.h"

#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

using namespace mlc::common;

// Vectors of RFC 3720, B.4.
TEST(Crc32c, KnownVectors) {
  std::vector<uint8_t> bytes(32, 0);
  EXPECT_EQ(crc32c(bytes.data(), 32), 0x8A9136AAu);
  std::fill(bytes.begin(), bytes.end(), 0xFF);
  EXPECT_EQ(crc32c(bytes.data(), 32), 0x62A8AB43u);
  std::iota(bytes.begin(), bytes.end(), 0);
  EXPECT_EQ(crc32c(bytes.data(), 32), 0x46DD794Eu);
  EXPECT_EQ(crc32c("123456789", 9), 0xE3069283u);
  EXPECT_EQ(crc32cPortable("123456789", 9), 0xE3069283u);
  EXPECT_EQ(crc32c("", 0), 0u);
}

TEST(Crc32c, InstructionEqualsTableAtAllLengthsAndOffsets) {
  std::vector<uint8_t> bytes(100);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i * 131 + 7);
  for (size_t offset = 0; offset < 9; ++offset)
    for (size_t size = 0; size + offset <= bytes.size(); ++size)
      ASSERT_EQ(crc32c(bytes.data() + offset, size), crc32cPortable(bytes.data() + offset, size));
}

TEST(Crc32c, ContinuesOverPieces) {
  std::string text = "the quick brown fox jumps over the lazy dog";
  for (size_t cut = 0; cut <= text.size(); ++cut)
    ASSERT_EQ(crc32c(text.data() + cut, text.size() - cut, crc32c(text.data(), cut)), crc32c(text.data(), text.size()));
}
