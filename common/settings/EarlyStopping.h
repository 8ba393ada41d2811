// The rules that end training early: read from settings, checked by compiler and trainer alike. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_EARLYSTOPPING_H
#define MLC_COMMON_EARLYSTOPPING_H

#include "common/settings/Settings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlc::common {

/// What of a metric ends training.
enum class StopIf { NoDecrease, NoIncrease, Higher, Lower };

/// "NO_DECREASE", ...: as in a spec.
const char *stopIfName(StopIf stopIf);

/// One train.early_stopping.
struct EarlyStoppingRule {
  std::string path; ///< "train.early_stopping.0"
  std::string metric;
  std::string eval; ///< name of the eval set; empty: the unnamed one
  StopIf stopIf = StopIf::NoDecrease;
  int64_t maxStepsWithout = 0; ///< of NO_DECREASE and NO_INCREASE
  double threshold = 0;        ///< of HIGHER and LOWER
  int64_t minSteps = 0;        ///< evaluations before this step count for nothing

  /// Whether a greater value of the metric is the better one.
  bool isGreaterBetter() const { return stopIf == StopIf::NoIncrease || stopIf == StopIf::Higher; }
  bool hasThreshold() const { return stopIf == StopIf::Higher || stopIf == StopIf::Lower; }
};

/// Reads the settings train.early_stopping.N.{metric, eval, stop_if, max_steps_without, threshold, min_steps}, N from
/// 0; a rule of which nothing is set is none. `evalSets`: their names; `metrics`: the scalars that an evaluation gives
/// (empty: not known yet, not checked). Errors go to `messages` with the place that a setting is from; false after one.
bool readEarlyStopping(const SettingsTable &settings, const std::vector<std::string> &evalSets,
                       const std::vector<std::string> &metrics, std::vector<EarlyStoppingRule> &rules,
                       MessageList &messages);

/// The names of the eval sets that settings speak of, in their order: "eval.files" is of the unnamed one,
/// "eval.valid.files" and "eval.valid.exporter.0.name" of "valid".
std::vector<std::string> evalSetNames(const SettingsTable &settings);

} // namespace mlc::common

#endif // MLC_COMMON_EARLYSTOPPING_H
