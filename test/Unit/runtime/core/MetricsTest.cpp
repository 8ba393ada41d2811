// Counting, and the text that Prometheus reads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

using namespace mlcrt;

static constexpr auto kCounter = MetricRegistry::Kind::Counter, kGauge = MetricRegistry::Kind::Gauge;

TEST(Metrics, AreWrittenAsPrometheusReadsThem) {
  MetricRegistry registry;
  registry.value(kCounter, "a_total", "Things,\nand \\ more.").add(3);
  registry.value(kCounter, "b_seconds_total", "Time.", {{"peer", "ps 0"}, {"way", "say \"x\"\\\n"}}, 1e-9)
      .add(1500000000);
  registry.value(kCounter, "b_seconds_total", "Time.", {{"peer", "ps 1"}}).add(250000000);
  registry.value(kGauge, "c", "Now.").set(-4);
  EXPECT_EQ(registry.text(), "# HELP a_total Things,\\nand \\\\ more.\n"
                             "# TYPE a_total counter\n"
                             "a_total 3\n"
                             "# HELP b_seconds_total Time.\n"
                             "# TYPE b_seconds_total counter\n"
                             "b_seconds_total{peer=\"ps 0\",way=\"say \\\"x\\\"\\\\\\n\"} 1.5\n"
                             "b_seconds_total{peer=\"ps 1\"} 0.25\n"
                             "# HELP c Now.\n"
                             "# TYPE c gauge\n"
                             "c -4\n");
}

TEST(Metrics, HistogramsCountUpToEachBound) {
  MetricRegistry registry;
  MetricHistogram &histogram = registry.histogram("h_seconds", "H.", {1000, 2500, 1000000}, 1e-6);
  for (int64_t value : {0, 1000, 1001, 2500, 2501, 5000000})
    histogram.observe(value);
  EXPECT_EQ(registry.text(), "# HELP h_seconds H.\n"
                             "# TYPE h_seconds histogram\n"
                             "h_seconds_bucket{le=\"0.001\"} 2\n"
                             "h_seconds_bucket{le=\"0.0025\"} 4\n"
                             "h_seconds_bucket{le=\"1\"} 5\n"
                             "h_seconds_bucket{le=\"+Inf\"} 6\n"
                             "h_seconds_sum 5.007002\n"
                             "h_seconds_count 6\n");
  EXPECT_EQ(histogram.count(), 6);
}

TEST(Metrics, OneNumberForOneName) {
  MetricRegistry registry;
  MetricValue &first = registry.value(kCounter, "n", "N.", {{"k", "v"}});
  EXPECT_EQ(&registry.value(kCounter, "n", "N.", {{"k", "v"}}), &first);
  EXPECT_NE(&registry.value(kCounter, "n", "N.", {{"k", "w"}}), &first);
}

TEST(Metrics, ThreadsLoseNothing) {
  MetricRegistry registry;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&registry] {
      for (int i = 0; i < 10000; ++i) {
        registry.value(kCounter, "n", "N.").add(1);
        registry.histogram("h", "H.", {1, 2}).observe(i % 4);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(registry.value(kCounter, "n", "N.").value(), 40000);
  EXPECT_EQ(registry.histogram("h", "H.", {}).count(), 40000);
  EXPECT_EQ(registry.histogram("h", "H.", {}).sum(), 60000);
}
