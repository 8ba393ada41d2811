// What mlc tune tries. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_TUNE_TUNESPACE_H
#define LIB_DRIVER_TUNE_TUNESPACE_H

#include "common/cli/Message.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mlc {

/// A setting, and what it may be: one of some values, or a number between two bounds.
struct TuneSetting {
  std::string path;
  std::vector<std::string> values;
  double min = 0, max = 0;
  bool isLog = false; ///< equal ratios come alike often, not equal differences
};

/// The settings that a spec marks by its metadata, "tune:PATH" with "A | B | C", "MIN to MAX" or "MIN to MAX log"; if
/// it marks none, learning rates, penalties, dropout, hidden units and batch size around what it has. `spec` is the
/// spec as JSON, resolved. Errors (E0227) go to `messages`; false after one.
bool readTuneSpace(const llvm::json::Object &spec, std::vector<TuneSetting> &space, common::MessageList &messages);

/// Paths and values of a trial: of the same seed and number always the same. Trial 0 has none: it is the spec.
std::vector<std::pair<std::string, std::string>> drawTrial(const std::vector<TuneSetting> &space, uint64_t seed,
                                                           int64_t trial);

} // namespace mlc

#endif // LIB_DRIVER_TUNE_TUNESPACE_H
