// Runs that count their own steps, begin anew, or leave nothing behind.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TrainerFixture.h"
#include "runtime/src/checkpoint/CheckpointStore.h"

using namespace mlcrt;
using testing::HasSubstr;
namespace fs = std::filesystem;

class RunKindsTest : public TrainerFixture {
protected:
  int64_t newestStep(const std::string &modelDir) const {
    auto newest = CheckpointStore(at(modelDir)).newest();
    return newest.ok() && newest->has_value() ? (*newest)->step : -1;
  }
};

TEST_F(RunKindsTest, StepsCountFromWhereTheRunBegins) {
  train({"--model_dir=m", "--steps=7"});
  EXPECT_EQ(newestStep("m"), 7);
  RunResult result = train({"--model_dir=m", "--steps=5"});
  EXPECT_EQ(newestStep("m"), 12);
  EXPECT_THAT(result.err, HasSubstr("done     12 steps (5 of them now)"));
  EXPECT_THAT(readFile(at("m/runs/0002/config.txt")), HasSubstr("train.max_steps = 12  # --steps\n"));
  train({"--model_dir=one", "--max_steps=12"});
  EXPECT_EQ(stateOf("m"), stateOf("one"));
  // The end of the epochs comes first; so many steps as there are numbers are no end.
  EXPECT_THAT(train({"--model_dir=m", "--steps=50", "--epochs=2"}).err, HasSubstr("by epochs"));
  EXPECT_THAT(train({"--model_dir=m", "--steps=9223372036854775807", "--epochs=3"}).err, HasSubstr("by epochs"));
  EXPECT_EQ(newestStep("m"), 30);
}

TEST_F(RunKindsTest, StepsAndMaxStepsExcludeEachOther) {
  RunResult result = run({"train", "--train_files=train.csv", "--model_dir=m", "--steps=5", "--max_steps=5"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_THAT(result.err, HasSubstr("error[E0206]: --steps and --max_steps exclude each other"));
  result = run({"train", "--train_files=train.csv", "--model_dir=m", "--steps=5", "--set=train.max_steps=5"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_THAT(result.err, HasSubstr("--steps and --set train.max_steps exclude each other"));
  EXPECT_FALSE(fs::exists(at("m")));
}

TEST_F(RunKindsTest, FreshMovesWhatWasThere) {
  train({"--model_dir=m", "--max_steps=5", "--set=eval.files=eval.csv", "--set=eval.cold.files=train.csv"});
  std::string before = stateOf("m");
  std::ofstream(at("m/notes.txt")) << "mine";
  std::ofstream(at("m/ckpt-0000000005/notes.txt")) << "mine";
  fs::create_directory(at("m/eval_of_mine"));
  std::ofstream(at("m/eval_of_mine/table.csv")) << "mine";
  RunResult result = train({"--model_dir=m", "--max_steps=3", "--fresh"});
  EXPECT_THAT(result.err, HasSubstr("moved    checkpoints and event files of earlier runs to m/before-0002"));
  EXPECT_EQ(newestStep("m"), 3);
  EXPECT_EQ(stateOf("m/before-0002"), before);
  for (const char *file : {"m/notes.txt", "m/before-0002/ckpt-0000000005/notes.txt", "m/eval_of_mine/table.csv"})
    EXPECT_EQ(readFile(at(file)), "mine") << file;
  for (const char *directory : {"m", "m/before-0002", "m/before-0002/eval", "m/before-0002/eval_cold"}) {
    int events = 0;
    for (const auto &entry : fs::directory_iterator(at(directory)))
      events += entry.path().filename().string().find("events.out.tfevents.") == 0;
    EXPECT_EQ(events, 1) << directory;
  }
  EXPECT_TRUE(fs::exists(at("m/runs/0001/run.json"))) << "what was run stays on record";
  // The values are those of a first run.
  train({"--model_dir=other", "--max_steps=3"});
  EXPECT_EQ(stateOf("m"), stateOf("other"));
  EXPECT_EQ(train({"--model_dir=none", "--max_steps=3", "--fresh"}).err.find("moved"), std::string::npos);
}

/// What refuses a run is found before anything is moved.
TEST_F(RunKindsTest, FreshMovesNothingForARunThatIsRefused) {
  train({"--model_dir=m", "--max_steps=5"});
  std::string before = stateOf("m");
  std::ofstream(at("header.csv")) << "x,z\n1,2\n";
  std::ofstream(at("row.csv")) << readFile(at("train.csv")) << "1|2|3,a,what\n";
  const std::vector<std::vector<std::string>> slips = {
      {"--train_files=none.csv"},
      {"--train_files=header.csv"},
      {"--train_files=row.csv"},
      {"--train_files=train.csv", "--set=eval.files=none.csv"},
      {"--train_files=train.csv", "--set=train.warm_start.ckpt_to_initialize_from=none"},
      {"--train_files=train.csv", "--batch_size=96", "--set=train.drop_remainder=true"},
      {"--train_files=train.csv", "--set=train.early_stopping.0.metric=none"}};
  for (const std::vector<std::string> &slip : slips) {
    std::vector<std::string> args = {"train", "--model_dir=m", "--max_steps=3", "--fresh"};
    args.insert(args.end(), slip.begin(), slip.end());
    RunResult result = run(args);
    EXPECT_NE(result.exit, 0) << slip.back();
    EXPECT_EQ(result.err.find("moved"), std::string::npos) << result.err;
    EXPECT_EQ(newestStep("m"), 5) << slip.back();
  }
  EXPECT_EQ(stateOf("m"), before);
  // Initial values from a checkpoint that makes room for them.
  train({"--model_dir=m", "--max_steps=1", "--fresh", "--set=train.warm_start.ckpt_to_initialize_from=m"});
  EXPECT_EQ(newestStep("m"), 1);
}

TEST_F(RunKindsTest, DryRunWritesNothing) {
  RunResult result = run({"train", "--train_files=train.csv", "--dry_run", "--epochs=3", "--set=eval.files=eval.csv",
                          "--set=eval.batch_size=5", "--json", "--model_dir=m"});
  EXPECT_EQ(result.exit, 0) << result.err;
  std::vector<nlohmann::json> events = result.json();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0]["event"], "config");
  EXPECT_EQ(events[1]["metrics"]["examples"], 5) << "one batch";
  EXPECT_EQ(events[2]["reason"], "dry_run");
  EXPECT_EQ(events[2]["step"], 1);
  EXPECT_THAT(result.err, HasSubstr("step     1  loss "));
  EXPECT_THAT(result.err, HasSubstr("nothing was written"));
  EXPECT_FALSE(fs::exists(at("m")));
  EXPECT_FALSE(fs::exists(at("cache")));
  // Without any limit of steps, and without a model_dir.
  EXPECT_EQ(run({"train", "--train_files=train.csv", "--dry_run"}).exit, 0);
}

TEST_F(RunKindsTest, DryRunOverACheckpoint) {
  train({"--model_dir=m", "--max_steps=5"});
  fs::create_directory(at("m/ckpt-0000000009"));
  auto listing = [&] {
    std::vector<std::string> names;
    for (const auto &entry : fs::recursive_directory_iterator(at("m")))
      names.push_back(entry.path().string());
    std::sort(names.begin(), names.end());
    return names;
  };
  std::vector<std::string> before = listing();
  RunResult result = run({"train", "--model_dir=m", "--train_files=train.csv", "--dry_run"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("resumed  m/ckpt-0000000005 at step 5"));
  EXPECT_THAT(result.err, HasSubstr("step     6  loss "));
  result = run({"train", "--model_dir=m", "--train_files=train.csv", "--dry_run", "--fresh"});
  EXPECT_THAT(result.err, HasSubstr("step     1  loss "));
  EXPECT_EQ(listing(), before);
  // What would be refused is refused.
  EXPECT_EQ(run({"train", "--model_dir=m", "--train_files=train.csv", "--dry_run"}, OTHER_TRAINER).exit, 4);
  EXPECT_EQ(run({"train", "--model_dir=m", "--train_files=absent.csv", "--dry_run"}).exit, 3);
}
