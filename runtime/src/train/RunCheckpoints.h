// The checkpoints that a run makes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_RUNCHECKPOINTS_H
#define MLCRT_TRAIN_RUNCHECKPOINTS_H

#include "runtime/src/checkpoint/BackgroundSave.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/train/Configuration.h"
#include "runtime/src/train/EvaluatorFiles.h"
#include "runtime/src/train/Reporter.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mlcrt {

/// Checkpoints of all of the state, which a run resumes from, and those of each train.checkpoint: when they are due,
/// which was begun, which is durable, which stay. One save at a time, beside training.
class RunCheckpoints {
public:
  /// Both outlive this.
  RunCheckpoints(Reporter &reporter, RunObservation &observation) : reporter_(reporter), observation_(observation) {}
  /// kInvalidArgument (E0223): a policy that cannot work. `modelDir` may be empty: nothing is saved then.
  absl::Status configure(const Configuration &configuration, const Artifact &artifact, const std::string &modelDir);

  /// The checkpoint to resume from, if any.
  absl::StatusOr<std::optional<CheckpointPath>> newest() const { return whole_.newest(); }
  /// The run goes on from this checkpoint.
  void resume(const CheckpointManifest &manifest);

  /// Leaves nothing in the model_dir that was begun and not completed, nor what this run will make again: what policies
  /// saved after the step that is resumed. With `fresh`, checkpoints and event files of earlier runs are moved to
  /// before-NNNN, NNNN of `runDirectory`; so are those of policies, of which nobody knows how to make them again, where
  /// a run begins with initial values. Comes last of all that may refuse the run.
  absl::Status tidy(bool fresh, const std::string &runDirectory);
  /// From here on saves may begin; `shards` outlives them.
  void open(const Artifact &artifact, ShardWriter &shards);
  /// Whether the schedule wants a checkpoint of all of the state after `step`, the first one after a multiple of its
  /// distance; one of all or of a part.
  bool isWholeDue(int64_t step) const;
  bool isAnyDue(int64_t step) const;
  /// The distances in steps of those schedules that have one.
  std::vector<int64_t> distances() const;

  /// Which checkpoints to make.
  enum class Which {
    Due,   ///< those that the schedules want
    Whole, ///< of all of the state, and those that the schedules want
    All,
  };
  /// Gives manifest and keepSteps, and sees to it that the state is here.
  using Describe = std::function<absl::StatusOr<SaveJob>()>;
  /// Begins to save the state after `step`, but for what is saved or on its way, as `describe` says (keep and
  /// keepSince are set here). Waits for the save before it; errors as finish.
  absl::Status save(int64_t step, Which which, const Describe &describe);
  /// Whether a save is done that finish was not called for.
  bool isDone() const { return saver_ && saver_->isDone(); }
  /// Whether there is a save that finish was not called for.
  bool isSaving() const { return saver_ && saver_->isRunning(); }
  /// Waits for the save that is on its way, if any, and tells what became of it. Returns whether there was one. One
  /// that could not be written is an error if nothing was saved before, or if it is the third in a row; else it is
  /// told.
  absl::StatusOr<bool> finish();
  /// Why the last save could not be written; OK if it was.
  const absl::Status &lastFailure() const { return lastFailure_; }

  /// The step of the last durable checkpoint of all of the state; -1: there is none.
  int64_t savedStep() const { return savedStep_; }
  /// How long the last save took, from its begin until it was durable, and whether it was of all of the state.
  std::chrono::duration<double> lastTook() const { return lastTook_; }
  bool wasLastWhole() const { return !inSave_.empty() && inSave_.back()->isWhole(); }

private:
  struct Policy {
    CheckpointStore store;
    int64_t everySteps = 1, keep = 1;
    int64_t begunStep = -1;
  };
  absl::Status removeIncomplete(CheckpointStore &store);
  absl::Status removeBehindStart();
  absl::Status movePolicies(const std::string &runDirectory);
  absl::Status tell(const SaveResult &result);
  absl::Status tolerate(const absl::Status &failure);

  using Clock = std::chrono::steady_clock;
  Reporter &reporter_;
  RunObservation &observation_;
  CheckpointStore whole_{""};
  std::vector<Policy> policies_;
  LeaseReader lease_{""};                 ///< of the evaluator; used by the thread that saves
  std::unique_ptr<BackgroundSave> saver_; // after what it uses: it waits in its destructor
  std::vector<const CheckpointStore *> inSave_;
  Clock::time_point lastSaved_, saveBegun_;
  std::chrono::duration<double> lastTook_{0};
  bool hasSaved_ = false; ///< this run, all of the state
  int64_t savedStep_ = -1, begunStep_ = -1;
  int failures_ = 0; ///< saves in a row
  absl::Status lastFailure_;
  // Read once: looking a setting up takes a text, and a step makes none.
  int64_t saveEverySteps_ = 0, keepMax_ = 0;
  double saveEverySeconds_ = 600, keepEverySeconds_ = 0;
  int64_t keepSince_ = 0; ///< when the last checkpoint was kept for ever, or the first run began
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_RUNCHECKPOINTS_H
