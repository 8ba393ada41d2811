// How fast a checkpoint is written, against dd on the same disk in the same run, and how long training stands still for
// it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mlc_checkpoint_benchmark [--directory D] [--mib N] [--rounds N] [--step_ms MS]
//
// Each round writes a checkpoint and lets dd (conv=fdatasync) write as many bytes, in turn; medians are compared.
// Goodput is the checkpoint's bytes over the time until its manifest is durable; the stall is how long training stands
// still: until the state is copied. Beside it stands what bounds that: copying it within memory, by one thread and by
// two; and what a copy made by the kernel would cost instead: a fork, after which each page is copied when it is first
// written.
#include "runtime/src/checkpoint/BackgroundSave.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace mlcrt;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

static constexpr int kTables = 8;
static constexpr int64_t kColumns = 64;

struct Options {
  std::string directory = ".";
  int64_t mib = 1024;
  int rounds = 5;
  double stepMs = 1.0;
};

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string flag = argv[i], value = argv[i + 1];
    if (flag == "--directory")
      options.directory = value;
    else if (flag == "--mib")
      options.mib = std::max(1L, std::atol(value.c_str()));
    else if (flag == "--rounds")
      options.rounds = std::max(1, std::atoi(value.c_str()));
    else if (flag == "--step_ms")
      options.stepMs = std::atof(value.c_str());
    else
      return false;
  }
  return argc % 2 == 1 && options.stepMs > 0;
}

/// Eight tables of f32 rows: `mib` MiB in all.
class Model {
public:
  explicit Model(int64_t mib) {
    int64_t rows = (mib << 20) / (kTables * kColumns * static_cast<int64_t>(sizeof(float)));
    dims_[0] = rows;
    for (int i = 0; i < kTables; ++i) {
      names_[i] = "table_" + std::to_string(i);
      variables_[i].value = {names_[i].c_str(), MLCRT_F32, 2, dims_};
      variables_[i].flags = MLCRT_VARIABLE_TRAINABLE;
      variables_[i].slot_of = -1;
    }
    table_.struct_size = sizeof(table_);
    table_.version = MLCRT_ABI_VERSION;
    table_.name = "benchmark";
    table_.state_fingerprint = table_.plan_fingerprint = "0";
    table_.cpu_features = "";
    table_.manifest = "{}";
    table_.num_variables = kTables;
    table_.variables = variables_;
  }
  const mlcrt_artifact *table() const { return &table_; }

private:
  std::string names_[kTables];
  int64_t dims_[2] = {0, kColumns};
  mlcrt_variable variables_[kTables] = {};
  mlcrt_artifact table_ = {};
};

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename Work> static double secondsOf(Work work) {
  auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Fills the state with bytes that no file system can leave out.
static void fill(State &state) {
  uint64_t word = 88172645463325252ull;
  for (int32_t i = 0; i < state.size(); ++i) {
    const TensorView &storage = state.storage(i);
    auto *words = static_cast<uint64_t *>(storage.data);
    for (int64_t k = 0, n = storage.dims[0] * storage.dims[1] / 2; k < n; ++k) {
      word ^= word << 13, word ^= word >> 7, word ^= word << 17;
      words[k] = word;
    }
  }
}

/// Seconds to copy the state within memory, into pages that are there.
static double copySeconds(State &state, std::vector<char> &target, int threads) {
  return secondsOf([&] {
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        int64_t at = 0;
        for (int32_t i = 0; i < state.size(); ++i) {
          const TensorView &storage = state.storage(i);
          int64_t bytes = storage.dims[0] * storage.dims[1] * static_cast<int64_t>(sizeof(float));
          if (i % threads == t)
            std::memcpy(target.data() + at, storage.data, static_cast<size_t>(bytes));
          at += bytes;
        }
      });
    for (std::thread &worker : workers)
      worker.join();
  });
}

/// What a fork costs instead of a copy, and then the first write to a row on each of `rows` places of the state.
struct ForkCost {
  double fork, writes;
};
static ForkCost forkSeconds(State &state, int64_t rows) {
  ForkCost cost{};
  pid_t child = -1;
  cost.fork = secondsOf([&] { child = ::fork(); });
  if (child == 0)
    while (true)
      ::pause(); // the old pages are what it has
  if (child < 0) {
    std::perror("fork");
    std::exit(1);
  }
  uint64_t place = 1;
  cost.writes = secondsOf([&] {
    for (int64_t i = 0; i < rows; ++i) {
      place = place * 6364136223846793005u + 1442695040888963407u;
      const TensorView &storage = state.storage(static_cast<int32_t>(i % state.size()));
      auto row = static_cast<int64_t>((place >> 20) % static_cast<uint64_t>(storage.dims[0]));
      static_cast<volatile float *>(storage.data)[row * kColumns] = 1;
    }
  });
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return cost;
}

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: %s [--directory D] [--mib N] [--rounds N] [--step_ms MS]\n", argv[0]);
    return 2;
  }
  Model model(options.mib);
  auto artifact = Artifact::fromTable(model.table());
  if (!artifact.ok()) {
    std::fprintf(stderr, "%s\n", std::string(artifact.status().message()).c_str());
    return 1;
  }
  State state(*artifact);
  fill(state);
  std::vector<char> target(static_cast<size_t>(options.mib) << 20, 1);
  fs::path directory = fs::path(options.directory) / ("mlc-checkpoint-" + std::to_string(::getpid()));
  fs::create_directories(directory);
  std::string dd = "dd if=/dev/zero of='" + (directory / "dd").string() +
                   "' bs=1M count=" + std::to_string(options.mib) + " conv=fdatasync 2>/dev/null";
  std::vector<double> saves, stalls, disks, copies, parallelCopies, forks, writes;
  constexpr int64_t kRows = 10000;
  int exit = 0;
  CheckpointStore store((directory / "m").string());
  ThreadPool pool(2);
  LocalShards shards(**artifact, state, pool);
  BackgroundSave saver(**artifact, shards);
  for (int round = 0; round < options.rounds && exit == 0; ++round) {
    CheckpointManifest manifest;
    manifest.step = round;
    absl::Status status;
    saves.push_back(secondsOf([&] {
      stalls.push_back(secondsOf([&] { status = saver.begin({{&store, manifest, 0, {}}}); }));
      if (status.ok())
        status = saver.finish().front().path.status();
    }));
    disks.push_back(secondsOf([&] { exit = std::system(dd.c_str()); }));
    copies.push_back(copySeconds(state, target, 1));
    parallelCopies.push_back(copySeconds(state, target, 2));
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
      exit = 1;
    }
    fs::remove_all(directory / "m");
    fs::remove(directory / "dd");
  }
  fs::remove_all(directory);
  if (exit != 0)
    return 1;
  // Last: after a fork every page costs a fault once more.
  for (int round = 0; round < options.rounds; ++round) {
    ForkCost cost = forkSeconds(state, kRows);
    forks.push_back(cost.fork);
    writes.push_back(cost.writes);
  }
  double mib = static_cast<double>(options.mib), perGib = 1024 * 1000 / mib;
  std::printf("checkpoint of %ld MiB, medians of %d rounds\n", static_cast<long>(options.mib), options.rounds);
  std::printf("  saved      %8.0f MiB/s\n", mib / median(saves));
  std::printf("  dd         %8.0f MiB/s      goodput / dd %.2f (goal 0.7)\n", mib / median(disks),
              median(disks) / median(saves));
  // Training stands still until the state is copied.
  double stall = median(stalls) * perGib;
  std::printf("  stall      %8.0f ms per GiB, %.0f steps of %.2f ms (goal: the greater of 1 step and 30 ms per GiB)\n",
              stall, median(stalls) * 1000 / options.stepMs, options.stepMs);
  std::printf("  in memory  %8.0f ms per GiB by 1 thread, %.0f by 2\n", median(copies) * perGib,
              median(parallelCopies) * perGib);
  std::printf("  fork       %8.0f ms for all memory of the process (3 times the state), then %.1f us for each row "
              "written first\n",
              median(forks) * 1000, median(writes) * 1e6 / kRows);
  return 0;
}
