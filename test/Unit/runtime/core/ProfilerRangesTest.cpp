// Ranges that a profiler sees, by a library that plays one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ProfilerRanges.h"

#include "runtime/src/core/RunObservation.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace mlcrt;
using testing::HasSubstr;

TEST(ProfilerRangesTest, SpansAreRangesOfTheProfiler) {
  const std::string log = testing::TempDir() + "/profiler-" + std::to_string(::getpid());
  ::setenv("MLC_TEST_PROFILER_LOG", log.c_str(), 1);
  ::setenv("NVTX_INJECTION64_PATH", FAKE_PROFILER, 1);
  RunObservation run, unobserved;
  ASSERT_TRUE(run.showRanges().ok());
  ASSERT_NE(run.ranges(), nullptr);
  run.noteStep(41);
  {
    const TimelineThread thread(&run, "read ahead");
    const TimelineSpan outer(&run, "step", 7), inner(&run, "input"), ofAnother(&unobserved, "step"),
        ofNone(nullptr, "x");
  }
  std::ifstream file(log);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "thread read ahead\npush mlc: step at 7\npush mlc: input at 41\npop mlc\npop mlc\n");
  std::remove(log.c_str());
  // The first call decides: there is one profiler in a process.
  ::unsetenv("NVTX_INJECTION64_PATH");
  EXPECT_EQ(*ProfilerRanges::injected(), run.ranges());
}

TEST(ProfilerRangesTest, LibrariesThatAreNoProfilerAreTold) {
  for (const char *library : {"/nowhere/profiler.so", NOT_AN_ARTIFACT}) {
    absl::StatusOr<const ProfilerRanges *> found = ProfilerRanges::load(library);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(found.status().message()), HasSubstr(library));
    EXPECT_THAT(std::string(found.status().message()), HasSubstr("NVTX_INJECTION64_PATH"));
  }
}

TEST(ProfilerRangesTest, AProfilerMayNotWantToSeeTheProcess) {
  ::setenv("MLC_TEST_PROFILER_REFUSES", "1", 1);
  absl::StatusOr<const ProfilerRanges *> found = ProfilerRanges::load(FAKE_PROFILER);
  ::unsetenv("MLC_TEST_PROFILER_REFUSES");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, nullptr);
}
