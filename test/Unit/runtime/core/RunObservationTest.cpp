// What runs show of themselves, each on its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/RunObservation.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

using namespace mlcrt;
using testing::HasSubstr;
using testing::Not;

namespace {
/// A file of this test that is gone after it.
struct ScratchFile {
  explicit ScratchFile(const std::string &name)
      : path(testing::TempDir() + "/" + name + "-" + std::to_string(::getpid()) + ".json") {}
  ~ScratchFile() { std::remove(path.c_str()); }
  std::string text() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const std::string path;
};

TimelineOptions timelineOf(const ScratchFile &file) {
  TimelineOptions options;
  options.path = file.path;
  return options;
}
} // namespace

TEST(RunObservation, ActivitiesNest) {
  RunObservation run;
  EXPECT_STREQ(run.activity().name, "start");
  {
    const ActivityScope outer(&run, "evaluate");
    {
      const ActivityScope inner(&run, "checkpoint"), ofNoRun(nullptr, "step");
      EXPECT_STREQ(run.activity().name, "checkpoint");
    }
    EXPECT_STREQ(run.activity().name, "evaluate");
  }
  EXPECT_STREQ(run.activity().name, "start");
}

TEST(RunObservation, RunsHaveNothingInCommon) {
  RunObservation first, second;
  first.metrics().steps.add(3);
  first.metrics().stepTime.observe(1000);
  first.noteStep(17);
  first.setProblem("waits");
  const ActivityScope activity(&first, "evaluate");
  EXPECT_THAT(first.metrics().registry.text(), HasSubstr("\nmlc_steps_total 3\n"));
  EXPECT_EQ(first.problem(), "waits");
  EXPECT_THAT(second.metrics().registry.text(), HasSubstr("\nmlc_steps_total 0\n"));
  EXPECT_EQ(second.metrics().globalStep.value(), 0);
  EXPECT_EQ(second.metrics().stepTime.count(), 0);
  EXPECT_EQ(second.problem(), "");
  EXPECT_STREQ(second.activity().name, "start");
}

TEST(RunObservation, TimelinesAtOnceHaveTheSpansOfTheirRuns) {
  const ScratchFile files[] = {ScratchFile("first"), ScratchFile("second")};
  RunObservation runs[2];
  std::thread threads[2];
  for (int r = 0; r < 2; ++r) {
    ASSERT_TRUE(runs[r].beginTimeline(timelineOf(files[r])).ok());
    threads[r] = std::thread([&run = runs[r], r] {
      const TimelineThread named(&run, r == 0 ? "one" : "two");
      for (int i = 0; i < 100; ++i)
        const TimelineSpan span(&run, r == 0 ? "mine" : "yours");
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  for (RunObservation &run : runs)
    run.endTimeline();
  EXPECT_THAT(files[0].text(), testing::AllOf(HasSubstr("\"mine\""), HasSubstr("\"one\""), Not(HasSubstr("yours")),
                                              Not(HasSubstr("two"))));
  EXPECT_THAT(files[1].text(), testing::AllOf(HasSubstr("\"yours\""), HasSubstr("\"two\""), Not(HasSubstr("mine")),
                                              Not(HasSubstr("one\""))));
}

TEST(RunObservation, HasOneTimelineAtATime) {
  const ScratchFile first("first"), second("second");
  RunObservation run;
  ASSERT_TRUE(run.beginTimeline(timelineOf(first)).ok());
  Timeline *const before = run.timeline();
  const absl::Status again = run.beginTimeline(timelineOf(second));
  EXPECT_EQ(again.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(again.message(), "this run writes a timeline already; expected one at a time");
  EXPECT_EQ(run.timeline(), before);
  EXPECT_EQ(second.text(), "");
  auto late = std::make_unique<TimelineSpan>(&run, "late");
  run.endTimeline();
  run.endTimeline(); // there is none
  TimelineOptions options = timelineOf(second);
  options.step = 41;
  ASSERT_TRUE(run.beginTimeline(options).ok());
  EXPECT_EQ(run.timeline()->step(), 41);
  run.noteStep(42);
  EXPECT_EQ(run.timeline()->step(), 42);
  late.reset(); // its timeline is still there, and complete
  EXPECT_THAT(first.text(), Not(HasSubstr("late")));
  options.path = "/nowhere/timeline.json";
  run.endTimeline();
  EXPECT_EQ(run.beginTimeline(options).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(run.timeline(), nullptr);
}
