// Checkpoints of a part of the state beside those of all of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TrainerFixture.h"
#include "runtime/src/checkpoint/CheckpointStore.h"

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class RunCheckpointsTest : public TrainerFixture {
protected:
  static std::vector<std::string> arguments(const std::string &modelDir, int64_t steps,
                                            std::vector<std::string> more = {}) {
    std::vector<std::string> args = {"--model_dir=" + modelDir,
                                     "--max_steps=" + std::to_string(steps),
                                     "--set=run_config.save_checkpoints_steps=10",
                                     "--set=train.checkpoint.0.name=emb",
                                     "--set=train.checkpoint.0.vars=emb",
                                     "--set=train.checkpoint.0.every_n_steps=4",
                                     "--set=train.checkpoint.0.keep=3"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  std::vector<int64_t> steps(const std::string &modelDir, const std::string &name) const {
    std::vector<int64_t> found;
    auto list = CheckpointStore(at(modelDir), name).listAll();
    for (const CheckpointPath &entry : *list)
      found.push_back(entry.step);
    return found;
  }
  /// The values of one checkpoint as bytes.
  std::string valuesOf(const std::string &checkpoint) const {
    auto taken = convertCheckpoint(at(checkpoint), at("values.safetensors"));
    EXPECT_TRUE(taken.ok()) << taken.status();
    return readFile(at("values.safetensors"));
  }
  void remove(const std::string &path) const { fs::remove_all(at(path)); }
};

TEST_F(RunCheckpointsTest, HaveScheduleAndRetentionOfTheirOwn) {
  RunResult result = train(arguments("m", 22, {"--json"}));
  EXPECT_THAT(steps("m", "ckpt"), ElementsAre(0, 10, 20, 22));
  EXPECT_THAT(steps("m", "emb"), ElementsAre(16, 20, 22)) << "of 0, 4, ..., 20 and the end";
  std::vector<int64_t> told;
  for (const nlohmann::json &event : result.json())
    if (event["event"] == "checkpoint" && event.contains("policy")) {
      EXPECT_EQ(event["policy"], "emb");
      told.push_back(event["step"]);
    }
  EXPECT_THAT(told, ElementsAre(0, 4, 8, 12, 16, 20, 22));
  EXPECT_THAT(result.err, HasSubstr("saved    m/emb-0000000022\n"));
  auto manifest = readManifest(at("m/emb-0000000020"));
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->policy, "emb");
  auto whole = readManifest(at("m/ckpt-0000000020"));
  ASSERT_TRUE(whole.ok()) << whole.status();
  size_t held = 0;
  for (const VariableRecord &variable : whole->variables)
    if (variable.name.compare(0, 3, "emb") == 0) {
      ++held;
      ASSERT_NE(manifest->find(variable.name), nullptr);
      EXPECT_EQ(manifest->find(variable.name)->crc, variable.crc) << "the state of the same step";
    }
  EXPECT_GT(held, 0u);
  EXPECT_LT(held, whole->variables.size());
  EXPECT_EQ(manifest->variables.size(), held);
  EXPECT_EQ(manifest->vocabularies.size(), 1u) << "the terms of its rows";
  // The run itself is what it is without the policy.
  train({"--model_dir=plain", "--max_steps=22", "--set=run_config.save_checkpoints_steps=10"});
  EXPECT_EQ(stateOf("m"), stateOf("plain"));
}

TEST_F(RunCheckpointsTest, ResumedRunMakesWhatOneRunMakes) {
  train(arguments("one", 22));
  // As if the first run was killed at step 17: what it saved after step 10 is made again.
  train(arguments("many", 17));
  remove("many/ckpt-0000000017");
  RunResult again = train(arguments("many", 22));
  EXPECT_THAT(again.err, HasSubstr("resumed  many/ckpt-0000000010 at step 10"));
  EXPECT_THAT(again.err, HasSubstr("removed  many/emb-0000000017, of a step after the checkpoint that training goes on "
                                   "from"));
  EXPECT_THAT(steps("many", "emb"), ElementsAre(16, 20, 22));
  for (const char *name : {"/emb-0000000016", "/emb-0000000020", "/emb-0000000022"})
    EXPECT_EQ(valuesOf(std::string("many") + name), valuesOf(std::string("one") + name)) << name;
  // Older ones count.
  train(arguments("many", 25));
  EXPECT_THAT(steps("many", "emb"), ElementsAre(22, 24, 25));
  // At the end of training, nothing.
  EXPECT_THAT(train(arguments("many", 25)).err, HasSubstr("nothing to do"));
  EXPECT_THAT(steps("many", "emb"), ElementsAre(22, 24, 25));
}

TEST_F(RunCheckpointsTest, AreNeverResumedFromNorEvaluated) {
  train(arguments("m", 12));
  for (int64_t step : steps("m", "ckpt"))
    remove("m/" + checkpointName(step));
  RunResult anew = train(arguments("m", 2));
  EXPECT_EQ(anew.err.find("resumed"), std::string::npos) << anew.err;
  EXPECT_THAT(anew.err,
              HasSubstr("moved    checkpoints of an earlier run, of which no other is left, to m/before-0002"));
  EXPECT_THAT(steps("m/before-0002", "emb"), ElementsAre(4, 8, 12));
  EXPECT_THAT(steps("m", "emb"), ElementsAre(0, 2));
  std::vector<std::string> evaluate = {"evaluate", "--eval_files=eval.csv", "--name="};
  auto with = [&](const std::string &more) {
    std::vector<std::string> args = evaluate;
    args.push_back(more);
    return run(args);
  };
  RunResult refused = with("--checkpoint=m/emb-0000000002");
  EXPECT_EQ(refused.exit, 4);
  EXPECT_THAT(refused.err, HasSubstr("error[E0402] m/emb-0000000002: holds a part of the state alone (train.checkpoint "
                                     "'emb')"));
  // Also under the name of one of all of the state.
  fs::rename(at("m/emb-0000000002"), at("m/ckpt-0000000009"));
  EXPECT_EQ(with("--model_dir=m").exit, 4);
  std::vector<std::string> args = arguments("m", 20);
  args.insert(args.begin(), {"train", "--train_files=train.csv"});
  EXPECT_EQ(run(args).exit, 4);
  EXPECT_TRUE(fs::exists(at("m/ckpt-0000000009/MANIFEST.json")));
}

TEST_F(RunCheckpointsTest, FreshMovesThemToo) {
  train(arguments("m", 8));
  fs::create_directory(at("m/emb-0000000009"));
  std::ofstream(at("m/emb-0000000009/MANIFEST.json.tmp")) << "half";
  EXPECT_THAT(train(arguments("m", 9)).err, HasSubstr("removed  m/emb-0000000009, which was never completed"));
  RunResult fresh = train({"--model_dir=m", "--max_steps=3", "--fresh"});
  EXPECT_THAT(fresh.err, HasSubstr("moved    checkpoints and event files of earlier runs to m/before-0003"));
  EXPECT_THAT(steps("m", "emb"), ElementsAre()) << "of whatever policy";
  EXPECT_THAT(steps("m/before-0003", "emb"), ElementsAre(4, 8, 9));
}

TEST_F(RunCheckpointsTest, WarmStartTakesThem) {
  train(arguments("m", 8));
  RunResult result = train({"--model_dir=w", "--max_steps=1",
                            "--set=train.warm_start.ckpt_to_initialize_from=m/emb-"
                            "0000000008",
                            "--set=train.warm_start.vars_to_warm_start=emb"});
  auto from = readManifest(at("m/emb-0000000008")), to = readManifest(at("w/ckpt-0000000000"));
  ASSERT_TRUE(from.ok() && to.ok());
  EXPECT_EQ(from->find("emb")->crc, to->find("emb")->crc);
}

TEST_F(RunCheckpointsTest, SlipsAreToldBeforeTraining) {
  auto fail = [&](std::vector<std::string> more) {
    std::vector<std::string> args = arguments("m", 9, std::move(more));
    args.insert(args.begin(), {"train", "--train_files=train.csv"});
    RunResult result = run(args);
    EXPECT_EQ(result.exit, 2) << result.err;
    EXPECT_EQ(steps("m", "ckpt").size(), 0u);
    return result.err;
  };
  EXPECT_THAT(fail({"--set=train.checkpoint.0.vars=embb"}),
              HasSubstr("error[E0223]: no variable's name begins as 'embb' says\n    field: train.checkpoint.0.vars"));
  EXPECT_THAT(fail({"--set=train.checkpoint.0.name=ckpt"}), HasSubstr("'ckpt' cannot begin names of directories here"));
  EXPECT_THAT(fail({"--set=train.checkpoint.0.every_n_steps=0"}), HasSubstr("an integer >= 1"));
  EXPECT_THAT(fail({"--set=train.checkpoint.0.keep=0"}), HasSubstr("an integer >= 1"));
}
