// Named tensors of a checkpoint, of whichever kind. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_WEIGHTSOURCE_H
#define MLCRT_CHECKPOINT_WEIGHTSOURCE_H

#include "absl/status/statusor.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/TensorFlowCheckpoint.h"
#include "runtime/src/checkpoint/Vocabulary.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// A tensor's type in a source.
struct SourceTensor {
  std::string name;
  mlcrt_dtype dtype = MLCRT_F32;
  std::vector<int64_t> shape;
  int64_t bytes = 0;
  std::string slotOf, slot; ///< of a slot that a checkpoint of ours tells: its variable, and what it is there
};

/// A checkpoint; a safetensors file or a checkpoint of TensorFlow, which know no vocabularies.
class WeightSource {
public:
  /// Opens what `path` means: a .safetensors file, a checkpoint of TensorFlow (findTensorFlowCheckpoint), or one of
  /// ours (findCheckpoint); `step` chooses of a directory of several. Errors as of these.
  static absl::StatusOr<WeightSource> open(const std::string &path, std::optional<int64_t> step = {});

  /// The file, the checkpoint's directory, or the prefix.
  const std::string &place() const { return place_; }
  /// In the order of a checkpoint's manifest; of others, of offsets or names.
  const std::vector<SourceTensor> &tensors() const { return tensors_; }
  /// The tensor of that name; of TensorFlow's the name there will do, too. Null if there is none.
  const SourceTensor *find(std::string_view name) const;
  std::vector<std::string> names() const;

  /// Proves a tensor that is there, if the source has its checksum.
  absl::Status prove(const std::string &name) const;
  /// Reads bytes of it from `offset` on.
  absl::Status read(const std::string &name, int64_t offset, int64_t bytes, void *to) const;
  /// All of it, proven.
  absl::Status read(const SourceTensor &tensor, Tensor &value) const;
  /// The vocabulary that it tells of a variable's axis, if it does.
  absl::StatusOr<std::optional<Vocabulary>> vocabulary(const std::string &variable, int64_t axis) const;
  /// The step that it was saved at, if it tells. kDataLoss: damaged.
  absl::StatusOr<std::optional<int64_t>> step() const;

  /// Of a checkpoint of ours; else null.
  const CheckpointManifest *manifest() const { return checkpoint_ ? &manifest_ : nullptr; }
  /// Of one of TensorFlow; else null.
  const TensorFlowCheckpoint *tensorFlow() const { return tensorFlow_ ? &*tensorFlow_ : nullptr; }

private:
  static absl::StatusOr<WeightSource> openCheckpoint(const std::string &directory);
  static absl::StatusOr<WeightSource> openTensorFlow(const std::string &prefix);
  void add(std::string name, mlcrt_dtype dtype, std::vector<int64_t> shape, int64_t bytes);

  std::string place_;
  std::vector<SourceTensor> tensors_;
  std::map<std::string, size_t, std::less<>> byName_;
  std::optional<SafetensorsReader> file_;
  std::optional<TensorFlowCheckpoint> tensorFlow_;
  std::optional<CheckpointReader> checkpoint_;
  CheckpointManifest manifest_;
};

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_WEIGHTSOURCE_H
