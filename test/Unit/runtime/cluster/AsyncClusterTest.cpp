// Asynchronous training in one process: every ticket is applied once, whatever is pushed how often by whom.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeServers.h"
#include "FlakyTransport.h"
#include "runtime/src/cluster/AsyncServer.h"
#include "runtime/src/cluster/Coordinator.h"
#include "runtime/src/cluster/InProcessTransport.h"
#include "runtime/src/cluster/TicketSource.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <thread>

using namespace mlcrt;
using std::chrono::milliseconds;
using testing::HasSubstr;

namespace {

/// By the number of servers, and whether all messages go in parts.
class AsyncCluster : public testing::TestWithParam<std::tuple<int, bool>> {
protected:
  AsyncCluster() {
    config.tasks = {{"chief", 0, "chief"}, {"worker", 0, "w0"}, {"worker", 1, "w1"}};
    for (int number = 0; number < numServers(); ++number)
      config.tasks.push_back({"ps", number, serverAddress(number)});
    ServerOptions options;
    options.stallTimeout = options.startTimeout = kTimeout;
    options.trainers = {"chief 0", "worker 0", "worker 1"};
    for (int number = 0; number < numServers(); ++number)
      servers.push_back(
          std::make_unique<FakeServer<AsyncServer>>(*transport, config, fakeHello("ps", number), options, artifact()));
    plan.set_seed(kSeed);
    plan.set_virtual_shards(1);
    plan.set_trainers(3);
    plan.set_max_steps(60);
  }
  std::unique_ptr<FakeTrainer> join(const std::string &role, int64_t index) {
    return std::make_unique<FakeTrainer>(*transport, numServers(), fakeHello(role, index), overlap(), artifact());
  }
  static int numServers() { return std::get<0>(GetParam()); }
  static bool isInParts() { return std::get<1>(GetParam()); }
  static OverlapOptions overlap() { return {/*isOn=*/true, isInParts() ? -1 : StateCalls::kLarge}; }
  static std::shared_ptr<const Artifact> artifact() { return isInParts() ? plainFakeArtifact() : fakeArtifact(); }
  /// State after `steps` steps of one process.
  static std::string alone(int64_t steps) {
    TrainMode mode;
    mode.split = true;
    return stateAlone(steps, mode, artifact());
  }

  mlc::common::TfConfig config;
  std::unique_ptr<Transport> transport = makeInProcessTransport();
  std::vector<std::unique_ptr<FakeServer<AsyncServer>>> servers;
  cluster::RunPlan plan;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Servers, AsyncCluster, testing::Combine(testing::Values(1, 2, 3), testing::Bool()));

TEST_P(AsyncCluster, VariablesThatAreLostOnTheirWayAreTakenAgain) {
  FlakyTransport lossy(*transport, "push");
  FakeTrainer chief(lossy, numServers(), fakeHello("chief", 0), overlap(), artifact());
  ASSERT_TRUE(chief.stepper->load(plan).ok());
  ASSERT_TRUE(chief.stepper->pull(0).ok());
  for (int64_t ticket = 0; ticket < 10; ++ticket) {
    // All of the outputs comes, and half of the rest. The answer of a server that has no variables is not lost.
    lossy.isOn = ticket % 3 == 1;
    ASSERT_TRUE(chief.push(ticket).ok()) << ticket;
    lossy.isOn = false;
  }
  if (isInParts()) {
    EXPECT_GT(lossy.cut(), 0);
  }
  EXPECT_EQ(chief.stepper->stepsDone(), 10);
  ASSERT_TRUE(chief.stepper->fetch(0).ok());
  EXPECT_TRUE(stateBytes(chief.program->state()) == alone(10));
  ASSERT_TRUE(chief.stepper->end("max_steps").ok());
}

TEST_P(AsyncCluster, NobodyTriesAgainOnceAServerIsHeldForDead) {
  FlakyTransport lossy(*transport, "push");
  FakeTrainer chief(lossy, numServers(), fakeHello("chief", 0), overlap(), artifact());
  ASSERT_TRUE(chief.stepper->load(plan).ok());
  ASSERT_TRUE(chief.stepper->pull(0).ok());
  lossy.isDown = true;
  std::atomic<bool> isOver{false};
  std::thread heart([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_FALSE(isOver) << "it did not try again";
    chief.links.links.front()->setLost(absl::DeadlineExceededError("ps 0 has not been heard of"));
  });
  absl::Status status = chief.push(0, /*prepares=*/false);
  isOver = true;
  heart.join();
  EXPECT_EQ(status, absl::DeadlineExceededError("ps 0 has not been heard of"));
  lossy.isDown = false;
  EXPECT_TRUE(chief.stepper->end("max_steps").ok());
}

TEST_P(AsyncCluster, AHoldThatHearsOfTheEndHasItsExitStatus) {
  auto chief = join("chief", 0), other = join("chief", 0);
  ASSERT_TRUE(chief->stepper->load(plan).ok());
  ASSERT_TRUE(other->stepper->pull(0).ok());
  ASSERT_TRUE(chief->stepper->end("the loss is not finite", /*exit=*/5).ok());
  ASSERT_TRUE(other->stepper
                  ->hold([](const cluster::StateReply &) {
                    ADD_FAILURE() << "a state of a run that is over";
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_EQ(other->stepper->ended(), "the loss is not finite");
  EXPECT_EQ(other->stepper->endedExit(), 5);
}

TEST_P(AsyncCluster, OneTaskHasTheBitsOfOneProcess) {
  auto chief = join("chief", 0);
  ASSERT_TRUE(chief->stepper->load(plan).ok());
  ASSERT_TRUE(chief->stepper->pull(0).ok());
  for (int64_t ticket = 0; ticket < 10; ++ticket)
    ASSERT_TRUE(chief->push(ticket).ok());
  EXPECT_EQ(chief->stepper->stepsDone(), 10);
  ASSERT_TRUE(chief->stepper->fetch(0).ok());
  EXPECT_TRUE(stateBytes(chief->program->state()) == alone(10));
  auto report = chief->stepper->end("max_steps");
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->staleness().pushes(), 10);
  EXPECT_EQ(report->staleness().max(), 0);
}

TEST_P(AsyncCluster, APushIsAppliedOnce) {
  auto chief = join("chief", 0), worker = join("worker", 0);
  ASSERT_TRUE(chief->stepper->load(plan).ok());
  ASSERT_TRUE(chief->stepper->pull(0).ok());
  ASSERT_TRUE(worker->stepper->pull(0).ok());
  ASSERT_TRUE(chief->push(0).ok());
  ASSERT_TRUE(chief->stepper->fetch(0).ok());
  const std::string once = stateBytes(chief->program->state());
  // Sent twice by the task, and by another one that was given the ticket.
  ASSERT_TRUE(chief->push(0).ok());
  ASSERT_TRUE(worker->push(0).ok());
  EXPECT_EQ(worker->stepper->stepsDone(), 1);
  ASSERT_TRUE(chief->stepper->fetch(0).ok());
  EXPECT_TRUE(stateBytes(chief->program->state()) == once);
  // The worker's gradient was dropped; it got the new variables, so its next one is not stale.
  ASSERT_TRUE(worker->push(3).ok());
  ASSERT_TRUE(chief->push(1).ok()); // one update behind
  EXPECT_EQ(chief->stepper->applied().message().below(), 2);
  EXPECT_EQ(chief->stepper->applied().end(), 4);
  auto report = chief->stepper->end("enough");
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->staleness().repeated_pushes(), 2);
  EXPECT_EQ(report->staleness().pushes(), 3);
  ASSERT_EQ(report->staleness().counts_size(), 2);
  EXPECT_EQ(report->staleness().counts(0), 2);
  EXPECT_EQ(report->staleness().counts(1), 1);
  ASSERT_TRUE(worker->push(4).ok());
  EXPECT_EQ(worker->stepper->ended(), "enough");
}

TEST_P(AsyncCluster, WhatDoesNotFitIsRefused) {
  auto chief = join("chief", 0);
  EXPECT_EQ(chief->push(0, /*prepares=*/false).code(), absl::StatusCode::kAborted); // before the run
  plan.set_step(2);
  ASSERT_TRUE(chief->stepper->load(plan).ok());
  EXPECT_THAT(std::string(chief->push(4).message()), HasSubstr("a gradient at step 0: the server is at step 2"));
  ASSERT_TRUE(chief->stepper->pull(0).ok());
  const std::string before = stateBytes(servers[0]->program->state());
  EXPECT_EQ(chief->push(60).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(chief->push(-1).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(chief->push(1).message()), HasSubstr("of an earlier run"));
  const std::string zeros(1 << 12, '\0');
  for (int symbols : {0, 1, 50})
    for (int64_t value : {int64_t(-1), int64_t(3), int64_t(1) << 60}) {
      cluster::PushRequest request;
      request.set_ticket(5);
      request.set_version(2);
      for (int i = 0; i < symbols; ++i)
        request.add_symbols(value);
      cluster::StateReply reply;
      EXPECT_FALSE(
          chief->links.links[0]->call("push", request, {{zeros.data(), 1 << 12, nullptr}}, kTimeout, reply).ok());
    }
  EXPECT_TRUE(before == stateBytes(servers[0]->program->state()));
  ASSERT_TRUE(chief->stepper->end("enough").ok());
}

// Tasks on threads of their own; one leaves a ticket behind and never comes back, one pushes what it was told is lost.
TEST_P(AsyncCluster, ExactlyAllStepsAreDone) {
  auto chief = join("chief", 0), first = join("worker", 0), second = join("worker", 1);
  ASSERT_TRUE(chief->stepper->load(plan).ok());
  std::atomic<int64_t> elapsed{0};
  TicketDesk::Options options;
  options.stallTimeout = milliseconds(1000);
  options.self = "chief 0";
  options.now = [&] { return TicketDesk::Clock::time_point() + milliseconds(elapsed.load()); };
  TicketDesk desk(
      plan,
      [](int64_t step) -> std::optional<cluster::Ticket> {
        if (step >= 60)
          return std::nullopt;
        cluster::Ticket ticket;
        ticket.set_step(step);
        return ticket;
      },
      options);
  std::vector<int64_t> lost;
  desk.lease("worker 9", [&](absl::StatusOr<cluster::LeaseReply> reply) { lost.push_back(reply->ticket().step()); });
  std::vector<std::thread> tasks;
  std::map<FakeTrainer *, std::string> names = {
      {chief.get(), "chief 0"}, {first.get(), "worker 0"}, {second.get(), "worker 1"}};
  for (auto &[trainer, name] : names)
    tasks.emplace_back([&desk, trainer = trainer, name = name] {
      ASSERT_TRUE(trainer->stepper->pull(0).ok());
      TicketSource source = TicketSource::ofDesk(desk, name);
      while (true) {
        auto ticket = source.next([] { return false; });
        ASSERT_TRUE(ticket.ok());
        if (!*ticket)
          return;
        ASSERT_TRUE(trainer->push((*ticket)->step()).ok());
      }
    });
  // What the chief's own thread does; time goes by once nothing else is left.
  auto watcher = join("chief", 0);
  while (true) {
    auto applied = watcher->stepper->progress();
    ASSERT_TRUE(applied.ok());
    desk.applied(*applied);
    int64_t done = 0;
    for (int64_t step = 0; step < 60; ++step)
      done += applied->contains(step);
    if (desk.isOut() && done == 59 && desk.reclaimed() == 0)
      elapsed += 600;
    desk.tick();
    if (applied->below() == 60)
      break;
    std::this_thread::yield();
  }
  desk.applied(*watcher->stepper->progress());
  for (std::thread &task : tasks)
    task.join();
  EXPECT_THAT(lost, testing::ElementsAre(0));
  EXPECT_EQ(desk.reclaimed(), 1);
  // It was not dead after all.
  ASSERT_TRUE(first->push(lost.front()).ok());
  ASSERT_TRUE(chief->stepper->fetch(0).ok());
  EXPECT_EQ(chief->stepper->version(), 60);
  auto report = chief->stepper->end("max_steps");
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->staleness().pushes(), 60);
  EXPECT_EQ(report->staleness().repeated_pushes(), 1);
}
