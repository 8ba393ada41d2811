// Manifests and flags to settings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Configuration.h"

#include "common/cli/CommandTable.h"
#include "runtime/src/trainer/RunFlags.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlcrt;
using namespace mlc::common;
using testing::HasSubstr;

/// An artifact of nothing but settings and a manifest.
static absl::StatusOr<Configuration> configure(const char *manifest) {
  static const mlcrt_setting settings[] = {{"optimizer.learning_rate", MLCRT_F32, 0, 0.25, 0},
                                           {"optimizer.decay_steps", MLCRT_I64, 0, 0, 40}};
  static mlcrt_artifact table;
  std::memset(&table, 0, sizeof(table));
  table.struct_size = sizeof(table);
  table.version = MLCRT_ABI_VERSION;
  table.name = "empty";
  table.state_fingerprint = table.plan_fingerprint = table.cpu_features = "";
  table.manifest = manifest;
  table.settings = settings;
  table.num_settings = 2;
  auto artifact = Artifact::fromTable(&table);
  EXPECT_TRUE(artifact.ok()) << artifact.status();
  return Configuration::fromArtifact(**artifact);
}

static bool apply(Configuration &configuration, std::vector<std::string> args, std::string *error = nullptr) {
  CommandLine line;
  MessageList messages;
  args.push_back("--model_dir=m");
  EXPECT_TRUE(parseCommandLine(trainerCommands("t"), args, line, messages)) << messages.format();
  bool good = configuration.apply(runOptions(line, {"t"}), messages);
  EXPECT_EQ(good, !messages.hasErrors());
  if (error)
    *error = messages.format();
  return good;
}

TEST(Configuration, EmptyManifestHasDefaults) {
  auto configuration = configure("{}");
  ASSERT_TRUE(configuration.ok()) << configuration.status();
  EXPECT_EQ(configuration->number("train.batch_size"), 128);
  EXPECT_EQ(configuration->batchSize("predict"), 128) << "that of training";
  EXPECT_EQ(configuration->number("optimizer.decay_steps"), 40);
  EXPECT_EQ(configuration->settings().getFloat("optimizer.learning_rate"), 0.25);
  EXPECT_EQ(configuration->input(), nullptr);
  EXPECT_TRUE(configuration->evalSets().empty()) << "no eval entry, no set";
}

TEST(Configuration, EvalSetsComeFromTheSettings) {
  auto configuration = configure(R"({"settings": [
    {"path": "eval.files", "type": "string", "repeated": true, "stage": "start", "origin": "default"},
    {"path": "eval.valid.files", "type": "string", "repeated": true, "stage": "start", "origin": "default"},
    {"path": "eval.valid.batch_size", "type": "int", "value": 7, "stage": "start", "origin": "default"},
    {"path": "evaluation.files", "type": "string", "stage": "start", "origin": "default"}]})");
  ASSERT_TRUE(configuration.ok()) << configuration.status();
  ASSERT_EQ(configuration->evalSets().size(), 2u);
  EXPECT_EQ(configuration->evalSets()[0].name, "");
  EXPECT_EQ(configuration->evalSets()[1].name, "valid");
  EXPECT_EQ(configuration->batchSize("eval"), 128);
  EXPECT_EQ(configuration->batchSize("eval.valid"), 7);
}

TEST(Configuration, FlagsWinOverSet) {
  auto configuration = configure("{}");
  EXPECT_TRUE(apply(*configuration, {"train", "--batch_size=5", "--set=train.batch_size=6", "--train_files=a,b",
                                     "--train_files=c", "--set=optimizer.learning_rate=1"}));
  EXPECT_EQ(configuration->number("train.batch_size"), 5);
  EXPECT_EQ(configuration->settings().find("train.batch_size")->origin, "--batch_size");
  EXPECT_THAT(configuration->settings().getStrings("train.files"), testing::ElementsAre("a,b", "c"));
  EXPECT_EQ(configuration->settings().getFloat("optimizer.learning_rate"), 1.0);
}

TEST(Configuration, CheckpointIntervals) {
  auto configuration = configure("{}");
  EXPECT_EQ(configuration->number("run_config.save_checkpoints_secs"), 600);
  EXPECT_TRUE(apply(*configuration, {"train", "--set=run_config.save_checkpoints_steps=50"}));
  EXPECT_EQ(configuration->settings().getInt("run_config.save_checkpoints_secs"), std::nullopt)
      << "a default gives way";
  configuration = configure("{}");
  std::string error;
  EXPECT_FALSE(apply(
      *configuration,
      {"train", "--set=run_config.save_checkpoints_steps=50", "--set=run_config.save_checkpoints_secs=5"}, &error));
  EXPECT_THAT(error, HasSubstr("error[E0131]: save_checkpoints_steps (--set) and save_checkpoints_secs (--set)"));
}

TEST(Configuration, DamagedManifests) {
  for (const char *manifest : {"", "[]", "{", R"({"settings": 3})", R"({"settings": [{"path": "a"}]})"}) {
    auto configuration = configure(manifest);
    EXPECT_TRUE(absl::IsDataLoss(configuration.status())) << manifest << ": " << configuration.status();
  }
  EXPECT_FALSE(configure(R"({"input": {"csv": {"hedaer": true}, "columns": []}})").ok());
}
