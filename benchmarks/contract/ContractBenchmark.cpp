// mlc_contract_benchmark ARTIFACT THREADS ROWS WEIGHTS: runs the predict entry of a compiled product or convolution.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry reads one f32 feature of ROWS rows and one f32 variable, which is written to WEIGHTS as it lies in memory,
// and has the one output "y". Answers as Protocol.h says.
#include "benchmarks/contract/Protocol.h"
#include "runtime/src/core/EntryRunner.h"

#include <cstdlib>
#include <fstream>

using namespace mlcbench;
using namespace mlcrt;

static int fail(const absl::Status &status) {
  std::fprintf(stderr, "mlc_contract_benchmark: %s\n", std::string(status.message()).c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: mlc_contract_benchmark ARTIFACT THREADS ROWS WEIGHTS\n");
    return 2;
  }
  absl::StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::open(argv[1]);
  if (!artifact.ok())
    return fail(artifact.status());
  if (absl::Status status = (*artifact)->require({MLCRT_ROLE_INIT, MLCRT_ROLE_PREDICT}); !status.ok())
    return fail(status);
  absl::StatusOr<std::unique_ptr<Program>> program = Program::create(*artifact);
  if (!program.ok())
    return fail(program.status());
  ThreadPool pool(std::atoi(argv[2]));
  if (absl::Status status = (*program)->initialize(/*seed=*/1, pool); !status.ok())
    return fail(status);
  Tensor weights;
  if (absl::Status status = (*program)->state().read(0, weights); !status.ok())
    return fail(status);
  std::ofstream file(argv[4], std::ios::binary);
  file.write(static_cast<const char *>(weights.data()), byteCount(weights.buffer()));
  file.close();
  if (!file)
    return fail(absl::UnavailableError("cannot write the weights"));

  const mlcrt_value &feature = (*artifact)->table().features[0];
  BatchView batch;
  batch.rows = std::atoll(argv[3]);
  TensorView input = {nullptr, feature.dtype, Dims(feature.dims, feature.dims + feature.rank)};
  input.dims[0] = batch.rows;
  AlignedBytes memory(byteCount(input));
  input.data = memory.data();
  for (int64_t i = 0, n = byteCount(input) / 4; i < n; ++i)
    static_cast<float *>(input.data)[i] = inputElement(i);
  batch.features.push_back(input);

  EntryRunner runner(**program, *(*artifact)->entry(MLCRT_ROLE_PREDICT), pool);
  FeatureSlot slot = runner.makeSlot();
  auto step = [&] {
    absl::Status status = runner.runStep(batch, slot);
    return status.ok() || fail(status) == 0;
  };
  if (absl::Status status = runner.runFeatures(batch, slot); !status.ok())
    return fail(status);
  if (!step())
    return 1;
  int32_t y = runner.outputIndex("y");
  if (y < 0)
    return fail(absl::NotFoundError("the entry has no output 'y'"));
  const auto *output = static_cast<const float *>(runner.output(y).data);
  return answer(step, output, byteCount(runner.output(y)) / 4);
}
