// Tests of the two sides of a validation cut.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InputTestSupport.h"

#include <set>

using namespace mlcrt;
using namespace mlcrt::test;
using testing::ElementsAre;
using testing::HasSubstr;

/// Kept in memory, or mapped and parsed per batch.
class RowSelectionTest : public testing::TestWithParam<int64_t> {
protected:
  absl::StatusOr<std::unique_ptr<Dataset>> open(const std::vector<std::string> &globs, const InputFormat &format,
                                                bool heldOut) {
    DatasetOptions options;
    options.memoryLimit = GetParam();
    options.selection = RowSelection{cut, heldOut};
    return openAll(globs, format, options);
  }
  /// The first column, of numbers, of one side.
  std::vector<float> numbers(const std::vector<std::string> &globs, const InputFormat &format, bool heldOut) {
    const auto dataset = open(globs, format, heldOut);
    EXPECT_TRUE(dataset.ok()) << dataset.status();
    const auto batch = readAll(**dataset);
    return {values<float>(*batch, 0), values<float>(*batch, 0) + batch->rows()};
  }

  TemporaryDirectory dir;
  mlc::common::RowCut cut;
};

INSTANTIATE_TEST_SUITE_P(Keeping, RowSelectionTest, testing::Values(int64_t{1} << 30, int64_t{0}),
                         [](const auto &info) { return info.param ? "memory" : "mapped"; });

TEST_P(RowSelectionTest, TheSidesAreTheRowsWhateverTheirFiles) {
  std::string first = "a\n", second = "a\n", turned = "a\n";
  for (int i = 0; i < 300; ++i)
    (i < 100 ? first : second) += std::to_string(i) + "\n";
  for (int i = 299; i >= 0; --i)
    turned += std::to_string(i) + "\n";
  const std::vector<std::string> globs = {dir.write("1.csv", first), dir.write("2.csv", second)};
  InputFormat format;
  format.columns = {column("a", MLCRT_F32)};
  cut.share = 0.3;
  const std::vector<float> out = numbers(globs, format, true), in = numbers(globs, format, false);
  EXPECT_EQ(out.size() + in.size(), 300u);
  EXPECT_NEAR(static_cast<double>(out.size()), 90, 32); // four standard deviations
  std::set<float> all(out.begin(), out.end());
  all.insert(in.begin(), in.end());
  EXPECT_EQ(all.size(), 300u);
  const std::vector<float> again = numbers({dir.write("3.csv", turned)}, format, true);
  EXPECT_EQ(std::vector<float>(again.rbegin(), again.rend()), out);
}

TEST_P(RowSelectionTest, RowsThatAreDroppedAndTheirPlaces) {
  InputFormat format;
  format.columns = {column("a", MLCRT_F32), column("b", MLCRT_F32)};
  format.columns[1].onMissing = OnMissing::SkipRow;
  cut.column = "a";
  cut.from = "2";
  const auto dataset = open({dir.write("f.csv", "a,b\n1,\n3,7\n1,8\n2,\n2,9\n")}, format, true);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ((*dataset)->size(), 2);
  EXPECT_EQ((*dataset)->skippedRows(), 1);
  EXPECT_EQ(toText((*dataset)->where(1)), dir.file("f.csv") + ":6");
  EXPECT_THAT(numbers({dir.file("f.csv")}, format, false), ElementsAre(1));
}

TEST_P(RowSelectionTest, ByTextNumberAndMissing) {
  InputFormat format;
  format.columns = {column("a", MLCRT_F32), column("day", MLCRT_STRING, true)};
  cut.column = "day";
  cut.from = "2024-02-01";
  const std::vector<std::string> globs = {
      dir.write("f.csv", "day,a\n2024-01-31,1\n,2\n\"2024-02-01\",3\n2024-10-01,4\n2023-12-31,5\n")};
  EXPECT_THAT(numbers(globs, format, true), ElementsAre(3, 4));
  EXPECT_THAT(numbers(globs, format, false), ElementsAre(1, 2, 5));
  format.columns[1].dtype = MLCRT_I64;
  cut.from = "9";
  const std::vector<std::string> counts = {dir.write("g.csv", "day,a\n10,1\n9,2\n8,3\n")};
  EXPECT_THAT(numbers(counts, format, true), ElementsAre(1, 2));
}

TEST_P(RowSelectionTest, Errors) {
  InputFormat format;
  format.columns = {column("a", MLCRT_F32)};
  const std::vector<std::string> globs = {dir.write("f.csv", "a\n1\n2\n")};
  cut.column = "b";
  cut.from = "1";
  EXPECT_THAT(open(globs, format, true).status().message(), HasSubstr("no column 'b'"));
  cut.column = "a";
  cut.from = "x";
  EXPECT_THAT(open(globs, format, true).status().message(), HasSubstr("'x' is no number"));
  cut.from = "7";
  EXPECT_THAT(open(globs, format, true).status().message(), HasSubstr("none to validate"));
  cut.from = "0";
  EXPECT_THAT(open(globs, format, false).status().message(), HasSubstr("none to train on"));
}
