// TF_CONFIG: what schedulers tell a task of a cluster about itself and its peers. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   {"cluster": {"chief": ["h:p"], "worker": ["h:p", ...], "ps": [...]}, "task": {"type": "worker", "index": 0}}
//
// The values of a role may also be an object of indices, which need not be all ("worker": {"3": "h:p"}). "master" is an
// old name of the chief. A cluster without a chief has worker 0 as its chief. The evaluator is no part of the cluster,
// but may be listed.
#ifndef MLC_COMMON_TFCONFIG_H
#define MLC_COMMON_TFCONFIG_H

#include "common/Message.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::common {

/// One task of a cluster.
struct ClusterTask {
  std::string role; ///< "chief", "worker", "ps" or "evaluator"
  int64_t index = 0;
  std::string address; ///< "host:port"; empty for an evaluator that is not listed
};

/// A cluster as one of its tasks sees it.
struct TfConfig {
  /// In the order of their global ids: the chief, other roles by name, ps last; within a role by index. Empty: one
  /// process without a cluster.
  std::vector<ClusterTask> tasks;
  /// The task that this process is: "worker" 0 without a cluster.
  ClusterTask self = {"worker", 0, {}};
  bool workerIsChief = false; ///< there is no chief, worker 0 is it

  /// Whether this process has peers: the one task of a cluster needs no connections.
  bool isDistributed() const { return tasks.size() > 1 || (!tasks.empty() && self.role == "evaluator"); }
  bool isChief() const;
  /// Number of this task in the order of `tasks`, or -1 (an evaluator that is not listed).
  int64_t globalId() const;
};

/// Parses the text of TF_CONFIG. False after adding errors (E0222); keys that mean nothing are warnings.
bool parseTfConfig(std::string_view text, TfConfig &config, MessageList &messages);

/// What this process is and whom it talks to, in lines without their ends.
std::vector<std::string> explainTfConfig(const TfConfig &config);

} // namespace mlc::common

#endif // MLC_COMMON_TFCONFIG_H
