// Copies the tensors of a checkpoint into one file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Convert.h"

#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <cstring>
#include <filesystem>
#include <map>

namespace mlcrt {

absl::StatusOr<std::string> convertCheckpoint(const std::string &source, const std::string &destination) {
  std::string directory = source;
  std::error_code ignored;
  if (!std::filesystem::exists(source + "/MANIFEST.json", ignored)) {
    absl::StatusOr<std::optional<CheckpointPath>> newest = CheckpointStore(source).newest();
    if (!newest.ok())
      return newest.status();
    if (!newest->has_value()) {
      mlc::common::Message message = mlc::common::makeError("E0401", "no checkpoint");
      message.place.file = source;
      message.expected = "a model_dir with a directory ckpt-<step>, or such a directory";
      return messageStatus(absl::StatusCode::kNotFound, message);
    }
    directory = (*newest)->path;
  }
  absl::StatusOr<CheckpointManifest> manifest = readManifest(directory);
  if (!manifest.ok())
    return manifest.status();

  // Read before anything is written: a damaged checkpoint leaves no file behind.
  std::vector<TensorInfo> tensors;
  std::vector<std::string> values;
  absl::Status status = visitVariables(directory, *manifest, [&](const VariableRecord &variable, const void *data) {
    TensorInfo &tensor = tensors.emplace_back();
    tensor.name = variable.name;
    tensor.dtype = variable.dtype;
    tensor.shape = variable.shape;
    values.emplace_back(static_cast<const char *>(data), variable.bytes);
    return absl::OkStatus();
  });
  if (!status.ok())
    return status;
  absl::StatusOr<SafetensorsFile> file = writeSafetensors(
      destination, tensors, [&](size_t i) -> absl::StatusOr<const void *> { return values[i].data(); });
  if (!file.ok())
    return file.status();
  return directory;
}

} // namespace mlcrt
