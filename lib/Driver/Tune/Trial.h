// A trial of mlc tune, and tables of them. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_TUNE_TRIAL_H
#define LIB_DRIVER_TUNE_TRIAL_H

#include "lib/Driver/Tune/Cuts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlc {

/// The training of a trial on one cut.
struct CutTraining {
  int64_t seed = 0;
  std::string directory;
  int status = -1;
  std::string reason; ///< why it ended; empty: it did not run
  Curve curve;        ///< of the metric, from step 0 on
};

/// Settings, and what they reach.
struct Trial {
  int64_t number = 0;
  std::vector<std::pair<std::string, std::string>> values;
  std::string program;           ///< compiled for it
  std::vector<std::string> sets; ///< what that takes at its start
  std::vector<CutTraining> cuts;
  std::optional<CutValues> reached;
  bool isFull = false; ///< it had all that the spec gives
};

/// What was found when the best trial was compared with the spec, trial 0, on cuts that had chosen neither.
struct TuneCheck {
  int64_t trial = 0;
  Advantage advantage;
};

/// Trials as they are told.
struct TuneTable {
  std::string metric;
  bool isGreaterBetter = false;
  double share = 0; ///< of the rows that a cut holds out
  int64_t cuts = 1, checkCuts = 0, heldOut = 0, firstSeed = 0;
  std::vector<const Trial *> order; ///< best first
  std::optional<int64_t> taken;     ///< number of the trial whose settings are written
  std::vector<TuneCheck> checks;
};
std::string tuneText(const TuneTable &table);
/// An object for each trial, and for each check.
std::string tuneEvents(const TuneTable &table);

} // namespace mlc

#endif // LIB_DRIVER_TUNE_TRIAL_H
