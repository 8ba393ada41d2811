// Delay, throttle and order of an evaluator's work, on a clock of the test.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EvaluationSchedule.h"

#include <gtest/gtest.h>

using namespace mlcrt;

namespace {
/// A schedule that does what it says; -1 where nothing is due.
class EvaluationScheduleTest : public testing::Test {
protected:
  void open(const std::vector<EvaluationSchedule::Set> &sets) {
    sets_ = sets;
    schedule_ = EvaluationSchedule(sets);
  }
  int64_t next(const std::vector<int64_t> &steps, double now, std::optional<int64_t> ended = {}) {
    std::optional<EvaluationSchedule::Task> task = schedule_.next(steps, ended, now);
    if (!task)
      return -1;
    schedule_.begun(*task, now);
    schedule_.evaluated(sets_[task->set].name, task->step);
    last_ = sets_[task->set].name;
    return task->step;
  }

  std::vector<EvaluationSchedule::Set> sets_;
  EvaluationSchedule schedule_{{}};
  std::string last_; ///< name of the set of the last evaluation
};
} // namespace

TEST_F(EvaluationScheduleTest, TakesTheNewestBehindDelayAndThrottle) {
  open({{"", 120, 600, false, 0}});
  EXPECT_EQ(next({10}, 119), -1);
  EXPECT_EQ(next({10, 20}, 120), 20);
  EXPECT_EQ(next({10, 20, 30}, 719), -1);
  EXPECT_EQ(next({10, 20}, 720), -1) << "nothing is new, and what is older than the last one stays undone";
  EXPECT_EQ(next({30, 40}, 721), 40);
  EXPECT_EQ(next({50}, 1320), -1) << "600 seconds from the start of the last one";
  EXPECT_EQ(next({50}, 1321), 50);
}

TEST_F(EvaluationScheduleTest, TheEndEndsEveryWait) {
  open({{"", 120, 600, false, 0}});
  EXPECT_EQ(next({10, 20}, 1, 20), 20) << "in the delay";
  EXPECT_EQ(next({10, 20}, 2, 20), -1);
  EXPECT_EQ(next({20, 30}, 3, 30), 30) << "in the throttle";
}

TEST_F(EvaluationScheduleTest, EachCheckpointInTheirOrder) {
  open({{"", 0, 10, true, 0}});
  EXPECT_EQ(next({0, 10, 20, 30}, 0), 10) << "not the initial values";
  EXPECT_EQ(next({0, 10, 20, 30}, 9), -1);
  EXPECT_EQ(next({0, 10, 20, 30}, 10), 20);
  EXPECT_EQ(next({0, 10, 20, 30, 33}, 11, 33), 30);
  EXPECT_EQ(next({0, 10, 20, 30, 33}, 11, 33), 33);
  EXPECT_EQ(next({0, 10, 20, 30, 33}, 11, 33), -1);
}

TEST_F(EvaluationScheduleTest, StepsBetweenEvaluations) {
  open({{"", 0, 0, true, 25}});
  EXPECT_EQ(next({10, 20}, 0), -1);
  EXPECT_EQ(next({10, 20, 30, 40}, 0), 30);
  EXPECT_EQ(next({40, 50, 55}, 0), 55);
  EXPECT_EQ(next({60}, 0), -1);
  EXPECT_EQ(next({60}, 0, 60), 60) << "the end, however near";
}

TEST_F(EvaluationScheduleTest, SetsShareACheckpoint) {
  open({{"a", 0, 100, false, 0}, {"b", 0, 0, true, 0}});
  EXPECT_EQ(next({10, 20}, 0), 10);
  EXPECT_EQ(last_, "b");
  EXPECT_EQ(next({10, 20}, 0), 20);
  EXPECT_EQ(last_, "a");
  EXPECT_EQ(next({10, 20}, 0), 20);
  EXPECT_EQ(last_, "b");
  EXPECT_EQ(next({10, 20}, 0), -1);
}

TEST_F(EvaluationScheduleTest, GoesOnWhereAnotherStopped) {
  open({{"", 0, 0, true, 0}});
  schedule_.evaluated("", 20);
  schedule_.evaluated("", 10);
  schedule_.evaluated("of other settings", 40);
  EXPECT_EQ(next({10, 20, 30}, 0, 30), 30);
  EXPECT_EQ(next({10, 20, 30}, 0, 30), -1);
  schedule_.clear();
  EXPECT_EQ(next({10, 20, 30}, 0), 10);
}

TEST_F(EvaluationScheduleTest, TheInitialValuesCountOnlyAsTheEnd) {
  open({{"", 0, 0, false, 0}});
  EXPECT_EQ(next({0}, 0), -1);
  EXPECT_EQ(next({0}, 0, 0), 0);
}
