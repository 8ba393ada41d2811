// Saves a checkpoint while training goes on. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_BACKGROUNDSAVE_H
#define MLCRT_CHECKPOINT_BACKGROUNDSAVE_H

#include "runtime/src/checkpoint/CheckpointStore.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace mlcrt {

class RunObservation;

/// A checkpoint to save, and which of the older ones stay then.
struct SaveJob {
  CheckpointStore *store = nullptr;
  CheckpointManifest manifest;
  int64_t keepMax = 0;            ///< as CheckpointStore::retire
  std::vector<int64_t> keepSteps; ///< the same
  /// More of them, asked for once the checkpoint is complete, by the thread that saves; may be null.
  std::function<std::vector<int64_t>()> leasedSteps = nullptr;
};

/// What became of a save.
struct SaveResult {
  absl::StatusOr<std::string> path; ///< as CheckpointStore::save
  absl::Status retired;             ///< as CheckpointStore::retire
};

/// One save at a time: the variables that its jobs hold are copied (ShardWriter) and written by a thread of its own, in
/// the order that CheckpointStore::save keeps; then old checkpoints are retired. Used by one thread.
class BackgroundSave {
public:
  /// `observation` counts what is saved; null: nobody looks. All outlive this.
  BackgroundSave(const Artifact &artifact, ShardWriter &shards, RunObservation *observation = nullptr)
      : artifact_(artifact), shards_(shards), observation_(observation) {}
  /// Waits for the save.
  ~BackgroundSave();
  BackgroundSave(const BackgroundSave &) = delete;
  BackgroundSave &operator=(const BackgroundSave &) = delete;

  /// Returns once the state is copied; what it is from then on is in no part of the checkpoint. finish() comes before
  /// the next one. The stores outlive the save; their jobs are of one step. On an error (ShardWriter::snapshot) nothing
  /// was begun.
  absl::Status begin(std::vector<SaveJob> jobs);
  /// Between begin and finish.
  bool isRunning() const { return running_; }
  /// Whether finish() would not wait.
  bool isDone() const { return running_ && done_.load(std::memory_order_acquire); }
  /// Waits for the save that was begun: what became of its jobs, in their order up to the first that failed.
  std::vector<SaveResult> finish();
  /// After finish: when the last save was over.
  std::chrono::steady_clock::time_point doneAt() const { return doneAt_; }

private:
  void run();
  void count(const CheckpointStore &store) const;

  const Artifact &artifact_;
  ShardWriter &shards_;
  RunObservation *const observation_;
  bool running_ = false;
  std::atomic<bool> done_{false};
  std::vector<SaveJob> jobs_;
  std::vector<SaveResult> results_;
  std::chrono::steady_clock::time_point doneAt_;
  std::thread thread_;
};

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_BACKGROUNDSAVE_H
