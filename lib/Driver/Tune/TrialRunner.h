// Trainers of mlc tune, some at once. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_TUNE_TRIALRUNNER_H
#define LIB_DRIVER_TUNE_TRIALRUNNER_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlc {

/// A trainer to run: it goes on from what its model_dir has.
struct TrialRun {
  int64_t trial = 0;
  std::string program;
  std::vector<std::string> arguments; ///< those of the verb, without the program
  std::string log;                    ///< file of its events; errors go to log + ".err"
};

/// What its last event says.
struct TrialEnd {
  int status = -1;            ///< -1: it was not run, or did not end by itself
  std::optional<double> best; ///< value of the metric of early stopping
  int64_t step = 0, bestStep = 0;
  std::string reason;
};

/// Whether SIGINT or SIGTERM has come since keepInterrupts().
int receivedSignal();
void keepInterrupts();

/// Runs trainers, `jobs` at once, each at most once; the order of the results is theirs. After a signal no more are
/// started, those that run get it, too, save, and are waited for.
std::vector<TrialEnd> runTrials(const std::vector<TrialRun> &runs, unsigned jobs);

} // namespace mlc

#endif // LIB_DRIVER_TUNE_TRIALRUNNER_H
