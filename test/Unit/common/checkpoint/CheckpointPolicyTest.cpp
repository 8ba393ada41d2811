// Policies of checkpoints as settings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/checkpoint/CheckpointPolicy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc::common;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class CheckpointPolicyTest : public testing::Test {
protected:
  void set(const std::string &path, SettingValue value) {
    Setting setting;
    setting.path = "train.checkpoint." + path;
    setting.type = SettingType::String;
    setting.value = std::move(value);
    setting.origin = "m.pbtxt:9";
    table_.add(std::move(setting));
  }
  void setPolicy(const std::string &number, const char *name, SettingValue vars, int64_t everySteps = 10) {
    set(number + ".name", {std::string(name)});
    set(number + ".vars", std::move(vars));
    set(number + ".every_n_steps", {everySteps});
  }
  bool read() {
    policies_.clear();
    messages_ = {};
    return readCheckpointPolicies(table_, variables_, policies_, messages_);
  }
  std::string error() {
    EXPECT_FALSE(read());
    return messages_.format(MessageStyle());
  }

  SettingsTable table_;
  std::vector<std::string> variables_ = {"linear/bias", "emb/a", "emb/a/Adagrad", "emb/b", "global_step"};
  std::vector<CheckpointPolicy> policies_;
  MessageList messages_;
};

TEST_F(CheckpointPolicyTest, ReadsAll) {
  EXPECT_TRUE(read());
  EXPECT_TRUE(policies_.empty());
  setPolicy("0", "emb", {std::string("emb/b"), std::string("emb/a$"), std::string("emb/.*$")}, 300);
  set("0.keep", {int64_t{2}});
  setPolicy("1", "emb-2", {std::string(".*step")});
  ASSERT_TRUE(read()) << messages_.format(MessageStyle());
  ASSERT_EQ(policies_.size(), 2u);
  EXPECT_EQ(policies_[0].name, "emb");
  EXPECT_THAT(policies_[0].variables, ElementsAre(1, 2, 3));
  EXPECT_EQ(policies_[0].everySteps, 300);
  EXPECT_EQ(policies_[0].keep, 2);
  EXPECT_THAT(policies_[1].variables, ElementsAre(4));
  EXPECT_EQ(policies_[1].keep, 5);
}

TEST_F(CheckpointPolicyTest, Names) {
  for (const char *good : {"a", "Emb_2-x", "ckpt-2", "ckpts"})
    EXPECT_TRUE(isPolicyName(good)) << good;
  for (const std::string &bad : {std::string(), std::string("ckpt"), std::string("before"), std::string("2a"),
                                 std::string("a/b"), std::string(".."), std::string("a.b"), std::string(101, 'a')})
    EXPECT_FALSE(isPolicyName(bad)) << bad;
}

TEST_F(CheckpointPolicyTest, Slips) {
  set("0.name", {std::string("emb")});
  EXPECT_THAT(error(), HasSubstr("error[E0223]: a checkpoint policy needs 'vars'\n    field: train.checkpoint.0.vars"));
  EXPECT_THAT(error(), HasSubstr("a checkpoint policy needs 'every_n_steps'"));
  set("0.vars", {});
  EXPECT_THAT(error(), HasSubstr("a checkpoint policy needs 'vars'")) << "a list of none is none";
  setPolicy("0", "ckpt", {std::string("emb"), std::string("emb/c"), std::string("(")});
  std::string text = error();
  EXPECT_THAT(text, HasSubstr("error[E0223] m.pbtxt:9: 'ckpt' cannot begin names of directories here\n"
                              "    field: train.checkpoint.0.name"));
  EXPECT_THAT(text, HasSubstr("m.pbtxt:9: no variable's name begins as 'emb/c' says\n    field: train.checkpoint.0.vars"
                              "      expected: one of emb/a, emb/b, "));
  EXPECT_THAT(text, HasSubstr("did you mean 'emb/a'?"));
  EXPECT_THAT(text, HasSubstr("'(' is no regular expression: "));
  EXPECT_THAT(text, Not(HasSubstr("'emb' says")));
  setPolicy("0", "emb", {std::string("emb")});
  setPolicy("1", "emb", {std::string("linear")});
  EXPECT_THAT(error(), HasSubstr("two checkpoint policies are called 'emb'"));
}
