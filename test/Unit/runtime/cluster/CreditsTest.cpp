// The memory that messages may take at a server: what is granted, what is refused, and that nobody blocks others.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeServers.h"
#include "runtime/src/cluster/AsyncServer.h"
#include "runtime/src/cluster/GrpcTransport.h"
#include "runtime/src/cluster/InProcessTransport.h"
#include "runtime/src/cluster/SyncServer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <future>
#include <thread>
#include <unistd.h>

using namespace mlcrt;
using std::chrono::milliseconds;
using testing::HasSubstr;

//===----------------------------------------------------------------------===//
// Accounts
//===----------------------------------------------------------------------===//

TEST(Credits, RefuseWhatExceedsAShare) {
  Credits credits(/*memory=*/800, /*tasks=*/4, nullptr);
  EXPECT_EQ(credits.credit(), 50);
  EXPECT_EQ(credits.most(), 400);
  auto first = credits.charge("worker 0", 60);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE((*first)->add(40).ok());
  absl::Status refused = (*first)->add(1);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("worker 0 has 100 bytes of messages here and sends or asks for 1 more; its credit is 100"));
  // Others have theirs.
  EXPECT_TRUE(credits.charge("worker 1", 100).ok());
  EXPECT_EQ(credits.held(), 100);
  EXPECT_EQ(credits.peak(), 200);
  first->reset();
  EXPECT_EQ(credits.held(), 0);
  EXPECT_TRUE(credits.charge("worker 0", 100).ok());
  EXPECT_FALSE(credits.charge("worker 0", 101).ok());
}

TEST(Credits, GrantInTheOrderOfThoseWhoAsk) {
  std::atomic<int> woken{0};
  Credits credits(/*memory=*/800, /*tasks=*/4, [&] { ++woken; });
  std::vector<std::string> answers;
  auto ask = [&](const std::string &task, int64_t bytes, bool waits = true) {
    credits.ask(task, bytes, waits, [&answers, task](const absl::Status &status) {
      answers.push_back(task + (status.ok() ? "" : " " + absl::StatusCodeToString(status.code())));
    });
  };
  ask("a", 300);
  ask("b", 200); // no room
  ask("c", 100); // there were, but b comes first
  ask("d", 401); // never
  EXPECT_EQ(answers, (std::vector<std::string>{"a", "d RESOURCE_EXHAUSTED"}));
  auto hold = credits.charge("a", 300);
  ASSERT_TRUE(hold.ok()) << hold.status();
  EXPECT_FALSE(credits.charge("c", 101).ok());
  credits.grant();
  EXPECT_EQ(answers.size(), 2u);
  EXPECT_EQ(woken, 0);
  hold->reset();
  EXPECT_EQ(woken, 1);
  credits.grant();
  EXPECT_EQ(answers, (std::vector<std::string>{"a", "d RESOURCE_EXHAUSTED", "b", "c"}));
  // A grant is for one exchange.
  EXPECT_FALSE(credits.charge("a", 300).ok());
  answers.clear();
  ask("a", 200); // 100 are left
  ask("d", 200, /*waits=*/false);
  EXPECT_EQ(answers, (std::vector<std::string>{"d RESOURCE_EXHAUSTED"}));
  ask("a", 150);      // in place of the first
  credits.leave("b"); // did not use its own
  EXPECT_EQ(answers, (std::vector<std::string>{"d RESOURCE_EXHAUSTED", "a ABORTED", "a"}));
  credits.leave("c");
  ask("b", 400);
  credits.fail(absl::CancelledError("the end"));
  ask("c", 1);
  EXPECT_EQ(answers,
            (std::vector<std::string>{"d RESOURCE_EXHAUSTED", "a ABORTED", "a", "b CANCELLED", "c CANCELLED"}));
}

//===----------------------------------------------------------------------===//
// Servers
//===----------------------------------------------------------------------===//

namespace {

enum class Kind { InProcess, Grpc };

/// A chief and workers with servers that have little memory for messages.
class LittleMemory : public testing::TestWithParam<Kind> {
protected:
  static constexpr int64_t kWorkers = 6;

  void SetUp() override {
    if (GetParam() == Kind::Grpc)
      transport = *makeGrpcTransport({}, int64_t(1) << 30);
    else
      transport = makeInProcessTransport();
  }
  void serve(int numServers, int64_t memory) {
    config.tasks = {{"chief", 0, "chief"}};
    ServerOptions options;
    options.stallTimeout = options.startTimeout = kTimeout;
    options.messageBytes = memory;
    options.trainers = {"chief 0"};
    for (int64_t i = 0; i < kWorkers; ++i) {
      config.tasks.push_back({"worker", i, "worker"});
      options.trainers.push_back(taskName("worker", i));
    }
    for (int number = 0; number < numServers; ++number)
      config.tasks.push_back({"ps", number, addressOf(number)});
    for (int number = 0; number < numServers; ++number)
      servers.push_back(std::make_unique<FakeServer<AsyncServer>>(*routed, config, fakeHello("ps", number), options));
    cluster::RunPlan plan;
    plan.set_seed(kSeed);
    plan.set_virtual_shards(1);
    plan.set_trainers(1 + kWorkers);
    plan.set_max_steps(1000);
    chief = join("chief", 0);
    ASSERT_TRUE(chief->stepper->load(plan).ok());
    ASSERT_TRUE(chief->stepper->pull(0).ok());
  }
  std::unique_ptr<FakeTrainer> join(const std::string &role, int64_t index) {
    return std::make_unique<FakeTrainer>(*routed, static_cast<int>(servers.size()), fakeHello(role, index));
  }
  void end() {
    for (int64_t i = 0; i < kWorkers; ++i)
      for (auto &link :
           linkServers(*routed, *servers[0]->artifact, static_cast<int>(servers.size()), fakeHello("worker", i))
               .links) {
        cluster::LeaveReply left;
        EXPECT_TRUE(link->call("leave", cluster::LeaveRequest(), {}, kTimeout, left).ok());
      }
    ASSERT_TRUE(chief->stepper->end("max_steps").ok());
    for (auto &server : servers) {
      server->serving.join();
      EXPECT_TRUE(server->served.ok()) << server->served.status();
    }
    chief.reset();
    servers.clear();
  }
  /// The most that one push takes at a server, answer and all.
  int64_t exchangeBytes(int numServers) {
    serve(numServers, int64_t(1) << 30);
    EXPECT_TRUE(join("worker", 0)->push(0).ok());
    int64_t most = 0;
    for (auto &server : servers)
      most = std::max(most, server->server->credits().peak());
    end();
    return most;
  }
  static std::string addressOf(int number) {
    return "unix:" + testing::TempDir() + "/credits-" + std::to_string(::getpid()) + "-" + serverAddress(number);
  }
  /// Servers of the fake are called "ps0", ...; gRPC needs addresses.
  class Routed : public Transport {
  public:
    explicit Routed(LittleMemory &of) : of_(of) {}
    absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) override {
      return of_.transport->listen(route(address), service);
    }
    absl::StatusOr<std::unique_ptr<Connection>> connect(const std::string &address, const std::string &peer) override {
      return of_.transport->connect(route(address), peer);
    }

  private:
    static std::string route(const std::string &address) { return addressOf(address.back() - '0'); }
    LittleMemory &of_;
  };

  mlc::common::TfConfig config;
  std::unique_ptr<Transport> transport, routed = std::make_unique<Routed>(*this);
  std::vector<std::unique_ptr<FakeServer<AsyncServer>>> servers;
  std::unique_ptr<FakeTrainer> chief;
};

INSTANTIATE_TEST_SUITE_P(Kinds, LittleMemory, testing::Values(Kind::InProcess, Kind::Grpc),
                         [](const auto &info) { return info.param == Kind::Grpc ? "Grpc" : "InProcess"; });

} // namespace

TEST_P(LittleMemory, BoundsPushesOfAllTasksAtOnce) {
  for (int numServers : {1, 2}) {
    // Room for one exchange beside the shares, which are too small for one.
    const int64_t memory = 3 * exchangeBytes(numServers);
    serve(numServers, memory);
    ASSERT_LT(*chief->links.links[0]->credit(), memory / 3);
    std::vector<std::thread> workers;
    std::atomic<int64_t> ticket{0};
    for (int64_t i = 0; i < kWorkers; ++i)
      workers.emplace_back([&, i] {
        std::unique_ptr<FakeTrainer> trainer = join("worker", i);
        ASSERT_TRUE(trainer->stepper->pull(0).ok());
        for (int64_t own; (own = ticket++) < 60;) {
          absl::Status status = trainer->push(own);
          ASSERT_TRUE(status.ok()) << status;
        }
      });
    for (std::thread &worker : workers)
      worker.join();
    absl::StatusOr<TicketSet> applied = chief->stepper->progress();
    ASSERT_TRUE(applied.ok()) << applied.status();
    EXPECT_EQ(applied->below(), 60);
    for (auto &server : servers) {
      EXPECT_LE(server->server->credits().peak(), memory);
      EXPECT_GT(server->server->credits().peak(), 0);
    }
    end();
  }
}

TEST_P(LittleMemory, RefusesAPushThatNoMemoryIsFor) {
  serve(1, /*memory=*/exchangeBytes(1));
  auto worker = join("worker", 0);
  absl::Status status = worker->push(0);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("worker 0 asks for"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("are granted"));
  end();
}

TEST_P(LittleMemory, AClientThatDoesNotAskOrReadIsRefused) {
  const int64_t memory = 70 * exchangeBytes(1); // shares have room for five
  serve(1, memory);
  const Credits &credits = servers[0]->server->credits();
  auto greedy = join("worker", 0), other = join("worker", 1);
  // Answers that are not read stay with the server, in one process.
  std::vector<absl::StatusOr<IncomingMessage>> unread;
  PeerLink &link = *greedy->links.links[0];
  auto isRefused = [&] { return !unread.empty() && !unread.back().ok(); };
  for (int i = 0; GetParam() == Kind::InProcess && i < 1000 && !isRefused(); ++i) {
    cluster::StateReply reply;
    unread.push_back(link.call("fetch", cluster::PullRequest(), {}, kTimeout, reply));
    EXPECT_TRUE(other->push(i).ok());
  }
  if (GetParam() == Kind::InProcess) {
    ASSERT_TRUE(isRefused());
    EXPECT_EQ(unread.back().status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(unread.back().status().message()), HasSubstr("worker 0 has"));
    EXPECT_LE(credits.held(), memory / 14);
    unread.clear();
    EXPECT_TRUE(greedy->stepper->pull(0).ok());
  }
  // More than its credit at once, unasked: refused before it arrives.
  const int64_t before = credits.peak();
  std::string large(static_cast<size_t>(memory), 'x');
  for (const char *method : {"push", "rows", "pull", "fetch", "hello", "unknown"}) {
    cluster::PushRequest request;
    cluster::StateReply reply;
    absl::Status status = link.call(method, request, {{large.data(), memory, nullptr}}, kTimeout, reply).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << method << " " << status;
  }
  // Of a stranger, nothing.
  auto connection = *routed->connect(serverAddress(0), "ps 0");
  OutgoingMessage strange;
  strange.payload = {{large.data(), 1, nullptr}};
  EXPECT_EQ(connection->call("push", std::move(strange), kTimeout).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(credits.peak(), before);
  EXPECT_TRUE(other->push(1000 - 1).ok());
  end();
}
