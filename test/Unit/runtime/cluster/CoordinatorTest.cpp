// Workers that join a chief before, while and after its run: what they are told.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/Coordinator.h"
#include "FakeServers.h"
#include "runtime/src/cluster/InProcessTransport.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <future>
#include <set>

using namespace mlcrt;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// A chief's coordinator and workers 0 and 1.
class Chief : public testing::Test {
protected:
  Chief() {
    config.tasks = {{"chief", 0, "chief"}, {"worker", 0, "w0"}, {"worker", 1, "w1"}, {"ps", 0, "ps"}};
    plan.set_trainers(3);
    plan.set_virtual_shards(8);
  }
  std::unique_ptr<PeerLink> reach(const std::string &role, int64_t index) {
    auto link = PeerLink::open(*transport, "chief", "chief 0", fakeHello(role, index), kTimeout);
    EXPECT_TRUE(link.ok()) << link.status();
    return *std::move(link);
  }
  absl::StatusOr<cluster::JoinReply> join(PeerLink &worker, const Interrupt &isInterrupted = nullptr) {
    cluster::JoinReply reply;
    absl::Status status = worker.call("join", cluster::JoinRequest(), {}, kTimeout, reply, isInterrupted).status();
    return status.ok() ? absl::StatusOr<cluster::JoinReply>(reply) : status;
  }
  /// What a call of "watch" is answered with.
  std::future<absl::StatusOr<std::string>> watch(PeerLink &worker) {
    auto answer = std::make_shared<std::promise<absl::StatusOr<std::string>>>();
    worker.start("watch", cluster::WatchRequest(), {}, kTimeout, [answer](absl::StatusOr<IncomingMessage> reply) {
      cluster::WatchReply control;
      absl::Status status = reply.ok() ? parseControl(*reply, control) : reply.status();
      answer->set_value(status.ok() ? absl::StatusOr<std::string>(control.end()) : status);
    });
    return answer->get_future();
  }

  mlc::common::TfConfig config;
  cluster::RunPlan plan;
  std::unique_ptr<Transport> transport = makeInProcessTransport();
};

} // namespace

TEST_F(Chief, TellsWorkersOfTheRunAndOfItsEnd) {
  Sessions sessions(fakeHello("chief", 0), config);
  Coordinator coordinator(sessions, {"worker 0", "worker 1"});
  auto listener = *transport->listen("chief", coordinator);
  auto early = reach("worker", 0), late = reach("worker", 1);
  auto joined = std::async(std::launch::async, [&] { return join(*early); });
  while (coordinator.absent().size() > 1)
    std::this_thread::sleep_for(milliseconds(1));
  coordinator.begin(plan);
  auto begun = joined.get();
  ASSERT_TRUE(begun.ok()) << begun.status();
  EXPECT_EQ(begun->plan().virtual_shards(), 8);
  EXPECT_EQ(begun->end(), "");
  auto end = watch(*early);
  EXPECT_THAT(coordinator.absent(), ElementsAre("worker 1"));
  coordinator.end("max_steps");
  auto told = end.get();
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(*told, "max_steps");
  // One that comes when the run is over.
  auto over = join(*late);
  ASSERT_TRUE(over.ok()) << over.status();
  EXPECT_EQ(over->end(), "max_steps");
  EXPECT_FALSE(over->has_plan());
  EXPECT_EQ(*watch(*late).get(), "max_steps");
  EXPECT_THAT(coordinator.absent(), IsEmpty());
}

TEST_F(Chief, TellsThoseThatWaitForARunThatNeverBegins) {
  Sessions sessions(fakeHello("chief", 0), config);
  Coordinator coordinator(sessions, {"worker 0", "worker 1"});
  auto listener = *transport->listen("chief", coordinator);
  auto first = reach("worker", 0), second = reach("worker", 1);
  auto joined = std::async(std::launch::async, [&] { return join(*first); });
  while (coordinator.absent().size() > 1)
    std::this_thread::sleep_for(milliseconds(1));
  coordinator.end("terminated");
  auto over = joined.get();
  ASSERT_TRUE(over.ok()) << over.status();
  EXPECT_EQ(over->end(), "terminated");
  EXPECT_EQ(join(*second)->end(), "terminated");
}

TEST_F(Chief, TellsOfItsErrorAndWhatToExitWith) {
  Sessions sessions(fakeHello("chief", 0), config);
  Coordinator coordinator(sessions, {"worker 0", "worker 1"});
  auto listener = *transport->listen("chief", coordinator);
  auto worker = reach("worker", 0), stranger = reach("ps", 0);
  auto end = watch(*worker);
  coordinator.end("an error", 5);
  coordinator.end("terminated", 143); // the first word counts
  EXPECT_EQ(*end.get(), "an error");
  EXPECT_EQ(join(*worker)->end(), "an error");
  EXPECT_EQ(join(*worker)->exit(), 5);
  EXPECT_EQ(*watch(*worker).get(), "an error");
  EXPECT_EQ(join(*stranger).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(watch(*stranger).get().status().code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(Chief, IsToldByTasksThatStop) {
  Sessions sessions(fakeHello("chief", 0), config);
  std::vector<TaskStop> stops;
  Coordinator coordinator(sessions, {"worker 0", "worker 1"}, [&](const TaskStop &stop) { stops.push_back(stop); });
  auto listener = *transport->listen("chief", coordinator);
  auto server = reach("ps", 0), worker = reach("worker", 0);
  cluster::StopRequest request;
  cluster::StopReply reply;
  request.set_reason("it was told to stop");
  EXPECT_TRUE(server->call("stop", request, {}, kTimeout, reply).ok());
  request.set_reason(std::string(5000, 'x'));
  request.set_exit(4);
  request.set_last_step(12);
  EXPECT_TRUE(worker->call("stop", request, {}, kTimeout, reply).ok());
  ASSERT_EQ(stops.size(), 2u);
  EXPECT_EQ(stops[0].task, "ps 0");
  EXPECT_EQ(stops[0].exit, 0);
  EXPECT_EQ(stops[0].lastStep, 0);
  EXPECT_EQ(stops[1].lastStep, 12);
  EXPECT_EQ(stops[1].task, "worker 0");
  EXPECT_EQ(stops[1].exit, 4);
  EXPECT_EQ(stops[1].reason.size(), 1000u);
}

TEST_F(Chief, LetsAWorkerComeAgainThatIsGone) {
  Sessions sessions(fakeHello("chief", 0), config);
  std::set<std::string> gone;
  std::vector<std::pair<std::string, bool>> admitted;
  sessions.letReturn([&](const std::string &task) { return gone.count(task) > 0; },
                     [&](const std::string &task, bool isAgain) { admitted.emplace_back(task, isAgain); });
  auto hello = [](uint64_t incarnation) {
    cluster::HelloRequest hello = fakeHello("worker", 0);
    hello.set_incarnation(incarnation);
    return hello;
  };
  const auto first = sessions.admit(hello(1));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(sessions.admit(hello(1))->session(), first->session()) << "its answer was lost";
  EXPECT_EQ(sessions.admit(hello(2)).status().code(), absl::StatusCode::kAlreadyExists);
  gone = {"worker 0"};
  const auto second = sessions.admit(hello(2));
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_NE(second->session(), first->session());
  EXPECT_EQ(sessions.find(first->session()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(sessions.find(second->session())->name(), "worker 0");
  using Admitted = std::pair<std::string, bool>;
  EXPECT_THAT(admitted, ElementsAre(Admitted("worker 0", false), Admitted("worker 0", true)));
}

TEST_F(Chief, IsWaitedForUntilSomebodyInterrupts) {
  Sessions sessions(fakeHello("chief", 0), config);
  Coordinator coordinator(sessions, {"worker 0", "worker 1"});
  std::atomic<bool> isInterrupted{false};
  auto isAsked = [&] { return isInterrupted.load(); };
  // Nobody listens yet.
  auto opened = std::async(std::launch::async, [&] {
    return PeerLink::open(*transport, "chief", "chief 0", fakeHello("worker", 0), std::chrono::hours(1), isAsked)
        .status();
  });
  isInterrupted = true;
  EXPECT_EQ(opened.get().code(), absl::StatusCode::kCancelled);
  isInterrupted = false;
  auto listener = *transport->listen("chief", coordinator);
  auto worker = reach("worker", 0);
  auto joined = std::async(std::launch::async, [&] { return join(*worker, isAsked).status(); });
  while (coordinator.absent().size() > 1)
    std::this_thread::sleep_for(milliseconds(1));
  isInterrupted = true;
  EXPECT_EQ(joined.get().code(), absl::StatusCode::kCancelled);
}
