// The chief's part of where the servers' rows come from. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_SERVERROWS_H
#define MLCRT_CLUSTER_SERVERROWS_H

#include "runtime/src/checkpoint/ValueTarget.h"
#include "runtime/src/cluster/ServerCalls.h"
#include "runtime/src/core/Artifact.h"

#include <chrono>
#include <string>
#include <vector>

namespace mlcrt {

/// Before a run begins: each server makes or reads its rows; what it cannot see goes to it piece by piece, so that no
/// task but the servers holds the state. Calls take `timeout` each.
class ServerRows : public ValueTarget {
public:
  /// References outlive this.
  ServerRows(const Artifact &artifact, const ServerLinks &servers, std::chrono::milliseconds timeout)
      : artifact_(artifact), servers_(servers), timeout_(timeout) {}

  /// The servers give their rows initial values (canInitializeRows).
  absl::Status initialize(int64_t seed);
  /// They read them from a checkpoint, of this artifact (checkVariables), that lies at an absolute path; this process
  /// reads and sends those of servers that do not see it. Returns why, of the first such server, or an empty text.
  /// Errors as restoreState.
  absl::StatusOr<std::string> restore(const std::string &checkpoint);
  /// To the servers that have these rows.
  absl::Status write(int32_t variable, int64_t offset, const void *data, int64_t bytes) override;

private:
  /// What each server says.
  absl::StatusOr<std::vector<std::string>> prepare(const cluster::PrepareRequest &request);
  absl::Status fill(size_t server, int32_t variable, int64_t offset, const void *data, int64_t bytes);
  absl::Status send(size_t server, const std::string &checkpoint);

  const Artifact &artifact_;
  const ServerLinks &servers_;
  const std::chrono::milliseconds timeout_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_SERVERROWS_H
