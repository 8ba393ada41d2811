// Who lives, by a clock of the test.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/PeerTable.h"
#include "runtime/src/cluster/TicketDesk.h"
#include "runtime/src/core/RunObservation.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlcrt;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class PeerTableTest : public testing::Test {
protected:
  PeerTable::Options options() {
    PeerTable::Options options;
    options.heartbeat = seconds(2);
    options.now = [this] { return now; };
    options.observation = &run;
    options.warn = [this](const std::string &text) { warnings.push_back(text); };
    return options;
  }
  static cluster::Life life(int64_t step, const char *activity = "step", int64_t milliseconds = 0) {
    cluster::Life life;
    life.set_step(step);
    life.set_activity(activity);
    life.set_activity_milliseconds(milliseconds);
    return life;
  }
  PeerTable::Wait wait(std::vector<std::string> missing) const { return {"chief 0", 7, since, std::move(missing)}; }

  PeerTable::Clock::time_point now = PeerTable::Clock::time_point(seconds(1000)), since = now;
  std::vector<std::string> warnings;
  RunObservation run;
  PeerTable table{options()};
};

} // namespace

TEST_F(PeerTableTest, ATaskIsDeadBehindThreeHeartbeats) {
  EXPECT_FALSE(table.isAlive("worker 0"));
  EXPECT_FALSE(table.isDead("worker 0")); // it may come yet
  table.heard("worker 0", life(3));
  now += seconds(6);
  EXPECT_TRUE(table.isAlive("worker 0"));
  EXPECT_FALSE(table.isDead("worker 0"));
  now += milliseconds(1);
  EXPECT_FALSE(table.isAlive("worker 0"));
  EXPECT_TRUE(table.isDead("worker 0"));
  EXPECT_EQ(table.obituary("worker 0"), "worker 0 was not heard of for 6 s (3 heartbeats)");
  const MetricValue &up =
      run.metrics().registry.value(MetricRegistry::Kind::Gauge, "mlc_peer_up", "", {{"peer", "worker 0"}});
  EXPECT_EQ(up.value(), 1);
  table.noteSilent();
  EXPECT_EQ(up.value(), 0);
  table.heard("worker 0", life(3));
  EXPECT_TRUE(table.isAlive("worker 0"));
}

TEST_F(PeerTableTest, WhoLeavesIsNotMissed) {
  table.heard("worker 0", life(3));
  table.left("worker 0");
  table.heard("worker 0", life(3)); // it was on its way
  now += seconds(60);
  EXPECT_FALSE(table.isDead("worker 0"));
  EXPECT_FALSE(table.isAlive("worker 0"));
  EXPECT_EQ(table.describe("worker 0"), "worker 0 (has left)");
}

TEST_F(PeerTableTest, WhoIsLetInAgainLives) {
  EXPECT_FALSE(table.isGone("worker 0")); // it may come yet
  table.admitted("worker 0");
  EXPECT_TRUE(table.isAlive("worker 0"));
  EXPECT_FALSE(table.isGone("worker 0"));
  now += seconds(7); // without a ping
  EXPECT_TRUE(table.isGone("worker 0"));
  table.admitted("worker 0");
  EXPECT_TRUE(table.isAlive("worker 0"));
  table.left("worker 0");
  EXPECT_TRUE(table.isGone("worker 0"));
  table.heard("worker 0", life(3)); // of the process that has left
  EXPECT_TRUE(table.isGone("worker 0"));
  table.admitted("worker 0");
  EXPECT_TRUE(table.isAlive("worker 0"));
  EXPECT_FALSE(table.isGone("worker 0"));
}

TEST_F(PeerTableTest, NobodyWaitsForATaskThatHasLeft) {
  table.heard("worker 0", life(3));
  table.heard("worker 1", life(3));
  EXPECT_TRUE(table.judge(wait({"worker 0", "worker 1"}), seconds(60)).ok());
  table.left("worker 1");
  const absl::Status status = table.judge(wait({"worker 0", "worker 1"}), seconds(60));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "worker 1 has left; chief 0 waits at step 7 for it");
  EXPECT_TRUE(table.judge(wait({"worker 0"}), seconds(60)).ok()); // in a step that did without it
}

TEST_F(PeerTableTest, ABusyTaskIsWaitedForAndNamed) {
  table.heard("chief 0", life(7));
  for (int second = 0; second < 600; second += 2) {
    table.heard("worker 0", life(7, "checkpoint", 1000 * second));
    const absl::Status status = table.judge(wait({"worker 0"}), seconds(60));
    ASSERT_TRUE(status.ok()) << status;
    now += seconds(2);
  }
  // After a quarter of the patience, and each time that the wait has doubled.
  ASSERT_EQ(warnings.size(), 6u);
  EXPECT_EQ(warnings[0],
            "chief 0 waits since 16 s at step 7 for worker 0 (at step 7, 'checkpoint' for 16 s, heard of 0 s ago)");
  EXPECT_THAT(warnings[1], HasSubstr("waits since 30 s"));
  EXPECT_THAT(warnings[5], HasSubstr("waits since 480 s"));
  EXPECT_EQ(table.stall(), warnings[5]);
  EXPECT_EQ(run.problem(), warnings[5]);
  // The next wait begins anew.
  since = now;
  EXPECT_TRUE(table.judge(wait({"worker 0"}), seconds(60)).ok());
  EXPECT_EQ(table.stall(), "");
  EXPECT_EQ(run.problem(), "");
}

TEST_F(PeerTableTest, ADeadTaskEndsAWaitAtOnce) {
  table.heard("worker 0", life(7));
  table.heard("worker 1", life(7));
  now += seconds(5);
  table.heard("worker 1", life(7));
  EXPECT_TRUE(table.judge(wait({"worker 0", "worker 1"}), seconds(60)).ok());
  now += seconds(2);
  const absl::Status status = table.judge(wait({"worker 0", "worker 1"}), seconds(60));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(status.message(), "worker 0 was not heard of for 7 s (3 heartbeats); chief 0 waits at step 7 for it");
}

TEST_F(PeerTableTest, ATaskThatNeverCameExhaustsPatience) {
  table.heard("worker 1", life(7));
  now += seconds(60);
  table.heard("worker 1", life(7));
  EXPECT_TRUE(table.judge(wait({"worker 0", "worker 1"}), seconds(60)).ok());
  now += seconds(1);
  const absl::Status status = table.judge(wait({"worker 0", "worker 1"}), seconds(60));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(status.message(), "chief 0 waits since 61 s at step 7 for worker 0 (never heard of), worker 1 (at step 7, "
                              "'step' for 0 s, heard of 1 s ago)");
}

TEST_F(PeerTableTest, AddsUpWhatTasksSay) {
  auto tells = [&](const char *task, int64_t examples, int64_t bytes, int64_t sum, int64_t count) {
    cluster::Life life;
    life.set_examples(examples);
    life.set_bytes(bytes);
    life.set_staleness_sum(sum);
    life.set_staleness_count(count);
    table.heard(task, life);
  };
  tells("worker 0", 100, 1000, 0, 10);
  tells("worker 1", 200, 1000, 10, 10);
  tells("ps 0", 0, 7000, 0, 0);
  EXPECT_EQ(table.totals().examplesPerSecond, 0);
  now += seconds(2);
  tells("worker 0", 300, 5000, 10, 30);
  tells("worker 1", 300, 3000, 30, 30);
  tells("ps 0", 0, 17000, 0, 0);
  const PeerTable::Totals totals = table.totals();
  EXPECT_EQ(totals.examplesPerSecond, 150);
  EXPECT_EQ(totals.bytesPerSecond, 3000);
  EXPECT_EQ(totals.stalenessSum, 30);
  EXPECT_EQ(totals.stalenessCount, 40);
  table.left("worker 1");
  EXPECT_EQ(table.totals().examplesPerSecond, 100);
}

TEST_F(PeerTableTest, WhatATaskSaysIsBounded) {
  cluster::Life life;
  life.set_step(-5);
  life.set_activity(std::string(10, '\n') + std::string(1 << 20, 'x'));
  life.set_activity_milliseconds(INT64_MIN);
  life.set_examples(INT64_MAX);
  table.heard("worker 0", life);
  life.set_examples(INT64_MIN);
  now += seconds(1);
  table.heard("worker 0", life);
  EXPECT_EQ(table.describe("worker 0"),
            "worker 0 (at step 0, '" + std::string(10, '?') + std::string(22, 'x') + "' for 0 s, heard of 0 s ago)");
  EXPECT_EQ(table.totals().examplesPerSecond, 0);
}

TEST_F(PeerTableTest, TicketsStayWithWhoLives) {
  TicketDesk::Options desk;
  desk.stallTimeout = seconds(10);
  desk.self = "chief 0";
  desk.now = [this] { return now; };
  desk.peers = &table;
  cluster::RunPlan plan;
  TicketDesk tickets(
      plan,
      [](int64_t step) {
        cluster::Ticket ticket;
        ticket.set_step(step);
        return ticket;
      },
      desk);
  std::vector<int64_t> steps;
  auto answer = [&steps](absl::StatusOr<cluster::LeaseReply> reply) { steps.push_back(reply->ticket().step()); };
  table.heard("worker 0", life(0));
  tickets.lease("worker 0", answer);
  for (int i = 0; i < 20; ++i) {
    now += seconds(2);
    table.heard("worker 0", life(0)); // a slow step
    tickets.tick();
  }
  EXPECT_EQ(tickets.reclaimed(), 0);
  now += seconds(7); // less than the stall timeout
  tickets.tick();
  EXPECT_EQ(tickets.reclaimed(), 1);
  tickets.lease("chief 0", answer);
  EXPECT_THAT(steps, ElementsAre(0, 0));
}
