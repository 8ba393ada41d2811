// The summary line of mlc launch, from what a chief prints.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/Launch/ClusterProgress.h"

#include <gtest/gtest.h>

using mlc::ClusterProgress;

TEST(ClusterProgress, WithoutStepsItTellsTheTime) {
  ClusterProgress progress;
  EXPECT_FALSE(progress.readLine("config   model iris", 1));
  EXPECT_FALSE(progress.readLine("step 3 is reached already", 1));
  EXPECT_FALSE(progress.readLine("step x/2", 1));
  EXPECT_EQ(progress.text(61.9, 3), "3 tasks  1:01");
  EXPECT_EQ(progress.text(0, 1), "1 task  0:00");
}

TEST(ClusterProgress, LinesOfProgress) {
  ClusterProgress progress;
  EXPECT_TRUE(progress.readLine("step 100/2000  5 %  loss 0.3  12.0 k examples/s  eta 10 s", 2));
  EXPECT_EQ(progress.text(3, 3), "step 100/2000  5 %  loss 0.3  12.0 k examples/s  eta 10 s  3 tasks  0:03")
      << "one step tells no pace";
  EXPECT_TRUE(progress.readLine("step 350/2000  17 %  loss 0.2  9.0 k examples/s  3.1 MB/s  staleness 1.5", 4));
  EXPECT_EQ(progress.text(5, 2),
            "step 350/2000  17 %  loss 0.2  9.0 k examples/s  3.1 MB/s  staleness 1.5  125 steps/s  2 tasks  0:05");
}

TEST(ClusterProgress, LinesAsJson) {
  ClusterProgress progress;
  EXPECT_FALSE(progress.readLine("{\"time\":\"2026-01-01T00:00:00.000Z\",\"message\":\"saved    m\"}", 1));
  EXPECT_FALSE(progress.readLine("{\"message\":", 1));
  EXPECT_FALSE(progress.readLine("{\"message\":7}", 1));
  EXPECT_TRUE(progress.readLine("{\"level\":\"info\",\"step\":9,\"message\":\"step 9/20  45 %  loss 0.3\"}", 2));
  EXPECT_EQ(progress.text(3, 3), "step 9/20  45 %  loss 0.3  3 tasks  0:03");
}

TEST(ClusterProgress, EventsOfSteps) {
  ClusterProgress progress;
  for (const char *line :
       {"", "{", "[1]", "{\"step\":5}", "{\"event\":\"eval\",\"step\":5}", "{\"event\":\"step\",\"step\":\"x\"}"})
    progress.readEvent(line, 1);
  EXPECT_EQ(progress.text(1, 2), "2 tasks  0:01");
  progress.readEvent("{\"event\":\"step\",\"step\":100,\"loss\":0.25,\"examples\":5,\"examples_per_sec\":12345}", 2);
  EXPECT_EQ(progress.text(2, 2), "step 100  loss 0.25  12.3 k examples/s  2 tasks  0:02");
  progress.readEvent("{\"event\":\"step\",\"step\":105,\"loss\":\"NaN\",\"examples_per_sec\":5,\"bytes_per_sec\":2.5e6,"
                     "\"staleness\":1.25}",
                     4);
  EXPECT_EQ(progress.text(4, 2), "step 105  5.00 examples/s  2.50 MB/s  staleness 1.25  2.50 steps/s  2 tasks  0:04");
}
