// mlc_bandwidth_benchmark: how near the entries of an artifact come to the bandwidth of memcpy.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mlc_bandwidth_benchmark ARTIFACT [THREADS [ROUNDS]]
//
// The artifact's features have static shapes. Each entry runs on random features, in turn with a copy of 64 MB by
// memcpy on the same threads; medians of ROUNDS. Bytes are those of the features that an entry reads and of its
// outputs; of the copy those read and those written.
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/core/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace mlcrt;

static double secondsOf(const std::function<void()> &call) {
  auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

namespace {
/// 64 MB copied in pieces on the threads of a pool.
struct Copy {
  static constexpr int64_t kBytes = int64_t(64) << 20, kPieces = 64;
  std::vector<char> from = std::vector<char>(kBytes, 1), to = std::vector<char>(kBytes, 2);

  void run(ThreadPool &pool) {
    pool.parallelFor(
        [](void *args, int64_t first, int64_t last, int64_t) -> int32_t {
          auto *copy = static_cast<Copy *>(args);
          constexpr int64_t piece = kBytes / kPieces;
          std::memcpy(copy->to.data() + first * piece, copy->from.data() + first * piece, (last - first) * piece);
          return 0;
        },
        this, kPieces);
  }
};
} // namespace

/// Fills a buffer of floats with numbers in [0, 1), others with small integers.
static void fill(const TensorView &buffer) {
  std::mt19937 random(1);
  if (buffer.dtype == MLCRT_F32) {
    auto *values = static_cast<float *>(buffer.data);
    for (int64_t i = 0, n = byteCount(buffer) / 4; i < n; ++i)
      values[i] = static_cast<float>(random()) * 0x1p-32f;
    return;
  }
  std::memset(buffer.data, 1, byteCount(buffer));
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: mlc_bandwidth_benchmark ARTIFACT [THREADS [ROUNDS]]\n");
    return 2;
  }
  int threads = argc > 2 ? std::atoi(argv[2]) : 1, rounds = argc > 3 ? std::atoi(argv[3]) : 15;
  auto artifact = Artifact::open(argv[1]);
  if (!artifact.ok()) {
    std::fprintf(stderr, "%s\n", artifact.status().ToString().c_str());
    return 1;
  }
  auto program = Program::create(*artifact);
  if (!program.ok()) {
    std::fprintf(stderr, "%s\n", program.status().ToString().c_str());
    return 1;
  }
  const mlcrt_artifact &table = (*artifact)->table();
  BatchView batch;
  batch.rows = 1;
  batch.features.resize(table.num_features);
  std::vector<AlignedBytes> memory;
  for (int32_t f = 0; f < table.num_features; ++f) {
    TensorView &buffer = batch.features[f];
    const mlcrt_value &feature = table.features[f];
    buffer = {nullptr, feature.dtype, Dims(feature.dims, feature.dims + feature.rank)};
    memory.emplace_back(byteCount(buffer));
    buffer.data = memory.back().data();
    fill(buffer);
  }
  ThreadPool pool(threads);
  Copy copy;
  std::printf("%-24s %10s %10s %10s %8s\n", "entry", "us", "GB/s", "memcpy", "ratio");
  for (int32_t e = 0; e < table.num_entries; ++e) {
    const mlcrt_entry &entry = table.entries[e];
    std::vector<bool> used = (*artifact)->usedFeatures(entry);
    double bytes = 0;
    for (int32_t f = 0; f < table.num_features; ++f)
      if (used[f])
        bytes += static_cast<double>(byteCount(batch.features[f]));
    if (bytes == 0)
      continue;
    EntryRunner runner(**program, entry, pool);
    absl::Status status;
    auto run = [&] { status.Update(runner.run(batch)); };
    run();
    copy.run(pool);
    std::vector<double> own, copies;
    for (int r = 0; r < rounds; ++r) {
      own.push_back(secondsOf(run));
      copies.push_back(secondsOf([&] { copy.run(pool); }));
    }
    if (!status.ok()) {
      std::fprintf(stderr, "%s: %s\n", entry.name, status.ToString().c_str());
      return 1;
    }
    for (int32_t i = 0; i < runner.numOutputs(); ++i)
      bytes += static_cast<double>(byteCount(runner.output(i)));
    double rate = bytes / median(own) * 1e-9, limit = 2.0 * Copy::kBytes / median(copies) * 1e-9;
    std::printf("%-24s %10.0f %10.2f %10.2f %8.2f\n", entry.name, median(own) * 1e6, rate, limit, rate / limit);
  }
  return 0;
}
