// Checkpoints of a part of the state: read from settings, checked by compiler and trainer alike. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_CHECKPOINTPOLICY_H
#define MLC_COMMON_CHECKPOINTPOLICY_H

#include "common/settings/Settings.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::common {

/// One train.checkpoint.
struct CheckpointPolicy {
  std::string path;              ///< "train.checkpoint.0"
  std::string name;              ///< its checkpoints are <name>-<step>
  std::vector<size_t> variables; ///< indices into the names given, ascending
  int64_t everySteps = 1;
  int64_t keep = 5; ///< newest ones that stay
};

/// Whether directories may be named so: a letter, then letters, digits, '_' and '-', 100 in all.
bool isDirectoryName(std::string_view name);
/// Whether a policy may have this name: as isDirectoryName; not "ckpt" and "before", whose directories are there
/// already.
bool isPolicyName(std::string_view name);

/// Reads the settings train.checkpoint.N.{name, vars, every_n_steps, keep}, N from 0; a policy of which nothing is set
/// is none. `variables`: the names that checkpoints hold. Errors (E0223) go to `messages` with the place that a setting
/// is from; false after one.
bool readCheckpointPolicies(const SettingsTable &settings, const std::vector<std::string> &variables,
                            std::vector<CheckpointPolicy> &policies, MessageList &messages);

} // namespace mlc::common

#endif // MLC_COMMON_CHECKPOINTPOLICY_H
