// How training goes: the event of a step and the line of progress. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_STEPPROGRESS_H
#define MLCRT_TRAIN_STEPPROGRESS_H

#include "runtime/src/cluster/PeerTable.h"
#include "runtime/src/train/Reporter.h"
#include "runtime/src/train/TrainLoop.h"

#include <chrono>
#include <cstdint>

namespace mlcrt {

/// Counts examples and tells pace and time left.
class StepProgress {
public:
  /// Both outlive this.
  StepProgress(Reporter &reporter, const RunObservation &observation)
      : reporter_(reporter), observation_(observation) {}

  /// Of a cluster: who else trains; `isAsync`: each task has batches of its own.
  void watch(const PeerTable &peers, bool isAsync) {
    peers_ = &peers;
    isAsync_ = isAsync;
  }
  /// `everySteps` between events; `step`: the one done last; `total`: the last step, -1 if none is known.
  void begin(int64_t everySteps, int64_t step, int64_t total, int64_t batchSize);
  /// After each step.
  void afterStep(const TrainLoop &loop);

private:
  using Clock = std::chrono::steady_clock;
  Reporter &reporter_;
  const RunObservation &observation_;
  int64_t everySteps_ = 100, total_ = 0, batchSize_ = 0;
  int64_t examples_ = 0, lastStep_ = 0;
  /// Of the current pace: since the last step event.
  Clock::time_point paceStart_;
  int64_t paceExamples_ = 0;
  double pace_ = 0;
  /// Of a cluster.
  void measure(double seconds);
  const PeerTable *peers_ = nullptr;
  bool isAsync_ = false;
  int64_t bytes_ = 0, staleSum_ = 0, staleCount_ = 0; ///< at the start of the current pace
  double bytesPace_ = 0, staleness_ = -1;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_STEPPROGRESS_H
