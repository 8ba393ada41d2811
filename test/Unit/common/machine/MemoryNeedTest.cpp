// Sizes that saturate, and how they are told.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/machine/MemoryNeed.h"

#include <gtest/gtest.h>

using namespace mlc::common;

TEST(MemoryNeed, SizesSaturate) {
  EXPECT_EQ(addSizes(1, 2), 3);
  EXPECT_EQ(addSizes(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(multiplySizes(int64_t{1} << 40, 1 << 20), int64_t{1} << 60);
  EXPECT_EQ(multiplySizes(int64_t{1} << 40, 1 << 30), INT64_MAX);
  EXPECT_EQ(multiplySizes(INT64_MAX, 0), 0);
}

TEST(MemoryNeed, Text) {
  EXPECT_EQ(memoryText({19'130'000'000, 19'130'000'000, 12'000'000, 128}),
            "state 19.1 GB, workspace 12.0 MB at 128 rows, checkpoint 19.1 GB");
  EXPECT_EQ(memoryText({40, 20, 64, 1}), "state 40 B, workspace 64 B at 1 row, checkpoint 20 B");
  EXPECT_EQ(memoryText({40, 20, -1, 0}), "state 40 B, checkpoint 20 B") << "an artifact that does not train";
  EXPECT_EQ(memoryText({40, 20, 0, 30, 32, 64}),
            "state 40 B, workspace 0 B at 30 rows, checkpoint 20 B; on the GPU: variables 32 B, workspace 64 B");
  EXPECT_EQ(memoryText({INT64_MAX, 1, -1, 0}), "state more than 9.2 EB, checkpoint 1 B");
}
