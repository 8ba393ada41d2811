// The checkpoints of a model_dir: saved atomically, found, restored, retired. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint is a directory model_dir/ckpt-<step, 10 digits>/ with shards ps-KKKKK-of-NNNNN.safetensors, one for each
// of N servers that wrote it, and MANIFEST.json. The manifest is written last; its presence makes the checkpoint
// complete. Values are logical row-major. One of a part of the state, under a policy of its own, is
// model_dir/<policy>-<step>/.
#ifndef MLCRT_CHECKPOINT_CHECKPOINTSTORE_H
#define MLCRT_CHECKPOINT_CHECKPOINTSTORE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/Manifest.h"
#include "runtime/src/checkpoint/ShardWriter.h"
#include "runtime/src/core/Artifact.h"
#include "runtime/src/core/State.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// A directory that is named as a checkpoint.
struct CheckpointPath {
  int64_t step = 0;
  std::string name;      ///< before the step
  std::string path;      ///< of the directory
  bool complete = false; ///< its manifest is there
  absl::Status status;   ///< kDataLoss if that cannot be told: what cannot be read may be whole
};

/// How checkpoints of all of the state are called.
inline constexpr const char *kWholeState = "ckpt";

/// The checkpoints of one name in a directory. One process writes at a time (the trainer's lock).
class CheckpointStore {
public:
  /// `modelDir` need not exist; save makes it. Without more, the checkpoints of all of the state; else those of the
  /// policy `name`, which hold `tensors` (indices in Artifact::tensors, ascending).
  explicit CheckpointStore(std::string modelDir, std::string name = kWholeState, std::vector<int32_t> tensors = {})
      : modelDir_(std::move(modelDir)), name_(std::move(name)), tensors_(std::move(tensors)) {}

  /// Saves the tensors of lifetime train, or those of the policy. The caller sets step, seed, virtualShards, the
  /// reader's fields, settings, vocabularies and early stopping of `manifest`; the rest is filled in here. Returns the
  /// directory. A complete checkpoint of that step is left as it is. Errors as writeError; what was written so far is
  /// then removed, as far as that can be done.
  absl::StatusOr<std::string> save(const Artifact &artifact, State &state, CheckpointManifest manifest);
  /// The same for what `shards` copied. kInternal if what it wrote is not all rows once.
  absl::StatusOr<std::string> save(const Artifact &artifact, ShardWriter &shards, CheckpointManifest manifest);

  /// The complete checkpoints, ascending by step, from one listing of the directory. None if it does not exist.
  /// kDataLoss if one cannot be looked at.
  absl::StatusOr<std::vector<CheckpointPath>> list() const;
  /// Also those that were never completed or cannot be looked at.
  absl::StatusOr<std::vector<CheckpointPath>> listAll() const;
  /// The last of list(), if any.
  absl::StatusOr<std::optional<CheckpointPath>> newest() const;

  /// Removes what was written of checkpoints that were never completed; returns their names. A directory with files of
  /// other names in it stays.
  absl::StatusOr<std::vector<std::string>> removeIncomplete();
  /// Removes complete checkpoints after `step`; returns their names.
  absl::StatusOr<std::vector<std::string>> removeAfter(int64_t step);
  /// Removes complete checkpoints but the newest `keepMax` (0: none is removed), those of `keepSteps` and those whose
  /// manifest says keep.
  absl::Status retire(int64_t keepMax, const std::vector<int64_t> &keepSteps = {});

  const std::string &modelDir() const { return modelDir_; }
  const std::string &name() const { return name_; }
  bool isWhole() const { return name_ == kWholeState; }
  /// Whether checkpoints hold the tensor of this index, if it has lifetime train.
  bool holds(int32_t tensor) const;

private:
  absl::Status write(const std::string &directory, const Artifact &artifact, ShardWriter &shards,
                     CheckpointManifest manifest) const;

  std::string modelDir_, name_;
  std::vector<int32_t> tensors_; ///< of a policy
};

/// "ckpt-0000002000".
std::string checkpointName(int64_t step, const std::string &name = kWholeState);
/// The step of such a directory's name, or -1.
int64_t checkpointStep(const std::string &directory, const std::string &name = kWholeState);

/// All checkpoints in a directory, of any name, also those that were never completed or cannot be looked at: of all of
/// the state first, then of policies. kDataLoss if it cannot be listed.
absl::StatusOr<std::vector<CheckpointPath>> listEveryCheckpoint(const std::string &modelDir);

/// The complete checkpoint that `source` means: a checkpoint's directory, or a model_dir, of which `step` or else the
/// newest is taken. kNotFound (E0401) names the steps that there are.
absl::StatusOr<std::string> findCheckpoint(const std::string &source, std::optional<int64_t> step = {});
/// `directory` if it is a complete checkpoint; errors as findCheckpoint.
absl::StatusOr<std::string> requireCheckpoint(const std::string &directory);

/// A damaged checkpoint that a run cannot start from: `status` with what can be done as its help. The runtime never
/// goes back to an older checkpoint by itself.
absl::Status adviseOnDamage(const absl::Status &status, const std::string &directory);

/// A setting in force: path and text.
using SettingTexts = std::vector<std::pair<std::string, std::string>>;

/// Whether the checkpoint is of another model, of whose settings vocabularies alone are other ones.
bool hasOtherVocabularies(const CheckpointManifest &manifest, const Artifact &artifact, const SettingTexts &settings);

/// Checks that the checkpoint is of this artifact: kFailedPrecondition (E0402) shows both state fingerprints and what
/// differs: settings of `settings` (those compiled in), variables, shapes.
absl::Status checkFingerprint(const std::string &directory, const CheckpointManifest &manifest,
                              const Artifact &artifact, const SettingTexts &settings);

/// The same of an artifact that reads a part of the state alone: the vocabularies that it has are those of the
/// checkpoint, as far as this tells them.
absl::Status checkTerms(const std::string &directory, const CheckpointManifest &manifest, const SettingTexts &settings);

/// Reads every tensor of lifetime train into `state`, or the rows of it that the state holds, each proven by its
/// checksum. kDataLoss names file and tensor; kFailedPrecondition: a part of the state, or tensors are missing or of
/// another shape. On an error the state may be changed in part.
absl::Status restoreState(const std::string &directory, const CheckpointManifest &manifest, const Artifact &artifact,
                          State &state);
/// Whether a checkpoint holds the tensors of lifetime train, all of them: kFailedPrecondition as restoreState.
absl::Status checkVariables(const std::string &directory, const CheckpointManifest &manifest, const Artifact &artifact);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_CHECKPOINTSTORE_H
