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

absl::StatusOr<std::unique_ptr<Replicas>> Replicas::create(const RunContext &context, Program &first, ThreadPool &pool,
                                                           TrainMode mode, const std::string &sums) {
  const int64_t gpus = context.options.gpus;
  if (mode.virtualShards < gpus)
    return refused(gpus,
                   "each batch is cut into " + std::to_string(mode.virtualShards) +
                       (mode.virtualShards == 1 ? " virtual shard" : " virtual shards"),
                   "one virtual shard for each GPU at least", "--virtual_shards " + std::to_string(gpus));
  auto replicas = std::make_unique<Replicas>();
  std::vector<Program *> others;
  for (int64_t g = 1; g < gpus; ++g) {
    absl::StatusOr<std::unique_ptr<Program>> program =
        Program::create(context.artifact, /*held=*/{}, /*laterDevices=*/static_cast<int>(g));
    if (!program.ok())
      return program.status();
    absl::StatusOr<std::string> order = (*program)->devices().sums();
    if (!order.ok())
      return order.status();
    if (*order != sums)
      return refused(gpus,
                     "GPU " + std::to_string(g) + " adds in the order of " + *order + ", GPU 0 in that of " + sums,
                     "GPUs of one class");
    if (absl::Status status = context.configuration.bind(**program); !status.ok())
      return status;
    (*program)->homes().keepValues();
    others.push_back(program->get());
    replicas->programs_.push_back(*std::move(program));
  }
  absl::StatusOr<std::unique_ptr<ReplicatedStep>> step = ReplicatedStep::create(first, others, pool, mode);
  if (!step.ok())
    return step.status();
  replicas->step_ = *std::move(step);
  return replicas;
}

} // namespace mlcrt
