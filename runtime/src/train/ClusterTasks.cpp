// Workers and servers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Cluster.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/cluster/AsyncServer.h"
#include "runtime/src/cluster/BackupServer.h"
#include "runtime/src/cluster/ServerCalls.h"
#include "runtime/src/cluster/SyncServer.h"
#include "runtime/src/train/EvaluatorFiles.h"
#include "runtime/src/train/MemoryCheck.h"
#include "runtime/src/train/OrderlyStop.h"
#include "runtime/src/train/TrainRunState.h"

#include <atomic>
#include <condition_variable>

namespace mlcrt {

using mlc::common::ExitCode;
using mlc::common::makeError;

static std::string selfName(const ClusterSetup &setup) {
  return taskName(setup.config.self.role, setup.config.self.index);
}

/// Whether a task failed because the others are gone.
static bool isLoss(const absl::Status &status) {
  return absl::IsCancelled(status) || exitCodeOf(clusterError(status)) == ExitCode::PeerLost;
}

/// The end of the job, for a task that waited in vain for others: they may have been done before it came. `run`: its
/// end alone, if the task was of a run; what is there may be of one before it, of which an error says nothing.
static std::optional<JobEnd> findJobEnd(const ClusterSetup &setup, const std::string &run = "") {
  if (setup.modelDir.empty())
    return std::nullopt;
  absl::StatusOr<std::optional<JobEnd>> end = readJobEnd(setup.modelDir);
  if (!end.ok() || !*end || (run.empty() ? (*end)->reason == "error" : (*end)->run != run))
    return std::nullopt;
  return *end;
}

static std::string describeEnd(const JobEnd &end) {
  return "the job had ended at step " + std::to_string(end.step) + ": " + end.reason;
}

/// How long the chief is waited for that is to hear of the end of a task.
static constexpr std::chrono::seconds kTellChief{2};

/// Tells the chief, over a connection of its own.
static absl::Status tellChief(const ClusterSetup &setup, const cluster::HelloRequest &self,
                              const cluster::StopRequest &request) {
  const mlc::common::ClusterTask chief = setup.trainers().front();
  absl::StatusOr<std::unique_ptr<PeerLink>> link =
      PeerLink::open(*setup.transport, chief.address, taskName(chief.role, chief.index), self, kTellChief);
  if (!link.ok())
    return link.status();
  cluster::StopReply reply;
  return (*link)->call("stop", request, {}, kTellChief, reply).status();
}

/// What the chief is told of the failure of a task.
static cluster::StopRequest stopRequest(const absl::Status &status) {
  const mlc::common::Message message = messageOf(clusterError(status));
  cluster::StopRequest request;
  request.set_reason(message.what + (message.expected.empty() ? "" : ", expected " + message.expected));
  request.set_exit(exitStatus(exitCodeOf(clusterError(status))));
  return request;
}

//===----------------------------------------------------------------------===//
// Server
//===----------------------------------------------------------------------===//

absl::Status runServer(RunContext &context, const ClusterSetup &setup, ExitCode &exitCode) {
  if (absl::Status status = RangeUpdate::check(*context.artifact); !status.ok())
    return status;
  ServerOptions options;
  for (const mlc::common::ClusterTask &task : setup.servers()) {
    if (task.index == setup.config.self.index)
      options.number = static_cast<int>(options.servers.size());
    options.servers.push_back(taskName(task.role, task.index));
  }
  absl::StatusOr<std::unique_ptr<ShardPlan>> shards = planShards(context, setup);
  if (!shards.ok())
    return shards.status();
  const ShardPlan &plan = **shards;
  absl::StatusOr<SumRanges> ranges = SumRanges::create(*context.artifact, plan, options.number);
  if (!ranges.ok())
    return ranges.status();
  if (!context.options.force) {
    mlc::common::MemoryNeed need;
    need.state = need.checkpoint = plan.bytes(options.number);
    if (absl::Status status = checkMemory(*context.artifact, need, mlc::common::machineLimits(),
                                          "the shard of " + selfName(setup), MemoryUse::Save);
        !status.ok())
      return status;
  }
  absl::StatusOr<std::unique_ptr<Program>> program = context.makeProgram(plan.held(options.number));
  if (!program.ok())
    return program.status();
  (*program)->state().useLargePages(); // all of it is filled
  if (absl::Status status = context.configuration.bind(**program); !status.ok())
    return status;
  ThreadPool pool(context.threads());
  const cluster::HelloRequest self = helloOf(context, setup);
  Sessions sessions(self, setup.config, setup.knowsPeers);
  options.stallTimeout = setup.stallTimeout;
  options.startTimeout = setup.startTimeout;
  options.messageBytes = setup.messageBytes;
  for (const mlc::common::ClusterTask &task : setup.trainers())
    options.trainers.push_back(taskName(task.role, task.index));
  const std::unique_ptr<PeerTable> peers = makePeerTable(context, setup);
  options.peers = peers.get();
  std::unique_ptr<ParameterServer> server;
  BackupOptions backup = setup.backup;
  backup.note = [&](const std::string &text) { context.reporter.line("backup   " + text); };
  if (setup.isSync && backup.isOn())
    server = std::make_unique<BackupServer>(**program, plan, *ranges, pool, sessions, options, backup);
  else if (setup.isSync)
    server = std::make_unique<SyncServer>(**program, plan, *ranges, pool, sessions, options);
  else
    server = std::make_unique<AsyncServer>(**program, plan, *ranges, pool, sessions, options);
  // Without the chief there is no run, and who is refused cannot tell a server of its end.
  std::atomic<bool> refusesChief = false;
  sessions.onRefused([&](const std::string &task, const absl::Status &why) {
    if (task != options.trainers.front())
      return;
    refusesChief = true;
    server->fail(absl::Status(why.code(), task + ": it was refused: " + std::string(why.message())));
  });
  if (!setup.isSync)
    letWorkersReturn(sessions, *peers, [&](const std::string &task) { server->returned(task); });
  HeartbeatService service(*server, sessions, *peers);
  absl::StatusOr<std::unique_ptr<Listener>> listener = listenAs(setup, service);
  if (!listener.ok())
    return listener.status();
  context.reporter.line(selfName(setup) + "     listens on " + (*listener)->address() + ", holds " +
                        std::to_string(plan.bytes(options.number)) + " bytes");
  Heartbeats heartbeats(*peers, setup.heartbeat);
  absl::Status linked;
  if (options.number > 0) {
    const mlc::common::ClusterTask first = setup.servers().front();
    absl::StatusOr<std::unique_ptr<PeerLink>> link =
        PeerLink::open(*setup.transport, first.address, taskName(first.role, first.index), self, setup.startTimeout,
                       [&] { return context.stop.isStopped() || server->hasEnded() || refusesChief; });
    if (link.ok()) {
      heartbeats.add(taskName(first.role, first.index), **link);
      server->follow(*std::move(link));
    } else if (!absl::IsCancelled(link.status())) {
      linked = link.status();
    }
  }
  absl::StatusOr<std::string> reason = "";
  if (!linked.ok()) {
    reason = linked;
  } else {
    auto ask = [&](const cluster::StopRequest &request) {
      // Before the run begins there is nothing to save.
      return server->hasBegun() ? tellChief(setup, self, request) : absl::CancelledError("the run has not begun");
    };
    const OrderlyStop stop(context.stop, selfName(setup), setup.grace, ask, [] {});
    reason = server->serve([&] { return stop.isOver(); });
  }
  if (absl::IsCancelled(reason.status())) {
    exitCode = context.stop.exitCode();
    return absl::OkStatus();
  }
  if (reason.ok())
    exitCode = static_cast<ExitCode>(server->endExit());
  if (isLoss(reason.status()) && !server->hasBegun())
    if (std::optional<JobEnd> end = findJobEnd(setup))
      reason = describeEnd(*end);
  if (!reason.ok()) {
    if (!isLoss(reason.status()) && !server->hasBegun() && !refusesChief)
      (void)tellChief(setup, self, stopRequest(reason.status()));
    return clusterError(reason.status());
  }
  context.reporter.line("done     " + *reason);
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Worker
//===----------------------------------------------------------------------===//

namespace {
/// One worker's run.
class WorkerRun {
public:
  WorkerRun(RunContext &context, const ClusterSetup &setup)
      : context_(context), setup_(setup), peers_(makePeerTable(context, setup)),
        pool_(context.threads(), ThreadPool::kDefaultSpinNanoseconds, inputThreadsFor(context.threads())),
        heartbeats_(*peers_, setup.heartbeat) {}

  absl::Status run(ExitCode &exitCode) {
    absl::Status status = join();
    status.Update(status.ok() && end_.empty() ? open() : absl::OkStatus());
    status.Update(status.ok() && end_.empty() ? train() : absl::OkStatus());
    stop_.reset();
    // Whoever comes late, or is slow, finds that others are gone as they should be.
    if (isLoss(status) && !(absl::IsCancelled(status) && isInterrupted()) && findEnd())
      status = absl::OkStatus();
    if (!status.ok() && isInterrupted() && absl::IsCancelled(status))
      status = absl::OkStatus(), end_ = context_.stop.reason();
    else if (!status.ok() && !isLoss(status) && chief_)
      tellFailure(status);
    if (status.ok() && !isDone_)
      context_.reporter.line("done     0 steps, " + end_);
    if (status.ok())
      exitCode = exit_ ? static_cast<ExitCode>(*exit_) : isInterrupted() ? context_.stop.exitCode() : exitCode;
    return clusterError(status);
  }

private:
  /// What the chief said of the end of the run; outlives this, as answers may come late.
  struct Watch {
    std::mutex mutex;
    std::condition_variable changed;
    bool isAnswered = false;
    bool isBroken = false; ///< the connection, that is: the chief may live
    std::string end, why;  ///< why it is broken
    int exit = 0;
  };

  /// Asks the chief to tell of the end.
  void watch() {
    watch_ = std::make_shared<Watch>(); // what the one before is told does not count
    chief_->start("watch", cluster::WatchRequest(), {}, setup_.replyTimeout(),
                  [watch = watch_](absl::StatusOr<IncomingMessage> reply) {
                    cluster::WatchReply control;
                    const bool isTold = reply.ok() && parseControl(*reply, control).ok();
                    std::lock_guard<std::mutex> lock(watch->mutex);
                    watch->isBroken = absl::IsUnavailable(reply.status());
                    watch->why = std::string(reply.status().message());
                    watch->isAnswered = true;
                    watch->end = isTold ? control.end() : "";
                    watch->exit = control.exit();
                    watch->changed.notify_all();
                  });
  }
  /// Whether the chief has said that the run is over.
  bool isOver() const {
    if (!watch_)
      return false;
    std::lock_guard<std::mutex> lock(watch_->mutex);
    return !watch_->end.empty();
  }
  /// Whether that is why the others are gone; end_ is why the run ended then.
  bool findEnd() {
    if (exit_)
      return true;
    if (!chief_)
      return findEndedJob();
    if (!watch_)
      return false;
    // A chief that is gone has answered, or cannot any more; one whose connection broke is asked again.
    awaitWord(std::chrono::steady_clock::now() + kFarewell);
    if (!isOver()) // its word may be lost with the connection
      return !plan_.name().empty() && !isInterrupted() && findEndedJob();
    std::lock_guard<std::mutex> lock(watch_->mutex);
    end_ = watch_->end;
    exit_ = watch_->exit;
    return true;
  }

  absl::Status join() {
    const cluster::HelloRequest self = helloOf(context_, setup_);
    const mlc::common::ClusterTask first = setup_.trainers().front();
    absl::StatusOr<std::unique_ptr<PeerLink>> chief =
        PeerLink::open(*setup_.transport, first.address, taskName(first.role, first.index), self, setup_.startTimeout,
                       [this] { return isInterrupted(); });
    if (!chief.ok())
      return chief.status();
    chief_ = *std::move(chief);
    heartbeats_.add(taskName(setup_.trainers().front().role, setup_.trainers().front().index), *chief_);
    cluster::JoinReply reply;
    CallRetry retry({chief_.get()});
    absl::Status status;
    while (!(status = chief_
                          ->call("join", cluster::JoinRequest(), {}, setup_.startTimeout, reply,
                                 [this] { return isInterrupted(); })
                          .status())
                .ok())
      if (isInterrupted() || !retry.again(status))
        return status;
    end_ = reply.end();
    if (!end_.empty()) {
      exit_ = reply.exit();
      return absl::OkStatus();
    }
    watch();
    plan_ = reply.plan();
    shards_ = {reply.first_shard(), reply.last_shard()};
    if (status = reachServers(
            context_, setup_, self, [this] { return isInterrupted() || isOver(); }, servers_);
        !status.ok())
      return status;
    watchServers(setup_, servers_, heartbeats_);
    return absl::OkStatus();
  }

  absl::Status open() {
    absl::StatusOr<std::unique_ptr<Program>> program = context_.makeProgram();
    if (!program.ok())
      return program.status();
    program_ = *std::move(program);
    if (absl::Status status = tellDevices(context_, *program_); !status.ok())
      return status;
    if (absl::Status status = context_.configuration.bind(*program_); !status.ok())
      return status;
    options_.mode.virtualShards = static_cast<int>(plan_.virtual_shards());
    options_.mode.split = true;
    if (setup_.isSync) {
      options_.mode.firstShard = static_cast<int>(shards_.first);
      options_.mode.lastShard = static_cast<int>(shards_.last);
    }
    options_.seed = plan_.seed();
    options_.step = plan_.step();
    options_.position = {plan_.epoch(), plan_.position()};
    options_.maxSteps = plan_.max_steps();
    options_.epochs = plan_.epochs();
    for (const cluster::Ticket &ticket : plan_.outstanding())
      options_.first.push_back(batchOf(ticket));
    absl::StatusOr<EntryData> data = openTrainData(context_, defaultCacheDir(), options_);
    if (!data.ok())
      return data.status();
    data_ = *std::move(data);
    if (std::string found = describeFiles(data_.dataset->files()); found != plan_.data()) {
      mlc::common::Message message =
          makeError("E0411", "the data files of " + selfName(setup_) +
                                 " are not those of the chief: found (sizes and checksums) " + found +
                                 ", the chief has " + plan_.data());
      return messageStatus(absl::StatusCode::kFailedPrecondition, message);
    }
    return setup_.isSync ? openSync() : openAsync();
  }

  absl::Status openSync() {
    absl::StatusOr<std::unique_ptr<SyncStepper>> stepper =
        makeSyncStepper(context_, *program_, pool_, servers_, setup_, plan_.virtual_shards(), shards_);
    if (!stepper.ok())
      return stepper.status();
    stepper_ = *std::move(stepper);
    context_.reporter.line(selfName(setup_) + " computes shards " + std::to_string(shards_.first) + " to " +
                           std::to_string(shards_.last - 1) + " of " + std::to_string(plan_.virtual_shards()) +
                           " from step " + std::to_string(plan_.step()));
    return absl::OkStatus();
  }

  absl::Status openAsync() {
    absl::StatusOr<std::unique_ptr<AsyncStepper>> stepper =
        AsyncStepper::create(*program_, pool_, servers_, setup_.replyTimeout(), setup_.overlap);
    if (!stepper.ok())
      return stepper.status();
    stepper_ = *std::move(stepper);
    tickets_ = TicketSource::ofPeer(*chief_, setup_.replyTimeout());
    options_.source = [this]() -> absl::StatusOr<std::optional<BatchRange>> {
      absl::StatusOr<std::optional<cluster::Ticket>> ticket = tickets_->next([this] { return isInterrupted(); });
      if (!ticket.ok())
        return ticket.status();
      if (!*ticket)
        return std::nullopt;
      return batchOf(**ticket);
    };
    options_.stopSource = [this] { tickets_->stop(); };
    context_.reporter.line(selfName(setup_) + " asks for tickets");
    return absl::OkStatus();
  }

  absl::Status train() {
    options_.stepper = stepper_.get();
    if (absl::Status status = stepper_->pull(plan_.step()); !status.ok())
      return status;
    absl::StatusOr<std::unique_ptr<TrainLoop>> loop = TrainLoop::create(*program_, pool_, data_, options_);
    if (!loop.ok())
      return loop.status();
    // Where others stand in for a task that comes late, the run has gone on.
    if (setup_.isSync)
      (*loop)->advance(stepper_->version());
    std::unique_ptr<ObservedState> observed;
    if (context_.observer) {
      if (absl::Status status = (*loop)->observe(); !status.ok())
        return status;
      observed = observeServers(*stepper_, *program_);
    }
    // Others stand in for a task that they need not wait for; where they must, it stays until the chief has saved.
    if (setup_.isSync && !setup_.backup.isOn())
      stop_.emplace(
          context_.stop, selfName(setup_), setup_.grace,
          [this](const cluster::StopRequest &request) { return askChief(request); }, [this] { endCalls(); });
    while (!stepper_->isOver() && !isLeaving()) {
      absl::StatusOr<bool> more = (*loop)->step();
      if (!more.ok() && ((absl::IsCancelled(more.status()) && isLeaving()) || (isLoss(more.status()) && findEnd())))
        break;
      if (!more.ok())
        return more.status();
      if (!*more)
        break;
      if (!observed)
        continue;
      absl::StatusOr<bool> goesOn = observeStep(*context_.observer, **loop, *observed, selfName(setup_));
      if (!goesOn.ok() && !isInterrupted())
        return goesOn.status();
      if (goesOn.ok() && *goesOn)
        continue;
      observed.reset(); // nobody observes the steps that others need of this task yet
      if (goesOn.ok())
        if (absl::Status asked = askForEnd((*loop)->steps()); !asked.ok())
          return asked;
    }
    const int64_t steps = (*loop)->ownSteps(), missed = (*loop)->missedSteps();
    loop->reset();
    leave();
    // The chief says what a run that is over ended with; if its word is lost, servers have it, too.
    if (stepper_->isOver() && !findEnd())
      exit_ = exitOfOthers(stepper_->endedExit());
    const std::string reason = stepper_->isOver() ? stepper_->ended()
                               : !end_.empty()    ? end_
                               : isInterrupted()  ? context_.stop.reason()
                                                  : "the data are at their end";
    isDone_ = true;
    context_.reporter.line("done     " + std::to_string(steps) + " steps, " + describeBackup(missed) + "pushed " +
                           std::to_string(stepper_->pushedBytes()) + " bytes, pulled " +
                           std::to_string(stepper_->pulledBytes()) + ", " + reason);
    // The chief may yet fail to save: all tasks are needed again then.
    if (!exit_ && !isInterrupted() && !awaitEnd() && !isInterrupted())
      return absl::UnavailableError("chief 0 went away before it had ended the run");
    heartbeats_.stop();
    return absl::OkStatus();
  }

  std::string describeBackup(int64_t missed) const {
    const auto *stepper = dynamic_cast<const BackupStepper *>(stepper_.get());
    if (!stepper)
      return "";
    return std::to_string(missed) + " missed, " + std::to_string(stepper->recomputed()) +
           " shards of others recomputed, ";
  }

  bool isInterrupted() const { return context_.stop.isStopped(); }
  /// Whether this task leaves a run that goes on.
  bool isLeaving() const { return isInterrupted() && (!stop_ || stop_->isOver()); }
  absl::Status askChief(const cluster::StopRequest &request) {
    cluster::StopReply reply;
    return chief_->call("stop", request, {}, kTellChief, reply).status();
  }
  /// What observes the steps here wants no more of them: the chief ends the run after the next one, which the others
  /// need this task for, or asynchronous after its own.
  absl::Status askForEnd(int64_t steps) {
    cluster::StopRequest request;
    request.set_reason("by what observes " + selfName(setup_) + ": the run ends after the next step");
    request.set_last_step(setup_.isSync ? steps + 1 : 1);
    cluster::StopReply reply;
    return callAgain(*chief_, "stop", request, {}, setup_.replyTimeout(), reply);
  }
  void tellFailure(const absl::Status &status) {
    // A chief that ends the run does not miss this task.
    if (!isOver())
      (void)askChief(stopRequest(status));
  }
  /// Ends what this task waits for.
  void endCalls() {
    for (const std::unique_ptr<PeerLink> &server : servers_.links)
      server->cancelCalls(absl::CancelledError(selfName(setup_) + " leaves"));
  }

  /// Waits for the chief's word that the run is over; false: it is gone, or this task was told to stop.
  bool awaitEnd() {
    awaitWord(std::nullopt);
    return findEnd();
  }
  /// What the model_dir says of the end of the job.
  bool findEndedJob() {
    const std::optional<JobEnd> end = findJobEnd(setup_, plan_.name());
    end_ = end ? describeEnd(*end) : "";
    if (end)
      exit_ = static_cast<int>(end->exit);
    return end.has_value();
  }
  /// Waits for the chief's word, or its end.
  void awaitWord(std::optional<std::chrono::steady_clock::time_point> until) {
    constexpr std::chrono::milliseconds kLook{50};
    CallRetry retry({chief_.get()});
    while (!until || std::chrono::steady_clock::now() < *until) {
      absl::Status broken;
      {
        std::unique_lock<std::mutex> lock(watch_->mutex);
        watch_->changed.wait_for(lock, kLook, [&] { return watch_->isAnswered; });
        if (watch_->isAnswered && (!watch_->end.empty() || !watch_->isBroken))
          return;
        if (watch_->isAnswered)
          broken = absl::UnavailableError(watch_->why);
      }
      if (!until && isInterrupted())
        return;
      if (broken.ok())
        continue;
      if (!retry.again(broken))
        return;
      watch();
    }
  }

  /// Nobody waits for this task any more; others get its tickets. Those that are gone do not miss it.
  void leave() {
    cluster::LeaveReply reply;
    if (!setup_.isSync)
      (void)chief_->call("leave", cluster::LeaveRequest(), {}, kFarewell, reply);
    for (const std::unique_ptr<PeerLink> &server : servers_.links)
      (void)server->call("leave", cluster::LeaveRequest(), {}, kFarewell, reply);
  }

  RunContext &context_;
  const ClusterSetup &setup_;
  const std::unique_ptr<PeerTable> peers_;
  ThreadPool pool_;
  cluster::RunPlan plan_;
  ShardRange shards_;
  std::shared_ptr<Watch> watch_;
  std::string end_;         ///< why the run is over; empty while nobody said so
  std::optional<int> exit_; ///< what this task exits with then
  bool isDone_ = false;
  std::unique_ptr<PeerLink> chief_;
  ServerLinks servers_;
  Heartbeats heartbeats_; // after what it pings
  std::unique_ptr<Program> program_;
  EntryData data_;
  TrainLoopOptions options_;
  std::unique_ptr<RemoteStepper> stepper_;
  std::optional<TicketSource> tickets_;
  std::optional<OrderlyStop> stop_; // after what it ends
};
} // namespace

absl::Status runWorker(RunContext &context, const ClusterSetup &setup, ExitCode &exitCode) {
  return WorkerRun(context, setup).run(exitCode);
}

} // namespace mlcrt
