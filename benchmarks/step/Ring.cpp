// Batches that a benchmark steps through in a circle.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/step/Ring.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/checkpoint/Safetensors.h"

namespace mlcbench {

absl::StatusOr<Ring> Ring::open(const std::string &path, const mlcrt::Artifact &artifact, const mlcrt_entry &entry) {
  absl::StatusOr<mlcrt::SafetensorsReader> file = mlcrt::SafetensorsReader::open(path);
  if (!file.ok())
    return file.status();
  Ring ring;
  std::vector<bool> used = artifact.usedFeatures(entry);
  for (size_t f = 0; f < used.size(); ++f) {
    if (!used[f])
      continue;
    const mlcrt_value &feature = artifact.table().features[f];
    const mlcrt::TensorInfo *tensor = file->find(feature.name);
    if (!tensor)
      return absl::InvalidArgumentError(absl::StrCat(path, ": no tensor '", feature.name, "'"));
    if (tensor->dtype != feature.dtype || static_cast<int32_t>(tensor->shape.size()) != feature.rank + 1)
      return absl::InvalidArgumentError(absl::StrCat(path, ": tensor '", feature.name, "' is not one of ",
                                                     mlcrt::dtypeName(feature.dtype), " and rank ", feature.rank + 1,
                                                     ": [batches, rows, ...]"));
    int64_t batches = tensor->shape[0], rows = tensor->shape[1];
    if (ring.views_.empty()) {
      ring.views_.resize(batches);
      for (mlcrt::BatchView &view : ring.views_) {
        view.rows = rows;
        view.features.resize(used.size());
      }
    }
    if (batches < 1 || batches != ring.size() || rows != ring.views_[0].rows)
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": tensor '", feature.name, "' differs in batches or rows from the others"));
    // A batch begins at an aligned address, as the runtime's do.
    for (mlcrt::BatchView &view : ring.views_) {
      mlcrt::TensorView &buffer = view.features[f];
      buffer = {nullptr, feature.dtype, mlcrt::Dims(tensor->shape.begin() + 1, tensor->shape.end())};
      ring.memory_.emplace_back(mlcrt::byteCount(buffer));
      buffer.data = ring.memory_.back().data();
    }
    mlcrt::AlignedBytes all(tensor->bytes);
    if (absl::Status status = file->read(*tensor, all.data()); !status.ok())
      return status;
    int64_t bytes = tensor->bytes / batches;
    for (int64_t b = 0; b < batches; ++b)
      std::copy_n(static_cast<const char *>(all.data()) + b * bytes, bytes,
                  static_cast<char *>(ring.views_[b].features[f].data));
  }
  if (ring.views_.empty())
    return absl::InvalidArgumentError(absl::StrCat("entry '", entry.name, "' reads no features"));
  return ring;
}

} // namespace mlcbench
