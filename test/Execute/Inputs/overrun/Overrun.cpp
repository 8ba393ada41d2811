// Runs entry `sums` of sums.mlir on rows of ones, in an array that lacks some numbers at its end:
// PROGRAM ARTIFACT ROWS MISSING.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/core/Program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace mlcrt;

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  auto artifact = Artifact::open(argv[1], CpuCheck::Required);
  if (!artifact.ok()) {
    std::fprintf(stderr, "%s\n", std::string(artifact.status().message()).c_str());
    return 2;
  }
  auto program = *Program::create(*artifact);
  ThreadPool pool(1);
  if (!program->initialize(/*seed=*/1, pool).ok())
    return 2;
  const int64_t rows = std::atoll(argv[2]), numbers = rows * 3 - std::atoll(argv[3]);
  std::unique_ptr<float[]> memory(new float[numbers]);
  std::fill_n(memory.get(), numbers, 1.0f);
  BatchView batch;
  batch.rows = rows;
  batch.features = {makeBuffer(memory.get(), MLCRT_F32, {rows, 3})};
  EntryRunner runner(*program, *program->artifact().entry("sums"), pool);
  absl::Status status = runner.run(batch);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return 1;
  }
  std::printf("sum %g\n", static_cast<const float *>(runner.output(0).data)[2]);
  return 0;
}
