// Cuts of rows: settings, and which rows a cut by share holds out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cluster/RowCut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc::common;
using testing::HasSubstr;

class RowCutTest : public testing::Test {
protected:
  void set(const std::string &path, SettingScalar value) {
    static constexpr SettingType kTypes[] = {SettingType::Bool, SettingType::Int, SettingType::Float,
                                             SettingType::String};
    Setting setting;
    setting.path = path;
    setting.type = kTypes[value.index()];
    setting.value = {std::move(value)};
    setting.origin = "m.pbtxt:9";
    table_.add(std::move(setting));
  }
  bool read() {
    messages_ = {};
    return readRowCut(table_, {"", "seen"}, cut_, messages_);
  }
  std::string error() {
    EXPECT_FALSE(read());
    return messages_.format(MessageStyle());
  }

  SettingsTable table_;
  std::optional<RowCut> cut_;
  MessageList messages_;
};

TEST_F(RowCutTest, ReadsEitherKind) {
  EXPECT_TRUE(read());
  EXPECT_FALSE(cut_);
  set("train.validation.share", 0.25);
  set("train.validation.seed", int64_t{3});
  ASSERT_TRUE(read());
  ASSERT_TRUE(cut_);
  EXPECT_EQ(cut_->share, 0.25);
  EXPECT_EQ(cut_->seed, 3);
  table_ = {};
  set("train.validation.column", std::string("day"));
  set("train.validation.from", std::string("2024-01-31"));
  ASSERT_TRUE(read());
  EXPECT_EQ(cut_->column, "day");
  EXPECT_EQ(cut_->from, "2024-01-31");
}

TEST_F(RowCutTest, TellsWhatIsMissing) {
  set("eval.seen.on_validation", true);
  EXPECT_THAT(error(), testing::AllOf(HasSubstr("E0226"), HasSubstr("m.pbtxt:9"), HasSubstr("eval.seen.on_validation"),
                                      HasSubstr("no rows are held out")));
  set("train.validation.column", std::string("day"));
  EXPECT_THAT(error(), HasSubstr("needs 'from'"));
  set("train.validation.share", 0.5);
  EXPECT_THAT(error(), HasSubstr("by share or by column"));
}

TEST_F(RowCutTest, HoldsOutTheShare) {
  constexpr int kRows = 100000;
  RowCut a, b;
  a.share = b.share = 0.2;
  b.seed = 1;
  int ofA = 0, ofB = 0, ofBoth = 0;
  for (uint64_t hash = 0; hash < kRows; ++hash) {
    ofA += a.holdsOut(hash);
    ofB += b.holdsOut(hash);
    ofBoth += a.holdsOut(hash) && b.holdsOut(hash);
  }
  // Four standard deviations; the seeds are independent.
  EXPECT_NEAR(ofA, 20000, 506);
  EXPECT_NEAR(ofB, 20000, 506);
  EXPECT_NEAR(ofBoth, 4000, 248);
}
