// Tensors that programs save and load.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/SafetensorsFiles.h"

#include "common/cli/NearestMatch.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"

namespace mlcrt {

namespace {
class SafetensorsFiles : public StateFiles {
public:
  absl::Status save(const std::string &path, const std::vector<NamedTensor> &tensors) const override {
    std::vector<TensorInfo> infos(tensors.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      infos[i].name = tensors[i].name;
      infos[i].dtype = tensors[i].value.dtype();
      infos[i].shape = tensors[i].value.dims();
    }
    return writeSafetensors(path, infos,
                            [&](size_t i) -> absl::StatusOr<const void *> { return tensors[i].value.data(); })
        .status();
  }

  absl::Status load(const std::string &path, std::vector<NamedTensor> &tensors) const override {
    absl::StatusOr<SafetensorsReader> file = SafetensorsReader::open(path);
    if (!file.ok())
      return file.status();
    for (NamedTensor &tensor : tensors) {
      const TensorInfo *found = file->find(tensor.name);
      if (!found) {
        std::vector<std::string> names;
        for (const TensorInfo &other : file->tensors())
          names.push_back(other.name);
        return fileError(absl::StatusCode::kDataLoss, "E0403", path, "has no tensor '" + tensor.name + "'",
                         mlc::common::didYouMean(tensor.name, names));
      }
      if (found->dtype != tensor.value.dtype() || found->shape != tensor.value.dims())
        return fileError(absl::StatusCode::kDataLoss, "E0403", path,
                         "tensor '" + tensor.name + "' is " + typeText(found->dtype, found->shape) +
                             "; expected: " + typeText(tensor.value.dtype(), tensor.value.dims()));
      if (absl::Status status = file->read(*found, tensor.value.data()); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }
};
} // namespace

const StateFiles &safetensorsFiles() {
  static const SafetensorsFiles files;
  return files;
}

} // namespace mlcrt
