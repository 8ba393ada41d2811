// Rows of cells of every size, copied to dense and to strided places.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/CellGather.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <vector>

using namespace mlcrt;

namespace {
class CellGatherTest : public testing::TestWithParam<int64_t> {};
} // namespace

TEST_P(CellGatherTest, EachRowIsAtItsPlaceAndNothingElseIsWritten) {
  constexpr int64_t kRows = 7, kFirst = 1000;
  constexpr unsigned char kUntouched = 0xee;
  const int64_t bytes = GetParam();
  std::vector<char> in(static_cast<size_t>(kRows * bytes));
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<char>(3 * i + 1);
  const std::vector<int64_t> rows = {kFirst + 6, kFirst, kFirst + 3, kFirst + 3, kFirst + 1};
  for (const int64_t gap : {0, 1, 24}) {
    const int64_t pitch = bytes + gap;
    std::vector<char> out(rows.size() * static_cast<size_t>(pitch) + 1, static_cast<char>(kUntouched));
    gatherCells(in.data(), bytes, rows.data(), static_cast<int64_t>(rows.size()), kFirst, out.data(), pitch);
    for (size_t i = 0; i < out.size(); ++i) {
      const auto row = static_cast<int64_t>(i) / std::max<int64_t>(pitch, 1);
      const auto byte = static_cast<int64_t>(i) % std::max<int64_t>(pitch, 1);
      const bool isCell = row < static_cast<int64_t>(rows.size()) && byte < bytes;
      const char expected = isCell ? in[static_cast<size_t>((rows[static_cast<size_t>(row)] - kFirst) * bytes + byte)]
                                   : static_cast<char>(kUntouched);
      EXPECT_EQ(out[i], expected) << "byte " << byte << " of row " << row << ", pitch " << pitch;
    }
  }
}

// Cells of i8, i32, i64 and texts have code of their own.
INSTANTIATE_TEST_SUITE_P(Sizes, CellGatherTest, testing::Values(0, 1, 2, 3, 4, 5, 8, 12, 16, 17, 52, 4096));

TEST(CellGather, NoRows) {
  char out = 'x';
  gatherCells(nullptr, 4, nullptr, 0, 0, &out, 4);
  EXPECT_EQ(out, 'x');
}
