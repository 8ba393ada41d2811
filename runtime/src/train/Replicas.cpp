// Training on several GPUs of one process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Replicas.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/device/cuda/NcclGroup.h"

#include <string>
#include <utility>
#include <vector>

using mlc::common::makeError;
using mlc::common::Message;

namespace mlcrt {

static absl::Status refused(int64_t gpus, const std::string &why, const std::string &expected,
                            const std::string &help = {}) {
  Message message = makeError("E0203", "--gpus " + std::to_string(gpus) + ": " + why, help);
  message.expected = expected;
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

bool isAllReduce(const RunOptions &options) { return options.gpus > 1 && options.gpuSums == "allreduce"; }

/// NCCL on the GPUs of the programs.
static absl::StatusOr<std::unique_ptr<NcclGroup>> connect(const RunContext &context, Program &first,
                                                          const std::vector<std::unique_ptr<Program>> &others) {
  std::vector<Device *> devices;
  for (size_t g = 0; g <= others.size(); ++g) {
    // Artifacts for several GPUs have code for one device.
    absl::StatusOr<Device *> device = (g == 0 ? first : *others[g - 1]).devices().ofSpace(1);
    if (!device.ok())
      return device.status();
    devices.push_back(*device);
  }
  absl::StatusOr<std::unique_ptr<NcclGroup>> group = NcclGroup::create(devices);
  if (group.ok() || isDeviceLost(group.status()))
    return group;
  Message message =
      makeError("E0505", "--gpu_sums " + context.options.gpuSums + ": " + std::string(group.status().message()),
                "--gpu_sums copies trains without it");
  return messageStatus(group.status().code(), message);
}

absl::StatusOr<OtherDevices> otherDevices(const RunContext &context, Program &first, int64_t shards) {
  OtherDevices others;
  std::vector<std::unique_ptr<Program>> &programs = others.programs;
  const int64_t gpus = context.options.gpus;
  if (gpus <= 1)
    return others;
  const std::string ofShards = std::to_string(shards) + (shards == 1 ? " virtual shard" : " virtual shards");
  if (shards < gpus)
    return refused(gpus, "they have " + ofShards + " of each batch", "one virtual shard for each GPU at least",
                   "a larger --virtual_shards");
  absl::StatusOr<std::string> sums = first.devices().sums();
  if (!sums.ok())
    return sums.status();
  for (int64_t g = 1; g < gpus; ++g) {
    absl::StatusOr<std::unique_ptr<Program>> program =
        context.makeProgram(/*held=*/{}, /*laterDevices=*/static_cast<int>(g));
    if (!program.ok())
      return program.status();
    if (absl::Status status = tellDevices(context, **program); !status.ok())
      return status;
    absl::StatusOr<std::string> order = (*program)->devices().sums();
    if (!order.ok())
      return order.status();
    if (*order != *sums)
      return refused(gpus,
                     "GPU " + std::to_string(g) + " adds in the order of " + *order + ", GPU 0 in that of " + *sums,
                     "GPUs of one class");
    if (absl::Status status = context.configuration.bind(**program); !status.ok())
      return status;
    programs.push_back(*std::move(program));
  }
  std::string how;
  if (context.options.gpuSums != "copies") {
    absl::StatusOr<std::unique_ptr<NcclGroup>> group = connect(context, first, programs);
    if (!group.ok())
      return group.status();
    how = std::string(isAllReduce(context.options) ? ", all-reduce" : ", sums") + " by NCCL " + (*group)->version();
    others.collective = *std::move(group);
  }
  context.reporter.line("devices  " + std::to_string(gpus) + " GPUs for " + ofShards + how);
  return others;
}

absl::StatusOr<std::unique_ptr<Replicas>> Replicas::create(const RunContext &context, Program &first, ThreadPool &pool,
                                                           TrainMode mode) {
  absl::StatusOr<OtherDevices> others = otherDevices(context, first, mode.virtualShards);
  if (!others.ok())
    return others.status();
  auto replicas = std::make_unique<Replicas>();
  replicas->others_ = *std::move(others);
  std::vector<Program *> pointers;
  for (const std::unique_ptr<Program> &program : replicas->others_.programs) {
    program->homes().keepValues();
    pointers.push_back(program.get());
  }
  const SumExchange exchange = {replicas->others_.collective.get(), isAllReduce(context.options)};
  absl::StatusOr<std::unique_ptr<ReplicatedStep>> step = ReplicatedStep::create(first, pointers, pool, mode, exchange);
  if (absl::IsUnimplemented(step.status()) && exchange.isAllReduce)
    return messageStatus(absl::StatusCode::kInvalidArgument,
                         makeError("E0203", "--gpu_sums allreduce: " + std::string(step.status().message()),
                                   "--gpu_sums nccl or copies"));
  if (!step.ok())
    return step.status();
  replicas->step_ = *std::move(step);
  return replicas;
}

} // namespace mlcrt
