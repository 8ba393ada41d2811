// Rules of early stopping as settings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/settings/EarlyStopping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc::common;
using testing::ElementsAre;
using testing::HasSubstr;

class EarlyStoppingRuleTest : public testing::Test {
protected:
  void set(const std::string &path, SettingScalar value, std::string origin = "m.pbtxt:9") {
    Setting setting;
    setting.path = path;
    setting.value = {std::move(value)};
    setting.origin = std::move(origin);
    table_.add(std::move(setting));
  }
  bool read() {
    rules_.clear();
    messages_ = {};
    return readEarlyStopping(table_, sets_, metrics_, rules_, messages_);
  }
  std::string error() {
    EXPECT_FALSE(read());
    return messages_.format(MessageStyle());
  }

  SettingsTable table_;
  std::vector<std::string> sets_ = {"valid", "cold"}, metrics_ = {"auc", "loss"};
  std::vector<EarlyStoppingRule> rules_;
  MessageList messages_;
};

TEST_F(EarlyStoppingRuleTest, ReadsAll) {
  EXPECT_TRUE(read());
  EXPECT_TRUE(rules_.empty());
  set("train.early_stopping.0.metric", std::string("auc"));
  set("train.early_stopping.0.eval", std::string("valid"));
  set("train.early_stopping.0.stop_if", std::string("NO_INCREASE"));
  set("train.early_stopping.0.max_steps_without", int64_t{2000});
  set("train.early_stopping.0.min_steps", int64_t{100});
  set("train.early_stopping.1.metric", std::string("loss"));
  set("train.early_stopping.1.eval", std::string("cold"));
  set("train.early_stopping.1.stop_if", std::string("LOWER"));
  set("train.early_stopping.1.threshold", 0.25);
  ASSERT_TRUE(read()) << messages_.format(MessageStyle());
  ASSERT_EQ(rules_.size(), 2u);
  EXPECT_EQ(rules_[0].metric, "auc");
  EXPECT_EQ(rules_[0].eval, "valid");
  EXPECT_EQ(rules_[0].maxStepsWithout, 2000);
  EXPECT_EQ(rules_[0].minSteps, 100);
  EXPECT_TRUE(rules_[0].isGreaterBetter());
  EXPECT_EQ(rules_[1].threshold, 0.25);
  EXPECT_FALSE(rules_[1].isGreaterBetter());
}

TEST_F(EarlyStoppingRuleTest, TheOnlyEvalSetNeedsNoName) {
  set("train.early_stopping.0.metric", std::string("auc"));
  set("train.early_stopping.0.stop_if", std::string("HIGHER"));
  set("train.early_stopping.0.threshold", 0.9);
  EXPECT_THAT(error(), HasSubstr("error[E0216] m.pbtxt:9: 'eval' must tell which eval set is meant"));
  sets_ = {"valid"};
  ASSERT_TRUE(read());
  EXPECT_EQ(rules_[0].eval, "valid");
  sets_ = {"valid", ""};
  ASSERT_TRUE(read());
  EXPECT_EQ(rules_[0].eval, "");
}

TEST_F(EarlyStoppingRuleTest, Slips) {
  set("train.early_stopping.0.metric", std::string("acu"));
  set("train.early_stopping.0.eval", std::string("vaild"));
  EXPECT_THAT(error(), HasSubstr("early stopping needs 'stop_if'"));
  set("train.early_stopping.0.stop_if", std::string("NO_DECREASE"));
  set("train.early_stopping.0.threshold", 0.9);
  std::string text = error();
  EXPECT_THAT(text, HasSubstr("m.pbtxt:9: evaluation gives no metric 'acu'"));
  EXPECT_THAT(text, HasSubstr("expected: one of auc, loss      help: did you mean 'auc'?"));
  EXPECT_THAT(text, HasSubstr("NO_DECREASE needs 'max_steps_without'"));
  EXPECT_THAT(text, HasSubstr("'threshold' has no meaning for NO_DECREASE"));
  EXPECT_THAT(text, HasSubstr("no eval set is called 'vaild'"));
}

TEST_F(EarlyStoppingRuleTest, EvalSetsStandInTheSettings) {
  set("eval.files", std::string("a"));
  set("eval.valid.files", std::string("b"));
  set("eval.valid.steps", int64_t{3});
  set("train.files", std::string("c"));
  EXPECT_THAT(evalSetNames(table_), ElementsAre("", "valid"));
}
