// Exports that are killed, or whose disk fails, at any of their calls to the system.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SyscallTracer.h"
#include "TrainerFixture.h"
#include "runtime/src/export/ExportDirectory.h"
#include "runtime/src/export/ExportedModel.h"

#include <cerrno>

using namespace mlcrt;
using testing::HasSubstr;
namespace fs = std::filesystem;

class ExportFaultsTest : public TrainerFixture {
protected:
  ExportFaultsTest()
      : TrainerFixture(::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir()),
        watched_(fs::canonical(directory_).string() + "/x") {}

  void SetUp() override {
    train({"--model_dir=m", "--max_steps=3"});
    if (!attempt({}).traced)
      GTEST_SKIP() << "this system lets no process be traced: nothing of crashes was tested";
  }

  /// Exports to a fresh directory x.
  TracedRun attempt(const Injection &injection) const {
    fs::remove_all(watched_);
    std::vector<std::string> args = {"export", "--model_dir=m", "--output=x", "--golden_files=train.csv",
                                     "--threads=1"};
    return runTraced([&] { execute(FAKE_TRAINER, args, "t"); }, watched_, injection);
  }

  /// What has a number is whole; returns how many there are.
  int expectWhole() const {
    int exports = 0;
    std::error_code none;
    for (const auto &entry : fs::directory_iterator(watched_, none)) {
      std::string name = entry.path().filename().string();
      if (name.compare(0, 5, "temp-") == 0)
        continue;
      EXPECT_EQ(name.find_first_not_of("0123456789"), std::string::npos) << name;
      auto model = loadExport(entry.path().string());
      EXPECT_TRUE(model.ok()) << model.status();
      if (model.ok()) {
        EXPECT_EQ(model->signature.goldenRows, 8);
      }
      ++exports;
    }
    return exports;
  }

  /// Does `check` for an injection at each call.
  template <typename Check> void atEveryCall(Injection injection, Check check) const {
    const TracedRun whole = attempt({});
    ASSERT_EQ(whole.exit, 0) << readFile(at("errt"));
    ASSERT_EQ(expectWhole(), 1);
    ASSERT_GT(whole.calls.size(), 20u) << "four files are written, synced and renamed";
    for (injection.at = 0; injection.at < static_cast<int>(whole.calls.size()) && !HasFailure(); ++injection.at) {
      TracedRun run = attempt(injection);
      ASSERT_EQ(run.calls.size(), static_cast<size_t>(injection.at) + 1) << "calls come in the same order";
      SCOPED_TRACE("call " + std::to_string(injection.at) + ": " + run.calls.back().name + " " + run.calls.back().path);
      check(run);
    }
  }

  std::string watched_;
};

TEST_F(ExportFaultsTest, KilledAtEveryCall) {
  for (Injection::Action action : {Injection::Kill, Injection::KillAfterHalf})
    atEveryCall({0, action, 0}, [&](const TracedRun &run) {
      EXPECT_EQ(run.exit, -1);
      EXPECT_LE(expectWhole(), 1);
    });
}

TEST_F(ExportFaultsTest, FailureAtEveryCall) {
  for (auto [error, exit] : {std::pair{ENOSPC, 194}, {EIO, 194}})
    atEveryCall({0, Injection::Fail, error}, [&, error = error, exit = exit](const TracedRun &run) {
      std::string messages = readFile(at("errt"));
      expectWhole();
      EXPECT_EQ(run.exit, exit) << messages;
      EXPECT_THAT(messages, HasSubstr("error[E0405] x"));
      EXPECT_THAT(messages, HasSubstr(std::strerror(error)));
    });
}

/// Training with exporters of all kinds, from a model_dir that has exports.
class ExporterFaultsTest : public TrainerFixture {
protected:
  ExporterFaultsTest()
      : TrainerFixture(::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir()),
        watched_(fs::canonical(directory_).string() + "/m/export") {}

  void SetUp() override {
    train(arguments("base", 2));
    train(arguments("reference", 2));
    train(arguments("reference", 6));
    if (!attempt({}).traced)
      GTEST_SKIP() << "this system lets no process be traced: nothing of crashes was tested";
  }

  static std::vector<std::string> arguments(const std::string &modelDir, int steps) {
    std::vector<std::string> args = {"--model_dir=" + modelDir,
                                     "--max_steps=" + std::to_string(steps),
                                     "--threads=1",
                                     "--set=run_config.save_checkpoints_steps=2",
                                     "--set=eval.files=eval.csv",
                                     "--json"};
    for (const char *setting :
         {"eval.exporter.0.name=latest", "eval.exporter.0.kind=LATEST", "eval.exporter.0.exports_to_keep=1",
          "eval.cold.files=train.csv", "eval.cold.exporter.0.name=best", "eval.cold.exporter.0.kind=BEST",
          "eval.cold.exporter.0.metric=label/mean", "eval.cold.exporter.0.better=LARGER"})
      args.push_back(std::string("--set=") + setting);
    return args;
  }

  TracedRun attempt(const Injection &injection) const {
    fs::remove_all(at("m"));
    fs::copy(at("base"), at("m"), fs::copy_options::recursive);
    std::vector<std::string> args = arguments("m", 6);
    args.insert(args.begin(), {"train", "--train_files=train.csv"});
    return runTraced([&] { execute(FAKE_TRAINER, args, "t"); }, watched_, injection);
  }

  /// The steps of the exports in a directory, each of which is whole.
  std::vector<int64_t> stepsOf(const std::string &directory) const {
    std::vector<int64_t> steps;
    auto exports = listExports(at(directory));
    EXPECT_TRUE(exports.ok()) << exports.status();
    for (const ExportPath &entry : *exports) {
      auto model = loadExport(entry.path);
      EXPECT_TRUE(model.ok()) << model.status();
      steps.push_back(model.ok() ? model->signature.step : -1);
    }
    return steps;
  }

  std::string watched_;
};

TEST_F(ExporterFaultsTest, KilledAtEveryCall) {
  EXPECT_EQ(stepsOf("reference/export/latest"), std::vector<int64_t>{6});
  EXPECT_EQ(stepsOf("reference/export/best"), std::vector<int64_t>{2}) << "the mean of the labels does not grow";
  const TracedRun whole = attempt({});
  ASSERT_EQ(whole.exit, 0) << readFile(at("errt"));
  ASSERT_GT(whole.calls.size(), 40u) << "two exports are made, two removed";
  for (Injection injection{0, Injection::Kill, 0}; injection.at < static_cast<int>(whole.calls.size()) && !HasFailure();
       ++injection.at) {
    injection.action = injection.at % 2 ? Injection::Kill : Injection::KillAfterHalf;
    const TracedRun run = attempt(injection);
    ASSERT_EQ(run.calls.size(), static_cast<size_t>(injection.at) + 1) << "calls come in the same order";
    SCOPED_TRACE("call " + std::to_string(injection.at) + ": " + run.calls.back().name + " " + run.calls.back().path);
    EXPECT_EQ(run.exit, -1);
    EXPECT_EQ(stepsOf("m/export/best"), std::vector<int64_t>{2});
    EXPECT_FALSE(stepsOf("m/export/latest").empty()) << "the old one goes when the new one is there";
    train(arguments("m", 6));
    EXPECT_EQ(stepsOf("m/export/latest"), std::vector<int64_t>{6});
    EXPECT_EQ(stepsOf("m/export/best"), std::vector<int64_t>{2});
    for (const auto &entry : fs::directory_iterator(at("m/export/latest")))
      EXPECT_NE(entry.path().filename().string().compare(0, 5, "temp-"), 0) << entry.path();
  }
}
