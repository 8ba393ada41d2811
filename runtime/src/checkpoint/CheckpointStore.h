// The checkpoints of a model_dir: saved atomically, found, restored, retired. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint is a directory model_dir/ckpt-<step, 10 digits>/ with shards ps-00000-of-00001.safetensors and
// MANIFEST.json. The manifest is written last; its presence makes the checkpoint complete. Values are logical
// row-major.
#ifndef MLCRT_CHECKPOINT_CHECKPOINTSTORE_H
#define MLCRT_CHECKPOINT_CHECKPOINTSTORE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/checkpoint/Manifest.h"
#include "runtime/src/core/Artifact.h"
#include "runtime/src/core/State.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// A complete checkpoint.
struct CheckpointPath {
  int64_t step = 0;
  std::string path; ///< of its directory
};

/// The checkpoints of one directory. One process writes at a time (the trainer's lock).
class CheckpointStore {
public:
  /// `modelDir` need not exist; save makes it.
  explicit CheckpointStore(std::string modelDir) : modelDir_(std::move(modelDir)) {}

  /// Saves the variables of lifetime train. The caller sets step, seed, virtualShards, the reader's fields and settings
  /// of `manifest`; the rest is filled in here. Returns the directory. A complete checkpoint of that step is left as it
  /// is. Errors as writeError.
  absl::StatusOr<std::string> save(const Artifact &artifact, State &state, CheckpointManifest manifest);

  /// The complete checkpoints, ascending by step, from one listing of the directory. None if it does not exist.
  absl::StatusOr<std::vector<CheckpointPath>> list() const;
  /// The last of list(), if any.
  absl::StatusOr<std::optional<CheckpointPath>> newest() const;

  /// Removes directories of checkpoints that were never completed; returns their names.
  absl::StatusOr<std::vector<std::string>> removeIncomplete();
  /// Removes complete checkpoints but the newest `keepMax` (0: none is removed) and those whose manifest says keep.
  absl::Status retire(int64_t keepMax);
  /// Removes all checkpoints.
  absl::Status removeAll();

  const std::string &modelDir() const { return modelDir_; }

private:
  std::string modelDir_;
};

/// "ckpt-0000002000".
std::string checkpointName(int64_t step);

/// Reads the manifest of a checkpoint directory. kNotFound (E0401): `directory` is no complete checkpoint; else as
/// manifestFromText.
absl::StatusOr<CheckpointManifest> readManifest(const std::string &directory);

/// A setting in force: path and text.
using SettingTexts = std::vector<std::pair<std::string, std::string>>;

/// Checks that the checkpoint is of this artifact: kFailedPrecondition (E0402) shows both state fingerprints and what
/// differs: settings of `settings` (those compiled in), variables, shapes.
absl::Status checkFingerprint(const std::string &directory, const CheckpointManifest &manifest,
                              const Artifact &artifact, const SettingTexts &settings);

/// Reads every variable of lifetime train into `state`, each proven by its checksum. kDataLoss names file and tensor;
/// kFailedPrecondition: variables are missing or of another shape. On an error the state may be changed in part.
absl::Status restoreState(const std::string &directory, const CheckpointManifest &manifest, const Artifact &artifact,
                          State &state);

/// Gets each variable in the manifest's order: its record and bytes, valid during the call.
using VariableVisitor = std::function<absl::Status(const VariableRecord &variable, const void *data)>;
/// Reads all variables of a checkpoint, proven by size and checksum of files and tensors. kDataLoss names both.
absl::Status visitVariables(const std::string &directory, const CheckpointManifest &manifest,
                            const VariableVisitor &visitor);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_CHECKPOINTSTORE_H
