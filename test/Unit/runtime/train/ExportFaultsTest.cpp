// An export that is killed, or whose disk fails, at any of its calls to the system.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SyscallTracer.h"
#include "TrainerFixture.h"
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
  for (auto [error, exit] : {std::pair{ENOSPC, 194}, {EIO, 6}})
    atEveryCall({0, Injection::Fail, error}, [&, error = error, exit = exit](const TracedRun &run) {
      std::string messages = readFile(at("errt"));
      expectWhole();
      EXPECT_EQ(run.exit, exit) << messages;
      EXPECT_THAT(messages, HasSubstr("error[E0405] x"));
      EXPECT_THAT(messages, HasSubstr(std::strerror(error)));
    });
}
