// The verb train: checkpoints, resume, ends, errors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TrainerFixture.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/train/ModelDir.h"

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class TrainTest : public TrainerFixture {
protected:
  std::vector<int64_t> steps(const std::string &modelDir) const {
    std::vector<int64_t> found;
    auto list = CheckpointStore(at(modelDir)).list();
    for (const CheckpointPath &entry : *list)
      found.push_back(entry.step);
    return found;
  }
  CheckpointManifest newestManifest(const std::string &modelDir) const {
    auto newest = CheckpointStore(at(modelDir)).newest();
    auto manifest = readManifest((*newest)->path);
    EXPECT_TRUE(manifest.ok()) << manifest.status();
    return *manifest;
  }
};

TEST_F(TrainTest, SavesAtStartEveryNStepsAndEnd) {
  RunResult result = train({"--model_dir=m", "--epochs=2", "--set", "run_config.save_checkpoints_steps=8",
                            "--set=eval.files=eval.csv", "--set=eval.cold.files=train.csv", "--log_file=copy.txt"});
  // 95 rows in batches of 10: 10 steps an epoch.
  EXPECT_THAT(steps("m"), ElementsAre(0, 8, 16, 20));
  CheckpointManifest manifest = newestManifest("m");
  EXPECT_EQ(manifest.dataFiles.size(), 1u);
  EXPECT_EQ(manifest.find("emb")->shape, (std::vector<int64_t>{5, 2}));
  EXPECT_EQ(result.err.find("bit-exact: yes (one process, V=1), seed 0, threads"), 0u) << "the first line";
  EXPECT_THAT(result.err, HasSubstr("model    fake for cpu x86-64-v3, compat tf2      config m/runs/0001/config.txt"));
  EXPECT_THAT(result.err, HasSubstr("done     20 steps in "));
  EXPECT_THAT(result.err, HasSubstr("next: trainer evaluate --model_dir m"));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(readFile(at("m/runs/0001/log.txt")), result.err);
  EXPECT_EQ(readFile(at("copy.txt")), result.err);
  EXPECT_THAT(readFile(at("m/runs/0001/config.txt")), HasSubstr("train.epochs = 2  # --epochs\n"));
  std::string spec = readFile(at("m/runs/0001/config.pbtxt"));
  EXPECT_EQ(spec.find("name: \"fake\"\n# changed at the start of this run:\n"), 0u);
  EXPECT_THAT(spec, HasSubstr("#   train.epochs = 2  # --epochs\n"));
  EXPECT_THAT(readFile(at("m/runs/0001/config.txt")), HasSubstr("# compat tf2\n# bit-exact: yes (one process, V=1)\n"));
  nlohmann::json run = nlohmann::json::parse(readFile(at("m/runs/0001/run.json")));
  EXPECT_EQ(run["bit_exact"], "yes (one process, V=1)");
  EXPECT_EQ(run["train_files"][0]["path"], "train.csv");
  EXPECT_EQ(run["train_files"][0]["size"], fs::file_size(at("train.csv")));
  EXPECT_EQ(run["train_files"][0]["crc32c"], run["eval_files"]["cold"][0]["crc32c"]);
  EXPECT_EQ(run["eval_files"][""][0]["path"], "eval.csv");
  EXPECT_EQ(run["threads"].get<int>() > 0, true);
  EXPECT_EQ(run["host"], hostName());
  EXPECT_EQ(run["state_fingerprint"], "9f3c0000");
  EXPECT_EQ(run["command"][1], "train");
}

TEST_F(TrainTest, KeepsTheNewest) {
  train({"--model_dir=m", "--epochs=2", "--set=run_config.save_checkpoints_steps=5",
         "--set=run_config.keep_checkpoint_max=2"});
  EXPECT_THAT(steps("m"), ElementsAre(15, 20));
}

TEST_F(TrainTest, KeepsOneEachSoManyHours) {
  std::vector<std::string> args = {"--model_dir=m", "--set=run_config.save_checkpoints_steps=5",
                                   "--set=run_config.keep_checkpoint_max=1",
                                   "--set=run_config.keep_checkpoint_every_n_hours=2"};
  args.push_back("--max_steps=5");
  train(args);
  EXPECT_THAT(steps("m"), ElementsAre(5));
  // As if the run had begun three hours ago.
  CheckpointManifest manifest = newestManifest("m");
  EXPECT_FALSE(manifest.keep);
  manifest.keepSince -= 3 * 3600;
  std::ofstream(at("m/ckpt-0000000005/MANIFEST.json")) << manifestToText(manifest);
  args.back() = "--max_steps=20";
  train(args);
  EXPECT_THAT(steps("m"), ElementsAre(10, 20)) << "10 is kept for good, 15 and 20 come within the next two hours";
  EXPECT_GT(newestManifest("m").keepSince, manifest.keepSince + 3600);
}

TEST_F(TrainTest, StepsOrSecondsBetweenCheckpoints) {
  RunResult result = run({"train", "--model_dir=m", "--train_files=train.csv", "--max_steps=5",
                          "--set=run_config.save_checkpoints_steps=5", "--set=run_config.save_checkpoints_secs=5"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_THAT(result.err, HasSubstr("error[E0131]: save_checkpoints_steps (--set) and save_checkpoints_secs (--set) "
                                    "are both set"));
  train({"--model_dir=m", "--max_steps=5", "--set=run_config.save_checkpoints_secs=1000000"});
  EXPECT_THAT(steps("m"), ElementsAre(0, 5));
}

TEST_F(TrainTest, LeftoversAreNeverTakenForCheckpoints) {
  train({"--model_dir=m", "--max_steps=5"});
  // What kills at different moments of a save leave.
  fs::create_directory(at("m/ckpt-0000000006"));
  for (const char *file : {"ckpt-0000000007/ps-00000-of-00001.safetensors", "ckpt-0000000008/MANIFEST.json.tmp"}) {
    fs::create_directory(fs::path(at("m")) / fs::path(file).parent_path());
    fs::copy_file(at("m/ckpt-0000000005/") + (std::string(file).find("MANI") == std::string::npos
                                                  ? "ps-00000-of-00001.safetensors"
                                                  : "MANIFEST.json"),
                  at("m/") + file);
  }
  EXPECT_EQ(run({"ckpt", "show", "m", "--step=8"}).exit, 2);
  EXPECT_EQ(run({"evaluate", "--checkpoint=m/ckpt-0000000008", "--set=eval.files=eval.csv"}).exit, 2);
  EXPECT_THAT(run({"evaluate", "--model_dir=m", "--set=eval.files=eval.csv"}).err,
              HasSubstr("restored m/ckpt-0000000005"));
  RunResult result = train({"--model_dir=m", "--max_steps=9"});
  EXPECT_THAT(result.err, HasSubstr("resumed  m/ckpt-0000000005"));
  for (const char *step : {"6", "7", "8"})
    EXPECT_THAT(result.err, HasSubstr(std::string("removed  m/ckpt-000000000") + step));
  EXPECT_THAT(steps("m"), ElementsAre(0, 5, 9));
  EXPECT_FALSE(fs::exists(at("m/ckpt-0000000008")));
}

TEST_F(TrainTest, LearnsAndDependsOnTheSeed) {
  auto loss = [&](const std::vector<std::string> &args) {
    auto events = train(args).json();
    for (const nlohmann::json &event : events)
      if (event["event"] == "step")
        return event["loss"].get<double>();
    ADD_FAILURE() << "no step event";
    return 0.0;
  };
  std::vector<std::string> common = {"--json", "--set=run_config.log_step_count_steps=1"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), common.begin(), common.end());
    return more;
  };
  double first = loss(with({"--model_dir=a", "--max_steps=1"}));
  train({"--model_dir=a", "--max_steps=100"});
  double last = loss(with({"--model_dir=a", "--max_steps=101"}));
  EXPECT_LT(last, first / 4);
  train({"--model_dir=b", "--max_steps=101", "--seed=1"});
  EXPECT_NE(stateOf("a"), stateOf("b"));
}

TEST_F(TrainTest, ResumedRunEqualsOneRun) {
  train({"--model_dir=one", "--epochs=3", "--seed=7"});
  // Stops within an epoch, at its end, and once more within.
  for (const char *stop : {"7", "10", "26"})
    train({"--model_dir=many", "--max_steps", stop, "--seed=7"});
  RunResult last = train({"--model_dir=many", "--epochs=3"}); // the seed comes from the checkpoint
  EXPECT_THAT(last.err, HasSubstr("resumed  many/ckpt-0000000026 at step 26, epoch 2, example 60"));
  EXPECT_EQ(stateOf("many"), stateOf("one"));
  EXPECT_TRUE(fs::exists(at("many/runs/0004/run.json")));
}

TEST_F(TrainTest, ThreadsDoNotChangeTheResult) {
  train({"--model_dir=a", "--epochs=2", "--threads=1"});
  train({"--model_dir=b", "--epochs=2", "--threads=2"});
  train({"--model_dir=c", "--epochs=2", "--threads=5"});
  EXPECT_EQ(stateOf("a"), stateOf("b"));
  EXPECT_EQ(stateOf("a"), stateOf("c"));
}

TEST_F(TrainTest, VirtualShardsAreExactAndRecorded) {
  for (const char *dir : {"a", "b"})
    train({"--model_dir", dir, "--epochs=2", "--virtual_shards=8"});
  EXPECT_EQ(stateOf("a"), stateOf("b"));
  EXPECT_EQ(newestManifest("a").virtualShards, 8);
  // A resumed run goes on with them.
  train({"--model_dir=c", "--max_steps=13", "--virtual_shards=8"});
  RunResult result = train({"--model_dir=c", "--epochs=2"});
  EXPECT_EQ(result.err.find("bit-exact: yes (one process, V=8)"), 0u) << result.err;
  EXPECT_EQ(stateOf("c"), stateOf("a"));
}

TEST_F(TrainTest, NothingToDo) {
  train({"--model_dir=m", "--max_steps=5"});
  std::string before = stateOf("m");
  RunResult result = train({"--model_dir=m", "--max_steps=5", "--json"});
  EXPECT_THAT(result.err, HasSubstr("nothing to do: the checkpoint is of step 5, max_steps is 5"));
  EXPECT_EQ(result.json().back()["reason"], "max_steps");
  EXPECT_EQ(stateOf("m"), before);
  train({"--model_dir=m", "--epochs=1"});
  EXPECT_THAT(train({"--model_dir=m", "--epochs=1"}).err, HasSubstr("nothing to do"));
}

TEST_F(TrainTest, JsonEvents) {
  auto events = train({"--model_dir=m", "--epochs=1", "--seed=7", "--set=eval.files=eval.csv", "--threads=2",
                       "--set=eval.cold.files=train.csv", "--set=eval.cold.steps=3", "--json",
                       "--set=run_config.log_step_count_steps=10"})
                    .json();
  ASSERT_EQ(events.size(), 7u);
  EXPECT_EQ(events[0]["event"], "config");
  EXPECT_EQ(events[0]["fingerprint"], "9f3c0000");
  EXPECT_EQ(events[0]["resumed_from"], nullptr);
  EXPECT_EQ(events[0]["seed"], 7);
  EXPECT_EQ(events[0]["compat"], "tf2");
  EXPECT_EQ(events[1], (nlohmann::json{{"event", "checkpoint"}, {"step", 0}, {"path", "m/ckpt-0000000000"}}));
  EXPECT_EQ(events[2]["event"], "step");
  EXPECT_EQ(events[2]["step"], 10);
  EXPECT_EQ(events[2]["examples"], 95);
  EXPECT_EQ(events[3]["event"], "checkpoint");
  EXPECT_EQ(events[4]["event"], "eval");
  EXPECT_EQ(events[4]["name"], "");
  EXPECT_EQ(events[4]["metrics"]["examples"], 20);
  EXPECT_EQ(events[4]["metrics"]["global_step"], 10);
  EXPECT_EQ(events[5]["name"], "cold");
  EXPECT_EQ(events[5]["metrics"]["examples"], 30) << "3 steps of training's batch size";
  EXPECT_EQ(events[6]["event"], "done");
  EXPECT_EQ(events[6]["step"], 10);
  EXPECT_EQ(events[6]["reason"], "epochs");
  EXPECT_EQ(events[6]["exit"], 0);
}

/// A run that fails ends its events with what failed it.
TEST_F(TrainTest, FailedRunsTellTheirEnd) {
  auto done = [&](std::vector<std::string> args, int exit) {
    args.insert(args.begin(), {"train", "--json", "--model_dir=m"});
    RunResult result = run(args);
    EXPECT_EQ(result.exit, exit) << result.err;
    std::vector<nlohmann::json> events = result.json();
    EXPECT_FALSE(events.empty());
    nlohmann::json last = events.empty() ? nlohmann::json() : events.back();
    EXPECT_EQ(last["event"], "done");
    EXPECT_EQ(last["reason"], "error");
    EXPECT_EQ(last["exit"], exit);
    EXPECT_EQ(last["message"],
              nlohmann::json::parse(result.err.substr(result.err.rfind("{\"severity\"")), nullptr, false))
        << "as on stderr: " << result.err;
    return last;
  };
  std::ofstream(at("bad.csv")) << readFile(at("train.csv")) << "1|2|3,a,what\n";
  nlohmann::json last = done({"--train_files=bad.csv", "--epochs=1"}, 3);
  EXPECT_EQ(last["step"], 0);
  EXPECT_EQ(last["message"]["line"], 97);
  last = done({"--train_files=train.csv", "--max_steps=500", "--set=optimizer.learning_rate=1e30"}, 5);
  EXPECT_GT(last["step"], 0);
  EXPECT_THAT(last["message"]["message"].get<std::string>(),
              HasSubstr(" at step " + std::to_string(last["step"].get<int64_t>())));
  last = done({"--train_files=train.csv", "--set=train.batch_size=0"}, 2);
  EXPECT_FALSE(last.contains("step")) << "it did not begin";
  EXPECT_EQ(last["message"]["code"], "E0213");
}

TEST_F(TrainTest, EvaluatesEveryNSteps) {
  auto events = train({"--model_dir=m", "--epochs=2", "--set=eval.files=eval.csv", "--set=eval.every_n_steps=8",
                       "--json", "--quiet"})
                    .json();
  std::vector<int> steps;
  for (const nlohmann::json &event : events)
    if (event["event"] == "eval")
      steps.push_back(event["step"]);
  EXPECT_THAT(steps, ElementsAre(8, 16, 20));
}

TEST_F(TrainTest, EvaluationDoesNotDisturbTraining) {
  train({"--model_dir=a", "--epochs=2"});
  train({"--model_dir=b", "--epochs=2", "--set=eval.files=eval.csv", "--set=eval.every_n_steps=3"});
  EXPECT_EQ(stateOf("a"), stateOf("b"));
}

TEST_F(TrainTest, NotFiniteLossStops) {
  RunResult result = run(
      {"train", "--model_dir=m", "--train_files=train.csv", "--max_steps=500", "--set=optimizer.learning_rate=1e30"});
  EXPECT_EQ(result.exit, 5) << result.err;
  EXPECT_THAT(result.err, HasSubstr("error[E0501] m: the loss is "));
  EXPECT_THAT(steps("m"), ElementsAre(0)) << "what is broken is not saved";
}

TEST_F(TrainTest, NotFiniteLossLosesNothing) {
  train({"--model_dir=m", "--max_steps=7"});
  std::string before = stateOf("m");
  RunResult result = run({"train", "--model_dir=m", "--train_files=train.csv", "--max_steps=500",
                          "--set=optimizer.learning_rate=1e30", "--set=run_config.save_checkpoints_steps=1000"});
  EXPECT_EQ(result.exit, 5) << result.err;
  EXPECT_THAT(result.err, HasSubstr("expected: a finite loss; the last checkpoint is of step 7"));
  EXPECT_EQ(stateOf("m"), before);
  train({"--model_dir=m", "--max_steps=12"});
  train({"--model_dir=one", "--max_steps=12"});
  EXPECT_EQ(stateOf("m"), stateOf("one"));
}

TEST_F(TrainTest, ClockThatWasSetBack) {
  std::vector<std::string> args = {"--model_dir=m", "--max_steps=5", "--set=run_config.keep_checkpoint_max=1",
                                   "--set=run_config.keep_checkpoint_every_n_hours=2"};
  train(args);
  // As if all before had happened ten years ahead.
  CheckpointManifest manifest = newestManifest("m");
  const int64_t years = 10 * 365 * int64_t{86400}, then = manifest.keepSince;
  manifest.keepSince += years;
  manifest.wallTime += years;
  std::ofstream(at("m/ckpt-0000000005/MANIFEST.json")) << manifestToText(manifest);
  args[1] = "--max_steps=9";
  train(args);
  EXPECT_THAT(steps("m"), ElementsAre(9)) << "the newest is that of the highest step, whatever the clock says";
  EXPECT_LT(newestManifest("m").keepSince, then + years) << "hours are counted from now on";
  EXPECT_EQ(run({"ckpt", "ls", "m"}).exit, 0);
}

TEST_F(TrainTest, SignalsSaveAndTrainingGoesOn) {
  for (auto [signal, code, reason] :
       std::vector<std::tuple<int, int, std::string>>{{SIGINT, 130, "interrupted"}, {SIGTERM, 143, "terminated"}}) {
    std::string dir = "s" + std::to_string(signal);
    pid_t child =
        start(FAKE_TRAINER,
              {"train", "--model_dir", dir, "--train_files=train.csv", "--max_steps=1000000000", "--json"}, dir);
    for (int i = 0; i < 1000 && readFile(at("out" + dir)).find("\"step\":100,") == std::string::npos; ++i)
      ::usleep(10000);
    ASSERT_EQ(::kill(child, signal), 0);
    RunResult result = wait(child, dir);
    EXPECT_EQ(result.exit, code) << result.err;
    nlohmann::json done = result.json().back();
    EXPECT_EQ(done["reason"], reason);
    EXPECT_EQ(done["exit"], code);
    int64_t stopped = done["step"];
    ASSERT_GT(stopped, 100);
    EXPECT_EQ(steps(dir).back(), stopped);
    // What was saved is the state of an undisturbed run.
    train({"--model_dir", dir, "--max_steps", std::to_string(stopped + 5)});
    train({"--model_dir", dir + "u", "--max_steps", std::to_string(stopped + 5)});
    EXPECT_EQ(stateOf(dir), stateOf(dir + "u"));
  }
}

TEST_F(TrainTest, KilledRunLeavesACompleteCheckpoint) {
  pid_t child = start(FAKE_TRAINER,
                      {"train", "--model_dir=k", "--train_files=train.csv", "--max_steps=1000000000",
                       "--set=run_config.save_checkpoints_steps=3"},
                      "k");
  for (int i = 0; i < 1000 && (!fs::exists(at("k")) || steps("k").size() < 4); ++i)
    ::usleep(10000);
  ::kill(child, SIGKILL);
  EXPECT_EQ(wait(child, "k").exit, -1);
  int64_t last = steps("k").back();
  RunResult next = train({"--model_dir=k", "--max_steps", std::to_string(last + 5)});
  EXPECT_THAT(next.err, HasSubstr("note     the last owner of this model_dir (host "));
  EXPECT_THAT(next.err, HasSubstr(" pid " + std::to_string(child) + ") ended without giving its lock back"));
  train({"--model_dir=u", "--max_steps", std::to_string(last + 5)});
  EXPECT_EQ(stateOf("k"), stateOf("u"));
}

TEST_F(TrainTest, ModelDirInUse) {
  pid_t child =
      start(FAKE_TRAINER, {"train", "--model_dir=m", "--train_files=train.csv", "--max_steps=1000000000"}, "m");
  for (int i = 0; i < 1000 && (!fs::exists(at("m")) || steps("m").empty()); ++i)
    ::usleep(10000);
  RunResult second = run({"train", "--model_dir=m", "--train_files=train.csv", "--max_steps=5"});
  EXPECT_EQ(second.exit, 6);
  EXPECT_THAT(second.err, HasSubstr("error[E0404] m: another trainer writes to this model_dir (host "));
  EXPECT_THAT(second.err, HasSubstr(" pid " + std::to_string(child) + ")"));
  ::kill(child, SIGTERM);
  EXPECT_EQ(wait(child, "m").exit, 143);
}

TEST_F(TrainTest, CheckpointOfAnotherModel) {
  train({"--model_dir=m", "--max_steps=5"});
  std::vector<std::string> args = {"train", "--model_dir=m", "--train_files=train.csv", "--max_steps=9"};
  RunResult result = run(args, OTHER_TRAINER);
  EXPECT_EQ(result.exit, 4);
  EXPECT_THAT(result.err, HasSubstr("error[E0402] m/ckpt-0000000005: checkpoint of another model (state fingerprint "
                                    "9f3c.. , this spec 51aa..)\n"
                                    "    differs: model.hidden_units [100,50] -> [100,64]      help: --fresh"));
  args.push_back("--fresh");
  result = run(args, OTHER_TRAINER);
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(steps("m"), ElementsAre(0, 9));
}

TEST_F(TrainTest, DamagedCheckpointStopsAndIsNamed) {
  train({"--model_dir=m", "--max_steps=5"});
  std::string shard = at("m/ckpt-0000000005/ps-00000-of-00001.safetensors"), bytes = readFile(shard);
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 1);
  std::ofstream(shard, std::ios::binary) << bytes;
  RunResult result = run({"train", "--model_dir=m", "--train_files=train.csv", "--max_steps=9"});
  EXPECT_EQ(result.exit, 3);
  EXPECT_THAT(result.err, HasSubstr("error[E0403] m/ckpt-0000000005/ps-00000-of-00001.safetensors: tensor 'w' is "
                                    "damaged"));
  EXPECT_THAT(result.err, HasSubstr("help: restore m/ckpt-0000000005 from a copy, or remove it to go on from "
                                    "m/ckpt-0000000000"));
  EXPECT_THAT(steps("m"), ElementsAre(0, 5)) << "it does not go on from an older one by itself";
  EXPECT_EQ(run({"evaluate", "--model_dir=m", "--set=eval.files=eval.csv"}).exit, 3);
  RunResult verified = run({"ckpt", "verify", "m"});
  EXPECT_EQ(verified.exit, 3);
  EXPECT_THAT(verified.out, HasSubstr("ok       m/ckpt-0000000000"));
  EXPECT_THAT(verified.err, HasSubstr("tensor 'w' is damaged"));
  // A directory without its manifest is not a checkpoint: the one before is taken.
  fs::remove(at("m/ckpt-0000000005/MANIFEST.json"));
  result = train({"--model_dir=m", "--max_steps=9"});
  EXPECT_THAT(result.err, HasSubstr("removed  m/ckpt-0000000005, which was never completed"));
  EXPECT_THAT(result.err, HasSubstr("resumed  m/ckpt-0000000000"));
}

TEST_F(TrainTest, OtherFilesStartAtTheirBeginning) {
  train({"--model_dir=m", "--max_steps=15"});
  writeData("more.csv", 40, 3);
  RunResult result = run({"train", "--model_dir=m", "--train_files=more.csv", "--max_steps=17"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("changed  data files"));
  EXPECT_EQ(newestManifest("m").position, 20);
  EXPECT_EQ(newestManifest("m").epoch, 0);
}

TEST_F(TrainTest, ChangedSettingsAreLogged) {
  train({"--model_dir=m", "--max_steps=3"});
  RunResult result = train({"--model_dir=m", "--max_steps=6", "--batch_size=20", "--seed=5"});
  EXPECT_THAT(result.err, HasSubstr("changed  train.batch_size 10 -> 20"));
  EXPECT_THAT(result.err, HasSubstr("changed  seed 0 -> 5"));
}

TEST_F(TrainTest, UsageErrors) {
  auto fail = [&](std::vector<std::string> args) {
    RunResult result = run(args);
    EXPECT_EQ(result.exit, 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(fail({"train", "--train_files=train.csv"}), HasSubstr("train needs --model_dir"));
  EXPECT_THAT(fail({"train", "--model_dir=m", "--max_steps=3"}),
              HasSubstr("error[E0206]: no files to read\n    field: train.files      help: --train_files GLOB"));
  EXPECT_THAT(fail({"train", "--model_dir=m", "--train_files=train.csv"}),
              HasSubstr("--max_steps N, --steps N or --epochs N"));
  EXPECT_THAT(fail({"train", "--model_dri=m"}), HasSubstr("did you mean '--model_dir'?"));
  EXPECT_THAT(fail({"trian"}), HasSubstr("did you mean 'train'?"));
  EXPECT_THAT(fail({}), HasSubstr("no verb"));
  EXPECT_THAT(fail({"train", "--model_dir=m", "--set=model.hidden_units=1"}),
              HasSubstr("change it in the spec and compile again"));
  EXPECT_THAT(fail({"train", "--model_dir=m", "--set=train.batch_size=0"}), HasSubstr("expected: an integer >= 1"));
  EXPECT_THAT(fail({"train", "--model_dir=m", "--eval_files=eval.csv"}), HasSubstr("--eval_files is for one eval set"));
  EXPECT_THAT(fail({"train", "--model_dir=m", "--train_files=train.csv", "--epochs=1", "--batch_size=1000",
                    "--set=train.drop_remainder=true"}),
              HasSubstr("is above the 95 examples"));
}

TEST_F(TrainTest, DataErrorsNameTheirPlace) {
  RunResult result = run({"train", "--model_dir=m", "--train_files=none.csv", "--max_steps=3"});
  EXPECT_EQ(result.exit, 3);
  EXPECT_THAT(result.err, HasSubstr("none.csv"));
  std::ofstream(at("bad.csv")) << "x,key,y\n1|2|3,a,1\n1|2|3,a\n";
  result = run({"train", "--model_dir=m", "--train_files=bad.csv", "--max_steps=3"});
  EXPECT_EQ(result.exit, 3);
  EXPECT_THAT(result.err, HasSubstr("bad.csv:3"));
}

TEST_F(TrainTest, UnwritableModelDir) {
  std::ofstream(at("file")) << "in the way";
  EXPECT_EQ(run({"train", "--model_dir=file", "--train_files=train.csv", "--max_steps=3"}).exit, 6);
}

TEST_F(TrainTest, LogThatCannotBeWritten) {
  // Opening works, writing does not.
  RunResult result =
      run({"train", "--model_dir=m", "--train_files=train.csv", "--max_steps=3", "--log_file=/dev/full"});
  EXPECT_EQ(result.exit, 0);
  std::string warning = "warning[E0405] /dev/full: the log is not complete: cannot write: No space left on device";
  size_t first = result.err.find(warning);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(warning, first + 1), std::string::npos) << "said once";
  EXPECT_EQ(run({"train", "--model_dir=m", "--log_file=no/log"}).exit, 6);
}

TEST_F(TrainTest, JsonErrorsAreObjects) {
  RunResult result = run({"train", "--model_dir=m", "--train_files=train.csv", "--json"});
  EXPECT_EQ(result.exit, 2);
  std::string last = result.err.substr(result.err.rfind("{\"severity\""));
  EXPECT_EQ(nlohmann::json::parse(last)["code"], "E0206");
}
