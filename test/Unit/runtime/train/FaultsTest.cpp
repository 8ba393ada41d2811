// A trainer that is killed, or whose disk fails, at any of its calls to the system.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SyscallTracer.h"
#include "TrainerFixture.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/Inspect.h"

#include <cerrno>
#include <random>

using namespace mlcrt;
using testing::HasSubstr;
namespace fs = std::filesystem;

class FaultsTest : public TrainerFixture {
protected:
  /// A run of the trainer over a copy of a model_dir.
  struct Scenario {
    std::string base; ///< model_dir to begin with, or empty
    int64_t lastStep = 0;
    bool evaluates = true; ///< at each checkpoint; else training goes on while it is written
    bool parts = false;    ///< also saves a part of the state under a policy of its own

    std::string reference() const { return "reference" + base + (parts ? "-parts" : ""); }
  };

  /// In memory where that is possible: thousands of calls of fsync are not what is tested.
  FaultsTest()
      : TrainerFixture(::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir()),
        watched_(fs::canonical(directory_).string() + "/m") {}

  void SetUp() override {
    // Two checkpoints, an incomplete one, and a lock that was not given back: a run removes what was left, saves twice
    // and retires two.
    train({"--model_dir=base", "--max_steps=2"});
    fs::create_directory(at("base/ckpt-0000000001"));
    std::ofstream(at("base/ckpt-0000000001/ps-00000-of-00001.safetensors")) << "half";
    fs::create_directory(at("base/part-0000000001"));
    std::ofstream(at("base/part-0000000001/ps-00000-of-00001.safetensors.tmp")) << "half";
    std::ofstream(at("base/lock")) << "host h pid 1\n";
    scenarios_ = {{"", 2}, {"base", 6}, {"base", 6, false}, {"base", 6, false, true}};
    for (const Scenario &scenario : scenarios_)
      train(arguments(scenario, scenario.reference()));
    if (!attempt(scenarios_[0], {}).traced)
      GTEST_SKIP() << "this system lets no process be traced: nothing of crashes was tested";
  }

  static std::vector<std::string> arguments(const Scenario &scenario, const std::string &modelDir) {
    std::vector<std::string> args = {"--model_dir=" + modelDir,
                                     "--max_steps=" + std::to_string(scenario.lastStep),
                                     "--threads=2",
                                     "--set=run_config.save_checkpoints_steps=2",
                                     "--set=run_config.keep_checkpoint_max=2",
                                     "--set=run_config.save_summary_steps=1",
                                     scenario.evaluates ? "--set=eval.files=eval.csv" : "--quiet"};
    if (scenario.parts)
      for (const char *setting : {"name=part", "vars=emb", "every_n_steps=3", "keep=2"})
        args.push_back(std::string("--set=train.checkpoint.0.") + setting);
    return args;
  }

  /// Runs the scenario on a fresh copy "m" of its base.
  TracedRun attempt(const Scenario &scenario, const Injection &injection) const {
    fs::remove_all(at("m"));
    if (!scenario.base.empty())
      fs::copy(at(scenario.base), at("m"), fs::copy_options::recursive);
    std::vector<std::string> args = arguments(scenario, "m");
    args.insert(args.begin(), {"train", "--train_files=train.csv"});
    return runTraced([&] { execute(FAKE_TRAINER, args, "t"); }, watched_, injection);
  }

  /// The step of the last checkpoint that was complete when the run was stopped at its last call, or -1.
  static int64_t lastCommitted(const Scenario &scenario, const TracedRun &run) {
    int64_t step = scenario.base.empty() ? -1 : 2;
    for (size_t i = 0; i + 1 < run.calls.size(); ++i) {
      fs::path path = run.calls[i].path;
      if (run.calls[i].name == "rename" && path.filename() == "MANIFEST.json.tmp")
        step = std::max(step, checkpointStep(path.parent_path().filename().string()));
    }
    return step;
  }

  /// All checkpoints are whole, and the newest is not older than the last that was completed.
  void expectIntact(const Scenario &scenario, const TracedRun &run) const {
    auto list = CheckpointStore(at("m")).list();
    ASSERT_TRUE(list.ok()) << list.status();
    for (const CheckpointPath &entry : *list)
      EXPECT_TRUE(verifyCheckpoint(entry.path).faults.empty()) << entry.path;
    auto parts = CheckpointStore(at("m"), "part").list();
    ASSERT_TRUE(parts.ok()) << parts.status();
    for (const CheckpointPath &entry : *parts)
      EXPECT_TRUE(verifyCheckpoint(entry.path).faults.empty()) << entry.path;
    int64_t committed = lastCommitted(scenario, run);
    if (committed >= 0) {
      ASSERT_FALSE(list->empty());
      EXPECT_GE(list->back().step, committed);
    }
  }

  /// A run without faults ends where an undisturbed one does. `missed`: the run before it went on without one of its
  /// saves.
  void expectResumes(const Scenario &scenario, bool missed = false) const {
    RunResult result = train(arguments(scenario, "m"));
    EXPECT_EQ(stateOf("m"), stateOf(scenario.reference())) << result.err;
    if (scenario.parts) {
      auto parts = CheckpointStore(at("m"), "part").listAll();
      ASSERT_TRUE(parts.ok()) << parts.status();
      EXPECT_TRUE(parts->size() == 2 || (missed && parts->size() == 1)) << parts->size() << " " << result.err;
      for (const CheckpointPath &entry : *parts) {
        EXPECT_TRUE(entry.complete) << entry.path;
        const std::string name = "/" + fs::path(entry.path).filename().string();
        EXPECT_EQ(stateOf("m" + name), stateOf(scenario.reference() + name));
      }
    }
    for (const auto &entry : fs::recursive_directory_iterator(at("m")))
      if (std::string directory = entry.path().parent_path().filename().string();
          directory.compare(0, 5, "ckpt-") == 0 || (scenario.parts && directory.compare(0, 5, "part-") == 0))
        EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }

  static std::string describe(const Scenario &scenario, const TracedRun &run, const Injection &injection) {
    const TracedCall &call = run.calls.back();
    return "from '" + scenario.base + "', call " + std::to_string(injection.at) + ": " + call.name + " " + call.path;
  }

  /// Whether the run was over before the call of the injection came. Where training goes on during a save, how often
  /// event files are written depends on the steps that it takes meanwhile; else a run has always the same calls.
  static bool isOver(const Scenario &scenario, const TracedRun &run, const Injection &injection, size_t calls) {
    const size_t at = static_cast<size_t>(injection.at);
    const bool over = run.calls.size() <= at;
    if (over)
      EXPECT_EQ(run.exit, 0);
    if (over == (at < calls))
      EXPECT_FALSE(scenario.evaluates) << "call " << at << " of " << calls;
    return over;
  }

  /// Does `check` for an injection at each call of each scenario until the run is over.
  template <typename Check> void atEveryCall(Injection injection, Check check) const {
    for (const Scenario &scenario : scenarios_) {
      const size_t calls = attempt(scenario, {}).calls.size();
      ASSERT_GT(calls, 40u) << "a save has about twenty";
      for (injection.at = 0;; ++injection.at) {
        TracedRun run = attempt(scenario, injection);
        if (isOver(scenario, run, injection, calls)) {
          ASSERT_GT(injection.at, 40);
          break;
        }
        SCOPED_TRACE(describe(scenario, run, injection));
        check(scenario, run);
        if (HasFailure())
          return;
      }
    }
  }

  /// A disk that fails from some call on, with the exit code that this has.
  void failAtEveryCall(int error, int exit) const {
    atEveryCall({0, Injection::Fail, error}, [&](const Scenario &scenario, const TracedRun &run) {
      const TracedCall &call = run.calls.back();
      std::string messages = readFile(at("errt")), file = fs::path(call.path).filename().string();
      bool missed = false;
      if (call.name == "write" && file == "log.txt") {
        // A log is not worth a run.
        EXPECT_EQ(run.exit, 0);
        EXPECT_THAT(messages, HasSubstr("warning[E0405] m/runs/"));
      } else if (run.exit == 0 && call.name == "truncate" && file == "lock") {
        // The end of the run; the next one takes the lock over.
      } else if (run.exit == 0) {
        // A save that fails is told, and training goes on to the next one.
        EXPECT_THAT(messages, HasSubstr("warning[E0405] m"));
        EXPECT_THAT(messages, HasSubstr("training goes on"));
        missed = true;
      } else if (run.exit == 3) {
        EXPECT_TRUE(call.isDirectory) << "to list it";
        EXPECT_THAT(messages, HasSubstr("error[E0403] m"));
      } else {
        EXPECT_EQ(run.exit, exit);
        EXPECT_THAT(messages, HasSubstr("error[E0405] m"));
        EXPECT_THAT(messages, HasSubstr(std::strerror(error)));
        if (call.name == "write" &&
            (call.path.find("/ckpt-") != std::string::npos || call.path.find("/part-") != std::string::npos)) {
          EXPECT_FALSE(fs::exists(fs::path(call.path).parent_path())) << "what a failed save wrote takes no room";
          int64_t last = lastCommitted(scenario, run);
          EXPECT_THAT(messages, HasSubstr(last < 0 ? "nothing was saved yet"
                                                   : "the last checkpoint is of step " + std::to_string(last)));
          EXPECT_EQ(messages.find("make room and start again") != std::string::npos, error == ENOSPC);
        }
      }
      expectIntact(scenario, run);
      expectResumes(scenario, missed);
    });
  }

  std::string watched_;
  std::vector<Scenario> scenarios_;
};

TEST_F(FaultsTest, KilledAtEveryCall) {
  atEveryCall({0, Injection::Kill, 0}, [&](const Scenario &scenario, const TracedRun &run) {
    EXPECT_EQ(run.exit, -1);
    expectIntact(scenario, run);
    expectResumes(scenario);
  });
}

TEST_F(FaultsTest, KilledWithinEveryWrite) {
  for (const Scenario &scenario : scenarios_) {
    std::vector<TracedCall> calls = attempt(scenario, {}).calls;
    for (size_t i = 0; i < calls.size() && !HasFailure(); ++i) {
      if (calls[i].name != "write")
        continue;
      Injection injection{static_cast<int>(i), Injection::KillAfterHalf, 0};
      TracedRun run = attempt(scenario, injection);
      if (isOver(scenario, run, injection, calls.size()))
        break;
      SCOPED_TRACE(describe(scenario, run, injection));
      EXPECT_EQ(run.exit, -1);
      expectIntact(scenario, run);
      expectResumes(scenario);
    }
  }
}

TEST_F(FaultsTest, FullDiskAtEveryCall) { failAtEveryCall(ENOSPC, 194); }

TEST_F(FaultsTest, InputOutputErrorAtEveryCall) { failAtEveryCall(EIO, 194); }

TEST_F(FaultsTest, ANewModelDirIsDurableBeforeASaveIsTold) {
  // The entry of the model_dir and of what is made above it, before the first checkpoint is complete.
  const std::string directory = fs::canonical(at(".")).string();
  const std::vector<std::string> args = {"train", "--train_files=train.csv", "--model_dir=above/new", "--max_steps=2"};
  const TracedRun run = runTraced([&] { execute(FAKE_TRAINER, args, "t"); }, directory, {});
  ASSERT_EQ(run.exit, 0) << readFile(at("errt"));
  auto find = [&](const std::string &name, const std::string &end) {
    return std::find_if(run.calls.begin(), run.calls.end(), [&](const TracedCall &call) {
      return call.name == name && call.path.size() >= end.size() &&
             call.path.compare(call.path.size() - end.size(), end.size(), end) == 0;
    });
  };
  const auto saved = find("rename", "MANIFEST.json.tmp");
  ASSERT_NE(saved, run.calls.end());
  EXPECT_LT(find("fsync", "/above"), saved);
  EXPECT_LT(find("fsync", directory), saved);
}

TEST_F(FaultsTest, DamagedFilesAreReportedByEveryVerb) {
  std::mt19937 random(1);
  fs::path checkpoint = at("base/ckpt-0000000002");
  std::vector<fs::path> files(fs::directory_iterator(checkpoint), fs::directory_iterator{});
  ASSERT_EQ(files.size(), 3u);
  for (const fs::path &file : files) {
    std::string bytes = readFile(file);
    for (int i = 0; i < 12; ++i) {
      std::string damaged = bytes;
      if (i < 4)
        damaged.resize(bytes.size() * static_cast<size_t>(i) / 4);
      else
        damaged[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
      std::ofstream(file, std::ios::binary) << damaged;
      std::vector<std::string> args = arguments(scenarios_[1], "base");
      args.insert(args.begin(), {"train", "--train_files=train.csv"});
      for (const RunResult &result :
           {run(args), run({"evaluate", "--model_dir=base", "--eval_files=eval.csv", "--name="}),
            run({"ckpt", "verify", "base"}), run({"ckpt", "show", "base"})}) {
        EXPECT_EQ(result.exit, 3) << file << " " << i << "\n" << result.err;
        EXPECT_THAT(result.err, HasSubstr("error[E0403] base/ckpt-0000000002"));
      }
      EXPECT_EQ(run({"ckpt", "verify", "base", "--step=0"}).exit, 0) << "the other one is whole";
    }
    std::ofstream(file, std::ios::binary) << bytes;
  }
  EXPECT_EQ(run({"ckpt", "verify", "base"}).exit, 0);
}

TEST_F(FaultsTest, ReadOnlyModelDir) {
  TracedRun run = attempt(scenarios_[1], {0, Injection::Fail, EROFS});
  EXPECT_EQ(run.exit, 6);
  EXPECT_THAT(readFile(at("errt")), HasSubstr("error[E0405] m/lock: cannot make the lock file: Read-only file system"));
  expectIntact(scenarios_[1], run);
}

TEST_F(FaultsTest, KilledAtRandomMoments) {
  const char *kills = std::getenv("MLC_TEST_KILLS");
  if (!kills)
    GTEST_SKIP() << "MLC_TEST_KILLS=N kills a long run N times at random moments";
  std::vector<std::string> args = {"train",
                                   "--model_dir=k",
                                   "--train_files=train.csv",
                                   "--max_steps=200000",
                                   "--set=run_config.save_checkpoints_steps=50",
                                   "--set=run_config.keep_checkpoint_max=3"};
  std::mt19937 random(std::random_device{}());
  int64_t before = -1;
  for (int i = 0; i < std::atoi(kills) && !HasFailure(); ++i) {
    pid_t child = start(FAKE_TRAINER, args, "k");
    ::usleep(random() % 200000);
    ::kill(child, SIGKILL);
    RunResult result = wait(child, "k");
    ASSERT_TRUE(result.exit == -1 || result.exit == 0) << result.err;
    auto list = CheckpointStore(at("k")).list();
    ASSERT_TRUE(list.ok()) << list.status();
    for (const CheckpointPath &entry : *list)
      EXPECT_TRUE(verifyCheckpoint(entry.path).faults.empty()) << entry.path;
    int64_t newest = list->empty() ? -1 : list->back().step;
    EXPECT_GE(newest, before);
    before = newest;
  }
  int64_t end = before + 37;
  train({"--model_dir=k", "--max_steps=" + std::to_string(end)});
  train({"--model_dir=one", "--max_steps=" + std::to_string(end)});
  EXPECT_EQ(stateOf("k"), stateOf("one")) << "after " << end << " steps";
}
