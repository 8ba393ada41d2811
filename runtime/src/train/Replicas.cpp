// Training on several GPUs of one process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Replicas.h"

#include "runtime/src/checkpoint/StatusMessage.h"

using mlc::common::makeError;
using mlc::common::Message;

namespace mlcrt {

static absl::Status refused(int64_t gpus, const std::string &why, const std::string &expected,
                            const std::string &help = {}) {
  Message message = makeError("E0203", "--gpus " + std::to_string(gpus) + ": " + why, help);
  message.expected = expected;
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

absl::StatusOr<std::vector<std::unique_ptr<Program>>> otherPrograms(const RunContext &context, Program &first,
                                                                    int64_t shards) {
  std::vector<std::unique_ptr<Program>> programs;
  const int64_t gpus = context.options.gpus;
  if (gpus <= 1)
    return programs;
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
  context.reporter.line("devices  " + std::to_string(gpus) + " GPUs for " + ofShards);
  return programs;
}

absl::StatusOr<std::unique_ptr<Replicas>> Replicas::create(const RunContext &context, Program &first, ThreadPool &pool,
                                                           TrainMode mode) {
  absl::StatusOr<std::vector<std::unique_ptr<Program>>> others = otherPrograms(context, first, mode.virtualShards);
  if (!others.ok())
    return others.status();
  auto replicas = std::make_unique<Replicas>();
  replicas->programs_ = *std::move(others);
  std::vector<Program *> pointers;
  for (const std::unique_ptr<Program> &program : replicas->programs_) {
    program->homes().keepValues();
    pointers.push_back(program.get());
  }
  absl::StatusOr<std::unique_ptr<ReplicatedStep>> step = ReplicatedStep::create(first, pointers, pool, mode);
  if (!step.ok())
    return step.status();
  replicas->step_ = *std::move(step);
  return replicas;
}

} // namespace mlcrt
