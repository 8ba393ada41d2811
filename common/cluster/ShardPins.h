// Where servers are to hold variables: read from settings, checked by compiler and trainer alike. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_SHARDPINS_H
#define MLC_COMMON_SHARDPINS_H

#include "common/settings/Settings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlc::common {

/// One train.shards.
struct ShardPin {
  std::string path;              ///< "train.shards.0"
  std::vector<size_t> variables; ///< indices into the names given, ascending
  int64_t count = 0;             ///< shards; 0: as many as servers, or as the plan says if there are none
  std::vector<int64_t> servers;  ///< by number, different ones; empty: the plan chooses
};

/// Reads the settings train.shards.N.{vars, count, servers}, N from 0; one of which nothing is set is none.
/// `variables`: the names of variables that servers hold. Errors (E0225) go to `messages` with the place that a setting
/// is from; false after one.
bool readShardPins(const SettingsTable &settings, const std::vector<std::string> &variables,
                   std::vector<ShardPin> &pins, MessageList &messages);

} // namespace mlc::common

#endif // MLC_COMMON_SHARDPINS_H
