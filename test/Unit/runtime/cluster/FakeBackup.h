// A synchronous run of the fake artifact with backup workers, its tasks threads. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_FAKEBACKUP_H
#define MLCRT_TEST_FAKEBACKUP_H

#include "FakeServers.h"
#include "FlakyTransport.h"
#include "runtime/src/cluster/BackupServer.h"
#include "runtime/src/cluster/BackupStepper.h"
#include "runtime/src/cluster/InProcessTransport.h"

namespace mlcrt {

struct BackupRun {
  static constexpr uint64_t kRun = 1; ///< what is sent again is known by it
  int trainers = 4, servers = 1, steps = 20;
  int64_t virtualShards = 8;
  BackupOptions backup;
  std::vector<int64_t> chiefEvery = {};
  /// Before a task computes `shards` of a step, its own or those of others.
  std::function<void(int task, int64_t step, ShardRange shards, bool isBackup)> before = [](auto...) {};
  /// After a task's last step, however it came to it.
  std::function<void(int task)> ended = [](int) {};
  /// The chief, before each of its steps.
  std::function<void(const ServerLinks &links, BackupStepper &stepper)> chief = [](auto &&...) {};
  /// A task leaves when it has come to this step.
  std::map<int, int64_t> leaves = {};
  /// Of every so many calls of tasks to servers one is lost, and another one's answer; 0: none.
  int breaksEvery = 0;

  // What became of it.
  std::string state;                 ///< of the chief, after the last step
  std::map<int64_t, double> weights; ///< by step, of those that the chief did not miss
  cluster::BackupReport report;
  double seconds = 0; ///< of the chief, for all steps
  int broken = 0;     ///< calls that were lost, or their answers
  /// By task: steps that it did not take part in, those after one that it was late for until the end included.
  std::vector<int64_t> missed;
  std::vector<int64_t> recomputed; ///< shards, by task
  std::vector<std::string> notes;

  void run() {
    mlc::common::TfConfig config;
    ServerOptions options;
    options.stallTimeout = options.startTimeout = kTimeout;
    for (int task = 0; task < trainers; ++task) {
      const std::string role = task ? "worker" : "chief";
      config.tasks.push_back({role, task ? task - 1 : 0, role + std::to_string(task)});
      options.trainers.push_back(taskName(role, config.tasks.back().index));
    }
    for (int number = 0; number < servers; ++number)
      config.tasks.push_back({"ps", number, serverAddress(number)});
    auto transport = makeInProcessTransport();
    backup.note = [this](const std::string &text) { notes.push_back(text); };
    std::vector<std::unique_ptr<FakeServer<BackupServer>>> held;
    for (int number = 0; number < servers; ++number)
      held.push_back(std::make_unique<FakeServer<BackupServer>>(*transport, config, fakeHello("ps", number), options,
                                                                fakeArtifact(), backup));
    missed.assign(trainers, 0);
    recomputed.assign(trainers, 0);
    FlakyTransport flaky(*transport, breaksEvery);
    std::vector<std::thread> tasks;
    for (int task = 0; task < trainers; ++task)
      tasks.emplace_back([this, task, &flaky] {
        train(task, flaky);
        ended(task);
      });
    for (std::thread &task : tasks)
      task.join();
    broken = flaky.broken();
    for (auto &server : held) {
      server->serving.join();
      EXPECT_TRUE(server->served.ok()) << server->served.status();
    }
  }

  /// State after the steps in one process.
  std::string alone() const {
    TrainMode mode;
    mode.virtualShards = static_cast<int>(virtualShards);
    return stateAlone(steps, mode);
  }

private:
  void train(int task, Transport &transport) {
    ThreadPool pool(1);
    auto program = makeFakeProgram(pool);
    const ServerLinks links =
        linkServers(transport, program->artifact(), servers, fakeHello(task ? "worker" : "chief", task ? task - 1 : 0));
    const ShardRange shards = shardsOf(task, trainers, virtualShards);
    TrainMode mode;
    mode.virtualShards = static_cast<int>(virtualShards);
    mode.firstShard = static_cast<int>(shards.first);
    mode.lastShard = static_cast<int>(shards.last);
    auto features = *TrainFeatures::create(*program, pool, mode);
    TrainSlots slots = features->makeSlots();
    auto prepare = [&](const BatchView &batch, TrainSlots &all, const CallContext &context, ShardRange late) {
      before(task, context.step, late, true);
      return features->runShards(batch, all, context, late.first, late.last);
    };
    auto stepper =
        *BackupStepper::create(*program, pool, links, virtualShards, shards, backup.policy, prepare, kTimeout);
    if (task == 0) {
      cluster::RunPlan plan;
      plan.set_run(kRun);
      plan.set_seed(kSeed);
      plan.set_virtual_shards(virtualShards);
      plan.set_trainers(trainers);
      *plan.mutable_chief_every() = {chiefEvery.begin(), chiefEvery.end()};
      ASSERT_TRUE(stepper->load(plan).ok());
    }
    absl::Status status = stepper->pull(0);
    ASSERT_TRUE(status.ok()) << status;
    const auto start = std::chrono::steady_clock::now();
    int64_t taken = 0;
    while (stepper->version() < steps && !(leaves.count(task) && stepper->version() >= leaves[task])) {
      if (task == 0)
        chief(links, *stepper);
      const int64_t step = stepper->version();
      FakeBatch batch(kRows, static_cast<uint32_t>(step));
      CallContext context = {kSeed, step, 0};
      ASSERT_TRUE(features->run(batch.view, slots, context).ok());
      before(task, step, shards, false);
      ++taken;
      status = stepper->run(batch.view, slots, context);
      ASSERT_TRUE(status.ok()) << status;
      if (stepper->isOver())
        break;
      if (task == 0)
        weights[stepper->version() - 1] = *stepper->results().scalar("weight");
    }
    // A task that stood still while the others came to the end was told so, and not how many steps there were.
    missed[task] = leaves.count(task) ? stepper->missed() : steps - taken;
    recomputed[task] = stepper->recomputed();
    if (task == 0) {
      status = stepper->fetch(steps);
      ASSERT_TRUE(status.ok()) << status;
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      EXPECT_EQ(stepper->version(), steps);
      state = stateBytes(program->state());
      auto end = stepper->end("max_steps");
      ASSERT_TRUE(end.ok()) << end.status();
      report = end->backup();
      return;
    }
    cluster::LeaveReply reply;
    for (const auto &link : links.links)
      (void)link->call("leave", cluster::LeaveRequest(), {}, kTimeout, reply);
  }
};

} // namespace mlcrt

#endif // MLCRT_TEST_FAKEBACKUP_H
