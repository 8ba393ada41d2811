// Copies the tensors of a checkpoint into one file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Convert.h"

#include "common/cli/OutputOverInput.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <filesystem>

namespace mlcrt {

absl::StatusOr<std::string> convertCheckpoint(const std::string &source, const std::string &destination,
                                              std::optional<int64_t> step) {
  absl::StatusOr<std::string> directory = findCheckpoint(source, step);
  if (!directory.ok())
    return directory;
  absl::StatusOr<CheckpointManifest> manifest = readManifest(*directory);
  if (!manifest.ok())
    return adviseOnDamage(manifest.status(), *directory);
  absl::StatusOr<CheckpointReader> reader = CheckpointReader::open(*directory, *manifest);
  if (!reader.ok())
    return adviseOnDamage(reader.status(), *directory);
  std::vector<TensorInfo> tensors;
  for (const VariableRecord &variable : manifest->variables) {
    TensorInfo &tensor = tensors.emplace_back();
    tensor.name = variable.name;
    tensor.dtype = variable.dtype;
    tensor.shape = variable.shape;
  }
  std::vector<std::string> inputs;
  for (const auto &entry : std::filesystem::directory_iterator(*directory))
    inputs.push_back(entry.path().string());
  if (const auto error = mlc::common::outputOverInput(destination, inputs))
    return messageStatus(absl::StatusCode::kInvalidArgument, *error);
  // A tensor that is damaged ends the writing: the file appears on its commit only.
  Tensor value;
  auto readTensor = [&](size_t i) -> absl::StatusOr<const void *> {
    if (absl::Status status = reader->read(manifest->variables[i], value); !status.ok())
      return status;
    return value.data();
  };
  absl::StatusOr<SafetensorsFile> file = writeSafetensors(destination, tensors, readTensor);
  return file.ok() ? directory : adviseOnDamage(file.status(), *directory);
}

} // namespace mlcrt
