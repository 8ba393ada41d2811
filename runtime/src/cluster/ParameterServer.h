// A server: holds the state of a run. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_PARAMETERSERVER_H
#define MLCRT_CLUSTER_PARAMETERSERVER_H

#include "runtime/src/cluster/Handshake.h"
#include "runtime/src/cluster/TensorWire.h"

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

/// What servers of all modes do: the state comes (load), goes (pull, fetch) and the run ends (end, leave). The state
/// changes, and messages that hold it are made, on the thread of `serve` alone.
///
///   Waiting --load--> the state is behind s updates --...--> Ended
///
/// Methods: hello, load, pull, fetch, progress, end, leave, and those of the mode (cluster.proto).
class ParameterServer : public Service {
public:
  ~ParameterServer() override;

  void handle(std::string_view method, IncomingMessage request, Reply reply) override;

  /// Runs updates on the caller's thread until the chief ends the run; the reason it gave. kDeadlineExceeded if a task
  /// that others wait for does not come, or the error of an update: those who wait get it, too. `isInterrupted` is
  /// asked now and then; true ends with kCancelled.
  absl::StatusOr<std::string> serve(const std::function<bool()> &isInterrupted);

protected:
  using Clock = std::chrono::steady_clock;
  struct Waiter {
    std::string method, task;
    int64_t step;
    Clock::time_point since;
    Reply reply;
  };

  /// All references outlive the server.
  ParameterServer(Program &program, Sessions &sessions, ServerOptions options, ThreadPool &pool);

  /// The method that brings sums; `task` is let in.
  virtual const char *pushMethod() const = 0;
  virtual void push(IncomingMessage request, const std::string &task, Reply reply) = 0;
  // The rest under the lock.
  /// The state is there.
  virtual void loaded() = 0;
  /// Refuses a pull or fetch.
  virtual absl::Status checkPull(const cluster::PullRequest &request) const = 0;
  /// Whether a waiter of a run that goes on gets its answer now, and its tensors.
  virtual bool isDue(const Waiter &waiter) const = 0;
  virtual void addState(const std::string &method, cluster::StateReply &control, OutgoingMessage &message) = 0;
  virtual void addReport(cluster::EndReply &) const {}
  /// Makes the next update, if it can: whether it did. May let go of the lock.
  virtual absl::StatusOr<bool> advance(std::unique_lock<std::mutex> &lock) = 0;
  /// Adds who waits elsewhere for a reply: the run has ended.
  virtual void giveUp(std::vector<Waiter> &) {}
  /// An error if the run stands still for too long.
  virtual absl::Status checkStall() const = 0;

  /// Sums of a batch with these symbols, `sets` of them: kInvalidArgument, or kResourceExhausted.
  absl::Status checkSums(const Symbols &symbols, int64_t sets) const;
  OutgoingMessage stateMessage(const std::string &method);
  /// Takes its own lock; answers at once if the run has ended.
  void addWaiter(Waiter waiter);

  Program &program_;
  const ServerOptions options_;
  ThreadPool &pool_;
  SumWire sumWire_;
  VariableWire all_, read_;
  EntryRunner apply_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<cluster::RunPlan> plan_;
  int64_t step_ = 0;
  std::optional<std::string> end_;
  std::vector<Waiter> waiters_;

private:
  void load(IncomingMessage request, const Reply &reply);
  void pull(const std::string &method, const IncomingMessage &request, const Sessions::Task &task, Reply reply);
  void end(const IncomingMessage &request, const Sessions::Task &task, const Reply &reply);
  void leave(const Sessions::Task &task, const Reply &reply);
  /// Takes the waiters that `isDue` picks; they are answered without the lock.
  template <typename IsDue> std::vector<Waiter> takeWaiters(IsDue isDue);
  void answerDue(std::unique_lock<std::mutex> &lock);

  Sessions &sessions_;
  /// Trainers that know of the end, or left.
  std::set<std::string> told_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_PARAMETERSERVER_H
