// A server's part of checkpoints: it copies its rows and writes the copy. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_SERVERSHARDS_H
#define MLCRT_CLUSTER_SERVERSHARDS_H

#include "runtime/proto/cluster.pb.h"
#include "runtime/src/cluster/Transport.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/core/ShardPlan.h"

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mlcrt {

/// One copy and one write at a time; training goes on while a thread of its own writes:
///
///   Idle --ask--> Asked --copy--> Idle --write--> Writing --the file is durable, or an error--> Idle
///
/// The copy stays until the next one or `forget`, so several files can be written from it, here or, by `copied`, by the
/// chief.
class ServerShards {
public:
  /// All references outlive this; the program's state holds plan.held(number).
  ServerShards(Program &program, const ShardPlan &plan, int number, ThreadPool &pool)
      : program_(program), plan_(plan), number_(number), pool_(pool) {}
  /// Waits for the write.
  ~ServerShards() { finish(); }

  /// Looks for the file; its directory is that of checkpoints then.
  cluster::ProbeReply probe(const cluster::ProbeRequest &request);
  /// A copy of these variables is to be made; kInvalidArgument, or kAborted where one is, or a write.
  absl::Status ask(const cluster::SnapshotRequest &request);
  /// Makes it, of this step. By the thread that makes updates.
  void copy(int64_t step);
  /// Bytes of the copy; kInvalidArgument, or kAborted where there is none.
  absl::StatusOr<OutgoingMessage> copied(const cluster::CopiedRequest &request);
  /// Answers when the file is durable, or at once why it will not be.
  void write(const cluster::WriteRequest &request, Reply reply);
  /// Gives back the memory of the copy, if it is one of that step and not in use.
  void forget(int64_t step);
  /// Waits for the write that is on its way; there will be no other.
  void finish();

private:
  enum class Phase { Idle, Asked, Writing };

  absl::Status beginWrite(const cluster::WriteRequest &request, std::vector<int32_t> &tensors, std::string &path);
  absl::StatusOr<OutgoingMessage> writeFile(const std::string &path, const std::vector<int32_t> &tensors) const;

  Program &program_;
  const ShardPlan &plan_;
  const int number_;
  ThreadPool &pool_;
  std::mutex mutex_;
  Phase phase_ = Phase::Idle;
  bool isOver_ = false;  ///< nothing is written any more
  std::string modelDir_; ///< empty: this server does not see it
  std::vector<bool> wanted_, copied_;
  std::vector<Tensor> copy_;
  int64_t copyStep_ = -1;  ///< that it is of; while it is to be made, that it was asked for with
  std::mutex writerMutex_; ///< of the thread as such; taken before the other
  std::thread writer_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_SERVERSHARDS_H
