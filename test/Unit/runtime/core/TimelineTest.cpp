// The file of a timeline, read back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/RunObservation.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace mlcrt;
using nlohmann::json;
using std::chrono::microseconds;

namespace {

class TimelineTest : public testing::Test {
protected:
  ~TimelineTest() override { std::remove(options.path.c_str()); }
  std::string text() const {
    std::ifstream file(options.path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void start() {
    const absl::Status begun = run.beginTimeline(options);
    ASSERT_TRUE(begun.ok()) << begun;
    timeline = run.timeline();
  }
  /// Ends it and reads its spans.
  std::vector<json> spans() {
    run.endTimeline();
    std::vector<json> result;
    for (const json &event : json::parse(text()))
      if (event["ph"] == "X")
        result.push_back(event);
      else
        names[event.value("tid", -1)] = event["args"].value("name", "");
    return result;
  }
  /// No two spans of a thread overlap but where one lies in the other.
  static void expectNested(const std::vector<json> &spans) {
    for (const json &a : spans)
      for (const json &b : spans) {
        if (a["tid"] != b["tid"])
          continue;
        const int64_t a0 = a["ts"], a1 = a0 + a["dur"].get<int64_t>(), b0 = b["ts"], b1 = b0 + b["dur"].get<int64_t>();
        EXPECT_TRUE(a1 <= b0 || b1 <= a0 || (a0 <= b0 && b1 <= a1) || (b0 <= a0 && a1 <= b1)) << a << b;
      }
  }

  TimelineOptions options{testing::TempDir() + "/timeline-" + std::to_string(::getpid()) + ".json", "worker 3",
                          2000003};
  RunObservation run;
  Timeline *timeline = nullptr; ///< the run's
  std::map<int, std::string> names;
};

} // namespace

TEST_F(TimelineTest, WhatComesBehindItsEndIsLeftOut) {
  start();
  {
    const TimelineSpan span(&run, "within", 1);
  }
  auto late = std::make_unique<TimelineSpan>(&run, "late", 1);
  run.endTimeline();
  const std::string whole = text();
  late.reset();
  {
    const TimelineSpan span(&run, "behind", 1);
  }
  timeline->nameThread("behind");
  EXPECT_EQ(text(), whole);
  const std::vector<json> found = spans();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["name"], "within");
}

TEST_F(TimelineTest, HasWhatThreadsDid) {
  start();
  timeline->setStep(4);
  timeline->nameThread("train");
  {
    TimelineSpan step(&run, "step");
    {
      TimelineSpan compute(&run, "compute");
    }
    TimelineSpan apply(&run, "apply", 5);
  }
  std::thread([this] {
    TimelineThread named(&run, "input 0");
    TimelineSpan features(&run, "features", 6);
  }).join();
  const std::vector<json> found = spans();
  ASSERT_EQ(found.size(), 4u);
  std::map<std::string, json> byName;
  for (const json &span : found) {
    byName[span["name"]] = span;
    EXPECT_EQ(span["pid"], 2000003);
  }
  EXPECT_EQ(byName["compute"]["args"]["step"], 4);
  EXPECT_EQ(byName["apply"]["args"]["step"], 5);
  EXPECT_EQ(names[byName["step"]["tid"]], "train");
  EXPECT_EQ(names[byName["features"]["tid"]], "input 0");
  EXPECT_EQ(names[0], "worker 3");
  EXPECT_LE(byName["step"]["ts"], byName["compute"]["ts"]);
  expectNested(found);
  // Of today, by the clock on the wall.
  EXPECT_GT(byName["step"]["ts"].get<int64_t>(), int64_t(1700000000) * 1000000);
}

TEST_F(TimelineTest, AThreadTakesThePlaceOfOneThatEnded) {
  start();
  for (int i = 0; i < 3; ++i)
    std::thread([this] {
      TimelineThread named(&run, "checkpoints");
      TimelineSpan span(&run, "write", 1);
    }).join();
  const std::vector<json> found = spans();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0]["tid"], found[2]["tid"]);
  EXPECT_EQ(names[found[0]["tid"]], "checkpoints");
  expectNested(found);
}

TEST_F(TimelineTest, CallsAtOnceGetLanes) {
  start();
  const auto t = Timeline::Clock::now();
  auto at = [&](int us) { return t + microseconds(us); };
  // In the order of their ends.
  timeline->addToTrack("to ps 0", at(20), {{"push", at(25), 100}, {"wait", at(30)}, {"pull", at(40), 7}}, 0);
  timeline->addToTrack("to ps 0", at(0), {{"lease", at(90)}}, 0);
  timeline->addToTrack("to ps 0", at(50), {{"push", at(50), 1}, {"wait", at(80)}, {"pull", at(95), 7}}, 0);
  timeline->addToTrack("to ps 1", at(0), {{"push", at(1)}}, 0);
  const std::vector<json> found = spans();
  ASSERT_EQ(found.size(), 7u); // a part without length is not there
  expectNested(found);
  EXPECT_EQ(found[0]["args"]["bytes"], 100);
  EXPECT_EQ(found[1]["ts"].get<int64_t>(), found[0]["ts"].get<int64_t>() + found[0]["dur"].get<int64_t>());
  std::map<std::string, int> lanes;
  for (const auto &[thread, name] : names)
    ++lanes[name];
  EXPECT_EQ(lanes["to ps 0"], 1);
  EXPECT_EQ(lanes["to ps 0 (2)"], 1);
  EXPECT_EQ(lanes["to ps 1"], 1);
  EXPECT_EQ(names[found[3]["tid"]], "to ps 0 (2)");
  EXPECT_EQ(names[found[4]["tid"]], "to ps 0");
}

TEST_F(TimelineTest, RecordsTheStepsThatWereAskedFor) {
  options.firstStep = 10;
  options.lastStep = 12;
  start();
  for (int64_t step : {9, 10, 11, 12}) {
    timeline->setStep(step);
    TimelineSpan span(&run, "step");
  }
  EXPECT_EQ(spans().size(), 2u);
}

TEST_F(TimelineTest, IsBounded) {
  options.maxSpans = 5;
  start();
  for (int i = 0; i < 100; ++i)
    TimelineSpan span(&run, "step", i);
  EXPECT_EQ(spans().size(), 5u);
}

TEST_F(TimelineTest, CanBeReadWhereItBreaksOff) {
  options.flushEvery = std::chrono::milliseconds(0);
  start();
  {
    TimelineSpan span(&run, "step", 1);
  }
  {
    TimelineSpan span(&run, "step", 2);
  }
  const std::string cut = text();
  EXPECT_EQ(json::parse(cut + "\n]").size(), 5u) << cut;
}

TEST_F(TimelineTest, NothingIsRecordedWithoutOne) {
  const TimelineSpan span(&run, "step"), ofNoRun(nullptr, "step");
  EXPECT_EQ(run.timeline(), nullptr);
}

TEST_F(TimelineTest, NamesAFileThatCannotBeWritten) {
  options.path = "/nowhere/timeline.json";
  EXPECT_EQ(Timeline::create(options).status().message(),
            "cannot write /nowhere/timeline.json: No such file or directory");
}
