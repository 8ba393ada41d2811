// TF_CONFIG: what schedulers tell a task of a cluster about itself and its peers. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   {"cluster": {"chief": ["h:p"], "worker": ["h:p", ...], "ps": [...]}, "task": {"type": "worker", "index": 0}}
//
// The values of a role may also be an object of indices, which need not be all ("worker": {"3": "h:p"}). "master" is an
// old name of the chief. A cluster without a chief has worker 0 as its chief. The evaluator is no part of the cluster,
// but may be listed. An address is "host:port", or "unix:PATH" on one host.
#ifndef MLC_COMMON_TFCONFIG_H
#define MLC_COMMON_TFCONFIG_H

#include "common/cli/Message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::common {

/// The longest PATH of "unix:PATH": sockaddr_un has 108 bytes, the last of them zero.
inline constexpr size_t kLongestSocketPath = 107;

/// One task of a cluster.
struct ClusterTask {
  std::string role; ///< "chief", "worker", "ps" or "evaluator"
  int64_t index = 0;
  std::string address; ///< "host:port" or "unix:PATH"; empty for an evaluator that is not listed
};

/// A cluster as one of its tasks sees it.
struct TfConfig {
  /// In the order of their global ids: the chief, other roles by name, ps last; within a role by index. Empty: one
  /// process without a cluster.
  std::vector<ClusterTask> tasks;
  /// The task that this process is: "worker" 0 without a cluster.
  ClusterTask self = {"worker", 0, {}};
  bool workerIsChief = false; ///< there is no chief, worker 0 is it
  bool chiefIsMaster = false; ///< the chief is called by its old name
  /// What else schedulers set; empty if they do not.
  std::string modelDir, sessionMaster, evalSessionMaster;
  std::string service; ///< a JSON object
  /// "grpc": connections use gRPC with TLS or without. Empty: with TLS alone.
  std::string rpcLayer;

  /// Whether this process has peers: the one task of a cluster needs no connections.
  bool isDistributed() const { return tasks.size() > 1 || (!tasks.empty() && self.role == "evaluator"); }
  bool isChief() const;
  /// Number of this task in the order of `tasks`, or -1 (an evaluator that is not listed).
  int64_t globalId() const;
};

inline constexpr char kGrpcLayer[] = "grpc";

/// Parses the text of TF_CONFIG. False after adding errors (E0222); keys that mean nothing are warnings.
bool parseTfConfig(std::string_view text, TfConfig &config, MessageList &messages);

/// The directory that a flag (empty: not given) and TF_CONFIG name, or empty. False after an error (E0222): they name
/// different ones.
bool chooseModelDir(const TfConfig &config, const std::string &flag, std::string &modelDir, MessageList &messages);

/// The text of TF_CONFIG that parseTfConfig reads as this cluster and task.
std::string formatTfConfig(const TfConfig &config);

/// How many tasks of which kind.
struct ClusterSize {
  int64_t trainers = 1; ///< the chief and the workers
  int64_t servers = 0;
  bool evaluator = false;

  /// Tasks with an address.
  int64_t addresses() const { return trainers + servers; }
};

/// The cluster as each of its tasks sees it: the chief, worker 0, ..., the evaluator, ps 0, ... `addresses`: one for
/// each task but the evaluator, in that order.
std::vector<TfConfig> localCluster(const ClusterSize &size, const std::vector<std::string> &addresses);

/// What tf.estimator.RunConfig derives from TF_CONFIG, by its names.
struct RunConfig {
  std::string taskType;
  int64_t taskId = 0;
  bool isChief = false;
  std::string clusterSpec;              ///< a JSON object of roles, empty for the evaluator and without a cluster
  std::string master, evaluationMaster; ///< "grpc://" and an address; empty: this process
  int64_t numPsReplicas = 0;
  int64_t numWorkerReplicas = 0;          ///< the chief is one
  std::optional<int64_t> globalId;        ///< in the cluster; none of the evaluator
  std::vector<std::string> deviceFilters; ///< of session_config: whom the task talks to; empty: no filter
  std::string modelDir;
  std::string service; ///< a JSON object, or empty
};

RunConfig runConfigOf(const TfConfig &config);

/// What this process is and whom it talks to, in lines without their ends.
std::vector<std::string> explainTfConfig(const TfConfig &config);

} // namespace mlc::common

#endif // MLC_COMMON_TFCONFIG_H
