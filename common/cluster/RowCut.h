// Which rows of the training files are held out for validation: read from settings by compiler and trainer. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_ROWCUT_H
#define MLC_COMMON_ROWCUT_H

#include "common/settings/Settings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlc::common {

/// train.validation: by the hash of a record's bytes, so that it depends neither on the order of the rows nor on what
/// other rows there are, and equal rows are on one side; or by a column, so that what is held out is newer.
struct RowCut {
  /// Share of the rows, and which of them; 0: by `column`.
  double share = 0;
  int64_t seed = 0;
  /// Rows whose value is `from` or above are held out.
  std::string column, from;

  /// Of a cut by share: whether a record of this hash (farmhash's Fingerprint64) is held out.
  bool holdsOut(uint64_t hash) const;
};

/// Reads the settings train.validation.{share, seed, column, from}; no cut if neither share nor column is set.
/// `evalSets`: the names of all eval sets. Errors (E0226): half of a cut by column, both kinds of cut, an eval set that
/// evaluates on_validation without a cut. They go to `messages` with the place that a setting is from; false after one.
bool readRowCut(const SettingsTable &settings, const std::vector<std::string> &evalSets, std::optional<RowCut> &cut,
                MessageList &messages);

} // namespace mlc::common

#endif // MLC_COMMON_ROWCUT_H
