// A chief, workers and a server in one process: the bits of one process alone, and what is refused.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeServers.h"
#include "FlakyTransport.h"
#include "runtime/src/cluster/InProcessTransport.h"
#include "runtime/src/cluster/SyncServer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <thread>

using namespace mlcrt;
using std::chrono::milliseconds;
using testing::HasSubstr;

static constexpr int64_t kShards = 8;

namespace {

/// A cluster whose tasks are threads.
class ClusterOfFake : public testing::Test {
protected:
  explicit ClusterOfFake(int64_t numWorkers = 2) { setTasks(numWorkers, 1); }
  void setTasks(int64_t numWorkers, int servers) {
    numServers = servers;
    config.tasks.clear();
    config.tasks.push_back({"chief", 0, "chief"});
    for (int64_t i = 0; i < numWorkers; ++i)
      config.tasks.push_back({"worker", i, "worker" + std::to_string(i)});
    for (int number = 0; number < servers; ++number)
      config.tasks.push_back({"ps", number, serverAddress(number)});
  }
  int64_t numTrainers() const { return static_cast<int64_t>(config.tasks.size()) - numServers; }

  static cluster::HelloRequest helloOf(const std::string &role, int64_t index) {
    cluster::HelloRequest hello = fakeHello(role, index);
    hello.set_protocol(kClusterProtocol);
    hello.set_state_fingerprint("state");
    hello.set_plan_fingerprint("plan");
    hello.add_settings("train.batch_size=37");
    return hello;
  }
  ServerOptions serverOptions(milliseconds stall) const {
    ServerOptions options;
    options.stallTimeout = options.startTimeout = stall;
    for (const auto &task : config.tasks)
      if (task.role != "ps")
        options.trainers.push_back(taskName(task.role, task.index));
    return options;
  }
  /// State after `steps` steps in one process.
  static std::string alone(int steps, std::shared_ptr<const Artifact> artifact = nullptr) {
    TrainMode mode;
    mode.virtualShards = kShards;
    return stateAlone(steps, mode, std::move(artifact));
  }

  /// Runs the servers until the end.
  void serve(milliseconds stall = kTimeout, const std::shared_ptr<const Artifact> &artifact = fakeArtifact()) {
    for (int number = 0; number < numServers; ++number)
      servers.push_back(std::make_unique<FakeServer<SyncServer>>(*transport, config, helloOf("ps", number),
                                                                 serverOptions(stall), artifact));
  }
  /// Waits for their end.
  absl::StatusOr<std::string> join() {
    absl::StatusOr<std::string> first;
    for (auto &server : servers) {
      server->serving.join();
      if (server == servers.front() || first.ok())
        first = server->served;
    }
    servers.clear();
    return first;
  }
  /// One training task: `steps` steps from step 0; the chief loads before, fetches and ends after.
  void train(int64_t number, int steps, std::string *state) {
    const std::string role = number == 0 ? "chief" : "worker";
    ThreadPool own(1);
    auto program = makeFakeProgram(own, servers.front()->artifact);
    const ServerLinks links = linkServers(flaky ? *flaky : *transport, program->artifact(), numServers,
                                          helloOf(role, number ? number - 1 : 0));
    const ShardRange shards = shardsOf(number, numTrainers(), kShards);
    auto stepper = SyncStepper::create(*program, own, links, kShards, shards, kTimeout, overlap);
    ASSERT_TRUE(stepper.ok()) << stepper.status();
    if (number == 0) {
      cluster::RunPlan plan;
      plan.set_seed(kSeed);
      plan.set_virtual_shards(kShards);
      plan.set_trainers(numTrainers());
      plan.set_run(1); // of no other run
      ASSERT_TRUE((*stepper)->load(plan).ok());
    }
    ASSERT_TRUE((*stepper)->pull(0).ok());
    TrainMode mode;
    mode.virtualShards = kShards;
    mode.firstShard = static_cast<int>(shards.first);
    mode.lastShard = static_cast<int>(shards.last);
    auto features = TrainFeatures::create(*program, own, mode);
    TrainSlots slots = (*features)->makeSlots(), later = (*features)->makeSlots();
    std::vector<std::unique_ptr<FakeBatch>> batches; // slots point into them
    for (int s = 0; s <= steps; ++s)
      batches.push_back(std::make_unique<FakeBatch>(kRows, s));
    for (int s = 0; s < steps; ++s) {
      const FakeBatch &batch = *batches[s];
      CallContext context = {kSeed, s, 0};
      // Of every other batch the rows come with the answer to the step before.
      if (s % 2 == 0) {
        ASSERT_TRUE((*features)->run(batch.view, slots, context).ok());
      }
      ASSERT_TRUE((*stepper)->prepare(s % 2 ? later : slots, context).ok());
      if (s % 2 == 0) {
        ASSERT_TRUE((*features)->run(batches[s + 1]->view, later, {kSeed, s + 1, 0}).ok());
      }
      (*stepper)->expect(s % 2 ? nullptr : &later);
      absl::Status status = (*stepper)->run(batch.view, s % 2 ? later : slots, context);
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_EQ(*(*stepper)->results().scalar("weight"), static_cast<double>(kRows));
    }
    EXPECT_GT((*stepper)->pushedBytes(), 0);
    EXPECT_GT((*stepper)->pulledBytes(), 0);
    if (number == 0) {
      ASSERT_TRUE((*stepper)->fetch(steps).ok());
      *state = stateBytes(program->state());
      ASSERT_TRUE((*stepper)->end("max_steps").ok());
      return;
    }
    // One step more than the run has: the worker learns that it is over.
    FakeBatch batch(kRows, steps);
    CallContext context = {kSeed, steps, 0};
    ASSERT_TRUE((*features)->run(batch.view, slots, context).ok());
    ASSERT_TRUE((*stepper)->run(batch.view, slots, context).ok());
    EXPECT_TRUE((*stepper)->isOver());
    EXPECT_EQ((*stepper)->ended(), "max_steps");
  }

  /// A run of chief and workers.
  std::string together(int steps) {
    std::vector<std::thread> trainers;
    std::string state;
    for (int64_t number = 0; number < numTrainers(); ++number)
      trainers.emplace_back([this, number, steps, &state] { train(number, steps, &state); });
    for (std::thread &trainer : trainers)
      trainer.join();
    return state;
  }
  /// The chief alone: loads, and pushes its shards of the first step; how that ends.
  absl::Status pushFirst(ShardRange shards, milliseconds timeout = kTimeout) {
    ThreadPool own(1);
    auto program = makeFakeProgram(own);
    const ServerLinks links = linkServers(*transport, program->artifact(), numServers, helloOf("chief", 0));
    auto stepper = SyncStepper::create(*program, own, links, kShards, shards, timeout);
    cluster::RunPlan plan;
    plan.set_virtual_shards(kShards);
    plan.set_trainers(numTrainers());
    EXPECT_TRUE((*stepper)->load(plan).ok());
    TrainMode mode;
    mode.virtualShards = kShards;
    auto features = TrainFeatures::create(*program, own, mode);
    TrainSlots slots = (*features)->makeSlots();
    FakeBatch batch(kRows, 0);
    EXPECT_TRUE((*features)->run(batch.view, slots, {}).ok());
    return (*stepper)->run(batch.view, slots, {});
  }
  absl::StatusOr<std::unique_ptr<PeerLink>> reach(const cluster::HelloRequest &hello) {
    return PeerLink::open(*transport, serverAddress(0), "ps 0", hello, kTimeout);
  }

  mlc::common::TfConfig config;
  int numServers = 1;
  OverlapOptions overlap;
  FlakyTransport *flaky = nullptr; ///< between training tasks and servers, if set
  std::unique_ptr<Transport> transport = makeInProcessTransport();
  std::vector<std::unique_ptr<FakeServer<SyncServer>>> servers;
};

} // namespace

TEST_F(ClusterOfFake, HasTheBitsOfOneProcess) {
  const std::string expected = alone(10);
  for (int numServers : {1, 2, 3, 4})
    for (int64_t numWorkers : {0, 1, 2, 7}) {
      setTasks(numWorkers, numServers);
      serve();
      const std::string state = together(10);
      absl::StatusOr<std::string> served = join();
      ASSERT_TRUE(served.ok()) << served.status();
      EXPECT_EQ(*served, "max_steps");
      EXPECT_TRUE(state == expected) << numWorkers << " workers, " << numServers << " servers";
    }
}

TEST_F(ClusterOfFake, TransfersMayOverlap) {
  // All messages in parts: what goes while it is made, and comes while gradients run that need it.
  for (const auto &artifact : {fakeArtifact(), plainFakeArtifact(), plainFakeArtifact(/*isQuiet=*/true)}) {
    const std::string expected = alone(10, artifact);
    for (bool isOn : {true, false})
      for (int numServers : {1, 2, 3})
        for (int64_t numWorkers : {0, 1, 2, 7}) {
          overlap = {isOn, /*least=*/-1};
          setTasks(numWorkers, numServers);
          serve(kTimeout, artifact);
          const std::string state = together(10);
          absl::StatusOr<std::string> served = join();
          ASSERT_TRUE(served.ok()) << served.status();
          EXPECT_TRUE(state == expected) << numWorkers << " workers, " << numServers << " servers";
        }
  }
}

TEST_F(ClusterOfFake, ConnectionsThatBreakChangeNoBit) {
  for (bool isOn : {false, true})
    for (int64_t numWorkers : {0, 2}) {
      setTasks(numWorkers, 3);
      overlap = {isOn, /*least=*/isOn ? -1 : StateCalls::kLarge};
      serve(kTimeout, isOn ? plainFakeArtifact() : fakeArtifact());
      const std::string expected = alone(20, servers.front()->artifact);
      // Some calls come before others are let in.
      FlakyTransport broken(*transport, 11);
      flaky = &broken;
      EXPECT_TRUE(together(20) == expected) << numWorkers << " workers, overlap " << isOn;
      flaky = nullptr;
      EXPECT_GT(broken.broken(), 8);
      EXPECT_TRUE(join().ok());
    }
}

TEST_F(ClusterOfFake, VariablesThatAreLostOnTheirWayAreTakenAgain) {
  setTasks(0, 1);
  const std::shared_ptr<const Artifact> artifact = plainFakeArtifact();
  serve(kTimeout, artifact);
  FlakyTransport lossy(*transport, "step");
  lossy.isOn = true;
  ThreadPool own(1);
  auto program = makeFakeProgram(own, artifact);
  const ServerLinks links = linkServers(lossy, *artifact, 1, helloOf("chief", 0));
  auto stepper = SyncStepper::create(*program, own, links, kShards, {0, kShards}, kTimeout, {true, /*least=*/-1});
  cluster::RunPlan plan;
  plan.set_virtual_shards(kShards);
  ASSERT_TRUE((*stepper)->load(plan).ok());
  TrainMode mode;
  mode.virtualShards = kShards;
  auto features = TrainFeatures::create(*program, own, mode);
  TrainSlots slots = (*features)->makeSlots();
  FakeBatch batch(kRows, 0);
  ASSERT_TRUE((*features)->run(batch.view, slots, {}).ok());
  // The outputs of the step are here.
  ASSERT_TRUE((*stepper)->run(batch.view, slots, {}).ok());
  EXPECT_EQ(*(*stepper)->results().scalar("weight"), static_cast<double>(kRows));
  EXPECT_EQ(lossy.cut(), 1);
  lossy.isOn = false;
  absl::Status status = (*stepper)->run(batch.view, slots, {0, 1, 0});
  EXPECT_TRUE(status.ok()) << status;
  // All of them are.
  ASSERT_TRUE((*stepper)->fetch(2).ok());
  EXPECT_TRUE(stateBytes(program->state()) == stateBytes(servers[0]->program->state()));
  ASSERT_TRUE((*stepper)->end("enough").ok());
  EXPECT_TRUE(join().ok());
}

TEST_F(ClusterOfFake, AnUpdateThatDoesNotSplitIsOfServer0) {
  setTasks(1, 2);
  serve(kTimeout, fakeArtifact(/*hasRanges=*/false));
  EXPECT_EQ(servers[1]->plan->bytes(1), 0);
  EXPECT_TRUE(together(10) == alone(10));
  EXPECT_TRUE(join().ok());
}

TEST_F(ClusterOfFake, AServerThatDoesNotComeIsNamed) {
  setTasks(0, 2);
  servers.push_back(
      std::make_unique<FakeServer<SyncServer>>(*transport, config, helloOf("ps", 0), serverOptions(milliseconds(200))));
  // Another process in the place of ps 1, which takes all and never comes to the exchange.
  class Silent : public Service {
  public:
    void handle(std::string_view method, IncomingMessage, Reply reply) override {
      if (method == "hello")
        return reply(makeMessage(cluster::HelloReply()));
      if (method == "load")
        return reply(makeMessage(cluster::LoadReply()));
      std::lock_guard<std::mutex> lock(mutex);
      kept.push_back(std::move(reply));
    }
    std::mutex mutex;
    std::vector<Reply> kept;
  } silent;
  auto listener = *transport->listen(serverAddress(1), silent);
  absl::Status status = pushFirst({0, kShards}, milliseconds(1500));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("ps 0 waits since 0 s in update 0 for ps 1"));
  EXPECT_EQ(join().status().code(), absl::StatusCode::kDeadlineExceeded);
  for (Reply &reply : silent.kept)
    reply(absl::UnavailableError("gone"));
}

TEST_F(ClusterOfFake, ATaskThatDoesNotComeIsNamed) {
  serve(milliseconds(200));
  absl::Status status = pushFirst({0, 2});
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("chief 0 waits"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("for worker 0, worker 1"));
  EXPECT_EQ(join().status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(ClusterOfFake, APeerMayComeLater) {
  std::thread late([this] {
    std::this_thread::sleep_for(milliseconds(50));
    serve();
  });
  auto link = reach(helloOf("chief", 0));
  late.join();
  ASSERT_TRUE(link.ok()) << link.status();
  cluster::EndRequest end;
  cluster::EndReply reply;
  EXPECT_TRUE((*link)->call("end", end, {}, kTimeout, reply).ok());
  EXPECT_TRUE(join().ok());
  EXPECT_THAT(
      std::string(
          PeerLink::open(*transport, "nowhere", "ps 1", helloOf("chief", 0), milliseconds(50)).status().message()),
      HasSubstr("ps 1 at nowhere"));
}

TEST_F(ClusterOfFake, StrangersAreRefused) {
  serve();
  struct Case {
    const char *message;
    absl::StatusCode code;
    std::function<void(cluster::HelloRequest &)> change;
  };
  const Case cases[] = {
      {"protocol of the peer is 99", absl::StatusCode::kFailedPrecondition,
       [](auto &hello) { hello.set_protocol(99); }},
      {"plan fingerprint of the peer is other, mine is plan", absl::StatusCode::kFailedPrecondition,
       [](auto &hello) { hello.set_plan_fingerprint("other"); }},
      {"state fingerprint of the peer is other", absl::StatusCode::kFailedPrecondition,
       [](auto &hello) { hello.set_state_fingerprint("other"); }},
      {"setting of the peer is train.batch_size=38, mine is train.batch_size=37", absl::StatusCode::kFailedPrecondition,
       [](auto &hello) { hello.set_settings(0, "train.batch_size=38"); }},
      {"worker 9 is no task of the cluster", absl::StatusCode::kPermissionDenied,
       [](auto &hello) { hello.set_index(9); }},
  };
  for (const Case &each : cases) {
    cluster::HelloRequest hello = helloOf("worker", 0);
    each.change(hello);
    auto link = reach(hello);
    EXPECT_EQ(link.status().code(), each.code) << each.message;
    EXPECT_THAT(std::string(link.status().message()), HasSubstr(each.message));
  }
  cluster::HelloRequest worker = helloOf("worker", 0);
  worker.set_sums("sm_90");
  auto first = reach(worker);
  EXPECT_TRUE(first.ok());
  cluster::HelloRequest otherSums = helloOf("chief", 0);
  for (const char *sums : {"", "sm_80"}) {
    otherSums.set_sums(sums);
    const absl::Status refused = reach(otherSums).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr(std::string("order of sums of the peer is ") + (*sums ? sums : "that of the program") +
                          ", mine is sm_90: chief 0 has other GPUs than a training task that came before"));
  }
  cluster::HelloRequest again = helloOf("worker", 0);
  again.set_incarnation(77);
  // It waits for the first one to go.
  EXPECT_EQ(PeerLink::open(*transport, serverAddress(0), "ps 0", again, milliseconds(50)).status().code(),
            absl::StatusCode::kAlreadyExists);
  auto chief = reach(helloOf("chief", 0));
  cluster::EndRequest end;
  end.set_reason("enough");
  cluster::EndReply reply;
  EXPECT_EQ((*first)->call("end", end, {}, kTimeout, reply).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE((*chief)->call("end", end, {}, kTimeout, reply).ok());
  EXPECT_TRUE(join().ok());
}

TEST_F(ClusterOfFake, HostileMessagesChangeNothing) {
  serve();
  ThreadPool own(1);
  auto program = makeFakeProgram(own);
  const ServerLinks links = linkServers(*transport, program->artifact(), 1, helloOf("chief", 0));
  PeerLink *chief = links.links[0].get();
  auto stepper = SyncStepper::create(*program, own, links, kShards, {0, kShards}, kTimeout);
  cluster::RunPlan plan;
  plan.set_virtual_shards(kShards);
  plan.set_trainers(1);
  ASSERT_TRUE((*stepper)->load(plan).ok());
  const std::string before = stateBytes(servers[0]->program->state());
  std::vector<int64_t> symbols(program->artifact().symbolCount(), kRows);
  std::string zeros(1 << 16, '\0'), ones(1 << 16, '\xff');
  auto push = [&](std::function<void(cluster::StepRequest &)> change, const std::string &payload) {
    cluster::StepRequest request;
    request.set_last_shard(kShards);
    cluster::Node *node = request.add_nodes();
    node->set_level(3);
    *request.mutable_symbols() = {symbols.begin(), symbols.end()};
    change(request);
    cluster::StateReply reply;
    return chief
        ->call("step", request, {{payload.data(), static_cast<int64_t>(payload.size()), nullptr}}, kTimeout, reply)
        .status();
  };
  auto nothing = [](cluster::StepRequest &) {};
  EXPECT_FALSE(push(nothing, "").ok());
  EXPECT_FALSE(push(nothing, zeros).ok());
  EXPECT_FALSE(push(nothing, ones).ok());
  EXPECT_FALSE(push([](auto &r) { r.set_step(7); }, zeros).ok());
  EXPECT_FALSE(push([](auto &r) { r.set_first_shard(-1); }, zeros).ok());
  EXPECT_FALSE(push([](auto &r) { r.set_last_shard(int64_t(1) << 62); }, zeros).ok());
  EXPECT_FALSE(push([](auto &r) { r.mutable_nodes(0)->set_level(62); }, zeros).ok());
  EXPECT_FALSE(push([](auto &r) { r.mutable_nodes(0)->set_level(-1); }, zeros).ok());
  EXPECT_FALSE(push([](auto &r) { r.mutable_nodes(0)->set_index(int64_t(1) << 61); }, zeros).ok());
  EXPECT_FALSE(push([](auto &r) { r.set_symbols(0, -1); }, zeros).ok());
  EXPECT_FALSE(push([](auto &r) { r.set_symbols(0, int64_t(1) << 60); }, zeros).ok());
  EXPECT_FALSE(push([](auto &r) { r.clear_symbols(); }, zeros).ok());
  auto connection = transport->connect(serverAddress(0), "ps 0");
  for (const char *method : {"hello", "load", "pull", "rows", "fetch", "step", "end", "exchange", "hold", "probe",
                             "snapshot", "write", "forget", "", "unknown"})
    for (const std::string &control : {std::string(), std::string("\xff\xff\xff"), std::string(50, '\x08')}) {
      OutgoingMessage message;
      message.control = control;
      EXPECT_FALSE((*connection)->call(method, std::move(message), kTimeout).ok()) << method;
    }
  EXPECT_TRUE(before == stateBytes(servers[0]->program->state()));
  ASSERT_TRUE((*stepper)->end("enough").ok());
  EXPECT_TRUE(join().ok());
}

TEST(Shards, AreCutInOrder) {
  for (int64_t trainers : {1, 2, 3, 5, 8}) {
    int64_t next = 0;
    for (int64_t t = 0; t < trainers; ++t) {
      const ShardRange range = shardsOf(t, trainers, kShards);
      EXPECT_EQ(range.first, next);
      EXPECT_GT(range.last, range.first);
      next = range.last;
    }
    EXPECT_EQ(next, kShards);
  }
}

TEST(Shards, AreCoveredByWholeNodes) {
  EXPECT_EQ(coveringNodes(0, 8), (std::vector<SumNode>{{3, 0}}));
  EXPECT_EQ(coveringNodes(2, 5), (std::vector<SumNode>{{1, 1}, {0, 4}}));
  EXPECT_EQ(coveringNodes(3, 8), (std::vector<SumNode>{{0, 3}, {2, 1}}));
  EXPECT_TRUE(coveringNodes(3, 3).empty());
}
