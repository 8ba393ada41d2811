// Which code of an artifact runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/CodeChoice.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/device/cuda/CudaKind.h"

#include <cstddef>
#include <vector>

using mlc::common::makeError;
using mlc::common::Message;

namespace mlcrt {

static absl::Status refused(const std::string &what, const std::string &expected) {
  Message message = makeError("E0203", what);
  message.expected = expected;
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

/// The error of a GPU that is not there, or that the code does not fit.
static absl::Status noGpu(const absl::Status &why) {
  return messageStatus(why.code(), makeError("E0504", std::string(why.message())));
}

absl::StatusOr<CodeChoice> chooseCode(const mlcrt_artifact &table, std::string_view device, int64_t gpus) {
  static constexpr const char kCompiled[] = "a model that is compiled with --target=cuda";
  const bool hasBoth = table.struct_size > offsetof(mlcrt_artifact, on_host) && table.on_host;
  if (device != "auto" && device != "cpu" && device != "gpu")
    return refused("device is '" + std::string(device) + "'", "auto, cpu or gpu");
  if (gpus > 1) {
    const std::string flag = "--gpus " + std::to_string(gpus) + ": ";
    if (device == "cpu")
      return refused(flag + "--device is cpu", "--device gpu, or none");
    if (table.num_parts > 0)
      return refused(flag + "this model is placed on devices, one GPU at most",
                     "--gpus 1, or the model without devices");
    if (!hasBoth || table.num_devices != 1)
      return refused(flag + "this model has no code for one GPU, of which there could be several", kCompiled);
  }
  if (!hasBoth) {
    if (device != "gpu" || table.num_devices > 0)
      return CodeChoice{&table, {}};
    return refused("--device gpu: this model has no code for GPUs", kCompiled);
  }
  if (device == "cpu")
    return CodeChoice{table.on_host, {}};
  const std::vector<const mlcrt_image *> images = cudaImages(table);
  for (int64_t g = 0; g < gpus; ++g) {
    const absl::Status available = cudaAvailable(static_cast<int>(g), images);
    if (available.ok())
      continue;
    if (gpus > 1 || device == "gpu")
      return noGpu(available);
    return CodeChoice{table.on_host, std::string(available.message())};
  }
  return CodeChoice{&table, {}};
}

absl::StatusOr<std::shared_ptr<const Artifact>> hostPart(const std::shared_ptr<const Artifact> &artifact) {
  const mlcrt_artifact *const table = artifact->table().on_host;
  if (!table)
    return nullptr;
  absl::StatusOr<std::shared_ptr<const Artifact>> part = Artifact::fromTable(table, artifact->origin());
  if (!part.ok())
    return part.status();
  struct Both {
    std::shared_ptr<const Artifact> whole, part;
  };
  auto both = std::make_shared<Both>(Both{artifact, *std::move(part)});
  return std::shared_ptr<const Artifact>(both, both->part.get());
}

} // namespace mlcrt
