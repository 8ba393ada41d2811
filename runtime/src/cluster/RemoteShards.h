// Checkpoints of what servers hold. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_REMOTESHARDS_H
#define MLCRT_CLUSTER_REMOTESHARDS_H

#include "runtime/src/checkpoint/ShardWriter.h"
#include "runtime/src/cluster/CopiedState.h"
#include "runtime/src/cluster/ServerCalls.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace mlcrt {

/// The chief's side: each server copies its rows and writes the copy to a file of its own, under a name that is of this
/// run until the checkpoint is complete; or, where one cannot, the chief writes one file of the pieces that they send.
class RemoteShards : public ShardWriter {
public:
  /// `artifact` and `servers` outlive this; `run` as in the plan that the servers were loaded with. A call takes
  /// `timeout`, a write as much more as its bytes need at 1 MiB/s.
  RemoteShards(const Artifact &artifact, const ServerLinks &servers, uint64_t run, std::chrono::milliseconds timeout)
      : artifact_(artifact), servers_(servers), run_(run), timeout_(timeout) {}

  /// Whether all servers see and can write to `modelDir`, an absolute path: an empty text, or the first that does not
  /// and why; then the chief writes. A file that this makes there tells it from others of that name. Errors as
  /// writeError, and those of calls.
  absl::StatusOr<std::string> probe(const std::string &modelDir);

  /// The servers are at `step` or come to it, and stay there until this returns. Nothing is to be done where all of the
  /// state after it was copied before. Errors name the server, and say of the run that it is over.
  absl::Status snapshot(int64_t step, const std::vector<bool> &wanted) override;
  /// The same of all of the state where servers may not stay at `step`: as it is after that step or a later one, the
  /// same for all, which is returned.
  absl::StatusOr<int64_t> snapshotFrom(int64_t step);
  /// From here on the chief writes.
  void writesHere() { isHere_ = true; }
  absl::StatusOr<std::vector<ShardFile>> write(const std::string &directory,
                                               const std::vector<int32_t> &tensors) override;
  /// Servers have the memory for other things.
  void forget(int64_t step) override;
  void describe(CheckpointManifest &manifest) const override;
  /// What servers copied.
  CopiedState copied() const { return {artifact_, servers_, run_, timeout_}; }
  /// The step that all of the state was copied after; -1: the last copy was of a part.
  int64_t copiedStep() const { return copied_; }

private:
  absl::Status ask(const cluster::SnapshotRequest &request,
                   std::vector<ServerAnswer<cluster::StateReply>> &answers) const;
  absl::StatusOr<std::vector<ShardFile>> writeHere(const std::string &directory,
                                                   const std::vector<int32_t> &tensors) const;
  size_t size() const { return servers_.links.size(); }

  const Artifact &artifact_;
  const ServerLinks &servers_;
  const uint64_t run_;
  const std::chrono::milliseconds timeout_;
  bool isHere_ = false;
  int64_t copied_ = -1;
  int64_t copyStep_ = -1; ///< of the copy that servers have, all or a part; -1: they have none
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_REMOTESHARDS_H
