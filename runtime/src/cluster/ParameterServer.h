// A server: holds rows of the state of a run. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_PARAMETERSERVER_H
#define MLCRT_CLUSTER_PARAMETERSERVER_H

#include "runtime/src/cluster/Credits.h"
#include "runtime/src/cluster/Handshake.h"
#include "runtime/src/cluster/PeerLink.h"
#include "runtime/src/cluster/PeerTable.h"
#include "runtime/src/cluster/RowWire.h"
#include "runtime/src/cluster/ServerShards.h"
#include "runtime/src/cluster/TensorWire.h"
#include "runtime/src/core/RangeUpdate.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
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
  /// Messages that came and are still needed, and answers on their way, may take this much memory; so may the sums of a
  /// step.
  int64_t messageBytes = int64_t(1) << 33;
  /// Whether tables of which gradients read rows alone are taken by rows.
  bool pullsRows = true;
  /// The training tasks, for messages: "chief 0", "worker 0", ...
  std::vector<std::string> trainers;
  /// The servers, "ps 0", ...; this one's place among them is its number.
  std::vector<std::string> servers;
  int number = 0;
  /// Which of them live, if they say so: one that lives is waited for, however long, and one that is dead is not.
  PeerTable *peers = nullptr;
};

/// What servers of all modes do: their rows of the state are made or read (prepare) or come (fill, load), go (pull,
/// fetch), and the run ends (end, leave). After `load` the state changes, and messages that hold it are made, on the
/// thread of `serve` alone.
///
///   Waiting --prepare, fill--> Waiting --load--> the state is after s updates --...--> Ended
///
/// Servers make an update together (RangeUpdate): the others bring server 0 what it needs of their rows and take what
/// all rows share (exchange).
///
/// Methods: hello, credit, prepare, fill, load, pull, fetch, progress, end, leave, of server 0 exchange; of checkpoints
/// probe, snapshot, write, copied, forget; and those of the mode (cluster.proto).
class ParameterServer : public Service {
public:
  ~ParameterServer() override;

  void handle(std::string_view method, IncomingMessage request, Reply reply) override;
  /// The state that the chief loads goes to its place; what else training tasks send is charged to them.
  absl::StatusOr<Placement> place(std::string_view method, const std::string &control, int64_t size) override;

  /// Server 0 as another server reaches it; before `serve`.
  void follow(std::unique_ptr<PeerLink> first) { first_ = std::move(first); }
  /// Runs updates on the caller's thread until the chief ends the run; the reason it gave. kDeadlineExceeded if a task
  /// that others wait for does not come, or the error of an update: those who wait get it, too. `isInterrupted` is
  /// asked now and then; true ends with kCancelled.
  absl::StatusOr<std::string> serve(const std::function<bool()> &isInterrupted);
  /// Ends `serve` with this error, unless the run has ended.
  void fail(const absl::Status &why);
  /// A training task that left, or was lost, has come again as another process.
  void returned(const std::string &task);
  const Credits &credits() const { return credits_; }
  /// Whether the chief has loaded the state, and whether it has ended the run.
  bool hasBegun();
  bool hasEnded();
  /// After the end of the run: the exit status that goes with it.
  int endExit();

protected:
  using Clock = std::chrono::steady_clock;
  static constexpr const char *kSnapshot = "snapshot";
  struct Waiter {
    std::string method, task;
    int64_t step;
    Clock::time_point since;
    Reply reply;
    TableIds rows = {}; ///< that it asks for
    std::shared_ptr<Credits::Hold> hold = nullptr;
    int64_t question = 0; ///< of those of the step
  };

  /// All references outlive the server; the program's state holds plan.held(options.number).
  ParameterServer(Program &program, const ShardPlan &plan, const SumRanges &ranges, Sessions &sessions,
                  ServerOptions options, ThreadPool &pool);

  /// The method that brings sums; `task` is let in.
  virtual const char *pushMethod() const = 0;
  /// Of the control part of a push: the symbols of its sums, and how many sets it has at most; none if it is no push.
  virtual std::optional<std::pair<Symbols, int64_t>> sumsOf(const std::string &control) const = 0;
  virtual void push(IncomingMessage request, const std::string &task, Reply reply) = 0;
  /// Whether tasks may wait for others' messages to go: no update waits for those of all.
  virtual bool canWaitForCredit() const { return false; }
  /// Further methods of a mode: those that a training task waits with as with a pull, and those of other servers.
  virtual bool isWait(std::string_view) const { return false; }
  virtual bool isOfServers(std::string_view) const { return false; }
  virtual void handleServer(IncomingMessage, const std::string &, Reply) {}
  // The rest under the lock.
  /// The state is there.
  virtual void loaded() = 0;
  /// Refuses a pull or fetch.
  virtual absl::Status checkPull(const std::string &method, const cluster::PullRequest &request) const = 0;
  /// Whether a waiter of a run that goes on gets its answer now, and its tensors.
  virtual bool isDue(const Waiter &waiter) const = 0;
  /// Whether the answer is needed, and known, while an update is made; it holds no state.
  virtual bool isDueInUpdate(const Waiter &) const { return false; }
  /// Whether a task asks so one question at a time. Of two the earlier one came over a connection that broke, and must
  /// take no answer from the other.
  virtual bool isAskedSingly(const std::string &) const { return false; }
  /// Notes what such a question tells of answers before it; under the lock.
  virtual void noteQuestion(const std::string &, const cluster::PullRequest &) {}
  /// Outputs of a step first, then `rows`, then variables: in the order that a task needs them.
  virtual void addState(const std::string &method, const TableIds &rows, cluster::StateReply &control,
                        OutgoingMessage &message) = 0;
  virtual void addReport(cluster::EndReply &) const {}
  virtual void release() {}
  /// A training task does no more.
  virtual void left(const std::string &) {}
  /// Makes the next update, if it can: whether it did. May let go of the lock.
  virtual absl::StatusOr<bool> advance(std::unique_lock<std::mutex> &lock) = 0;
  /// Adds who waits elsewhere for a reply: the run has ended.
  virtual void giveUp(std::vector<Waiter> &) {}
  /// When `advance` or `isDue` may say something else though nobody called.
  virtual Clock::time_point wakeAt() const { return Clock::time_point::max(); }
  /// An error if the run stands still for too long.
  virtual absl::Status checkStall() const = 0;

  bool isFirst() const { return options_.number == 0; }
  /// Sums of a batch with these symbols, `sets` of them: kInvalidArgument, or kResourceExhausted.
  absl::Status checkSums(const Symbols &symbols, int64_t sets) const;
  /// Sums of a push, from what is left of its payload; those at its front may be in their place already.
  absl::Status receiveSums(IncomingMessage &request, const Symbols &symbols, std::unique_ptr<SumSet> &sums);
  /// Under the lock: their memory serves for another push.
  void keepSpare(std::unique_ptr<SumSet> sums);
  OutgoingMessage stateMessage(const std::string &method, const TableIds &rows);
  /// The same, copies in it charged to the task: to what its request is charged to, if there is that.
  absl::StatusOr<OutgoingMessage> answerTo(const std::string &method, const std::string &task, const TableIds &rows,
                                           std::shared_ptr<Credits::Hold> hold);
  /// What a request is charged to.
  static std::shared_ptr<Credits::Hold> takeHold(IncomingMessage &request) {
    return std::static_pointer_cast<Credits::Hold>(request.takeCharge());
  }
  /// Takes its own lock; answers at once if the run has ended.
  void addWaiter(Waiter waiter);

  // On the thread of `serve`, without the lock.
  /// Makes an update with the other servers, from a phase on; `key` names it to all of them. kAborted if the run ended
  /// meanwhile.
  absl::Status update(int64_t key, const RangeUpdate::Call &call, int phase = 0);
  /// What another server gives to a phase.
  static cluster::ExchangeRequest exchangeRequest(int64_t key, int phase, const RangeUpdate::Part &part);
  /// Takes what server 0 answered.
  absl::Status takeValues(int phase, const cluster::ExchangeReply &control, IncomingMessage &reply);
  /// Server 0, under the lock: whether all others have come to the first phase of an update.
  bool areAllAt(int64_t key, int phase) const;
  /// A destructor's first: no answer of server 0 comes any more.
  void unfollow() { first_.reset(); }

  Program &program_;
  const ShardPlan &plan_;
  const ServerOptions options_;
  ThreadPool &pool_;
  const SumRanges ranges_;
  SumWire sumWire_;
  RowWire rowWire_;
  VariableWire all_, read_;
  RangeUpdate update_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<cluster::RunPlan> run_;
  int64_t step_ = 0;
  std::optional<std::string> end_;
  int exit_ = 0;              ///< that goes with end_
  absl::Status failed_;       ///< from outside (`fail`)
  absl::Status serveFailure_; ///< of `serve`, as those are told who call
  std::vector<Waiter> waiters_;
  std::unique_ptr<PeerLink> first_; ///< null: this is server 0

private:
  /// Another server at a phase of an update.
  struct Guest {
    RangeUpdate::Part part;
    Reply reply;
  };
  using Place = std::pair<int64_t, int>; ///< key and phase

  /// Sums at the front of a push, which are received in their place.
  struct PlacedSums {
    std::unique_ptr<SumSet> sums;
    int32_t next = 0; ///< the first one that is not
  };

  absl::StatusOr<Placement> placeState(int64_t size);
  void placeSums(const std::string &control, Placement &placement);
  std::unique_ptr<SumSet> takeSpare();
  void load(IncomingMessage request, const Reply &reply);
  // Of the begin of a run (ParameterServerBegin.cpp).
  void prepare(const IncomingMessage &request, Reply reply);
  void fill(IncomingMessage &request, const Reply &reply);
  /// On the thread of `serve`, which lets go of the lock meanwhile.
  void prepareRows(std::unique_lock<std::mutex> &lock);
  absl::StatusOr<std::string> makeRows(const cluster::PrepareRequest &request);
  void credit(const IncomingMessage &request, const Sessions::Task &task, Reply reply);
  void grantCredits(std::unique_lock<std::mutex> &lock);
  void pull(const std::string &method, IncomingMessage &request, const Sessions::Task &task, Reply reply);
  void end(const IncomingMessage &request, const Sessions::Task &task, const Reply &reply);
  void leave(const Sessions::Task &task, const Reply &reply);
  void unhold(const Reply &reply);
  void exchange(IncomingMessage request, const Sessions::Task &task, Reply reply);
  // Of checkpoints (ParameterServerShards.cpp).
  static bool isOfShards(std::string_view method);
  void handleShards(std::string_view method, const IncomingMessage &request, const Sessions::Task &task, Reply reply);
  absl::Status checkRun(uint64_t run);
  void snapshot(const IncomingMessage &request, const Sessions::Task &task, Reply reply);
  absl::Status lead(int64_t key, int phase, const RangeUpdate::Part &part, const RangeUpdate::Call &call);
  absl::Status ask(int64_t key, int phase, const RangeUpdate::Part &part);
  /// Waits for the others at a phase.
  absl::Status gather(Place place, std::map<int, Guest> &guests);
  /// What all rows share of a phase of an update.
  struct Shared {
    int64_t number; ///< of the update
    RangeUpdate::Values values;
  };
  static OutgoingMessage valuesMessage(const Shared &shared);
  /// Takes the waiters that `isDue` picks; they are answered without the lock.
  template <typename IsDue> std::vector<Waiter> takeWaiters(IsDue isDue);
  void answerDue(std::unique_lock<std::mutex> &lock);
  absl::Status failure();
  absl::Status failureToOthers(const absl::Status &failure) const;
  void giveUpGuests(std::vector<Reply> &replies);
  void endGuests(std::unique_lock<std::mutex> &lock);
  absl::Status checkBegin(Clock::time_point since) const;
  absl::Status checkAlone();

  Sessions &sessions_;
  std::function<bool()> isInterrupted_ = [] { return false; };
  /// Trainers that know of the end, or left.
  std::set<std::string> told_;
  std::optional<Clock::time_point> aloneSince_; ///< no training task lives
  bool isLoading_ = false;                      ///< the state's memory is that of a message on its way
  /// Rows that are to be made, and who waits for them.
  std::optional<std::pair<cluster::PrepareRequest, Reply>> preparing_;
  std::map<Place, std::map<int, Guest>> guests_;
  /// What was shared of the phases of the last updates, for those who come late or ask again; and these in order.
  std::map<int64_t, std::map<int, std::shared_ptr<const Shared>>> answers_;
  std::deque<int64_t> answered_;
  ServerShards shards_;
  Credits credits_;
  std::vector<std::unique_ptr<SumSet>> spare_; ///< of pushes that are over
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_PARAMETERSERVER_H
