// Channels between parts of entries in several tasks. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_CHANNELEXCHANGE_H
#define MLCRT_CLUSTER_CHANNELEXCHANGE_H

#include "runtime/proto/cluster.pb.h"
#include "runtime/src/cluster/Handshake.h"
#include "runtime/src/cluster/PeerLink.h"
#include "runtime/src/cluster/PeerTable.h"
#include "runtime/src/core/EntryRunner.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace mlcrt {

/// Carries what parts of entries say to each other (mlcrt_channel) from task to task. The two ends of a channel are the
/// queue of its name in each of the two tasks: a thread takes what is put in here and sends it, one that listens puts
/// what comes into the queue there. The next message of a channel is sent when the last one has found room, so a task
/// holds no more than the room of its queues and one message for each channel.
///
/// The run ends well when the parts of all tasks are done; when one fails, all do, naming it.
class ChannelExchange : public Service {
public:
  struct Options {
    std::vector<std::string> tasks; ///< the task of each device of the artifact ("ps 0")
    std::string self;               ///< this one's
    /// Whose parts run: indices of the first parts, and the values of dimension symbols in this task's run of them.
    std::map<int32_t, Symbols> entries;
    PeerTable *peers = nullptr; ///< who lives; null: nobody dies
    std::function<bool()> isInterrupted = [] { return false; };
  };

  /// References outlive this.
  ChannelExchange(Program &program, Sessions &sessions, Options options);
  ~ChannelExchange() override;

  /// The other tasks that have parts of the entries.
  std::vector<std::string> peers() const;
  /// Begins to send. `links`: one for each of peers(); they outlive this.
  void start(std::map<std::string, PeerLink *> links);
  /// This task's parts came to `own`. Waits until all its messages are taken and all peers are done; the first error of
  /// any task, kCancelled after an interruption.
  absl::Status finish(absl::Status own);
  /// Ends the run: what waits for a queue here is cancelled. The first failure counts. `task`: where it failed.
  void fail(const absl::Status &status) { fail(status, options_.self); }

  void handle(std::string_view method, IncomingMessage request, Reply reply) override;
  /// Refuses payloads of tasks that did not say hello, and those of more than 2 GiB.
  absl::StatusOr<Placement> place(std::string_view method, const std::string &control, int64_t payloadSize) override;

private:
  /// A channel whose messages come from another task.
  struct Inlet {
    Queue *queue;
    std::string from;
    std::thread thread;
    bool isFull = false; ///< `next` waits for room in the queue
    Queue::Element next;
    Reply reply;
  };
  /// One whose messages go to another task.
  struct Outlet {
    int32_t channel;
    Queue *queue;
    std::string to;
    std::thread thread;
  };
  void fail(const absl::Status &status, const std::string &task);
  void take(IncomingMessage &request, Reply reply);
  void serve(Inlet &inlet);
  void send(Outlet &outlet);
  void watch();
  void tellPeers();
  absl::Status failure() const;
  absl::StatusOr<Queue::Element> read(const mlcrt_channel &channel, const cluster::ChannelRequest &control,
                                      IncomingMessage &message) const;

  Program &program_;
  Sessions &sessions_;
  const Options options_;
  std::map<int32_t, Inlet> inlets_; ///< by channel
  std::vector<Outlet> outlets_;
  std::map<std::string, PeerLink *> links_;
  std::thread watcher_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> done_; ///< peers that are
  absl::Status failure_;
  std::string failedAt_;      ///< the task
  bool isCancelling_ = false; ///< calls are being ended
  bool isStopped_ = false;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_CHANNELEXCHANGE_H
