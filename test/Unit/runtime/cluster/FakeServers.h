// Servers of the fake artifact, each on a thread. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_FAKESERVERS_H
#define MLCRT_TEST_FAKESERVERS_H

#include "FakeBatch.h"
#include "runtime/src/cluster/CopiedState.h"
#include "runtime/src/cluster/ParameterServer.h"
#include "runtime/src/cluster/RemoteStepper.h"

#include <atomic>
#include <cstring>
#include <thread>

namespace mlcrt {

constexpr std::chrono::milliseconds kTimeout{20000};
/// Of each batch, and of all that is random.
constexpr int64_t kRows = 37, kSeed = 5;

inline std::string serverAddress(int number) { return "ps" + std::to_string(number); }

inline cluster::HelloRequest fakeHello(const std::string &role, int64_t index) {
  cluster::HelloRequest hello;
  hello.set_role(role);
  hello.set_index(index);
  hello.set_incarnation(static_cast<uint64_t>(index) + 1);
  return hello;
}

/// State after `steps` steps of one process with batches of the steps' numbers.
inline std::string stateAlone(int64_t steps, const TrainMode &mode,
                              std::shared_ptr<const Artifact> artifact = nullptr) {
  ThreadPool pool(2);
  auto program = makeFakeProgram(pool, std::move(artifact));
  auto features = TrainFeatures::create(*program, pool, mode);
  auto step = TrainStep::create(*program, pool, mode);
  TrainSlots slots = (*features)->makeSlots();
  for (int64_t s = 0; s < steps; ++s) {
    FakeBatch batch(kRows, static_cast<uint32_t>(s));
    CallContext context = {kSeed, s, 0};
    EXPECT_TRUE((*features)->run(batch.view, slots, context).ok());
    EXPECT_TRUE((*step)->run(batch.view, slots, context).ok());
  }
  return stateBytes(program->state());
}

/// The fake artifact; without its functions over ranges of rows the update is train_apply on server 0.
inline std::shared_ptr<const Artifact> fakeArtifact(bool hasRanges = true) {
  static mlcrt_artifact table = *mlc_artifact_query(MLCRT_ABI_VERSION, nullptr);
  static mlcrt_artifact whole = [] {
    mlcrt_artifact copy = table;
    copy.num_entries -= FAKE_UPDATE_ENTRIES;
    copy.num_updates = copy.num_shared = 0;
    copy.updates = nullptr;
    copy.shared = nullptr;
    return copy;
  }();
  auto artifact = Artifact::fromTable(hasRanges ? &table : &whole);
  EXPECT_TRUE(artifact.ok()) << artifact.status();
  return *artifact;
}

/// The fake artifact whose variables lie in memory as they are sent, all of all of them; with `isQuiet` its gradients
/// say nothing while they run.
inline std::shared_ptr<const Artifact> plainFakeArtifact(bool isQuiet = false) {
  struct Plain {
    explicit Plain(bool isQuiet) : table(*mlc_artifact_query(MLCRT_ABI_VERSION, nullptr)) {
      variables.assign(table.variables, table.variables + table.num_variables);
      variables[FAKE_W].pack = variables[FAKE_W].unpack = nullptr;
      variables[FAKE_W].storage_bytes = 0;
      entries.assign(table.entries, table.entries + table.num_entries);
      if (isQuiet)
        entries[FAKE_GRAD] = fake_quiet_grad;
      table.variables = variables.data();
      table.entries = entries.data();
      table.num_pulls = 0;
    }
    mlcrt_artifact table;
    std::vector<mlcrt_variable> variables;
    std::vector<mlcrt_entry> entries;
  };
  static const Plain loud(false), quiet(true);
  auto artifact = Artifact::fromTable(&(isQuiet ? quiet : loud).table);
  EXPECT_TRUE(artifact.ok()) << artifact.status();
  return *artifact;
}

/// A plan that cuts the fake's few rows.
inline std::unique_ptr<ShardPlan> fakePlan(const Artifact &artifact, int servers) {
  return std::make_unique<ShardPlan>(artifact, servers, /*leastShardBytes=*/1);
}

/// One server; `Server` is of a mode, and `More` what it has beside others.
template <typename Server> struct FakeServer {
  template <typename... More>
  FakeServer(Transport &transport, const mlc::common::TfConfig &config, const cluster::HelloRequest &hello,
             ServerOptions options, std::shared_ptr<const Artifact> of = fakeArtifact(), const More &...more)
      : artifact(std::move(of)) {
    int servers = 0;
    for (const auto &task : config.tasks)
      if (task.role == "ps")
        ++servers, options.servers.push_back(taskName(task.role, task.index));
    options.number = static_cast<int>(hello.index());
    plan = fakePlan(*artifact, servers);
    ranges.emplace(*SumRanges::create(*artifact, *plan, options.number));
    program = *Program::create(artifact, {plan->held(options.number)});
    sessions = std::make_unique<Sessions>(hello, config, /*knowsPeers=*/true);
    server = std::make_unique<Server>(*program, *plan, *ranges, pool, *sessions, options, more...);
    listener = *transport.listen(serverAddress(options.number), *server);
    serving = std::thread([this, &transport, hello, number = options.number] {
      if (number > 0)
        server->follow(*PeerLink::open(transport, serverAddress(0), "ps 0", hello, kTimeout));
      served = server->serve([this] { return isStopped.load(); });
    });
  }
  ~FakeServer() {
    if (serving.joinable())
      serving.join();
  }

  std::shared_ptr<const Artifact> artifact;
  ThreadPool pool{2};
  std::unique_ptr<ShardPlan> plan;
  std::optional<SumRanges> ranges;
  std::unique_ptr<Program> program;
  std::unique_ptr<Sessions> sessions;
  std::unique_ptr<Server> server;
  std::unique_ptr<Listener> listener;
  std::atomic<bool> isStopped{false}; ///< it is told to end
  std::thread serving;
  absl::StatusOr<std::string> served;
};

/// The state that servers copied.
inline std::string stateOfCopies(const CopiedState &copied) {
  ThreadPool pool(1);
  auto program = makeFakeProgram(pool);
  for (int32_t i = 0; i < program->state().size(); ++i) {
    if (program->state().variable(i).flags & MLCRT_VARIABLE_EVAL)
      continue;
    absl::Status status = program->state().fill(i, [&](void *to, int64_t) {
      return copied.read(i, "test", [at = static_cast<char *>(to)](const void *data, int64_t bytes) mutable {
        std::memcpy(at, data, static_cast<size_t>(bytes));
        at += bytes;
        return absl::OkStatus();
      });
    });
    EXPECT_TRUE(status.ok()) << status;
  }
  return stateBytes(program->state());
}

/// A training task's connections.
inline ServerLinks linkServers(Transport &transport, const Artifact &artifact, int servers,
                               const cluster::HelloRequest &hello) {
  ServerLinks links;
  links.plan = fakePlan(artifact, servers);
  for (int number = 0; number < servers; ++number) {
    auto link = PeerLink::open(transport, serverAddress(number), taskName("ps", number), hello, kTimeout);
    EXPECT_TRUE(link.ok()) << link.status();
    links.links.push_back(*std::move(link));
  }
  return links;
}

/// An asynchronous training task.
struct FakeTrainer {
  FakeTrainer(Transport &transport, int servers, const cluster::HelloRequest &hello, const OverlapOptions &overlap = {},
              std::shared_ptr<const Artifact> artifact = nullptr) {
    program = makeFakeProgram(pool, std::move(artifact));
    links = linkServers(transport, program->artifact(), servers, hello);
    stepper = *AsyncStepper::create(*program, pool, links, kTimeout, overlap);
    TrainMode mode;
    mode.split = true;
    features = *TrainFeatures::create(*program, pool, mode);
    slots = features->makeSlots();
  }
  /// Pushes the gradient of the batch of step `ticket`.
  absl::Status push(int64_t ticket, bool prepares = true) {
    FakeBatch batch(kRows, static_cast<uint32_t>(ticket));
    CallContext context = {kSeed, ticket, 0};
    if (absl::Status status = features->run(batch.view, slots, context); !status.ok())
      return status;
    if (absl::Status status = prepares ? stepper->prepare(slots, context) : absl::OkStatus(); !status.ok())
      return status;
    return stepper->run(batch.view, slots, context);
  }

  ThreadPool pool{1};
  std::unique_ptr<Program> program;
  ServerLinks links;
  std::unique_ptr<AsyncStepper> stepper;
  std::unique_ptr<TrainFeatures> features;
  TrainSlots slots;
};

} // namespace mlcrt

#endif // MLCRT_TEST_FAKESERVERS_H
