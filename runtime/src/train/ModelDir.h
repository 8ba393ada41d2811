// A model_dir: its lock, and the record of each run. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_MODELDIR_H
#define MLCRT_TRAIN_MODELDIR_H

#include "absl/status/statusor.h"

#include <string>
#include <utility>

namespace mlcrt {

/// Held while a trainer writes to a model_dir. The lock is the kernel's (flock on model_dir/lock or evaluator-lock) and
/// ends with the process, however that ends; the file names host and pid for people.
class ModelDirLock {
public:
  /// Makes the directory if needed. `role` is what owns it, a trainer or an evaluator: one of each at a time.
  /// kAlreadyExists (E0404) names host and pid of the owner; else as writeError.
  enum class Role { Trainer, Evaluator };
  static absl::StatusOr<ModelDirLock> acquire(const std::string &modelDir, Role role = Role::Trainer);
  ModelDirLock(ModelDirLock &&other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), previous_(std::move(other.previous_)) {}
  ~ModelDirLock();

  /// "host h pid 7" of an owner that ended without giving the lock back (killed, power lost); else empty.
  const std::string &previous() const { return previous_; }

private:
  explicit ModelDirLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
  std::string previous_;
};

/// Makes model_dir/runs/NNNN, one above the highest number there is; returns its path.
absl::StatusOr<std::string> makeRunDirectory(const std::string &modelDir);

/// Moves what earlier runs left, checkpoints and event files, from `modelDir` to `modelDir`/before-NNNN, NNNN being the
/// number of `runDirectory`; returns that directory, or "" if there was nothing. Files of other names stay, and nothing
/// is removed. The newest checkpoint goes last: a kill in between leaves a model_dir that the same call can go on with.
absl::StatusOr<std::string> moveAside(const std::string &modelDir, const std::string &runDirectory);
/// The same for files and directories of these names, in their order.
absl::StatusOr<std::string> moveAside(const std::string &modelDir, const std::string &runDirectory,
                                      const std::vector<std::string> &names);

/// Name of this host.
std::string hostName();

} // namespace mlcrt

#endif // MLCRT_TRAIN_MODELDIR_H
