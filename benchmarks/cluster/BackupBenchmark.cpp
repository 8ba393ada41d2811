// Backup workers where compute is a sleep of heavy tail: the step time over their number, and the number that is
// chosen.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks and server are threads of one process with the fake artifact; a task sleeps before it pushes, and for each
// shard of another that it recomputes a share of a new sleep. Sleeps are a function of (run, task, step): `--base` ms,
// with probability `--tail` times a Pareto number (exponent 1.5, at least 3, at most 20). All numbers b of a run have
// the same sleeps. Reported per b: the median over runs of ms per step, of policy drop as ms per step for n tasks'
// examples: ms n / (n - b). A number is as good as the best if it is within 3 %.
#include "FakeBackup.h"
#include "benchmarks/cluster/Times.h"

#include "CLI/CLI.hpp"

#include <cmath>
#include <cstdio>

using namespace mlcrt;

namespace {
struct Sizes {
  int trainers = 10, steps = 96, runs = 10, most = 4;
  double base = 8, tail = 0.04;
};

/// In [0, 1), of four numbers.
double uniform(uint64_t run, uint64_t task, uint64_t step, uint64_t shard) {
  uint64_t x = ((run * 1000003 + task) * 1000003 + step) * 1000003 + shard + 1;
  for (int round = 0; round < 3; ++round) {
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
  }
  return static_cast<double>(x >> 11) * 0x1p-53;
}

double sleepOf(const Sizes &sizes, uint64_t run, uint64_t task, uint64_t step, uint64_t shard) {
  const double p = uniform(run, task, step, shard);
  const double jitter = 1 + 0.1 * uniform(run + 7919, task, step, shard);
  return sizes.base * jitter * (p < sizes.tail ? std::min(20.0, 3 * std::pow(p / sizes.tail, -1 / 1.5)) : 1);
}

BackupRun runOnce(const Sizes &sizes, BackupOptions::Policy policy, int64_t b, uint64_t number) {
  BackupRun run;
  run.trainers = sizes.trainers;
  run.virtualShards = 2 * sizes.trainers;
  run.steps = sizes.steps;
  run.backup = {policy, b};
  run.before = [&](int task, int64_t step, ShardRange shards, bool isBackup) {
    const double ms = isBackup ? sleepOf(sizes, number, static_cast<uint64_t>(task), static_cast<uint64_t>(step),
                                         static_cast<uint64_t>(shards.first) + 1) /
                                     2
                               : sleepOf(sizes, number, static_cast<uint64_t>(task), static_cast<uint64_t>(step), 0);
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
  };
  run.run();
  return run;
}

/// Whether the chosen number is within 1 of one that is as good as the best.
bool measure(const Sizes &sizes, BackupOptions::Policy policy) {
  const bool isDrop = policy == BackupOptions::Policy::Drop;
  auto msOf = [&](const BackupRun &run, int64_t b) {
    const double ms = 1000 * run.seconds / sizes.steps;
    return isDrop ? ms * sizes.trainers / static_cast<double>(sizes.trainers - b) : ms;
  };
  std::vector<std::vector<double>> times(static_cast<size_t>(sizes.most) + 1);
  std::vector<double> chosen, chosenTimes;
  for (int number = 0; number < sizes.runs; ++number) {
    for (int b = 0; b <= sizes.most; ++b) {
      // 0 is that nobody is late: a run that chooses nothing.
      BackupRun run = runOnce(sizes, policy, b, static_cast<uint64_t>(number));
      times[static_cast<size_t>(b)].push_back(msOf(run, b));
    }
    BackupRun run = runOnce(sizes, policy, -1, static_cast<uint64_t>(number));
    chosen.push_back(static_cast<double>(run.report.workers()));
    chosenTimes.push_back(msOf(run, run.report.workers()));
  }
  std::printf("%s\n   b   %s\n", isDrop ? "drop" : "redundant",
              isDrop ? "ms per step of all tasks' examples" : "ms per step");
  double best = 1e30;
  for (const std::vector<double> &each : times)
    best = std::min(best, median(each));
  bool isNear = false;
  const double number = median(chosen);
  for (size_t b = 0; b < times.size(); ++b) {
    const bool isBest = median(times[b]) <= 1.03 * best;
    isNear |= isBest && std::abs(number - static_cast<double>(b)) <= 1;
    std::printf("%4zu   %7.2f%s\n", b, median(times[b]), isBest ? "  as good as the best" : "");
  }
  std::printf("auto   %7.2f  b = %.1f, within 1 of the best: %s\n", median(chosenTimes), number, isNear ? "yes" : "no");
  return isNear;
}
} // namespace

int main(int argc, char **argv) {
  Sizes sizes;
  CLI::App app("step time over the number of backup workers");
  app.add_option("--trainers", sizes.trainers, "training tasks")->check(CLI::Range(2, 64));
  app.add_option("--steps", sizes.steps, "steps of a run")->check(CLI::Range(32, 100000));
  app.add_option("--runs", sizes.runs, "runs")->check(CLI::Range(1, 1000));
  app.add_option("--most", sizes.most, "greatest number")->check(CLI::Range(0, 63));
  app.add_option("--base", sizes.base, "ms of a task that is not slow");
  app.add_option("--tail", sizes.tail, "part of the steps that are slow");
  CLI11_PARSE(app, argc, argv);
  sizes.most = std::min(sizes.most, sizes.trainers - 1);
  std::printf("%d training tasks, %d runs of %d steps, %.1f ms, %.0f %% slow\n", sizes.trainers, sizes.runs,
              sizes.steps, sizes.base, 100 * sizes.tail);
  const bool isRedundantNear = measure(sizes, BackupOptions::Policy::Redundant);
  const bool isDropNear = measure(sizes, BackupOptions::Policy::Drop);
  return isRedundantNear && isDropNear ? 0 : 1;
}
