// Steps whose updates run on a server. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_REMOTESTEPPER_H
#define MLCRT_CLUSTER_REMOTESTEPPER_H

#include "runtime/src/cluster/Coordinator.h"
#include "runtime/src/cluster/OverlapChoice.h"
#include "runtime/src/cluster/StepExchange.h"
#include "runtime/src/cluster/TicketSet.h"
#include "runtime/src/core/ReplicatedShards.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace mlcrt {

/// Steps of a task that has servers. The program's state holds what gradients are computed from as of the last step;
/// optimizer slots and what nothing reads are the servers' (`fetch`). After a step its outputs are here, and the rows
/// of the next one; other variables may be on their way until `settle`, or until a call that takes them.
class RemoteStepper : public Stepper {
public:
  ~RemoteStepper() override;
  /// The chief: gives the servers the state, with which the run begins; `isPrepared`: they have it (ServerRows).
  absl::Status load(const cluster::RunPlan &plan, bool isPrepared = false);
  /// Takes the variables that gradients need but for those that they read by rows alone: of `step`, for which it waits,
  /// or, asynchronous, as they are.
  virtual absl::Status pull(int64_t step);
  /// Takes the rows that a batch needs, if the reply to the last step did not bring them.
  absl::Status prepare(TrainSlots &slots, const CallContext &context) override;
  /// Takes rows of variables of `pulls`, by the features of its entry; those that prepare took stay.
  absl::Status pullRows(RowPulls &pulls, const FeatureSlot &slot, int64_t step);
  void expect(TrainSlots *next) override { next_ = pullsRows_ ? next : nullptr; }
  /// Takes all variables. The chief of a synchronous run calls it before its own push for `step`; of an asynchronous
  /// run it takes them as they are after one update, whatever `step` is.
  virtual absl::Status fetch(int64_t step);
  /// Waits until all variables of the last step are here.
  absl::Status settle();
  /// The chief: ends the run for all tasks, whose exit status is `exit`. Returns what server 0 counted.
  absl::StatusOr<cluster::EndReply> end(const std::string &reason, int exit = 0);
  /// The step that the variables here are of.
  int64_t version() const { return version_; }

  Program *programOf(int64_t shard) const override { return replicas_ ? replicas_->programOf(shard) : nullptr; }
  const EntryOutputs &results() const override { return results_; }
  absl::StatusOr<const EntryOutputs *> own() override { return shardStep_->own(); }
  /// Sees to it that the state here has a variable of the last step, all of it; asynchronous, one that gradients do not
  /// read whole may be of a later update. Before the next push. kUnavailable: the run has ended.
  absl::Status bring(int32_t variable);
  bool isOver() const override { return !ended_.empty(); }
  /// Why the run has ended, and the exit status that goes with it, as a server says; empty while it goes on.
  const std::string &ended() const { return ended_; }
  int endedExit() const { return endedExit_; }
  /// Bytes pushed and pulled so far.
  int64_t pushedBytes() const { return pushedBytes_; }
  int64_t pulledBytes() const { return pulledBytes_; }

protected:
  template <typename Response> using Answer = ServerAnswer<Response>;

  /// `pullsRows`: as ServerOptions.
  RemoteStepper(Program &program, const ServerLinks &servers, std::chrono::milliseconds timeout, bool pullsRows,
                const OverlapOptions &overlap);
  /// Errors as ShardStep::create, and as SumRanges::create.
  absl::Status open(ThreadPool &pool, int64_t virtualShards);
  /// After open: the gradients of these shards are computed on the devices of `others`, too. Errors as
  /// ReplicatedShards::create.
  absl::Status replicate(OtherDevices others, int64_t virtualShards, ShardRange shards);
  /// Calls the servers at once, those alone whose answer there is not, and waits for all answers; the first error.
  template <typename Request, typename Response>
  absl::Status callAll(const char *method, const Request &request, const std::vector<OutgoingMessage> &payloads,
                       std::vector<Answer<Response>> &answers);
  /// The same for calls that are answered with tensors: takes them, unless the run has ended.
  absl::Status callForState(const char *method, int64_t step, const std::vector<OutgoingMessage> &payloads,
                            const StateCalls::Wanted &wanted);
  /// Waits for outputs and rows of answers, unless the run has ended.
  absl::Status takeFront(StateCalls &calls);
  /// Finds the rows that a batch needs; null: none are asked for.
  void want(const TrainSlots *slots);
  /// Asks for the rows of wanted_ alone.
  absl::Status pullWanted(int64_t step);
  /// Gives ids of `slots`, for which `want` found the rows, their places among them.
  void numberRows(TrainSlots &slots);
  /// Lets the gradients of `slots`, whose rows have come, read these.
  absl::Status takeRows(TrainSlots &slots);
  /// Puts rows that came into whole variables: of all tables, or of those whose rows are not numbered.
  absl::Status writeRows(bool all);
  /// Begins a step and its exchange.
  absl::Status beginStep(const BatchView &batch, TrainSlots &slots, const CallContext &context);
  /// Computes the sums of nodes that have rows, and pushes them with `request`.
  template <typename Request>
  absl::Status pushSums(const char *method, const Request &request, const std::vector<SumNode> &nodes);
  /// After a push: takes outputs and rows; variables stay on their way.
  absl::Status takeStep();
  /// Computes and pushes as `push` does, and takes the step, whatever connections break meanwhile: pushes again where
  /// nobody knows whether a push arrived, and takes variables again that did not come. Ends all calls where it fails.
  absl::Status runStep(const std::function<absl::Status()> &push);
  CallRetry retry() const;
  /// Nobody waits for servers any more: one of them does not answer.
  absl::Status giveUp(absl::Status status);
  absl::Status take(const char *method, int64_t step, VariableWire ServerTensors::*variables);
  /// Variables of all answers, which are not of a run that has ended; not in their place.
  absl::Status takeAnswers(std::vector<Answer<cluster::StateReply>> &answers, VariableWire ServerTensors::*variables);
  /// Whether servers answer with copies, which take memory there until they were read.
  virtual bool areAnswersCopies() const { return true; }
  /// Waits until each server has room for an exchange of so many bytes, unless the run ends.
  absl::Status awaitCredit(const std::vector<int64_t> &bytes);
  /// What a reply of server 0 says beside its tensors.
  virtual void noted(const cluster::StateReply &) {}

  Program &program_;
  const ServerLinks &links_;
  const std::chrono::milliseconds timeout_;
  const bool pullsRows_;
  const OverlapOptions overlap_;
  OverlapChoice choice_;
  std::unique_ptr<ShardStep> shardStep_;
  OtherDevices others_;                        ///< further ones
  std::unique_ptr<ReplicatedShards> replicas_; ///< null: there is one device
  std::vector<int32_t> wholes_;                ///< variables that gradients on all devices read, but numbered rows
  std::deque<ServerTensors> servers_;
  RowPulls pulls_;
  ThreadPool *pool_ = nullptr;
  TableIds wanted_;                          ///< rows asked for
  std::vector<AlignedBytes> pulled_, inUse_; ///< rows by table: those that come, those that gradients read
  TrainSlots *next_ = nullptr;               ///< of the step after the next one, if it is known
  const TrainSlots *numbered_ = nullptr;     ///< whose ids are places in pulled_
  const TrainSlots *rowsHere_ = nullptr;     ///< whose rows are here
  std::vector<bool> isReadWhole_;            ///< by gradients: variables that each step brings
  int64_t brought_ = -1;                     ///< the version of which all variables are here
  int64_t written_ = 0;                      ///< bytes written to whole variables since their memory was given back
  EntryOutputs results_;
  std::vector<int64_t> stepBytes_; ///< of the exchange with each server, of the step that runs
  /// Of the step that runs, and of the one before whose variables may be on their way; none: all are here.
  std::unique_ptr<StepExchange> exchange_, incoming_;
  std::string ended_;
  int endedExit_ = 0;
  int64_t pushedBytes_ = 0, pulledBytes_ = 0;
  int64_t version_ = 0;
};

/// Synchronous: computes the gradients of this task's virtual shards, pushes them, takes the new variables.
class SyncStepper : public RemoteStepper {
public:
  /// All references outlive this. `others`: as of RemoteStepper::replicate; none: there is one device. Errors as
  /// ShardStep::create, and as ReplicatedShards::create.
  static absl::StatusOr<std::unique_ptr<SyncStepper>>
  create(Program &program, ThreadPool &pool, const ServerLinks &servers, int64_t virtualShards, ShardRange shards,
         std::chrono::milliseconds timeout, const OverlapOptions &overlap = {}, OtherDevices others = {});
  absl::Status run(const BatchView &batch, TrainSlots &slots, const CallContext &context) override;
  absl::Status observe() override { return shardStep_->observe(shards_.first, shards_.last); }

protected:
  SyncStepper(Program &program, const ServerLinks &servers, ShardRange shards, std::chrono::milliseconds timeout,
              bool pullsRows, const OverlapOptions &overlap)
      : RemoteStepper(program, servers, timeout, pullsRows, overlap), shards_(shards) {}
  absl::Status computeAndPush(const BatchView &batch, TrainSlots &slots, const CallContext &context);
  /// A push of the nodes of virtual shards of the step that has begun; those that have rows.
  cluster::StepRequest requestOf(ShardRange shards, const CallContext &context) const;
  bool areAnswersCopies() const override { return false; }

  const ShardRange shards_;
};

/// Asynchronous: computes the gradient of its own batch, pushes it, takes the variables as they are then. The step of a
/// call is its ticket.
class AsyncStepper : public RemoteStepper {
public:
  /// All references outlive this. Errors as ShardStep::create.
  static absl::StatusOr<std::unique_ptr<AsyncStepper>> create(Program &program, ThreadPool &pool,
                                                              const ServerLinks &servers,
                                                              std::chrono::milliseconds timeout,
                                                              const OverlapOptions &overlap = {});
  absl::Status run(const BatchView &batch, TrainSlots &slots, const CallContext &context) override;
  int64_t stepsDone() const override { return version_; }
  absl::Status observe() override { return shardStep_->observe(0, 1); }
  absl::Status fetch(int64_t step) override;
  /// All servers stay as they are after the update that `work` is told of until it returns: server 0 makes none
  /// meanwhile. Without a call of `work` if the run has ended.
  absl::Status hold(const std::function<absl::Status(const cluster::StateReply &held)> &work);
  /// The tickets whose updates the variables here have.
  const TicketSet &applied() const { return applied_; }
  /// Those that server 0 has applied now; tells all servers that the caller lives. From any thread.
  absl::StatusOr<TicketSet> progress();

private:
  AsyncStepper(Program &program, const ServerLinks &servers, std::chrono::milliseconds timeout,
               const OverlapOptions &overlap)
      : RemoteStepper(program, servers, timeout, /*pullsRows=*/true, overlap) {}
  absl::Status computeAndPush(const BatchView &batch, TrainSlots &slots, const CallContext &context);
  void noted(const cluster::StateReply &response) override { applied_ = TicketSet::of(response.applied()); }

  TicketSet applied_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_REMOTESTEPPER_H
