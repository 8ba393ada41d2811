// Runs the entries of pipeline.mlir in several threads and checks what came out: PROGRAM ARTIFACT OPERATIONS.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/core/Program.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

using namespace mlcrt;

static std::string textOf(const absl::Status &status) {
  return absl::StatusCodeToString(status.code()) + ": " + std::string(status.message());
}

/// Runs entry `name` in `threads` threads until it ends with `last`, or `calls` times in all if that is not negative.
static std::vector<std::thread> start(Program &program, const char *name, int threads, int64_t calls,
                                      absl::StatusCode last, std::atomic<bool> &failed) {
  std::vector<std::thread> result;
  for (int t = 0; t < threads; ++t)
    result.emplace_back([=, &program, &failed] {
      ThreadPool pool(1);
      EntryRunner runner(program, *program.artifact().entry(name), pool);
      for (int64_t i = 0; calls < 0 || i < calls / threads; ++i) {
        absl::Status status = runner.run(BatchView());
        if (status.ok())
          continue;
        if (status.code() != last) {
          std::fprintf(stderr, "%s: %s\n", name, textOf(status).c_str());
          failed = true;
        }
        return;
      }
    });
  return result;
}

int main(int argc, char **argv) {
  auto artifact = Artifact::open(argc > 1 ? argv[1] : "", CpuCheck::Required);
  if (!artifact.ok()) {
    std::fprintf(stderr, "%s\n", textOf(artifact.status()).c_str());
    return 2;
  }
  constexpr int kThreads = 3;
  // One call puts in, another takes out.
  const int64_t elements = (argc > 2 ? std::atoll(argv[2]) : 6000) / 2 / kThreads * kThreads;
  auto program = *Program::create(*artifact);
  ThreadPool pool(1);
  if (!program->initialize(/*seed=*/1, pool).ok())
    return 2;
  std::atomic<bool> failed{false};
  auto producers = start(*program, "produce", kThreads, elements, absl::StatusCode::kOk, failed);
  auto consumers = start(*program, "consume", kThreads, -1, absl::StatusCode::kOutOfRange, failed);
  auto readers = start(*program, "totals", 1, elements / 10, absl::StatusCode::kOk, failed);
  for (std::thread &thread : producers)
    thread.join();
  EntryRunner close(*program, *program->artifact().entry("close"), pool);
  failed = !close.run(BatchView()).ok() || failed;
  for (std::thread &thread : consumers)
    thread.join();
  for (std::thread &thread : readers)
    thread.join();
  absl::Status produced = EntryRunner(*program, *program->artifact().entry("produce"), pool).run(BatchView());
  std::printf("put into a closed queue: %s\n", textOf(produced).c_str());
  const int64_t taken = *(*program->state().read("taken")).as<int64_t>();
  const int64_t sum = (*program->state().read("sum")).as<int64_t>()[7];
  std::printf("%lld elements, %lld taken, sum %s\n", static_cast<long long>(elements), static_cast<long long>(taken),
              sum == elements * (elements + 1) / 2 ? "right" : "wrong");
  return failed ? 1 : 0;
}
