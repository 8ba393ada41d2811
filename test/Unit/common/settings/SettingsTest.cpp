// Settings: rules, --set, JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/settings/Settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc::common;
using testing::HasSubstr;

static Setting make(std::string path, SettingType type, std::optional<SettingValue> value = {}) {
  Setting setting;
  setting.path = std::move(path);
  setting.type = type;
  setting.defaultValue = value;
  setting.value = std::move(value);
  return setting;
}

static SettingsTable example() {
  SettingsTable table;
  Setting batch = make("train.batch_size", SettingType::Int, SettingValue{int64_t{128}});
  batch.rule.min = 1;
  batch.doc = "rows per step";
  table.add(batch);
  Setting rate = make("model.dnn.optimizer.adagrad.learning_rate", SettingType::Float, SettingValue{0.05});
  rate.rule.min = 0;
  rate.rule.minExclusive = true;
  rate.rule.max = 1;
  rate.rule.maxExclusive = true;
  rate.origin = "census.pbtxt:31";
  table.add(rate);
  Setting files = make("train.files", SettingType::String, SettingValue{std::string("a.csv")});
  files.repeated = true;
  files.rule.required = true;
  table.add(files);
  Setting units = make("model.dnn.hidden_units", SettingType::Int, SettingValue{int64_t{100}, int64_t{50}});
  units.repeated = true;
  units.stage = SettingStage::Compile;
  table.add(units);
  Setting update = make("model.sparse_update", SettingType::String, SettingValue{std::string("EXACT")});
  update.rule.oneOf = {"EXACT", "LAZY"};
  table.add(update);
  table.add(make("train.shuffle", SettingType::Bool, SettingValue{true}));
  table.add(make("train.max_steps", SettingType::Int));
  return table;
}

static std::string failSet(SettingsTable table, const std::string &argument) {
  std::string before = table.format();
  MessageList messages;
  EXPECT_FALSE(table.applySet(argument, SettingStage::Start, messages)) << argument;
  EXPECT_EQ(table.format(), before) << "an error changes nothing";
  EXPECT_EQ(messages.errorCount(), 1u);
  return messages.format();
}

TEST(Settings, SetChangesValueAndOrigin) {
  SettingsTable table = example();
  MessageList messages;
  EXPECT_TRUE(table.applySet("train.batch_size=64", SettingStage::Start, messages));
  EXPECT_TRUE(table.applySet("train.files=x.csv,y=1.csv", SettingStage::Start, messages));
  EXPECT_TRUE(table.applySet("train.files+=z.csv", SettingStage::Start, messages));
  EXPECT_TRUE(table.applySet("train.shuffle=false", SettingStage::Start, messages));
  EXPECT_TRUE(table.applySet("model.dnn.optimizer.adagrad.learning_rate=1e-3", SettingStage::Start, messages));
  EXPECT_TRUE(messages.empty()) << messages.format();
  EXPECT_EQ(table.getInt("train.batch_size"), 64);
  EXPECT_THAT(table.getStrings("train.files"), testing::ElementsAre("x.csv", "y=1.csv", "z.csv"));
  EXPECT_EQ(table.getBool("train.shuffle"), false);
  EXPECT_EQ(table.getFloat("model.dnn.optimizer.adagrad.learning_rate"), 1e-3);
  EXPECT_EQ(table.getInt("train.max_steps"), std::nullopt);
  EXPECT_THAT(table.format(), HasSubstr("train.batch_size = 64  # --set\n"));
  EXPECT_TRUE(table.unset("train.batch_size", messages));
  EXPECT_EQ(table.getInt("train.batch_size"), 128);
  EXPECT_TRUE(table.check(messages));
}

TEST(Settings, SetErrors) {
  SettingsTable table = example();
  EXPECT_THAT(
      failSet(table, "train.batch_sise=1"),
      HasSubstr("error[E0211]: unknown setting 'train.batch_sise'\n    help: did you mean 'train.batch_size'?"));
  EXPECT_THAT(failSet(table, "batch_size=1"), HasSubstr("full paths only: train.batch_size"));
  EXPECT_THAT(failSet(table, "model.dnn.hidden_units=1"),
              HasSubstr("error[E0212]: 'model.dnn.hidden_units' is compiled in\n    field: model.dnn.hidden_units      "
                        "help: change it in the spec and compile again"));
  EXPECT_THAT(failSet(table, "train.batch_size=0"), HasSubstr("expected: an integer >= 1"));
  EXPECT_THAT(failSet(table, "train.batch_size=1.5"), HasSubstr("E0213"));
  EXPECT_THAT(failSet(table, "train.batch_size="), HasSubstr("E0213"));
  EXPECT_THAT(failSet(table, "train.batch_size=99999999999999999999"), HasSubstr("E0213"));
  for (const char *value : {"0", "1", "nan", "inf", "x", ""})
    EXPECT_THAT(failSet(table, std::string("model.dnn.optimizer.adagrad.learning_rate=") + value),
                HasSubstr("expected: a number in (0, 1)"));
  EXPECT_THAT(failSet(table, "model.sparse_update=FAST"), HasSubstr("expected: one of EXACT, LAZY"));
  EXPECT_THAT(failSet(table, "train.shuffle=maybe"), HasSubstr("expected: true or false"));
  EXPECT_THAT(failSet(table, "train.shuffle+=true"), HasSubstr("single value"));
  EXPECT_THAT(failSet(table, "train.shuffle"), HasSubstr("PATH=VALUE"));
  EXPECT_THAT(failSet(table, "=1"), HasSubstr("PATH=VALUE"));
}

TEST(Settings, CompileStageTakesAll) {
  SettingsTable table = example();
  MessageList messages;
  EXPECT_TRUE(table.applySet("model.dnn.hidden_units=64,32,16", SettingStage::Compile, messages));
  EXPECT_THAT(table.format(), HasSubstr("model.dnn.hidden_units = 64,32,16  # --set"));
}

TEST(Settings, CheckFindsMissingAndWrongValues) {
  SettingsTable table = example();
  Setting files = *table.find("train.files");
  files.value.reset();
  table.add(files);
  Setting batch = *table.find("train.batch_size");
  batch.value = SettingValue{int64_t{-4}};
  table.add(batch);
  MessageList messages;
  EXPECT_FALSE(table.check(messages));
  EXPECT_EQ(messages.errorCount(), 2u);
  EXPECT_THAT(messages.format(), HasSubstr("'train.files' has no value"));
  Setting wrongType = *table.find("train.shuffle");
  EXPECT_FALSE(checkSettingValue(wrongType, SettingValue{int64_t{1}}, messages));
  EXPECT_FALSE(checkSettingValue(wrongType, SettingValue{}, messages));
}

TEST(Settings, JsonRoundTrip) {
  SettingsTable table = example();
  std::string json = settingsToJson(table);
  SettingsTable read;
  MessageList messages;
  ASSERT_TRUE(settingsFromJson(json, read, messages)) << messages.format();
  EXPECT_EQ(settingsToJson(read), json);
  EXPECT_EQ(read.format(), table.format());
  EXPECT_EQ(read.find("model.dnn.hidden_units")->stage, SettingStage::Compile);
  EXPECT_TRUE(read.find("model.dnn.optimizer.adagrad.learning_rate")->rule.maxExclusive);
  EXPECT_TRUE(read.find("train.files")->rule.required);
}

TEST(Settings, JsonDamageIsNamed) {
  auto fail = [](const char *json) {
    SettingsTable table;
    MessageList messages;
    EXPECT_FALSE(settingsFromJson(json, table, messages)) << json;
    return messages.format();
  };
  fail("");
  fail("{}");
  EXPECT_THAT(fail("[3]"), HasSubstr("settings[0].path"));
  EXPECT_THAT(fail(R"([{"path":"a","type":"number","stage":"start","origin":"x"}])"), HasSubstr("settings[0].type"));
  EXPECT_THAT(fail(R"([{"path":"a","type":"int","stage":"later","origin":"x"}])"), HasSubstr("settings[0].stage"));
  EXPECT_THAT(fail(R"([{"path":"a","type":"int","stage":"start","value":"1","origin":"x"}])"), HasSubstr(".value"));
  EXPECT_THAT(fail(R"([{"path":"a","type":"int","stage":"start","rule":{"min":"1"},"origin":"x"}])"),
              HasSubstr(".rule"));
  const char *one = R"({"path":"a","type":"int","stage":"start","origin":"x"})";
  EXPECT_THAT(fail((std::string("[") + one + "," + one + "]").c_str()), HasSubstr("twice"));
}

TEST(Settings, FloatTextIsShortestThatReadsBack) {
  EXPECT_EQ(settingText(SettingScalar(0.1)), "0.1");
  EXPECT_EQ(settingText(SettingScalar(1.0 / 3)), "0.3333333333333333");
}
