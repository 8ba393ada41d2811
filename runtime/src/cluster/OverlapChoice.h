// Whether transfers go on while gradients are computed, as measured. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_OVERLAPCHOICE_H
#define MLCRT_CLUSTER_OVERLAPCHOICE_H

#include <chrono>
#include <cstdint>
#include <vector>

namespace mlcrt {

/// Chooses by the time of steps. Overlap hides the time of a link; where a transfer is work of the same cores that
/// compute, between tasks of one host, it makes more of it. So both are tried by turns, and the faster one is kept
/// until the next trial. The turns follow from the number of steps, so that synchronous tasks, whose steps take as long
/// as the slowest one's, try the same at the same time. Bits do not depend on it. Used by one thread.
class OverlapChoice {
public:
  using Clock = std::chrono::steady_clock;
  /// Steps before a first trial: memory grows, caches fill. Those of a turn, of which the first ones still have
  /// something of the turn before. Turns of a trial, on and off; steps until the next one.
  static constexpr int64_t kWarmUp = 24, kTurn = 8, kSkipped = 2, kTurns = 16, kKept = 4096;
  /// How much faster the other one must be.
  static constexpr double kGain = 0.98;

  /// `isOn`: what it begins with, and stays with unless it `isMeasured`.
  OverlapChoice(bool isOn, bool isMeasured) : isMeasured_(isMeasured), isOn_(isOn), kept_(isOn) {}
  /// Of the step that comes.
  bool isOn() const { return isOn_; }
  /// A step is done.
  void stepDone(Clock::time_point now);

private:
  void choose();

  const bool isMeasured_;
  bool isOn_, kept_;
  int64_t steps_ = 0, trial_ = kWarmUp; ///< steps so far; that with which the next trial begins
  Clock::time_point last_;
  std::vector<double> seconds_[2]; ///< of a trial's steps: off, on
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_OVERLAPCHOICE_H
