// This process as a task of a cluster. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_CLUSTER_H
#define MLCRT_TRAIN_CLUSTER_H

#include "common/cluster/TfConfig.h"
#include "runtime/src/cluster/BackupStepper.h"
#include "runtime/src/cluster/Coordinator.h"
#include "runtime/src/cluster/Heartbeats.h"
#include "runtime/src/cluster/RemoteShards.h"
#include "runtime/src/cluster/RemoteStepper.h"
#include "runtime/src/cluster/ServerRows.h"
#include "runtime/src/cluster/TicketSource.h"
#include "runtime/src/input/BatchReader.h"
#include "runtime/src/train/StepObserver.h"
#include "runtime/src/train/TrainRun.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace mlcrt {

/// What TF_CONFIG and the flags say.
struct ClusterSetup {
  mlc::common::TfConfig config;
  std::string modelDir; ///< --model_dir, or that of TF_CONFIG; may be empty
  std::chrono::milliseconds startTimeout{0}, stallTimeout{0}, heartbeat{0}, grace{0};
  int64_t messageBytes = 0; ///< --message_memory
  std::unique_ptr<Transport> transport;
  bool knowsPeers = false; ///< who calls has shown a token or a certificate

  /// Whether the training tasks and servers are several.
  bool isDistributed() const { return trainers().size() + servers().size() > 1; }
  /// Whether this process is the evaluator.
  bool isEvaluator() const { return config.self.role == "evaluator"; }
  /// Whether there is one: TF_CONFIG lists it, or --evaluator says so.
  bool hasEvaluator() const;
  bool isEvaluatorElsewhere = false; ///< --evaluator
  bool isSync = false;
  /// Calls that wait for other tasks: those end when the heartbeats find the peer dead, or it says who else is.
  std::chrono::milliseconds replyTimeout() const { return std::chrono::hours(7 * 24); }
  BackupOptions backup;   ///< --backup_workers, --backup_policy
  OverlapOptions overlap; ///< --overlap

  /// Training tasks: the chief first, then the workers by index.
  std::vector<mlc::common::ClusterTask> trainers() const;
  std::vector<mlc::common::ClusterTask> servers() const;
  int numServers() const { return static_cast<int>(servers().size()); }
};

/// The tasks that TF_CONFIG names and how long they wait for each other. kInvalidArgument (E0222).
absl::StatusOr<ClusterSetup> readTasks(const RunContext &context);

/// Makes the transport that the flags ask for. kInvalidArgument (E0206): one that cannot be.
absl::Status openTransport(const RunContext &context, ClusterSetup &setup);

/// kInvalidArgument: E0222 for TF_CONFIG, one that names another model_dir than the flag too, E0206 for flags that do
/// not fit it, E0225 as planShards.
absl::StatusOr<ClusterSetup> readCluster(const RunContext &context);

/// Which server holds which rows. kInvalidArgument (E0225): train.shards asks for what cannot be.
absl::StatusOr<std::unique_ptr<ShardPlan>> planShards(const RunContext &context, const ClusterSetup &setup);

/// How this task introduces itself.
cluster::HelloRequest helloOf(const RunContext &context, const ClusterSetup &setup);

/// How long a task that ends waits for others to hear of it.
inline constexpr std::chrono::seconds kFarewell{2};

/// Waits for all servers; `servers` has those that came. `self`: this task's hello. Errors as PeerLink::open.
absl::Status reachServers(const RunContext &context, const ClusterSetup &setup, const cluster::HelloRequest &self,
                          const Interrupt &isInterrupted, ServerLinks &servers);

/// Pings the servers from now on.
void watchServers(const ClusterSetup &setup, const ServerLinks &servers, Heartbeats &heartbeats);

/// Listens at this task's address. E0412 says why not.
absl::StatusOr<std::unique_ptr<Listener>> listenAs(const ClusterSetup &setup, Service &service);

/// Who lives; waits that take long are told by the reporter.
std::unique_ptr<PeerTable> makePeerTable(const RunContext &context, const ClusterSetup &setup);
/// Of an asynchronous run: workers that left or were lost may come again; `returned` is told of each that does.
void letWorkersReturn(Sessions &sessions, PeerTable &peers, std::function<void(const std::string &task)> returned);
/// A task's synchronous steps, with backup workers, or on several GPUs, if the flags say so. References outlive it.
/// Errors as ShardStep::create, and as otherDevices.
absl::StatusOr<std::unique_ptr<SyncStepper>> makeSyncStepper(const RunContext &context, Program &program,
                                                             ThreadPool &pool, const ServerLinks &servers,
                                                             const ClusterSetup &setup, int64_t virtualShards,
                                                             ShardRange shards);

/// A ticket's batch; its number is the ticket's step.
BatchRange batchOf(const cluster::Ticket &ticket);

/// A status of another task or of the transport as a message: E0410, E0411, or E0206 for messages without memory.
absl::Status clusterError(const absl::Status &status);

/// What a task exits with because another one ended the run with this status: the same, as what no restart mends there
/// no restart mends here; a bug of another task is a lost task.
int exitOfOthers(int exit);

/// The variables after the last step of `stepper`, whose program is `program`: those that a task does not need itself
/// are taken from the servers when they are read. Both outlive it.
std::unique_ptr<ObservedState> observeServers(RemoteStepper &stepper, Program &program);

/// The chief's part: it runs the loop of a single process, with the updates done by the servers.
class ChiefCluster {
public:
  /// Listens. `context` and `setup` outlive this.
  static absl::StatusOr<std::unique_ptr<ChiefCluster>> create(RunContext &context, const ClusterSetup &setup);
  /// Ends the run for all if nobody did.
  ~ChiefCluster();

  /// The virtual shards of the chief; kInvalidArgument if there are fewer than training tasks.
  absl::StatusOr<ShardRange> shards(int64_t virtualShards) const;
  /// Sees to it that each server has its rows of the state that the run begins with.
  using FillServers = std::function<absl::Status(ServerRows &rows)>;
  /// Gives the servers the state, by `fill` or, without, that of `program`, and the workers the plan; waits for the
  /// servers, not for the workers. Servers that all see `modelDir` write the checkpoints of the run. `newTicket`:
  /// asynchronous. kCancelled: a signal came before the servers did.
  absl::Status begin(Program &program, ThreadPool &pool, cluster::RunPlan plan, const std::string &modelDir,
                     TicketDesk::NewTicket newTicket, const FillServers &fill);
  Stepper *stepper() { return stepper_.get(); }
  /// observeServers of its steps.
  std::unique_ptr<ObservedState> observedState(Program &program) { return observeServers(*stepper_, program); }
  /// Whether an observer of another task asked for the end of the run, which is due after so many steps.
  bool isEndAsked(int64_t steps) const { return steps >= lastStep_.load(); }
  const PeerTable &peers() const { return *peers_; }
  /// What writes the checkpoints of the run.
  ShardWriter &shardWriter() { return *shards_; }
  /// Sees to it that the state after `step` can be saved. Where others may go on meanwhile, servers copy it as it is,
  /// unless they have the copy and it need not be `anew`; no write is on its way then. Returns the step that it is
  /// after.
  absl::StatusOr<int64_t> hold(int64_t step, bool anew);
  /// After hold(step), before the next step: gives `program` what entries which evaluate or predict read of the state;
  /// tables of which they read rows alone stay on the servers, and are read from there as long as no other step is held
  /// or saved.
  absl::StatusOr<std::unique_ptr<TableSource>> openHeld(int64_t step, Program &program);
  /// Takes what the entry of role summary reads of the state on a batch; `slot` is of its features segments.
  absl::Status fetchForSummary(const FeatureSlot &slot, int64_t step);
  /// Asynchronous: the next batch of the chief, as of TrainLoopOptions.
  absl::StatusOr<std::optional<BatchRange>> nextBatch();
  void stopBatches() { tickets_->stop(); }
  /// Asynchronous: what the state that was held last leaves to do.
  TicketDesk::Rest rest() const;
  /// Asynchronous, after the end: what the server counted, and the tickets that were taken from silent tasks.
  const cluster::Staleness &staleness() const { return staleness_; }
  /// With backup workers, after the end: what server 0 counted.
  const cluster::BackupReport &backup() const { return backup_; }
  int64_t reclaimed() const { return desk_ ? desk_->reclaimed() : 0; }
  /// Ends the run for all tasks, of those that are not there yet for those that come soon (kFarewell). `exit`: what
  /// they exit with.
  absl::Status end(const std::string &reason, int exit);
  /// The same after an error of this task.
  void fail(const absl::Status &status);
  /// The error of a task that ended, or was refused, and without which there is no run. Calls that wait for servers
  /// end.
  absl::Status failure() const;

private:
  ChiefCluster(RunContext &context, const ClusterSetup &setup);
  absl::Status load(const cluster::RunPlan &plan, const FillServers &fill);
  absl::Status openShards(const std::string &modelDir, int64_t step);
  absl::Status beginAsync(Program &program, ThreadPool &pool, const cluster::RunPlan &plan, const FillServers &fill);
  void beginTickets(const cluster::RunPlan &plan, TicketDesk::NewTicket newTicket);
  void follow();
  void stopFollowing();
  void tellServers(const std::string &reason, int exit);
  void taskStopped(const TaskStop &stop);
  void taskFailed(const TaskStop &stop);
  void taskReturned(const std::string &task);
  void awaitWorkers() const;

  RunContext &context_;
  const ClusterSetup &setup_;
  const cluster::HelloRequest self_;
  Sessions sessions_;
  const std::unique_ptr<PeerTable> peers_;
  std::unique_ptr<TicketDesk> desk_;
  Coordinator coordinator_;
  HeartbeatService service_;
  std::unique_ptr<Listener> listener_;
  ServerLinks servers_;
  const uint64_t run_;
  Heartbeats heartbeats_; // after what it pings
  std::unique_ptr<RemoteShards> shards_;
  std::unique_ptr<RemoteStepper> stepper_;
  std::optional<RowPulls> summaryRows_; ///< none: a summary reads more of some table than rows
  // Asynchronous.
  AsyncStepper *async_ = nullptr;
  std::optional<TicketSource> tickets_;
  TicketSet heldTickets_;
  cluster::Staleness staleness_;
  cluster::BackupReport backup_;
  std::thread follower_; ///< asks the servers for news
  std::mutex followMutex_;
  std::condition_variable followChanged_;
  bool followEnds_ = false;
  int64_t fetched_ = -1;
  bool isEnded_ = false;
  std::atomic<int64_t> lastStep_{INT64_MAX}; ///< after which observers of other tasks want the run to end
  mutable std::mutex failureMutex_;
  absl::Status failure_;
  bool isLinked_ = false; ///< servers_ does not change any more
};

/// A worker: gradients of its virtual shards until the run ends.
absl::Status runWorker(RunContext &context, const ClusterSetup &setup, mlc::common::ExitCode &exitCode);
/// A server: holds the state until the run ends.
absl::Status runServer(RunContext &context, const ClusterSetup &setup, mlc::common::ExitCode &exitCode);

} // namespace mlcrt

#endif // MLCRT_TRAIN_CLUSTER_H
