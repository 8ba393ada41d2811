// Steps that read and write rows of tables on a server: does their time depend on the size of the tables?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mlc_sparse_benchmark STEPS ROUNDS LARGE_PAGES [ARTIFACT BATCHES]...
//
// Each artifact has a server, a process of its own that holds all of its state, loaded before the clock starts. This
// process is its one training task; features were made before. Rounds of STEPS steps of each by turns. Prints for each
// the median over all steps in nanoseconds, the median number of distinct rows of a step, and how many rows per second
// a loop copies out of as large a table by these ids, on one thread: of the batches by turns, as steps go.
#include "benchmarks/cluster/Times.h"
#include "benchmarks/step/Ring.h"
#include "runtime/src/cluster/GrpcTransport.h"
#include "runtime/src/cluster/RemoteStepper.h"
#include "runtime/src/cluster/SyncServer.h"
#include "runtime/src/core/Rows.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlcrt;

static constexpr std::chrono::milliseconds kTimeout{600000};
static constexpr int64_t kMaxMessageBytes = int64_t{1} << 40;

[[noreturn]] static void fail(const absl::Status &status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  std::exit(1);
}
template <typename T> static T check(absl::StatusOr<T> value) {
  if (!value.ok())
    fail(value.status());
  return *std::move(value);
}
static void check(const absl::Status &status) {
  if (!status.ok())
    fail(status);
}

static cluster::HelloRequest helloOf(const char *role) {
  cluster::HelloRequest hello;
  hello.set_protocol(kClusterProtocol);
  hello.set_role(role);
  return hello;
}
static mlc::common::TfConfig configOf(const std::string &address) {
  mlc::common::TfConfig config;
  config.tasks = {{"chief", 0, ""}, {"ps", 0, address}};
  return config;
}

/// Never returns.
static void serve(const std::string &path, const std::string &address, bool largePages) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::shared_ptr<const Artifact> artifact = check(Artifact::open(path));
  const ShardPlan plan(*artifact, 1);
  std::unique_ptr<Program> program = check(Program::create(artifact, {plan.held(0)}));
  if (largePages)
    program->state().useLargePages();
  ThreadPool pool(2);
  const SumRanges ranges = check(SumRanges::create(*artifact, plan, 0));
  Sessions sessions(helloOf("ps"), configOf(address));
  ServerOptions options;
  options.stallTimeout = options.startTimeout = kTimeout;
  options.trainers = {"chief 0"};
  options.servers = {"ps 0"};
  SyncServer server(*program, plan, ranges, pool, sessions, options);
  std::unique_ptr<Transport> transport = check(makeGrpcTransport({}, kMaxMessageBytes));
  std::unique_ptr<Listener> listener = check(transport->listen(address, server));
  check(server.serve([] { return false; }).status());
  listener.reset();
  std::exit(0);
}

namespace {
/// One artifact, its server and its steps.
class Case {
public:
  Case(const std::string &artifact, const std::string &batches, const std::string &address, Transport &transport)
      : artifact_(check(Artifact::open(artifact))), program_(check(Program::create(artifact_))), pool_(2),
        ring_(check(mlcbench::Ring::open(batches, *artifact_, *artifact_->entry(MLCRT_ROLE_TRAIN_GRAD)))),
        pulls_(*artifact_) {
    links_.plan = std::make_unique<ShardPlan>(*artifact_, 1);
    links_.links.push_back(check(PeerLink::open(transport, address, "ps 0", helloOf("chief"), kTimeout)));
    stepper_ = check(SyncStepper::create(*program_, pool_, links_, /*virtualShards=*/1, {0, 1}, kTimeout));
    cluster::RunPlan plan;
    plan.set_virtual_shards(1);
    plan.set_trainers(1);
    check(stepper_->load(plan));
    check(stepper_->pull(0));
    TrainMode mode;
    mode.split = true;
    features_ = check(TrainFeatures::create(*program_, pool_, mode));
    slots_[0] = features_->makeSlots();
    slots_[1] = features_->makeSlots();
    prepare(0);
  }
  void run(int steps, std::vector<double> *times) {
    for (int i = 0; i < steps; ++i, ++step_) {
      TrainSlots &slots = slots_[step_ % 2];
      prepare(step_ + 1);
      const double time = seconds([&] {
        check(stepper_->prepare(slots, {0, step_, 0}));
        stepper_->expect(&slots_[(step_ + 1) % 2]);
        check(stepper_->run(ring_.batch(step_), slots, {0, step_, 0}));
      });
      if (times)
        times->push_back(time);
    }
  }
  double rowsPerStep() {
    std::vector<double> rows;
    for (int64_t i = 0; i < ring_.size(); ++i) {
      find(i);
      double count = 0;
      for (size_t t = 0; t < pulls_.size(); ++t)
        count += static_cast<double>(pulls_.rows(t).size());
      rows.push_back(count);
    }
    return median(rows);
  }
  /// Rows per second out of tables of this size; they take as much memory for that long.
  double gatherRate(bool largePages) {
    std::vector<AlignedBytes> tables;
    for (size_t t = 0; t < pulls_.size(); ++t) {
      const mlcrt_value &value = program_->state().variable(pulls_.variable(t)).value;
      tables.emplace_back(value.dims[0] * rowBytes(t));
      if (largePages)
        tables.back().useLargePages();
      std::memset(tables.back().data(), 1, static_cast<size_t>(tables.back().size()));
    }
    std::vector<double> rates;
    std::vector<char> out;
    for (int64_t i = 0; i < ring_.size(); ++i) {
      find(i);
      double count = 0;
      std::vector<std::vector<int64_t>> ids;
      for (size_t t = 0; t < pulls_.size(); ++t) {
        ids.push_back(pulls_.rows(t));
        count += static_cast<double>(ids.back().size());
        out.resize(std::max(out.size(), ids.back().size() * static_cast<size_t>(rowBytes(t))));
      }
      rates.push_back(count / seconds([&] {
                        for (size_t t = 0; t < ids.size(); ++t) {
                          const auto size = static_cast<size_t>(rowBytes(t));
                          char *to = out.data();
                          for (const int64_t id : ids[t]) {
                            std::memcpy(
                                to, static_cast<const char *>(tables[t].data()) + static_cast<size_t>(id) * size, size);
                            to += size;
                          }
                        }
                      }));
    }
    return median(rates);
  }
  void end() { check(stepper_->end("done").status()); }

private:
  /// What input threads do ahead of a step.
  void prepare(int64_t step) { check(features_->run(ring_.batch(step), slots_[step % 2], {0, step, 0})); }
  /// Finds the rows of a batch.
  void find(int64_t batch) {
    prepare(batch);
    pulls_.find(slots_[batch % 2], pool_);
  }
  int64_t rowBytes(size_t t) {
    const mlcrt_value &value = program_->state().variable(pulls_.variable(t)).value;
    return value.dims[1] * int64_t{4};
  }

  std::shared_ptr<const Artifact> artifact_;
  std::unique_ptr<Program> program_;
  ThreadPool pool_;
  mlcbench::Ring ring_;
  RowPulls pulls_;
  ServerLinks links_;
  std::unique_ptr<SyncStepper> stepper_;
  std::unique_ptr<TrainFeatures> features_;
  TrainSlots slots_[2]; ///< of the steps that are even, and of the others
  int64_t step_ = 0;
};
} // namespace

int main(int argc, char **argv) {
  if (argc < 6 || argc % 2 != 0) {
    std::fprintf(stderr, "usage: mlc_sparse_benchmark STEPS ROUNDS LARGE_PAGES [ARTIFACT BATCHES]...\n");
    return 2;
  }
  const int steps = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  const bool largePages = std::atoi(argv[3]) != 0;
  std::vector<std::string> addresses;
  std::vector<pid_t> servers;
  for (int i = 4; i < argc; i += 2) {
    addresses.push_back("unix:/tmp/mlc-sparse-" + std::to_string(::getpid()) + "-" + std::to_string(i));
    servers.push_back(::fork());
    if (servers.back() == 0)
      serve(argv[i], addresses.back(), largePages);
  }
  std::unique_ptr<Transport> transport = check(makeGrpcTransport({}, kMaxMessageBytes));
  std::vector<std::unique_ptr<Case>> cases;
  for (int i = 4; i < argc; i += 2)
    cases.push_back(std::make_unique<Case>(argv[i], argv[i + 1], addresses[cases.size()], *transport));
  std::vector<std::vector<double>> times(cases.size());
  for (int round = 0; round <= rounds; ++round) // the first one warms up
    for (size_t k = 0; k < cases.size(); ++k)
      cases[k]->run(steps, round > 0 ? &times[k] : nullptr);
  for (size_t k = 0; k < cases.size(); ++k) {
    const double rows = cases[k]->rowsPerStep();
    cases[k]->end();
    ::waitpid(servers[k], nullptr, 0);
    std::printf("{\"step_ns\": %.0f, \"rows\": %.0f, \"gather_rows_per_second\": %.0f}\n", median(times[k]) * 1e9, rows,
                cases[k]->gatherRate(largePages));
  }
  return 0;
}
