// Backup workers: the bits of one process where shards are recomputed, the sums of those that came where they are
// dropped.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeBackup.h"
#include "runtime/src/cluster/RemoteShards.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <future>
#include <limits>
#include <optional>
#include <utility>

using namespace mlcrt;
using Policy = BackupOptions::Policy;

namespace {

/// Steps that tasks have come to: one waits for another, not for a time.
class Reached {
public:
  void at(int task, int64_t step) {
    std::lock_guard<std::mutex> lock(mutex_);
    ends_[task] = std::max(ends_[task], step + 1);
    changed_.notify_all();
  }
  void await(int task, int64_t step) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return ends_[task] > step; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, int64_t> ends_; ///< after the last step; 0: it has not come
};

/// By the number of servers.
class Backup : public testing::TestWithParam<int> {
protected:
  Backup() {
    run.servers = GetParam();
    // The run may end while a task waits for one that will not come to its step.
    run.ended = [this](int task) { reached.at(task, std::numeric_limits<int64_t>::max() - 1); };
  }
  /// Task `slow` comes to `step`, or to the next one that it does not miss, and stays there until task `other` is
  /// `ahead` steps further.
  void stop(int slow, int64_t step, int64_t ahead, int other) {
    run.before = [=](int task, int64_t at, ShardRange, bool isBackup) {
      if (isBackup)
        return;
      reached.at(task, at);
      // The others do not make all steps before it has stopped, however late it gets to run.
      if (task == other && at >= 1 && at <= step + 1)
        reached.await(slow, at - 1);
      if (task == slow && at >= step && !std::exchange(hasStopped, true))
        reached.await(other, std::min<int64_t>(at + ahead, run.steps - 1));
    };
  }

  Reached reached;
  bool hasStopped = false; ///< of the slow task's thread
  BackupRun run;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Servers, Backup, testing::Values(1, 2, 3));

TEST_P(Backup, NobodyIsLate) {
  run.backup = {Policy::Redundant, 1};
  run.run();
  EXPECT_TRUE(run.state == run.alone());
  EXPECT_EQ(run.report.dropped_shards(), 0);
  EXPECT_EQ(run.report.workers(), 1);
}

TEST_P(Backup, ConnectionsThatBreakChangeNoBit) {
  run.backup = {Policy::Redundant, 1};
  run.breaksEvery = 7;
  stop(/*slow=*/2, /*step=*/7, /*ahead=*/4, /*other=*/0);
  run.run();
  EXPECT_TRUE(run.state == run.alone());
  EXPECT_GT(run.broken, run.steps);
}

TEST_P(Backup, ConnectionsThatBreakDropWholeTasks) {
  run.backup = {Policy::Drop, 1};
  run.breaksEvery = 7;
  run.run();
  EXPECT_GT(run.broken, run.steps);
  // Of 37 rows a task has 9, the last one 10: a call that is made again adds none, and at most one task is left out.
  for (const auto &[step, weight] : run.weights)
    EXPECT_TRUE(weight == 37 || weight == 37 - 9 || weight == 37 - 10) << step << ": " << weight;
}

TEST_P(Backup, ShardsOfAStoppedWorkerAreRecomputed) {
  run.backup = {Policy::Redundant, 1};
  stop(/*slow=*/2, /*step=*/7, /*ahead=*/4, /*other=*/0);
  run.run();
  EXPECT_TRUE(run.state == run.alone());
  // Steps 7 to 10 were done without it: its two shards of each.
  EXPECT_GE(run.missed[2], 3);
  EXPECT_GE(run.report.recomputed_shards(), 8);
  EXPECT_GE(run.report.late_pushes(), 1);
  EXPECT_GE(run.recomputed[0] + run.recomputed[1] + run.recomputed[3], 8);
}

TEST_P(Backup, ShardsOfAStoppedChiefAreRecomputed) {
  run.backup = {Policy::Redundant, 2};
  stop(/*slow=*/0, /*step=*/7, /*ahead=*/4, /*other=*/1);
  run.run();
  EXPECT_TRUE(run.state == run.alone());
  EXPECT_GE(run.missed[0], 3);
}

TEST_P(Backup, StepsThatTheChiefNamedWaitForIt) {
  run.backup = {Policy::Redundant, 2};
  run.chiefEvery = {9};
  std::atomic<int64_t> furthest{0};
  // The chief stops at step 7 until others are at 9, which they cannot leave without it.
  run.before = [&](int task, int64_t at, ShardRange, bool isBackup) {
    if (isBackup)
      return;
    reached.at(task, at);
    if (task == 0 && at == 7) {
      reached.await(1, 9);
      reached.await(2, 9);
      reached.await(3, 9);
    }
    if (task == 0 && at == 9)
      furthest = 9;
    if (task != 0 && at > 9) {
      EXPECT_EQ(furthest.load(), 9);
    }
  };
  run.run();
  EXPECT_EQ(furthest.load(), 9);
  EXPECT_TRUE(run.state == run.alone());
}

TEST_P(Backup, CopiesAreOfOneStepWhileOthersGoOn) {
  run.backup = {Policy::Redundant, 2};
  run.steps = 40;
  run.before = [&](int task, int64_t at, ShardRange, bool isBackup) {
    if (!isBackup)
      reached.at(task, at);
  };
  int64_t copied = -1;
  std::string bytes;
  run.chief = [&](const ServerLinks &links, BackupStepper &stepper) {
    if (stepper.version() < 5 || copied >= 0)
      return;
    // Others are ahead, and further when servers are asked.
    reached.await(1, std::min<int64_t>(stepper.version() + 3, run.steps - 1));
    const auto artifact = fakeArtifact();
    RemoteShards shards(*artifact, links, BackupRun::kRun, kTimeout);
    auto step = shards.snapshotFrom(stepper.version());
    ASSERT_TRUE(step.ok()) << step.status();
    EXPECT_GE(*step, stepper.version());
    EXPECT_EQ(shards.copiedStep(), *step);
    ASSERT_TRUE(stepper.pull(*step).ok());
    copied = *step;
    bytes = stateOfCopies(shards.copied());
  };
  run.run();
  EXPECT_TRUE(run.state == run.alone());
  ASSERT_GE(copied, 5);
  run.steps = static_cast<int>(copied);
  EXPECT_TRUE(bytes == run.alone());
}

using BackupQuestions = Backup;
INSTANTIATE_TEST_SUITE_P(OneServer, BackupQuestions, testing::Values(1));

TEST_P(BackupQuestions, OneWhoseConnectionBrokeTakesNoShard) {
  run.trainers = 2;
  run.backup = {Policy::Redundant, 1};
  stop(/*slow=*/1, /*step=*/4, /*ahead=*/3, /*other=*/0);
  run.before = [stopped = run.before](int task, int64_t at, ShardRange shards, bool isBackup) {
    // What was given is given again after twice the time of a step and more; the questions below take far less.
    if (at < 4)
      std::this_thread::sleep_for(std::chrono::milliseconds(1000));
    stopped(task, at, shards, isBackup);
  };
  using Answer = absl::StatusOr<cluster::StateReply>;
  std::vector<int64_t> given;
  absl::Status replaced, late;
  run.chief = [&](const ServerLinks &links, BackupStepper &stepper) {
    // The worker was not there when this step began: the server gives its shards, 4 to 7, at once.
    if (stepper.version() != 5)
      return;
    int64_t numQuestions = 0;
    auto ask = [&](std::optional<int64_t> got, bool isOlder = false) {
      auto answer = std::make_shared<std::promise<Answer>>();
      cluster::PullRequest question;
      question.set_step(5);
      question.set_question(isOlder ? 0 : numQuestions++);
      if (got)
        question.set_got(*got);
      links.links[0]->start("late", question, {}, kTimeout, [answer](absl::StatusOr<IncomingMessage> reply) {
        cluster::StateReply control;
        absl::Status status = reply.ok() ? parseControl(*reply, control) : reply.status();
        answer->set_value(status.ok() ? Answer(control) : status);
      });
      return answer->get_future();
    };
    // The answer to the first, and to the third, is lost.
    for (std::optional<int64_t> got : {std::optional<int64_t>(), {}, {4}, {4}, {5}, {6}}) {
      Answer answer = ask(got).get();
      ASSERT_TRUE(answer.ok()) << answer.status();
      given.push_back(answer->late().first());
    }
    // Nothing is left to give: this waits, until the task asks again.
    std::future<Answer> waits = ask(7);
    std::future<Answer> again = ask(7);
    replaced = waits.get().status();
    // One that was on its way for longer.
    late = ask(4, /*isOlder=*/true).get().status();
    ASSERT_EQ(ask({}).get()->late().first(), 7);
    EXPECT_TRUE(absl::IsAborted(again.get().status()));
  };
  run.run();
  EXPECT_THAT(given, testing::ElementsAre(4, 4, 5, 5, 6, 7));
  EXPECT_TRUE(absl::IsAborted(replaced)) << replaced;
  EXPECT_TRUE(absl::IsAborted(late)) << late;
  EXPECT_TRUE(run.state == run.alone());
}

TEST_P(Backup, AWorkerThatLeavesIsStoodInFor) {
  run.backup = {Policy::Redundant, 1};
  run.leaves = {{1, 5}, {3, 9}};
  run.run();
  EXPECT_TRUE(run.state == run.alone());
  EXPECT_GE(run.report.recomputed_shards(), 2 * (run.steps - 5) + 2 * (run.steps - 9));
}

TEST_P(Backup, AStepWithoutLateShardsHasTheWeightsOfTheOthers) {
  run.backup = {Policy::Drop, 1};
  // Worker 1 has shards 4 and 5 of 8: rows [18, 27) of 37. It comes to no step before the last.
  run.before = [this](int task, int64_t at, ShardRange, bool isBackup) {
    EXPECT_FALSE(isBackup);
    reached.at(task, at);
    if (task == 2)
      reached.await(0, run.steps - 1);
  };
  run.run();
  for (int64_t step = 0; step < run.steps - 1; ++step)
    EXPECT_EQ(run.weights.at(step), 37 - 9) << step;
  EXPECT_GE(run.report.dropped_shards(), 2 * (run.steps - 1));
  EXPECT_FALSE(run.state == run.alone());
}

TEST_P(Backup, LateGradientsAreInNoStep) {
  run.backup = {Policy::Drop, 1};
  stop(/*slow=*/2, /*step=*/7, /*ahead=*/4, /*other=*/0);
  run.run();
  double weight = 0;
  for (const auto &[step, each] : run.weights) {
    EXPECT_GE(each, 37 - 10);
    EXPECT_LE(each, 37);
    weight += each;
  }
  if (static_cast<int>(run.weights.size()) == run.steps) {
    // Shards are of 4 or 5 rows.
    const double dropped = static_cast<double>(37 * run.steps) - weight;
    EXPECT_GE(dropped, static_cast<double>(4 * run.report.dropped_shards()));
    EXPECT_LE(dropped, static_cast<double>(5 * run.report.dropped_shards()));
  }
  EXPECT_GE(run.missed[2], 3);
  EXPECT_GE(run.report.late_pushes(), 1);
}

TEST_P(Backup, NobodyWaitsForTasksThatLeave) {
  run.backup = {Policy::Drop, 1};
  run.leaves = {{1, 5}, {2, 7}, {3, 9}};
  run.run();
  EXPECT_EQ(run.weights.at(run.steps - 1), 9); // shards 0 and 1
}

TEST_P(Backup, TheNumberIsChosen) {
  for (Policy policy : {Policy::Redundant, Policy::Drop}) {
    run.backup = {policy, -1};
    run.steps = 40;
    run.run();
    if (policy == Policy::Redundant) {
      EXPECT_TRUE(run.state == run.alone());
    }
    EXPECT_GE(run.report.workers(), policy == Policy::Redundant ? 1 : 0);
    EXPECT_LE(run.report.workers(), 2);
    EXPECT_EQ(static_cast<int64_t>(run.notes.size()), run.report.changes());
    run = BackupRun();
    run.servers = GetParam();
  }
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

TEST(StepTimes, SayNothingOfFewSteps) {
  StepTimes times(2, 4);
  for (int64_t step = 0; step < StepTimes::kLeast; ++step) {
    EXPECT_FALSE(times.fence());
    EXPECT_EQ(times.bestForDrop(), 0);
    times.add(step, 0, 1);
    times.add(step, 1, 1);
  }
  EXPECT_DOUBLE_EQ(*times.fence(), 1.1);
  EXPECT_DOUBLE_EQ(*times.median(), 1);
}

TEST(StepTimes, CountWhatComesLate) {
  StepTimes times(2, 4);
  for (int64_t step = 0; step < 200; ++step)
    times.add(step, 0, 1);
  EXPECT_EQ(times.steps(), StepTimes::kWindow);
  // Steps that nobody was in are made up for, in their order; those before the window are not.
  times.add(3, 1, 9);
  EXPECT_EQ(times.steps(), StepTimes::kWindow);
  EXPECT_DOUBLE_EQ(times.redundantSeconds(0), 1);
  times.add(198, 1, 65);
  EXPECT_DOUBLE_EQ(times.redundantSeconds(0), 2);
}

TEST(StepTimes, DropAsManyAsPay) {
  // One of ten is 5 times as slow: nine tenths of the examples in a fifth of the time.
  StepTimes one(10, 1);
  for (int64_t step = 0; step < 20; ++step)
    for (int task = 0; task < 10; ++task)
      one.add(step, task, task == step % 10 ? 5 : 1);
  EXPECT_EQ(one.bestForDrop(), 1);
  EXPECT_DOUBLE_EQ(one.dropRate(0), 2);
  EXPECT_DOUBLE_EQ(one.dropRate(1), 9);
  // Nobody is slow: all examples count.
  StepTimes none(10, 1);
  for (int64_t step = 0; step < 20; ++step)
    for (int task = 0; task < 10; ++task)
      none.add(step, task, 1);
  EXPECT_EQ(none.bestForDrop(), 0);
  EXPECT_EQ(none.bestForRedundant(), 0);
}

TEST(StepTimes, RecomputeAsManyAsAreLate) {
  // Two of eight tasks, of 4 shards each, take 9 instead of 1. Fence 1.1; six tasks recompute 4 shards in a quarter, or
  // 8 in two quarters.
  StepTimes times(8, 4);
  for (int64_t step = 0; step < 20; ++step)
    for (int task = 0; task < 8; ++task)
      times.add(step, task, task == 3 || task == 5 ? 9 : 1);
  EXPECT_DOUBLE_EQ(*times.fence(), 1.1);
  EXPECT_DOUBLE_EQ(times.redundantSeconds(0), 9);
  EXPECT_DOUBLE_EQ(times.redundantSeconds(1), 1.6);
  EXPECT_DOUBLE_EQ(times.redundantSeconds(2), 1.6);
  EXPECT_EQ(times.bestForRedundant(), 1);
}
