// Pins of shards as settings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cluster/ShardPins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc::common;
using testing::ElementsAre;
using testing::HasSubstr;

class ShardPinsTest : public testing::Test {
protected:
  void set(const std::string &path, SettingValue value) {
    Setting setting;
    setting.path = "train.shards." + path;
    setting.type = std::holds_alternative<int64_t>(value.front()) ? SettingType::Int : SettingType::String;
    setting.value = std::move(value);
    setting.origin = "m.pbtxt:9";
    table_.add(std::move(setting));
  }
  bool read() {
    pins_.clear();
    messages_ = {};
    return readShardPins(table_, {"linear/bias", "emb/a", "emb/a/Adagrad", "emb/b"}, pins_, messages_);
  }
  std::string error() {
    EXPECT_FALSE(read());
    return messages_.format(MessageStyle());
  }

  SettingsTable table_;
  std::vector<ShardPin> pins_;
  MessageList messages_;
};

TEST_F(ShardPinsTest, ReadsAll) {
  EXPECT_TRUE(read());
  EXPECT_TRUE(pins_.empty());
  set("0.vars", {std::string("emb/b"), std::string("linear")});
  set("0.count", {int64_t{3}});
  set("1.vars", {std::string("emb/a$")});
  set("1.servers", {int64_t{2}, int64_t{0}});
  ASSERT_TRUE(read()) << messages_.format(MessageStyle());
  ASSERT_EQ(pins_.size(), 2u);
  EXPECT_EQ(pins_[0].path, "train.shards.0");
  EXPECT_THAT(pins_[0].variables, ElementsAre(0, 3));
  EXPECT_EQ(pins_[0].count, 3);
  EXPECT_TRUE(pins_[0].servers.empty());
  EXPECT_THAT(pins_[1].variables, ElementsAre(1));
  EXPECT_THAT(pins_[1].servers, ElementsAre(2, 0));
}

TEST_F(ShardPinsTest, Slips) {
  set("0.vars", {std::string("emb")});
  EXPECT_THAT(error(), HasSubstr("error[E0225]: neither count nor servers is set\n    field: train.shards.0.count"));
  set("0.count", {int64_t{3}});
  EXPECT_TRUE(read());
  set("0.servers", {int64_t{0}, int64_t{1}});
  EXPECT_THAT(error(), HasSubstr("m.pbtxt:9: 3 shards on 2 servers: a server holds one shard of a variable\n"
                                 "    field: train.shards.0.servers"));
  set("0.servers", {int64_t{0}, int64_t{1}, int64_t{0}});
  EXPECT_THAT(error(), HasSubstr("server 0 is there twice"));
  set("0.servers", {int64_t{0}, int64_t{1}, int64_t{2}});
  set("0.vars", {std::string("em/a")});
  const std::string text = error();
  EXPECT_THAT(text, HasSubstr("no variable's name begins as 'em/a' says\n    field: train.shards.0.vars"));
  EXPECT_THAT(text, HasSubstr("did you mean"));
  set("0.vars", {std::string("(")});
  EXPECT_THAT(error(), HasSubstr("'(' is no regular expression"));
}
