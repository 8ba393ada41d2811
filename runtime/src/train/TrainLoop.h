// The training steps of a run, one after the other. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_TRAINLOOP_H
#define MLCRT_TRAIN_TRAINLOOP_H

#include "absl/status/statusor.h"
#include "runtime/src/core/TrainStep.h"
#include "runtime/src/train/BatchFeed.h"
#include "runtime/src/train/FedColumns.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace mlcrt {

/// Where a loop begins and ends.
struct TrainLoopOptions {
  BatchOptions batches;
  TrainMode mode;
  int64_t seed = 0;
  /// The step count and the reader's state at the start.
  int64_t step = 0;
  ReaderState position;
  /// Batches that come before that one.
  std::vector<BatchRange> first;
  /// Asynchronous training: says which batch comes next, instead of those; its number is that of its step, by which
  /// randomness and schedules go. As of PrefetchOptions.
  std::function<absl::StatusOr<std::optional<BatchRange>>()> source;
  std::function<void()> stopSource;
  /// Ends when the step count reaches this; -1: no limit.
  int64_t maxSteps = -1;
  /// Ends with epoch epochs - 1; -1: no limit.
  int64_t epochs = -1;
  /// Called before each step with its batch, if set.
  std::function<absl::Status(const BatchView &batch, const CallContext &context)> beforeStep;
  /// Whether the step after step number `step` may be launched before that one is settled: what comes after `step`
  /// reads nothing of the state, and ends nothing. Not set: none may.
  std::function<bool(int64_t step)> goesAhead;
  /// Who runs the steps, if not the loop itself; outlives it.
  Stepper *stepper = nullptr;
  /// Threads that read and run features segments ahead of the step; 0: nothing is ahead of it. No result depends on it.
  int inputThreads = 1;
  /// Replaces columns of each batch; null: none. Without input threads.
  std::shared_ptr<FedColumns> fed;
};

/// Reads batches ahead, runs steps, and counts them where the program is observed. What the state is after n steps is a
/// function of artifact, settings, data, seed and the number of virtual shards alone.
class TrainLoop {
public:
  /// All references outlive the loop. Errors as TrainStep::create.
  static absl::StatusOr<std::unique_ptr<TrainLoop>> create(Program &program, ThreadPool &pool, const EntryData &data,
                                                           const TrainLoopOptions &options);

  /// Runs one step; false if the loop is at its end. Data errors name file and line. Where the stepper launches steps,
  /// and options.goesAhead says so, the next one is launched, too, if its batch is there.
  absl::StatusOr<bool> step();
  /// Whether the step after the last one was launched: the state is about to be that after it.
  bool isAhead() const { return !begun_.empty(); }

  /// Steps that are done, over all runs (and all tasks).
  int64_t steps() const { return step_; }
  /// Steps that this loop did.
  int64_t ownSteps() const { return ownSteps_; }
  /// Others did steps: the state here is after so many. Batches of steps that this loop missed are passed over.
  void advance(int64_t steps);
  /// Steps that others did without this loop; not of asynchronous training, where steps are nobody's before they begin.
  int64_t missedSteps() const { return missedSteps_; }
  /// The reader's state after the last step's batch.
  ReaderState position() const { return position_; }
  /// What is left of options.first.
  std::vector<BatchRange> left() const;
  /// Updates that others made between the variables of the last step's gradient and its own update; -1: no others do.
  int64_t staleness() const { return staleness_; }
  /// Rows of the last step's batch.
  int64_t rows() const { return rows_; }
  /// "loss" of the last step.
  double loss() const { return loss_; }
  /// A mean of it over about the last 100 steps; NaN before the first one.
  double recentLoss() const { return recentLoss_; }
  /// All outputs of the last step.
  const EntryOutputs &results() const { return stepper_->results(); }
  /// Stepper::observe and Stepper::own.
  absl::Status observe() { return stepper_->observe(); }
  absl::StatusOr<const EntryOutputs *> own() { return stepper_->own(); }

private:
  /// What an input thread makes of a batch: one for each slot of the ring, so that slots can be filled at once.
  struct Slot {
    BatchView view;
    std::unique_ptr<TrainFeatures> features;
    TrainSlots prepared;
  };

  /// A step that was run, or launched.
  struct Begun {
    Prefetcher::Item item;
    bool isLaunched;
  };

  TrainLoop(Program &program, const EntryData &data, const TrainLoopOptions &options)
      : program_(program), data_(data), options_(options), inputPool_(1), step_(options.step),
        position_(options.position) {}
  absl::Status prepare(Slot &slot, const Batch &batch);
  int64_t stepOf(const Batch &batch) const;
  /// Those of a batch of `rows` that are computed here.
  int64_t ownRows(int64_t rows) const;
  absl::StatusOr<Prefetcher::Item> nextBatch(int kept);
  /// Runs the step of the next batch, or launches it; false at the end. The last `kept` batches are in use.
  absl::StatusOr<bool> begin(int kept);
  /// Ends the step that was begun first.
  absl::Status settle(const Begun &step);
  void count(RunObservation &run, std::chrono::nanoseconds time) const;

  Program &program_;
  const EntryData &data_;
  const TrainLoopOptions options_;
  ThreadPool inputPool_; // of one thread: features segments run on the input threads themselves
  std::unique_ptr<TrainStep> local_;
  Stepper *stepper_ = nullptr;
  int64_t step_;
  int64_t ownSteps_ = 0, missedSteps_ = 0;
  std::atomic<int64_t> needed_{0}; ///< the first step whose batch an input thread need prepare
  ReaderState position_;
  int64_t rows_ = 0, staleness_ = -1;
  double loss_ = 0, recentLoss_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<Slot> slots_;
  std::deque<Begun> begun_;                ///< not settled
  absl::Status ahead_;                     ///< why a step could not be begun before the one before it was settled
  std::unique_ptr<Prefetcher> prefetcher_; // last: its threads use the members above
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_TRAINLOOP_H
