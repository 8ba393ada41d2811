// The distinct rows that ids name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/RowSet.h"

#include "gtest/gtest.h"

#include <limits>
#include <random>
#include <set>

using namespace mlcrt;

namespace {

/// Tables whose rows are marked by bits, and those that are sorted.
class RowSets : public testing::TestWithParam<int64_t> {};

TEST_P(RowSets, AreThoseOfASet) {
  const int64_t rows = GetParam();
  RowSet set(rows);
  std::mt19937_64 random(7);
  for (size_t count : {size_t{0}, size_t{1}, size_t{5}, size_t{1000}, size_t{60000}, size_t{3}}) {
    std::set<int64_t> expected;
    // In pieces, as shards have them; half of the ids near each other, many twice.
    std::vector<int64_t> pieces[3];
    for (std::vector<int64_t> &ids : pieces) {
      ids.resize(count);
      for (int64_t &id : ids) {
        id = static_cast<int64_t>(random() % static_cast<uint64_t>(random() % 2 ? rows : std::min<int64_t>(rows, 900)));
        expected.insert(id);
      }
      set.add(ids.data(), ids.size());
    }
    const std::vector<int64_t> found = set.take();
    EXPECT_EQ(found, std::vector<int64_t>(expected.begin(), expected.end())) << count << " ids";
    for (const std::vector<int64_t> &ids : pieces) {
      std::vector<int64_t> places(ids.size());
      set.number(ids.data(), ids.size(), places.data());
      for (size_t i = 0; i < ids.size(); ++i)
        ASSERT_EQ(found.at(static_cast<size_t>(places[i])), ids[i]) << i << " of " << count;
    }
  }
  EXPECT_TRUE(set.take().empty()) << "all were taken";
}

TEST_P(RowSets, LeaveOutWhatNamesNoRow) {
  const int64_t rows = GetParam(), least = std::numeric_limits<int64_t>::min();
  RowSet set(rows);
  const int64_t ids[] = {-1, rows, rows - 1, least, std::numeric_limits<int64_t>::max(), 0, -1, rows - 1};
  set.add(ids, std::size(ids));
  EXPECT_EQ(set.take(), rows == 1 ? std::vector<int64_t>{0} : (std::vector<int64_t>{0, rows - 1}));
  std::vector<int64_t> places(std::size(ids));
  set.number(ids, std::size(ids), places.data());
  const int64_t last = rows == 1 ? 0 : 1;
  EXPECT_EQ(places, (std::vector<int64_t>{-1, rows, last, least, std::numeric_limits<int64_t>::max(), 0, -1, last}));
}

INSTANTIATE_TEST_SUITE_P(Rows, RowSets,
                         testing::Values(1, 64, 65, 4096, 100003, RowSet::kMostMarked, RowSet::kMostMarked + 1,
                                         int64_t{1} << 33, (int64_t{1} << 44) + 5,
                                         std::numeric_limits<int64_t>::max()));

TEST(RowSet, OfNoRowsIsEmpty) {
  RowSet set(0);
  const int64_t ids[] = {0, -1, 5};
  set.add(ids, 3);
  EXPECT_TRUE(set.take().empty());
}

} // namespace
