// Trainers of mlc tune, some at once. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_TUNE_TRIALRUNNER_H
#define LIB_DRIVER_TUNE_TRIALRUNNER_H

#include "lib/Driver/Tune/Cuts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlc {

/// A trainer to run: it goes on from what its model_dir has.
struct TrialRun {
  std::string program;
  std::vector<std::string> arguments; ///< those of the verb, without the program
  std::string log;                    ///< file of its events; errors go to log + ".err"
  std::string evalSet, metric;        ///< what early stopping goes by
};

/// What its events say.
struct TrialEnd {
  int status = -1; ///< -1: it was not run, or did not end by itself
  int64_t step = 0;
  std::string reason;
  Curve curve;         ///< of the metric, from where the run began
  int64_t heldOut = 0; ///< examples of the eval set
};

/// Whether SIGINT or SIGTERM has come since keepInterrupts().
int receivedSignal();
void keepInterrupts();

/// Runs trainers, `jobs` at once, each at most once; the order of the results is theirs. After a signal no more are
/// started, those that run get it, too, save, and are waited for.
std::vector<TrialEnd> runTrials(const std::vector<TrialRun> &runs, unsigned jobs);

} // namespace mlc

#endif // LIB_DRIVER_TUNE_TRIALRUNNER_H
