// Pings between tasks of one process, and what is counted of their calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/Heartbeats.h"
#include "FlakyTransport.h"
#include "runtime/src/cluster/InProcessTransport.h"
#include "runtime/src/cluster/ObservedTransport.h"
#include "runtime/src/core/RunObservation.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <condition_variable>
#include <fstream>
#include <future>
#include <thread>
#include <unistd.h>

using namespace mlcrt;
using std::chrono::milliseconds;
using testing::HasSubstr;

namespace {

constexpr milliseconds kLong{60000};

/// Lets peers in; answers "step" with `answer` when it is there, keeps other calls for ever.
class KeepingService : public Service {
public:
  explicit KeepingService(Sessions &sessions) : sessions_(sessions) {}
  void handle(std::string_view method, IncomingMessage request, Reply reply) override {
    if (method == "hello")
      return sessions_.hello(request, reply);
    if (method == "pull") {
      static const std::string bytes(1000, 'x');
      OutgoingMessage message = makeMessage(cluster::StateReply());
      message.payload.push_back({bytes.data(), 1000, nullptr});
      return reply(std::move(message));
    }
    std::lock_guard<std::mutex> lock(mutex_);
    kept_.push_back(std::move(reply));
  }

private:
  Sessions &sessions_;
  std::mutex mutex_;
  std::vector<Reply> kept_;
};

class HeartbeatsTest : public testing::Test {
protected:
  HeartbeatsTest() {
    PeerTable::Options options;
    options.heartbeat = milliseconds(20);
    options.observation = run.get();
    options.now = [this] {
      std::lock_guard<std::mutex> lock(mutex);
      return now;
    };
    server = std::make_unique<PeerTable>(options);
    options.warn = [this](const std::string &text) {
      std::lock_guard<std::mutex> lock(mutex);
      warnings.push_back(text);
      changed.notify_all();
    };
    client = std::make_unique<PeerTable>(options);
  }
  static cluster::HelloRequest helloOf(const std::string &role) {
    cluster::HelloRequest hello;
    hello.set_protocol(kClusterProtocol);
    hello.set_role(role);
    hello.set_incarnation(1);
    return hello;
  }
  std::unique_ptr<PeerLink> reach() {
    auto link = PeerLink::open(*transport, "ps", "ps 0", helloOf("worker"), kLong);
    EXPECT_TRUE(link.ok()) << link.status();
    return *std::move(link);
  }
  void pass(milliseconds time) {
    std::lock_guard<std::mutex> lock(mutex);
    now += time;
  }
  /// Waits for what comes by itself.
  template <typename Condition> static void await(Condition condition) {
    while (!condition())
      std::this_thread::sleep_for(milliseconds(1));
  }

  std::mutex mutex;
  std::condition_variable changed;
  PeerTable::Clock::time_point now{std::chrono::hours(1)};
  std::vector<std::string> warnings;
  static mlc::common::TfConfig makeConfig() {
    mlc::common::TfConfig config;
    config.tasks = {{"chief", 0, "chief"}, {"worker", 0, "worker"}, {"ps", 0, "ps"}};
    return config;
  }
  const std::shared_ptr<RunObservation> run = std::make_shared<RunObservation>();
  std::unique_ptr<Transport> transport = observeTransport(makeInProcessTransport(), run);
  Sessions sessions{helloOf("ps"), makeConfig()};
  KeepingService service{sessions};
  std::unique_ptr<PeerTable> server, client;
};

} // namespace

TEST_F(HeartbeatsTest, BothSidesHearOfEachOther) {
  HeartbeatService pinged(service, sessions, *server);
  auto listener = *transport->listen("ps", pinged);
  std::unique_ptr<PeerLink> link = reach();
  Heartbeats heartbeats(*client, milliseconds(1));
  const ActivityScope activity(run.get(), "checkpoint");
  heartbeats.add("ps 0", *link);
  await([this] { return server->isAlive("worker 0"); });
  EXPECT_THAT(server->describe("worker 0"), HasSubstr("'checkpoint' for"));
  await([this] { return client->describe("ps 0").find("checkpoint") != std::string::npos; });
  // Time goes by, and both live.
  for (int i = 0; i < 10; ++i) {
    pass(milliseconds(61));
    await([this] { return server->isAlive("worker 0") && client->isAlive("ps 0"); });
  }
  // Who leaves is not missed.
  cluster::LeaveReply reply;
  link->start("leave", cluster::LeaveRequest(), {}, kLong, [](absl::StatusOr<IncomingMessage>) {});
  await([this] { return server->describe("worker 0") == "worker 0 (has left)"; });
  heartbeats.stop();
}

TEST_F(HeartbeatsTest, PingsThatAreLostAreSentAgain) {
  HeartbeatService pinged(service, sessions, *server);
  auto listener = *transport->listen("ps", pinged);
  FlakyTransport flaky(*transport, /*every=*/0);
  auto link = PeerLink::open(flaky, "ps", "ps 0", helloOf("worker"), kLong);
  ASSERT_TRUE(link.ok()) << link.status();
  // The next one by itself would come too late for anybody.
  Heartbeats heartbeats(*client, std::chrono::hours(1));
  flaky.isDown = true;
  heartbeats.add("ps 0", **link);
  await([&] { return flaky.broken() >= 3; });
  EXPECT_FALSE(server->isAlive("worker 0"));
  flaky.isDown = false;
  await([this] { return server->isAlive("worker 0"); });
  heartbeats.stop();
}

TEST_F(HeartbeatsTest, ConnectionsThatBreakMissNobody) {
  HeartbeatService pinged(service, sessions, *server);
  auto listener = *transport->listen("ps", pinged);
  FlakyTransport flaky(*transport, /*every=*/3);
  auto link = PeerLink::open(flaky, "ps", "ps 0", helloOf("worker"), kLong);
  ASSERT_TRUE(link.ok()) << link.status();
  Heartbeats heartbeats(*client, milliseconds(1));
  heartbeats.add("ps 0", **link);
  await([this] { return server->isAlive("worker 0"); });
  for (int i = 0; i < 10; ++i) {
    pass(milliseconds(61));
    await([this] { return server->isAlive("worker 0") && client->isAlive("ps 0"); });
  }
  EXPECT_GT(flaky.broken(), 5);
  heartbeats.stop();
}

TEST_F(HeartbeatsTest, CallsToADeadPeerEnd) {
  auto listener = *transport->listen("ps", service); // answers no ping
  std::unique_ptr<PeerLink> link = reach();
  Heartbeats heartbeats(*client, milliseconds(1));
  heartbeats.add("ps 0", *link);
  std::promise<absl::Status> ended;
  link->start("step", cluster::LeaveRequest(), {}, kLong, [&ended](absl::StatusOr<IncomingMessage> reply) {
    // Its own: what counts owners of a status's text is not instrumented.
    ended.set_value(absl::Status(reply.status().code(), std::string(reply.status().message())));
  });
  pass(milliseconds(100));
  const absl::Status status = ended.get_future().get();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("ps 0 was not heard of for 0 s (3 heartbeats)"));
}

TEST_F(HeartbeatsTest, AWaitIsToldToThoseThatAsk) {
  HeartbeatService pinged(service, sessions, *server);
  auto listener = *transport->listen("ps", pinged);
  std::unique_ptr<PeerLink> link = reach();
  server->heard("worker 0", cluster::Life());
  const PeerTable::Clock::time_point since = now;
  pass(milliseconds(2000));
  server->heard("worker 0", cluster::Life());
  ASSERT_TRUE(server->judge({"chief 0", 12, since, {"worker 0"}}, milliseconds(8000)).ok());
  Heartbeats heartbeats(*client, milliseconds(1));
  heartbeats.add("ps 0", *link);
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [this] { return !warnings.empty(); });
  EXPECT_THAT(warnings.front(), HasSubstr("ps 0 says: chief 0 waits since 2 s at step 12 for worker 0"));
  lock.unlock();
  heartbeats.stop();
  EXPECT_EQ(warnings.size(), 1u); // once, though it goes on
  server->clearStall();
}

TEST_F(HeartbeatsTest, CallsAreCountedByPeerAndDirection) {
  TimelineOptions options;
  options.path = testing::TempDir() + "/calls-" + std::to_string(::getpid()) + ".json";
  ASSERT_TRUE(run->beginTimeline(options).ok());
  auto valueOf = [this](const char *name, MetricLabels labels) -> MetricValue & {
    return run->metrics().registry.value(MetricRegistry::Kind::Counter, name, "", std::move(labels));
  };
  {
    auto listener = *transport->listen("ps", service);
    auto connection = *transport->connect("ps", "ps 77");
    const std::string bytes(500, 'y');
    OutgoingMessage request = makeMessage(cluster::PullRequest());
    request.payload.push_back({bytes.data(), 500, nullptr});
    auto reply = connection->call("pull", std::move(request), kLong);
    ASSERT_TRUE(reply.ok());
    EXPECT_GT(reply->heldFor().count(), 0);
    EXPECT_FALSE(connection->call("\nsomething", {}, milliseconds(1)).ok());
  }
  run->endTimeline();
  EXPECT_EQ(run->metrics().exchangedBytes.value(), 1500);
  EXPECT_EQ(valueOf("mlc_peer_bytes_total", {{"peer", "ps 77"}, {"direction", "sent"}}).value(), 500);
  EXPECT_EQ(valueOf("mlc_peer_bytes_total", {{"peer", "ps 77"}, {"direction", "received"}}).value(), 1000);
  EXPECT_EQ(valueOf("mlc_peer_calls_total", {{"peer", "ps 77"}}).value(), 2);
  EXPECT_EQ(valueOf("mlc_peer_call_errors_total", {{"peer", "ps 77"}}).value(), 1);
  EXPECT_GT(valueOf("mlc_peer_transfer_seconds_total", {{"peer", "ps 77"}, {"direction", "sent"}}).value(), 0);
  // Names that nobody here knows make no number.
  EXPECT_EQ(valueOf("mlc_served_calls_total", {{"method", "other"}}).value(), 1);
  EXPECT_EQ(run->metrics().registry.text().find("something"), std::string::npos);
  std::ifstream file(options.path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("{\"name\":\"to ps 77\"}"));
  std::remove(options.path.c_str());
}
