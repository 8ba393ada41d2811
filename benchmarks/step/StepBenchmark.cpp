// mlc_step_benchmark: runs the training step of a compiled artifact and times it, as told on stdin.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mlc_step_benchmark ARTIFACT BATCHES THREADS SEED [VARIABLES|--profile[=GROUP_TASKS]|--virtual_shards=V]
//                      [--device=gpu]
//
// With V virtual shards `time` runs steps in as many parts; the other commands do not know them. On a GPU, of an
// artifact for it, what a step reads of the batch is uploaded beside the step before, as in training. Runs the init
// entry with SEED, writes the variables to VARIABLES (safetensors), and answers each line of stdin with one line of
// JSON:
//   losses N   N steps, features and step one after the other on the same thread; the loss of each
//   time N     N such steps; {"ns": nanoseconds per step}
//   ahead N    N steps whose features were made before the clock starts
//   profile N  with --profile: N steps; for each launch of a step its segment, name, tasks and median nanoseconds.
//              GROUP_TASKS is the offset of the function that runs groups of launches, which then are taken apart.
#include "benchmarks/step/Profile.h"
#include "benchmarks/step/Ring.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/core/TrainStep.h"
#include "runtime/src/device/cuda/CudaKind.h"
#include "runtime/src/export/CodeChoice.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace mlcbench;
using namespace mlcrt;

namespace {
class Benchmark {
public:
  static absl::StatusOr<std::unique_ptr<Benchmark>> create(const std::string &artifact, const std::string &batches,
                                                           int threads, int64_t seed, const char *profile, bool onGpu);
  absl::Status writeVariables(const std::string &path);
  absl::Status answer(const std::string &command, int64_t count);
  /// Has `time` run steps in `shards` virtual shards.
  absl::Status cutIntoShards(int shards);

private:
  Benchmark(std::unique_ptr<Program> program, const mlcrt_entry &entry, Ring ring, int threads)
      : program_(std::move(program)), pool_(threads), ring_(std::move(ring)), runner_(*program_, entry, pool_) {
    for (int64_t i = 0; i < ring_.size(); ++i)
      slots_.push_back(runner_.makeSlot());
  }
  CallContext context() const { return {seed_, step_, 0}; }
  absl::Status features(int64_t step) {
    return runner_.runFeatures(ring_.batch(step), slots_[step % ring_.size()], context());
  }
  absl::Status step() {
    absl::Status status = runner_.runStep(ring_.batch(step_), slots_[step_ % ring_.size()], context());
    ++step_;
    return status;
  }
  absl::Status shardStep() {
    const BatchView &batch = ring_.batch(step_);
    absl::Status status = shardFeatures_->run(batch, shardSlots_, context());
    if (status.ok())
      status = shards_->run(batch, shardSlots_, context());
    ++step_;
    return status;
  }
  absl::Status losses(int64_t count);
  absl::Status time(int64_t count, bool ahead);
  absl::Status profile(int64_t count);

  std::unique_ptr<Program> program_;
  ThreadPool pool_;
  Ring ring_;
  EntryRunner runner_;
  std::vector<FeatureSlot> slots_;
  std::unique_ptr<TrainFeatures> shardFeatures_;
  std::unique_ptr<TrainStep> shards_;
  TrainSlots shardSlots_;
  int64_t seed_ = 0;
  int64_t step_ = 0;
  bool onGpu_ = false;
};
} // namespace

static int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

absl::StatusOr<std::unique_ptr<Benchmark>> Benchmark::create(const std::string &path, const std::string &batches,
                                                             int threads, int64_t seed, const char *profile,
                                                             bool onGpu) {
  absl::StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::open(path);
  if (!artifact.ok())
    return artifact.status();
  absl::StatusOr<CodeChoice> code = chooseCode((*artifact)->table(), onGpu ? "gpu" : "cpu", 1);
  if (!code.ok())
    return code.status();
  if (code->table != &(*artifact)->table())
    artifact = hostPart(*artifact);
  if (!artifact.ok())
    return artifact.status();
  if (absl::Status status = (*artifact)->require({MLCRT_ROLE_INIT, MLCRT_ROLE_TRAIN}); !status.ok())
    return status;
  if (profile) {
    artifact = profiled(*artifact, *(*artifact)->entry(MLCRT_ROLE_TRAIN), std::strtoll(profile, nullptr, 0));
    if (!artifact.ok())
      return artifact.status();
  }
  const mlcrt_entry &entry = *(*artifact)->entry(MLCRT_ROLE_TRAIN);
  absl::StatusOr<Ring> ring = Ring::open(batches, **artifact, entry);
  if (!ring.ok())
    return ring.status();
  absl::StatusOr<std::unique_ptr<Program>> program = Program::create(*artifact);
  if (!program.ok())
    return program.status();
  std::unique_ptr<Benchmark> benchmark(new Benchmark(*std::move(program), entry, *std::move(ring), threads));
  benchmark->seed_ = seed;
  benchmark->onGpu_ = onGpu;
  if (onGpu)
    benchmark->program_->homes().keepValues();
  if (absl::Status status = benchmark->program_->initialize(seed, benchmark->pool_); !status.ok())
    return status;
  return benchmark;
}

absl::Status Benchmark::writeVariables(const std::string &path) {
  State &state = program_->state();
  std::vector<TensorInfo> tensors;
  std::vector<int32_t> indices;
  for (int32_t i = 0; i < state.size(); ++i) {
    const mlcrt_variable &variable = state.variable(i);
    if (variable.flags & MLCRT_VARIABLE_EVAL)
      continue;
    TensorInfo tensor;
    tensor.name = variable.value.name;
    tensor.dtype = static_cast<mlcrt_dtype>(variable.value.dtype);
    tensor.shape.assign(variable.value.dims, variable.value.dims + variable.value.rank);
    tensors.push_back(std::move(tensor));
    indices.push_back(i);
  }
  Tensor value;
  return writeSafetensors(path, tensors,
                          [&](size_t i) -> absl::StatusOr<const void *> {
                            if (absl::Status status = state.read(indices[i], value); !status.ok())
                              return status;
                            return value.data();
                          })
      .status();
}

absl::Status Benchmark::losses(int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (absl::Status status = features(step_); !status.ok())
      return status;
    if (absl::Status status = step(); !status.ok())
      return status;
    absl::StatusOr<double> loss = runner_.scalarOutput("loss");
    if (!loss.ok())
      return loss.status();
    std::printf("%s%.9g", i == 0 ? "{\"losses\": [" : ", ", *loss);
  }
  std::printf("]}\n");
  return absl::OkStatus();
}

absl::Status Benchmark::cutIntoShards(int shards) {
  TrainMode mode;
  mode.virtualShards = shards;
  absl::StatusOr<std::unique_ptr<TrainFeatures>> features = TrainFeatures::create(*program_, pool_, mode);
  if (!features.ok())
    return features.status();
  absl::StatusOr<std::unique_ptr<TrainStep>> step = TrainStep::create(*program_, pool_, mode);
  if (!step.ok())
    return step.status();
  shardFeatures_ = *std::move(features);
  shardSlots_ = shardFeatures_->makeSlots();
  shards_ = *std::move(step);
  return absl::OkStatus();
}

absl::Status Benchmark::time(int64_t count, bool ahead) {
  for (int64_t i = 0; ahead && i < std::min(count, ring_.size()); ++i)
    if (absl::Status status = features(step_ + i); !status.ok())
      return status;
  int64_t start = now();
  for (int64_t i = 0; i < count; ++i) {
    if (shards_ && !ahead) {
      if (absl::Status status = shardStep(); !status.ok())
        return status;
      continue;
    }
    if (!ahead)
      if (absl::Status status = features(step_); !status.ok())
        return status;
    if (ahead && onGpu_ && i + 1 < count)
      runner_.bringAhead(ring_.batch(step_ + 1), slots_[(step_ + 1) % ring_.size()]);
    if (absl::Status status = step(); !status.ok())
      return status;
  }
  std::printf("{\"ns\": %.1f}\n", static_cast<double>(now() - start) / static_cast<double>(count));
  return absl::OkStatus();
}

absl::Status Benchmark::profile(int64_t count) {
  takeProfile();
  std::vector<std::vector<ProfileEvent>> steps;
  for (int64_t i = 0; i < count; ++i) {
    if (absl::Status status = features(step_); !status.ok())
      return status;
    if (absl::Status status = step(); !status.ok())
      return status;
    steps.push_back(takeProfile());
    if (steps.back().size() != steps.front().size())
      return absl::InternalError("steps differ in their launches");
  }
  static const char *kinds[] = {"serial", "loop", "service"};
  for (size_t e = 0; e < steps.front().size(); ++e) {
    std::vector<int64_t> times;
    for (const std::vector<ProfileEvent> &step : steps)
      times.push_back(step[e].nanoseconds);
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    const ProfileEvent &event = steps.front()[e];
    std::printf("%s{\"kind\": \"%s\", \"segment\": \"%s\", \"name\": \"%s\", \"tasks\": %lld, \"ns\": %lld, "
                "\"estimate\": %lld}",
                e == 0 ? "{\"events\": [" : ", ", kinds[event.kind], event.segment, event.name.c_str(),
                static_cast<long long>(event.tasks), static_cast<long long>(times[times.size() / 2]),
                static_cast<long long>(event.estimate));
  }
  std::printf("]}\n");
  return absl::OkStatus();
}

absl::Status Benchmark::answer(const std::string &command, int64_t count) {
  absl::Status status = count < 1              ? absl::InvalidArgumentError("the number of steps is below 1")
                        : command == "losses"  ? losses(count)
                        : command == "time"    ? time(count, /*ahead=*/false)
                        : command == "ahead"   ? time(count, /*ahead=*/true)
                        : command == "profile" ? profile(count)
                                               : absl::InvalidArgumentError(absl::StrCat("no command '", command, "'"));
  std::fflush(stdout);
  return status;
}

static int fail(const absl::Status &status) {
  std::fprintf(stderr, "mlc_step_benchmark: %s\n", std::string(status.message()).c_str());
  return 1;
}

int main(int argc, char **argv) {
  const bool onGpu = argc > 1 && std::string(argv[argc - 1]) == "--device=gpu";
  argc -= onGpu;
  if (argc != 5 && argc != 6) {
    std::fprintf(stderr, "usage: mlc_step_benchmark ARTIFACT BATCHES THREADS SEED "
                         "[VARIABLES|--profile[=GROUP_TASKS]|--virtual_shards=V] [--device=gpu]\n");
    return 2;
  }
  registerCudaDevices();
  std::string last = argc == 6 ? argv[5] : "";
  const std::string flag = "--profile", shards = "--virtual_shards=";
  const bool hasShards = last.compare(0, shards.size(), shards) == 0;
  bool profile = last.compare(0, flag.size(), flag) == 0;
  // Text after the flag and its '=': empty means that groups stay together.
  std::string groups = profile && last.size() > flag.size() ? last.substr(flag.size() + 1) : "";
  auto benchmark = Benchmark::create(argv[1], argv[2], std::atoi(argv[3]), std::atoll(argv[4]),
                                     profile ? groups.c_str() : nullptr, onGpu);
  if (!benchmark.ok())
    return fail(benchmark.status());
  if (hasShards)
    if (absl::Status status = (*benchmark)->cutIntoShards(std::atoi(last.c_str() + shards.size())); !status.ok())
      return fail(status);
  if (!last.empty() && !profile && !hasShards)
    if (absl::Status status = (*benchmark)->writeVariables(last); !status.ok())
      return fail(status);
  std::string command;
  int64_t count = 0;
  while (std::cin >> command >> count)
    if (absl::Status status = (*benchmark)->answer(command, count); !status.ok())
      return fail(status);
  return 0;
}
