// What samples of data say against them, and what they do not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/DataHealth.h"
#include "test/Unit/runtime/input/InputTestSupport.h"

#include <functional>
#include <gmock/gmock.h>

namespace mlcrt {
namespace {

using mlc::common::ColumnCheck;
using test::column;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> codes(const std::vector<mlc::common::Message> &warnings) {
  std::vector<std::string> found;
  for (const mlc::common::Message &message : warnings) {
    EXPECT_EQ(message.severity, mlc::common::Severity::Warning);
    found.push_back(message.code);
  }
  return found;
}

/// Columns x (numbers), word (terms a and b) and y (the label, a number).
class DataHealth : public testing::Test {
protected:
  DataHealth() {
    format_.columns = {column("x", MLCRT_F32), column("word", MLCRT_STRING, true), column("y", MLCRT_F32)};
    format_.columns[0].defaultValue = "0";
    checks_.resize(3);
    for (size_t i = 0; i < 3; ++i)
      checks_[i].name = checks_[i].column = format_.columns[i].name;
    checks_[0].kind = checks_[2].kind = ColumnCheck::Kind::Numbers;
    checks_[1].kind = ColumnCheck::Kind::Terms;
    checks_[1].terms = {"a", "b"};
    checks_[2].use = "label";
    checks_[2].isUnscaledTarget = true;
  }

  using Cell = std::function<std::string(int)>;
  DataFindings sample(int rows, const Cell &x, const Cell &word, const Cell &y = tens) {
    std::string text = "x,word,y\n";
    for (int i = 0; i < rows; ++i)
      text += x(i) + "," + word(i) + "," + y(i % 10) + "\n";
    const std::string path = directory_.write("data" + std::to_string(files_++) + ".csv", text);
    return sampleData(*resolveFiles({path}), format_, checks_);
  }
  static std::string tens(int i) { return std::to_string(i); }
  static std::string number(int i) { return std::to_string(i % 7); }
  static std::string word(int i) { return i % 3 ? "a" : "b"; }
  static Cell always(std::string text) {
    return [text](int) { return text; };
  }

  TemporaryDirectory directory_;
  int files_ = 0;
  InputFormat format_;
  std::vector<ColumnCheck> checks_;
};

TEST_F(DataHealth, CleanDataGiveNoWarning) {
  const DataFindings train = sample(300, number, word);
  EXPECT_EQ(train.rows, 300);
  EXPECT_THAT(codes(judgeTrainingData(train, checks_)), IsEmpty());
  EXPECT_THAT(codes(judgeNewData(sample(40, number, word), checks_, train)), IsEmpty());
  EXPECT_THAT(codes(judgeNewData(sample(40, number, word), checks_, {})), IsEmpty());
}

TEST_F(DataHealth, MostValuesAreUnknown) {
  const auto other = [](int i) -> std::string { return i % 5 ? "c" : "a"; };
  auto warnings = judgeTrainingData(sample(100, number, other), checks_);
  EXPECT_THAT(codes(warnings), ElementsAre("E0805"));
  EXPECT_EQ(warnings[0].what, "most values of column 'word' are unknown: 80.0 % of 100 values are in no vocabulary");
  const DataFindings train = sample(300, number, word);
  EXPECT_THAT(codes(judgeNewData(sample(100, number, other), checks_, train)), ElementsAre("E0805"));
  EXPECT_THAT(codes(judgeNewData(sample(100, number, other), checks_, {})), ElementsAre("E0805"));
  // Of few values chance says much; and what training data had, too, was told of them.
  EXPECT_THAT(codes(judgeNewData(sample(10, number, other), checks_, train)), IsEmpty());
  EXPECT_THAT(codes(judgeNewData(sample(100, number, other), checks_, sample(300, number, other))), IsEmpty());
  checks_[1].kind = ColumnCheck::Kind::Any;
  EXPECT_THAT(codes(judgeTrainingData(sample(100, number, other), checks_)), IsEmpty());
}

TEST_F(DataHealth, AColumnOfOneValue) {
  EXPECT_THAT(codes(judgeTrainingData(sample(100, always("3"), word), checks_)), ElementsAre("E0806"));
  EXPECT_THAT(codes(judgeTrainingData(sample(19, always("3"), word), checks_)), IsEmpty());
  const DataFindings train = sample(300, number, word);
  auto warnings = judgeNewData(sample(100, number, always("b")), checks_, train);
  ASSERT_THAT(codes(warnings), ElementsAre("E0806"));
  EXPECT_THAT(warnings[0].what, HasSubstr("column 'word' has one value in all of 100 rows, and varies in training"));
  // A value that nearly all rows have may be that of all of few rows, not of many.
  const auto rare = [](int i) -> std::string { return i % 20 ? "0" : "1"; };
  const DataFindings mostly = sample(2000, rare, word);
  EXPECT_THAT(codes(judgeNewData(sample(40, always("0"), word), checks_, mostly)), IsEmpty());
  EXPECT_THAT(codes(judgeNewData(sample(1000, always("0"), word), checks_, mostly)), ElementsAre("E0806"));
  // Without training data nobody knows whether it ever varies.
  EXPECT_THAT(codes(judgeNewData(sample(100, always("3"), word), checks_, {})), IsEmpty());
}

TEST_F(DataHealth, AColumnWithoutValues) {
  EXPECT_THAT(codes(judgeTrainingData(sample(100, always(""), word), checks_)), ElementsAre("E0807"));
  const auto sparse = [](int i) -> std::string { return i % 4 ? "" : std::to_string(i % 7); };
  EXPECT_THAT(codes(judgeTrainingData(sample(100, sparse, word), checks_)), IsEmpty());
  auto warnings = judgeNewData(sample(100, sparse, word), checks_, sample(300, number, word));
  ASSERT_THAT(codes(warnings), ElementsAre("E0807"));
  EXPECT_EQ(warnings[0].what, "column 'x' is missing in 75.0 % of 100 rows, of training data in 0.0 %");
  EXPECT_THAT(codes(judgeNewData(sample(100, sparse, word), checks_, sample(300, sparse, word))), IsEmpty());
}

TEST_F(DataHealth, LargeLabels) {
  const auto large = [](int i) { return std::to_string(200000 + 10000 * i); };
  auto warnings = judgeTrainingData(sample(100, number, word, large), checks_);
  ASSERT_THAT(codes(warnings), ElementsAre("E0808"));
  EXPECT_THAT(warnings[0].help, HasSubstr("label_transform { z_score { mean: 245000  stddev: 28867.5 } }"));
  // Training data were told of.
  EXPECT_THAT(codes(judgeNewData(sample(100, number, word, large), checks_, sample(100, number, word, large))),
              IsEmpty());
  EXPECT_THAT(codes(judgeNewData(sample(100, number, word, large), checks_, {})), ElementsAre("E0808"));
  checks_[2].isUnscaledTarget = false;
  EXPECT_THAT(codes(judgeTrainingData(sample(100, number, word, large), checks_)), IsEmpty());
}

TEST_F(DataHealth, ASampleIsOfAllPartsOfALargeFile) {
  // 40 MB of rows sorted by word: a sample of the first rows would say that there is one.
  const std::string filler(100, '1');
  const auto sorted = [](int i) -> std::string { return i < 150000 ? "a" : "b"; };
  const DataFindings found = sample(300000, always("0." + filler), sorted);
  EXPECT_GT(found.rows, 2000);
  EXPECT_LE(found.rows, 8192);
  EXPECT_EQ(found.columns[1].counts.onlyValue(), nullptr);
  EXPECT_EQ(found.columns[1].unknown, 0);
  EXPECT_NEAR(static_cast<double>(found.columns[1].counts.countOf("a")) / static_cast<double>(found.rows), 0.5, 0.1);
  EXPECT_THAT(codes(judgeTrainingData(found, checks_)), ElementsAre("E0806")); // x
}

TEST_F(DataHealth, FilesThatCannotBeReadGiveNoSample) {
  DataFile lost;
  lost.path = directory_.file("lost.csv");
  EXPECT_EQ(sampleData({lost}, format_, checks_).rows, 0);
  const std::string path = directory_.write("bad.csv", "x,word\n1,a\n");
  EXPECT_EQ(sampleData(*resolveFiles({path}), format_, checks_).rows, 0);
}

} // namespace
} // namespace mlcrt
