// A server: holds the state, adds up the sums of a step, updates. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_PARAMETERSERVER_H
#define MLCRT_CLUSTER_PARAMETERSERVER_H

#include "runtime/src/cluster/Handshake.h"
#include "runtime/src/cluster/TensorWire.h"
#include "runtime/src/core/SumTree.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace mlcrt {

/// How long and how much.
struct ServerOptions {
  /// A call that waits longer than this for other tasks fails, and names them.
  std::chrono::milliseconds stallTimeout{60000};
  /// The same before the run begins.
  std::chrono::milliseconds startTimeout{300000};
  /// The sums of a step may take this much memory.
  int64_t maxStepBytes = int64_t(1) << 33;
  /// The training tasks, for messages: "chief 0", "worker 0", ...
  std::vector<std::string> trainers;
};

/// Synchronous training. The server is at a step s: its state is that behind s updates. Each training task pushes the
/// sums of its virtual shards for s; when all are there they are added in the fixed tree, the compiled update runs, and
/// every push is answered with the new variables. A task that has its answer has no call left that waits, so the state
/// does not change under a message on its way.
///
///   Waiting --load--> AtStep(s) --all shards of s--> AtStep(s + 1) ... --end--> Ended
///
/// Methods: hello, load, pull, fetch, step, end (cluster.proto).
class ParameterServer : public Service {
public:
  /// All references outlive the server.
  ParameterServer(Program &program, ThreadPool &pool, Sessions &sessions, ServerOptions options);
  ~ParameterServer() override;

  void handle(std::string_view method, IncomingMessage request, Reply reply) override;

  /// Runs updates on the caller's thread until the chief ends the run; the reason it gave. kDeadlineExceeded if a task
  /// that others wait for does not come, or the error of an update: those who wait get it, too. `isInterrupted` is
  /// asked now and then; true ends with kCancelled.
  absl::StatusOr<std::string> serve(const std::function<bool()> &isInterrupted);

private:
  using Clock = std::chrono::steady_clock;
  struct Waiter {
    std::string method, task;
    int64_t step;
    Clock::time_point since;
    Reply reply;
  };

  void hello(IncomingMessage request, const Reply &reply);
  void load(IncomingMessage request, const Reply &reply);
  void pull(const std::string &method, const IncomingMessage &request, Reply reply);
  void step(IncomingMessage request, Reply reply);
  void end(const IncomingMessage &request, const Reply &reply);
  /// Checks a push against the state and marks its shards. Under the lock.
  absl::Status claim(const cluster::StepRequest &control);
  absl::Status receive(const cluster::StepRequest &control, IncomingMessage &request,
                       std::vector<std::unique_ptr<SumSet>> &sums);
  absl::Status update();
  /// What a waiter gets once the state is at its step.
  OutgoingMessage stateMessage(const std::string &method);
  /// Takes the waiters that `isDue` picks; they are answered without the lock.
  template <typename IsDue> std::vector<Waiter> takeWaiters(IsDue isDue);
  void answerDue();
  /// The tasks that a waiter of this step waits for.
  std::string missing() const;

  Program &program_;
  Sessions &sessions_;
  const ServerOptions options_;
  ThreadPool &pool_;
  SumWire sumWire_;
  VariableWire all_, read_;
  EntryRunner apply_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<SumTree> tree_;
  std::optional<cluster::RunPlan> plan_;
  int64_t step_ = 0;
  std::optional<std::string> end_;
  std::vector<Waiter> waiters_;
  /// Of the step: by shard, and the tasks whose sums are all here.
  std::vector<bool> claimed_;
  std::set<std::string> contributed_;
  int64_t numShardsHere_ = 0;
  Symbols symbols_;
  std::vector<std::pair<SumNode, std::unique_ptr<SumSet>>> received_;
  /// Trainers that know of the end.
  std::set<std::string> told_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_PARAMETERSERVER_H
