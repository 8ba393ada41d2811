// Rows by id, out of tables and into them; memory that rows are written to as they are needed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Rows.h"
#include "AllocationCount.h"
#include "FakeArtifact.h"
#include "runtime/src/core/State.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlcrt;
using testing::HasSubstr;

namespace {

/// Numbers of bytes that copies have code of their own for, and others.
class RowCopies : public testing::TestWithParam<int64_t> {};

TEST_P(RowCopies, GatherAndScatterAreInverse) {
  const int64_t bytes = GetParam(), begin = 1000, rows = 50;
  Tensor table(MLCRT_U8, {rows, bytes});
  std::iota(table.as<uint8_t>(), table.as<uint8_t>() + rows * bytes, uint8_t{1});
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 3 * rows; ++i)
    ids.push_back(begin + i * 7 % rows);
  std::vector<uint8_t> gathered(ids.size() * static_cast<size_t>(bytes));
  ASSERT_TRUE(gatherRows({table.buffer(), begin}, ids.data(), static_cast<int64_t>(ids.size()), gathered.data()).ok());
  for (size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(std::vector<uint8_t>(gathered.begin() + static_cast<int64_t>(i) * bytes,
                                   gathered.begin() + static_cast<int64_t>(i + 1) * bytes),
              std::vector<uint8_t>(table.as<uint8_t>() + (ids[i] - begin) * bytes,
                                   table.as<uint8_t>() + (ids[i] - begin + 1) * bytes));
  Tensor copy(MLCRT_U8, {rows, bytes});
  ASSERT_TRUE(scatterRows({copy.buffer(), begin}, ids.data(), rows, gathered.data()).ok());
  EXPECT_EQ(std::vector<uint8_t>(copy.as<uint8_t>(), copy.as<uint8_t>() + rows * bytes),
            std::vector<uint8_t>(table.as<uint8_t>(), table.as<uint8_t>() + rows * bytes));
}

INSTANTIATE_TEST_SUITE_P(Bytes, RowCopies, testing::Values(1, 4, 8, 12, 16, 32, 64, 100, 128, 256, 1000));

TEST(Rows, RefuseIdsOutsideOfTheRangeHeld) {
  Tensor table(MLCRT_F32, {10, 2});
  const float rows[] = {1, 2, 3, 4};
  const int64_t begin = 30;
  for (int64_t bad : {int64_t{29}, int64_t{40}, int64_t{-1}, int64_t{5}}) {
    const int64_t ids[] = {31, bad};
    float out[4] = {7, 7, 7, 7};
    const absl::Status gathered = gatherRows({table.buffer(), begin}, ids, 2, out);
    const absl::Status scattered = scatterRows({table.buffer(), begin}, ids, 2, rows);
    EXPECT_EQ(gathered.code(), absl::StatusCode::kOutOfRange);
    EXPECT_THAT(std::string(gathered.message()), HasSubstr("expected one of [30, 40)"));
    EXPECT_EQ(scattered, gathered);
    EXPECT_EQ(out[0], 7) << "nothing was copied";
    EXPECT_EQ(table.as<float>()[2], 0) << "nothing was copied";
  }
  EXPECT_EQ(bytesOfRow(table.buffer()), 8);
  EXPECT_TRUE(gatherRows({table.buffer(), begin}, nullptr, 0, nullptr).ok());
}

/// Pages of a tensor that are in memory.
int64_t residentPages(const Tensor &tensor) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> in((static_cast<size_t>(tensor.capacityBytes()) + page - 1) / page);
  EXPECT_EQ(mincore(tensor.data(), static_cast<size_t>(tensor.capacityBytes()), in.data()), 0);
  return std::accumulate(in.begin(), in.end(), int64_t{0}, [](int64_t sum, unsigned char c) { return sum + (c & 1); });
}

TEST(Rows, OfALargeTableTakeMemoryOnceWritten) {
  if (!countsAllocations())
    GTEST_SKIP() << "the sanitizer has its own allocator";
  constexpr int64_t kRows = 1 << 20;
  Tensor table(MLCRT_F32, {kRows, 32}); // 128 MiB
  EXPECT_EQ(residentPages(table), 0);
  table.release(); // small pages from here on
  const std::vector<int64_t> ids = {3, 70000, kRows - 1};
  const std::vector<float> rows(32 * ids.size(), 5);
  ASSERT_TRUE(scatterRows({table.buffer()}, ids.data(), 3, rows.data()).ok());
  EXPECT_EQ(residentPages(table), 3);
  EXPECT_EQ(table.as<float>()[32 * 70000 + 31], 5);
  table.release();
  EXPECT_EQ(residentPages(table), 0);
  EXPECT_EQ(table.as<float>()[32 * 70000 + 31], 0) << "released rows are zeros";
}

TEST(State, ReleasedRowsAreZeros) {
  auto artifact = Artifact::fromTable(mlc_artifact_query(MLCRT_ABI_VERSION, nullptr));
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  State state(*artifact);
  const int32_t table = (*artifact)->variableIndex("emb");
  ASSERT_GE(table, 0);
  auto *elements = static_cast<float *>(state.storage(table).data);
  std::fill_n(elements, elementCount(state.storage(table)), 3.0f);
  state.releaseRows(table);
  EXPECT_EQ(std::accumulate(elements, elements + elementCount(state.storage(table)), 0.0f), 0);
}

} // namespace
