// This process as a task of a cluster: what it is, and the chief's part.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Cluster.h"

#include "common/cluster/ShardPins.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/cluster/FileLimit.h"
#include "runtime/src/cluster/GrpcTransport.h"
#include "runtime/src/cluster/ObservedTransport.h"
#include "runtime/src/cluster/SocketTransport.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/train/Replicas.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace mlcrt {

using mlc::common::ClusterTask;
using mlc::common::ExitCode;
using mlc::common::makeError;
using mlc::common::Message;

//===----------------------------------------------------------------------===//
// What this process is
//===----------------------------------------------------------------------===//

static std::vector<ClusterTask> tasksOf(const mlc::common::TfConfig &config, bool areServers) {
  std::vector<ClusterTask> tasks;
  for (const ClusterTask &task : config.tasks)
    if (areServers ? task.role == "ps" : task.role == "chief" || task.role == "worker")
      tasks.push_back(task);
  return tasks;
}

std::vector<ClusterTask> ClusterSetup::trainers() const { return tasksOf(config, /*areServers=*/false); }
std::vector<ClusterTask> ClusterSetup::servers() const { return tasksOf(config, /*areServers=*/true); }

bool ClusterSetup::hasEvaluator() const {
  return isEvaluatorElsewhere || std::any_of(config.tasks.begin(), config.tasks.end(),
                                             [](const ClusterTask &task) { return task.role == "evaluator"; });
}

static absl::Status usageError(std::string what, std::string help) {
  return messageStatus(absl::StatusCode::kInvalidArgument, makeError("E0206", std::move(what), std::move(help)));
}

static absl::Status checkRoles(const RunContext &context, const ClusterSetup &setup) {
  if (!setup.isSync && context.options.virtualShards.value_or(1) != 1)
    return usageError("--virtual_shards is of synchronous training", "--sync");
  if (setup.servers().empty())
    return usageError("a cluster of several training tasks has no server", "a list of ps in TF_CONFIG");
  if (context.options.dryRun)
    return usageError("--dry_run is of one process", "without TF_CONFIG");
  if (const BatchSource source = context.configuration.trainSource(); !source.isFiles() && !source.stream)
    return usageError("data in memory are of one process: tasks of a cluster read the same files", "train.files");
  if (context.options.gpus > 1 && !setup.isSync)
    return usageError("--gpus of a cluster's task is of synchronous training", "--sync");
  if (isAllReduce(context.options))
    return usageError("--gpu_sums allreduce is of one process", "--gpu_sums nccl or copies");
  return absl::OkStatus();
}

/// The settings train.shards. E0225.
static absl::StatusOr<std::vector<ShardPlan::Pin>> readPins(const RunContext &context) {
  std::vector<std::string> names;
  std::vector<int32_t> indices;
  // A name of rows stands for the variable that has them: ranges go over all of it.
  for (const StateTensor &tensor : context.artifact->tensors())
    if (!tensor.isEval()) {
      names.push_back(tensor.value.name);
      indices.push_back(tensor.variable);
    }
  std::vector<mlc::common::ShardPin> read;
  mlc::common::MessageList messages;
  if (!readShardPins(context.configuration.settings(), names, read, messages))
    return messageStatus(absl::StatusCode::kInvalidArgument, messages.messages().front());
  std::vector<ShardPlan::Pin> pins;
  for (const mlc::common::ShardPin &pin : read) {
    pins.push_back({pin.path, {}, pin.count, pin.servers});
    std::vector<int32_t> &variables = pins.back().variables;
    for (size_t i : pin.variables)
      if (variables.empty() || variables.back() != indices[i])
        variables.push_back(indices[i]);
  }
  return pins;
}

absl::StatusOr<std::unique_ptr<ShardPlan>> planShards(const RunContext &context, const ClusterSetup &setup) {
  absl::StatusOr<std::vector<ShardPlan::Pin>> pins = readPins(context);
  if (!pins.ok())
    return pins.status();
  absl::StatusOr<std::unique_ptr<ShardPlan>> plan = ShardPlan::create(*context.artifact, setup.numServers(), *pins);
  if (!plan.ok())
    return messageStatus(plan.status().code(), makeError("E0225", std::string(plan.status().message())));
  return plan;
}

/// The flags of backup workers. E0206.
static absl::StatusOr<BackupOptions> readBackup(const RunContext &context, const ClusterSetup &setup) {
  BackupOptions backup;
  const std::string policy = context.options.cluster.backupPolicy, workers = context.options.cluster.backupWorkers;
  if (policy == "drop")
    backup.policy = BackupOptions::Policy::Drop;
  const auto most = static_cast<int64_t>(setup.trainers().size()) - 1;
  if (workers == "auto")
    backup.workers = -1;
  else if (!absl::SimpleAtoi(workers, &backup.workers) || backup.workers < 0 || backup.workers > most)
    return usageError("--backup_workers " + workers + " of " + std::to_string(most + 1) + " training tasks",
                      "a number from 0 to " + std::to_string(most) + ", or auto");
  if (backup.isOn() && !setup.isSync)
    return usageError("--backup_workers is of synchronous training", "--sync");
  if (backup.isOn() && context.options.gpus > 1)
    return usageError("--backup_workers is of tasks with one GPU each", "without --gpus");
  return backup;
}

absl::StatusOr<ClusterSetup> readTasks(const RunContext &context) {
  ClusterSetup setup;
  const ClusterOptions &options = context.options.cluster;
  if (!options.tfConfig.empty()) {
    mlc::common::MessageList messages;
    if (!parseTfConfig(options.tfConfig.c_str(), setup.config, messages))
      return messageStatus(absl::StatusCode::kInvalidArgument, messages.messages().front());
    for (const Message &message : messages.messages())
      context.reporter.message(message);
  }
  mlc::common::MessageList differing;
  if (!chooseModelDir(setup.config, context.options.modelDir, setup.modelDir, differing))
    return messageStatus(absl::StatusCode::kInvalidArgument, differing.messages().front());
  setup.startTimeout = options.startTimeout;
  setup.stallTimeout = options.stallTimeout;
  setup.heartbeat = options.heartbeat;
  setup.grace = options.grace;
  return setup;
}

static void warn(const RunContext &context, const char *code, std::string what, std::string help = "") {
  Message message = makeError(code, std::move(what), std::move(help));
  message.severity = mlc::common::Severity::Warning;
  context.reporter.message(message);
}

absl::Status openTransport(const RunContext &context, ClusterSetup &setup) {
  const ClusterOptions &options = context.options.cluster;
  TransportSecurity security;
  security.certificate = options.certificate;
  security.key = options.key;
  security.authority = options.authority;
  security.insecure = options.insecure;
  security.refusals = std::make_shared<Refusals>([&context](const std::string &text) { warn(context, "E0411", text); });
  if (const std::string &name = options.tokenFile; !name.empty()) {
    std::ifstream file(name);
    if (!std::getline(file, security.token) || security.token.empty())
      return usageError(options.tokenOrigin + name + " has no text", "a file of one line");
  }
  setup.knowsPeers = security.knowsPeers();
  if (security.insecure && !setup.knowsPeers && !isLocalAddress(setup.config.self.address))
    warn(context, "E0412",
         "any host that reaches " + setup.config.self.address +
             " may take part in this job, read its state and change it: there is neither a token nor TLS",
         "--token_file, or --tls_certificate, --tls_key and --tls_authority");
  const auto tasks = static_cast<int64_t>(setup.config.tasks.size());
  if (const int64_t limit = raiseFileLimit(); limit > 0 && limit < filesOfTask(tasks))
    warn(context, "E0412",
         "this process may have " + std::to_string(limit) + " files open; a task of this cluster of " +
             std::to_string(tasks) + " needs up to " + std::to_string(filesOfTask(tasks)),
         "ulimit -Hn " + std::to_string(filesOfTask(tasks)));
  // A message is a step's sums or the state: credits and the plan bound it.
  constexpr int64_t kMaxMessageBytes = int64_t{1} << 40;
  absl::StatusOr<std::unique_ptr<Transport>> transport =
      security.hasTls() || setup.config.rpcLayer == mlc::common::kGrpcLayer
          ? makeGrpcTransport(security, kMaxMessageBytes)
          : makeSocketTransport(security, kMaxMessageBytes);
  if (!transport.ok())
    return usageError(std::string(transport.status().message()), "");
  setup.transport = observeTransport(*std::move(transport), context.observation);
  return absl::OkStatus();
}

absl::StatusOr<ClusterSetup> readCluster(const RunContext &context) {
  absl::StatusOr<ClusterSetup> read = readTasks(context);
  if (!read.ok())
    return read;
  ClusterSetup setup = *std::move(read);
  const ClusterOptions &options = context.options.cluster;
  setup.overlap.isOn = options.overlap != "off";
  setup.overlap.isMeasured = options.overlap == "auto";
  setup.messageBytes = options.messageMemory << 20;
  setup.isEvaluatorElsewhere = options.hasEvaluator;
  if (setup.isEvaluator() && context.options.dryRun)
    return usageError("--dry_run is of a task that trains", "without TF_CONFIG");
  if (absl::Status status = readPins(context).status(); !status.ok())
    return status;
  // An evaluator and the one task that trains meet in the model_dir alone.
  if (setup.isEvaluator() || !setup.isDistributed())
    return setup;
  // From here on worker 0 is the chief where there is no other.
  if (setup.config.workerIsChief) {
    for (ClusterTask &task : setup.config.tasks)
      if (task.role == "worker" && task.index == 0)
        task.role = "chief";
    if (setup.config.isChief())
      setup.config.self.role = "chief";
    setup.config.workerIsChief = false;
  }
  setup.isSync = context.options.cluster.sync;
  if (absl::Status status = checkRoles(context, setup); !status.ok())
    return status;
  if (absl::Status status = planShards(context, setup).status(); !status.ok())
    return status;
  absl::StatusOr<BackupOptions> backup = readBackup(context, setup);
  if (!backup.ok())
    return backup.status();
  setup.backup = *backup;
  if (absl::Status status = openTransport(context, setup); !status.ok())
    return status;
  return setup;
}

static uint64_t randomNumber() {
  std::random_device random;
  return static_cast<uint64_t>(random()) << 32 | random();
}

cluster::HelloRequest helloOf(const RunContext &context, const ClusterSetup &setup) {
  const mlcrt_artifact &table = context.artifact->table();
  cluster::HelloRequest hello;
  hello.set_protocol(kClusterProtocol);
  hello.set_role(setup.config.self.role);
  hello.set_index(setup.config.self.index);
  hello.set_incarnation(randomNumber());
  hello.set_state_fingerprint(table.state_fingerprint);
  hello.set_plan_fingerprint(table.plan_fingerprint);
  hello.set_cpu_features(table.cpu_features);
  // Results of training tasks that add in different orders would depend on which task has which rows.
  const bool trains = setup.config.self.role == "chief" || setup.config.self.role == "worker";
  if (setup.isSync && trains) {
    const bool areOfChip = std::any_of(table.images, table.images + table.num_images, [](const mlcrt_image &image) {
      return (image.flags & MLCRT_IMAGE_CHIP_SUMS) != 0;
    });
    absl::StatusOr<std::string> sums =
        areOfChip ? Devices(table, /*later=*/0, context.options.gpuMemory).sums() : std::string();
    if (sums.ok()) // else the run says why
      hello.set_sums(*sums);
  }
  // Of --steps the chief makes the last step; the plan of the run tells it to the others.
  const bool isRelative = context.options.steps.has_value();
  if (isRelative)
    hello.add_settings("--steps " + std::to_string(context.options.steps.value_or(0)));
  for (const auto &[path, value] : context.configuration.texts())
    if (!isRelative || path != "train.max_steps")
      hello.add_settings(path + "=" + value);
  hello.add_settings(setup.isSync ? "--sync" : "no --sync");
  hello.add_settings("--backup_workers " + std::to_string(setup.backup.workers) + " --backup_policy " +
                     (setup.backup.policy == BackupOptions::Policy::Drop ? "drop" : "redundant"));
  if (setup.isDistributed())
    if (absl::StatusOr<std::unique_ptr<ShardPlan>> plan = planShards(context, setup); plan.ok())
      hello.add_settings("plan of shards=" + std::to_string((*plan)->fingerprint()));
  return hello;
}

absl::Status clusterError(const absl::Status &status) {
  if (status.ok() || isDeviceMemoryError(status) ||
      status.GetPayload(absl::string_view(kMessagePayload.data(), kMessagePayload.size())))
    return status;
  switch (status.code()) {
  case absl::StatusCode::kUnavailable:
  case absl::StatusCode::kDeadlineExceeded:
    return messageStatus(status.code(), makeError("E0410", std::string(status.message())));
  case absl::StatusCode::kAlreadyExists: // a task that was started again before the run that it is missed in had ended
  case absl::StatusCode::kNotFound:      // the peer was started again
  case absl::StatusCode::kAborted:       // a call that came too late, or too early
    return messageStatus(absl::StatusCode::kUnavailable, makeError("E0410", std::string(status.message())));
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kPermissionDenied:
  case absl::StatusCode::kUnauthenticated:
  case absl::StatusCode::kUnimplemented:
    return messageStatus(absl::StatusCode::kFailedPrecondition, makeError("E0411", std::string(status.message())));
  case absl::StatusCode::kResourceExhausted:
    return messageStatus(absl::StatusCode::kInvalidArgument,
                         makeError("E0206", std::string(status.message()), "servers with a larger --message_memory"));
  default:
    return status;
  }
}

absl::Status reachServers(const RunContext &context, const ClusterSetup &setup, const cluster::HelloRequest &self,
                          const Interrupt &isInterrupted, ServerLinks &servers) {
  absl::StatusOr<std::unique_ptr<ShardPlan>> plan = planShards(context, setup);
  if (!plan.ok())
    return plan.status();
  servers.plan = *std::move(plan);
  for (const ClusterTask &task : setup.servers()) {
    absl::StatusOr<std::unique_ptr<PeerLink>> link = PeerLink::open(
        *setup.transport, task.address, taskName(task.role, task.index), self, setup.startTimeout, isInterrupted);
    if (!link.ok())
      return link.status();
    servers.links.push_back(*std::move(link));
  }
  return absl::OkStatus();
}

void watchServers(const ClusterSetup &setup, const ServerLinks &servers, Heartbeats &heartbeats) {
  const std::vector<ClusterTask> tasks = setup.servers();
  for (size_t k = 0; k < tasks.size(); ++k)
    heartbeats.add(taskName(tasks[k].role, tasks[k].index), *servers.links[k]);
}

absl::StatusOr<std::unique_ptr<Listener>> listenAs(const ClusterSetup &setup, Service &service) {
  absl::StatusOr<std::unique_ptr<Listener>> listener = setup.transport->listen(setup.config.self.address, service);
  if (listener.ok())
    return listener;
  Message message = makeError("E0412", std::string(listener.status().message()));
  if (absl::IsFailedPrecondition(listener.status()))
    message.help = std::string(setup.knowsPeers ? "no \"rpc_layer\": \"grpc\" in TF_CONFIG" : "--token_file") +
                   ", or --tls_certificate, --tls_key and --tls_authority; --insecure opens it to anybody";
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

std::unique_ptr<PeerTable> makePeerTable(const RunContext &context, const ClusterSetup &setup) {
  PeerTable::Options options;
  options.heartbeat = setup.heartbeat;
  options.observation = context.observation.get();
  options.warn = [&reporter = context.reporter](const std::string &text) {
    Message message = makeError("E0410", text);
    message.severity = mlc::common::Severity::Warning;
    reporter.message(message);
  };
  return std::make_unique<PeerTable>(options);
}

void letWorkersReturn(Sessions &sessions, PeerTable &peers, std::function<void(const std::string &task)> returned) {
  auto isWorker = [](const std::string &task) { return absl::StartsWith(task, "worker "); };
  sessions.letReturn([&peers, isWorker](const std::string &task) { return isWorker(task) && peers.isGone(task); },
                     [&peers, isWorker, returned = std::move(returned)](const std::string &task, bool isAgain) {
                       if (!isWorker(task))
                         return;
                       peers.admitted(task);
                       if (isAgain)
                         returned(task);
                     });
}

absl::StatusOr<std::unique_ptr<SyncStepper>> makeSyncStepper(const RunContext &context, Program &program,
                                                             ThreadPool &pool, const ServerLinks &servers,
                                                             const ClusterSetup &setup, int64_t virtualShards,
                                                             ShardRange shards) {
  absl::StatusOr<OtherDevices> others = otherDevices(context, program, shards.last - shards.first);
  if (!others.ok())
    return others.status();
  if (!setup.backup.isOn())
    return SyncStepper::create(program, pool, servers, virtualShards, shards, setup.replyTimeout(), setup.overlap,
                               *std::move(others));
  TrainMode mode;
  mode.virtualShards = static_cast<int>(virtualShards);
  mode.split = true;
  absl::StatusOr<std::unique_ptr<TrainFeatures>> features = TrainFeatures::create(program, pool, mode);
  if (!features.ok())
    return features.status();
  auto prepare = [features = std::shared_ptr<TrainFeatures>(*std::move(features))](
                     const BatchView &batch, TrainSlots &slots, const CallContext &context, ShardRange late) {
    return features->runShards(batch, slots, context, late.first, late.last);
  };
  return BackupStepper::create(program, pool, servers, virtualShards, shards, setup.backup.policy, prepare,
                               setup.replyTimeout());
}

namespace {
class ServersState : public ObservedState {
public:
  ServersState(RemoteStepper &stepper, Program &program) : stepper_(stepper), state_(program.state()) {}
  const StateTensors &tensors() const override { return state_.tensors(); }
  absl::StatusOr<Tensor> read(std::string_view name) override {
    if (const int32_t tensor = tensors().find(name); tensor >= 0)
      if (absl::Status status = stepper_.bring(tensors()[tensor].variable); !status.ok())
        return clusterError(status);
    return state_.read(name);
  }

private:
  RemoteStepper &stepper_;
  State &state_;
};
} // namespace

std::unique_ptr<ObservedState> observeServers(RemoteStepper &stepper, Program &program) {
  return std::make_unique<ServersState>(stepper, program);
}

//===----------------------------------------------------------------------===//
// Chief
//===----------------------------------------------------------------------===//

static std::vector<std::string> workerNames(const ClusterSetup &setup) {
  std::vector<std::string> names;
  for (const ClusterTask &task : setup.trainers())
    names.push_back(taskName(task.role, task.index));
  names.erase(names.begin()); // the chief
  return names;
}

ChiefCluster::ChiefCluster(RunContext &context, const ClusterSetup &setup)
    : context_(context), setup_(setup), self_(helloOf(context, setup)),
      sessions_(self_, setup.config, setup.knowsPeers), peers_(makePeerTable(context, setup)),
      coordinator_(sessions_, workerNames(setup), [this](const TaskStop &stop) { taskStopped(stop); }),
      service_(coordinator_, sessions_, *peers_), run_(randomNumber()), heartbeats_(*peers_, setup.heartbeat) {
  sessions_.onRefused([this](const std::string &task, const absl::Status &why) {
    taskFailed({task, "it was refused: " + std::string(why.message()), exitStatus(ExitCode::Mismatch)});
  });
  if (!setup.isSync)
    letWorkersReturn(sessions_, *peers_, [this](const std::string &task) { taskReturned(task); });
}

absl::StatusOr<std::unique_ptr<ChiefCluster>> ChiefCluster::create(RunContext &context, const ClusterSetup &setup) {
  std::unique_ptr<ChiefCluster> chief(new ChiefCluster(context, setup));
  absl::StatusOr<std::unique_ptr<Listener>> listener = listenAs(setup, chief->service_);
  if (!listener.ok())
    return listener.status();
  chief->listener_ = *std::move(listener);
  return chief;
}

ChiefCluster::~ChiefCluster() {
  stopFollowing();
  if (!isEnded_)
    fail(absl::UnavailableError("the chief ended with an error"));
}

int exitOfOthers(int exit) {
  const bool isKnown = exit > exitStatus(ExitCode::Internal) && exit < 256;
  return isKnown || exit == exitStatus(ExitCode::Success) ? exit : exitStatus(ExitCode::PeerLost);
}

void ChiefCluster::fail(const absl::Status &status) {
  const Message message = messageOf(status);
  (void)end(taskName(setup_.config.self.role, setup_.config.self.index) + ": error[" + message.code +
                "]: " + message.what,
            exitOfOthers(exitStatus(exitCodeOf(status))));
}

/// A task was told to end, as if this one was, or has failed; or its observer wants the run to end well.
void ChiefCluster::taskStopped(const TaskStop &stop) {
  if (stop.exit != 0)
    return taskFailed(stop);
  if (stop.lastStep > 0) {
    context_.reporter.line("stopping " + stop.reason);
    int64_t before = lastStep_.load();
    while (stop.lastStep < before && !lastStep_.compare_exchange_weak(before, stop.lastStep)) {
    }
    return;
  }
  if (context_.stop.isStopped())
    return;
  context_.reporter.line("stopping " + (stop.reason.empty() ? stop.task + " was told to stop" : stop.reason) +
                         ": the run is saved and ends");
  context_.stop.request(SIGTERM);
}

/// Another process of a worker that is gone.
void ChiefCluster::taskReturned(const std::string &task) {
  coordinator_.returned(task);
  context_.reporter.line("joins    " + task + ", which was started again");
}

void ChiefCluster::taskFailed(const TaskStop &stop) {
  const int exit = exitOfOthers(stop.exit);
  const bool differs = exit == exitStatus(ExitCode::Mismatch);
  const absl::Status failure = messageStatus(statusCodeOf(static_cast<ExitCode>(exit)),
                                             makeError(differs ? "E0411" : "E0410", stop.task + ": " + stop.reason));
  std::lock_guard<std::mutex> lock(failureMutex_);
  if (!failure_.ok())
    return;
  failure_ = failure;
  if (isLinked_)
    for (const std::unique_ptr<PeerLink> &link : servers_.links)
      link->abandon(failure);
}

absl::Status ChiefCluster::failure() const {
  std::lock_guard<std::mutex> lock(failureMutex_);
  return failure_;
}

absl::StatusOr<ShardRange> ChiefCluster::shards(int64_t virtualShards) const {
  const auto trainers = static_cast<int64_t>(setup_.trainers().size());
  if (trainers > virtualShards)
    return usageError(std::to_string(trainers) + " training tasks for " + std::to_string(virtualShards) +
                          " virtual shards",
                      "at most one task for each: --virtual_shards " + std::to_string(trainers));
  return shardsOf(0, trainers, virtualShards);
}

/// The rows that summaries read, if they read nothing but rows of what gradients read by rows alone.
static std::optional<RowPulls> findSummaryRows(const Artifact &artifact) {
  RowPulls rows(artifact, MLCRT_ROLE_SUMMARY);
  const std::vector<bool> byGradients = RowPulls(artifact).areByRows(), bySummaries = rows.areByRows();
  const mlcrt_entry *entry = artifact.entry(MLCRT_ROLE_SUMMARY);
  for (int32_t s = 0; entry && s < entry->num_segments; ++s)
    for (int32_t i = 0; i < entry->segments[s].num_operands; ++i)
      if (const mlcrt_operand &operand = entry->segments[s].operands[i];
          operand.source == MLCRT_SOURCE_VARIABLE && byGradients[operand.index] && !bySummaries[operand.index])
        return std::nullopt;
  return rows;
}

/// Begins the run with the state; after it what gradients read of it is here.
absl::Status ChiefCluster::load(const cluster::RunPlan &plan, const FillServers &fill) {
  if (fill) {
    ServerRows rows(*context_.artifact, servers_, setup_.replyTimeout());
    if (absl::Status status = fill(rows); !status.ok())
      return clusterError(status);
  }
  if (absl::Status status = stepper_->load(plan, /*isPrepared=*/fill != nullptr); !status.ok())
    return clusterError(status);
  if (!fill)
    fetched_ = plan.step();
  return fill || async_ ? clusterError(stepper_->pull(plan.step())) : absl::OkStatus();
}

absl::Status ChiefCluster::begin(Program &program, ThreadPool &pool, cluster::RunPlan plan, const std::string &modelDir,
                                 TicketDesk::NewTicket newTicket, const FillServers &fill) {
  plan.set_run(run_);
  absl::StatusOr<ShardRange> shards = this->shards(plan.virtual_shards());
  if (setup_.isSync && !shards.ok())
    return shards.status();
  auto isInterrupted = [this] { return context_.stop.isStopped() || !failure().ok(); };
  if (absl::Status status = reachServers(context_, setup_, self_, isInterrupted, servers_); !status.ok())
    return clusterError(status);
  {
    std::lock_guard<std::mutex> lock(failureMutex_);
    isLinked_ = true;
  }
  watchServers(setup_, servers_, heartbeats_);
  summaryRows_ = findSummaryRows(program.artifact());
  for (const std::string &line : servers_.plan->describe())
    context_.reporter.line("shards   " + line);
  if (!setup_.isSync) {
    if (absl::Status status = beginAsync(program, pool, plan, fill); !status.ok())
      return status;
    if (absl::Status status = openShards(modelDir, plan.step()); !status.ok())
      return status;
    beginTickets(plan, std::move(newTicket));
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<SyncStepper>> stepper =
      makeSyncStepper(context_, program, pool, servers_, setup_, plan.virtual_shards(), *shards);
  if (!stepper.ok())
    return stepper.status();
  stepper_ = *std::move(stepper);
  if (absl::Status status = load(plan, fill); !status.ok())
    return status;
  if (absl::Status status = openShards(modelDir, plan.step()); !status.ok())
    return status;
  coordinator_.begin(plan);
  return absl::OkStatus();
}

/// Finds out who writes checkpoints.
absl::Status ChiefCluster::openShards(const std::string &modelDir, int64_t step) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(modelDir, error);
  shards_ = std::make_unique<RemoteShards>(*context_.artifact, servers_, run_, setup_.replyTimeout());
  absl::StatusOr<std::string> problem = "no path of the model_dir: " + error.message();
  if (error)
    shards_->writesHere();
  else
    problem = shards_->probe(path.string());
  if (!problem.ok())
    return clusterError(problem.status());
  const int servers = setup_.numServers();
  context_.reporter.line(!problem->empty()
                             ? "saves    by the chief: " + *problem
                             : "saves    by " + std::to_string(servers) + (servers == 1 ? " server" : " servers"));
  // Where others do not wait for the chief the state of the beginning is there now alone.
  return async_ || setup_.backup.isOn()
             ? shards_->snapshot(step, std::vector<bool>(context_.artifact->table().num_variables, true))
             : absl::OkStatus();
}

absl::StatusOr<int64_t> ChiefCluster::hold(int64_t step, bool anew) {
  if ((!async_ && !setup_.backup.isOn()) || (!anew && shards_->copiedStep() == step))
    return step;
  if (!async_) {
    absl::StatusOr<int64_t> copied = shards_->snapshotFrom(step);
    if (!copied.ok())
      return clusterError(copied.status());
    // The next step is computed from variables that are not older.
    if (absl::Status status = stepper_->pull(*copied); !status.ok())
      return clusterError(status);
    return copied;
  }
  const std::vector<bool> all(context_.artifact->table().num_variables, true);
  bool isHeld = false;
  absl::Status status = async_->hold([&](const cluster::StateReply &held) {
    isHeld = true;
    heldTickets_ = TicketSet::of(held.applied());
    return shards_->snapshot(held.step(), all);
  });
  if (!status.ok())
    return clusterError(status);
  if (!isHeld)
    return clusterError(absl::UnavailableError(stepper_->ended()));
  return shards_->copiedStep();
}

absl::StatusOr<std::unique_ptr<TableSource>> ChiefCluster::openHeld(int64_t step, Program &program) {
  const std::vector<bool> all(context_.artifact->table().num_variables, true);
  if (absl::Status status = shards_->snapshot(step, all); !status.ok())
    return status;
  return CopiedRows::open(shards_->copied(), *context_.artifact, program.state(),
                          "state of step " + std::to_string(step));
}

absl::Status ChiefCluster::fetchForSummary(const FeatureSlot &slot, int64_t step) {
  if (setup_.backup.isOn())
    return absl::OkStatus(); // all variables are
  // Variables that gradients read whole are here, or on their way.
  if (summaryRows_)
    return clusterError(stepper_->pullRows(*summaryRows_, slot, step));
  if (fetched_ == step)
    return absl::OkStatus();
  absl::Status status = stepper_->fetch(step);
  fetched_ = async_ ? -1 : stepper_->version(); // asynchronous, `step` is a ticket
  return clusterError(status);
}

absl::Status ChiefCluster::end(const std::string &reason, int exit) {
  if (isEnded_)
    return absl::OkStatus();
  isEnded_ = true;
  stopFollowing();
  if (desk_)
    desk_->end(reason);
  coordinator_.end(reason, exit);
  if (!stepper_) {
    tellServers(reason, exit);
    awaitWorkers();
    return absl::OkStatus();
  }
  // With heartbeats, which end the call if the server is dead.
  absl::StatusOr<cluster::EndReply> report = stepper_->end(reason, exit);
  heartbeats_.stop();
  if (report.ok())
    staleness_ = report->staleness(), backup_ = report->backup();
  awaitWorkers();
  // What was to be saved is; a server that is gone has heard of the end, or needs not.
  const absl::Status status = clusterError(report.status());
  return exitCodeOf(status) == ExitCode::PeerLost ? absl::OkStatus() : status;
}

/// Ends servers of a run that never began: they wait for one.
void ChiefCluster::tellServers(const std::string &reason, int exit) {
  const auto end = std::chrono::steady_clock::now() + kFarewell;
  const std::vector<ClusterTask> tasks = setup_.servers();
  cluster::EndRequest request;
  request.set_reason(reason);
  request.set_exit(exit);
  for (size_t k = 0; k < tasks.size(); ++k) {
    const auto left =
        std::max(std::chrono::milliseconds(0),
                 std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()));
    if (k == servers_.links.size()) {
      absl::StatusOr<std::unique_ptr<PeerLink>> link =
          PeerLink::open(*setup_.transport, tasks[k].address, taskName(tasks[k].role, tasks[k].index), self_, left);
      servers_.links.push_back(link.ok() ? *std::move(link) : nullptr);
    }
    cluster::EndReply reply;
    if (servers_.links[k])
      (void)servers_.links[k]->call("end", request, {}, kFarewell, reply);
  }
}

/// Those that have not joined hear of the end if they come now.
void ChiefCluster::awaitWorkers() const {
  const auto end = std::chrono::steady_clock::now() + kFarewell;
  while (!coordinator_.absent().empty() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

//===----------------------------------------------------------------------===//
// Chief of an asynchronous run
//===----------------------------------------------------------------------===//

BatchRange batchOf(const cluster::Ticket &ticket) {
  return {{ticket.epoch(), ticket.position()}, ticket.rows(), ticket.step()};
}

absl::Status ChiefCluster::beginAsync(Program &program, ThreadPool &pool, const cluster::RunPlan &plan,
                                      const FillServers &fill) {
  absl::StatusOr<std::unique_ptr<AsyncStepper>> stepper =
      AsyncStepper::create(program, pool, servers_, setup_.replyTimeout(), setup_.overlap);
  if (!stepper.ok())
    return stepper.status();
  async_ = stepper->get();
  stepper_ = *std::move(stepper);
  if (absl::Status status = load(plan, fill); !status.ok())
    return status;
  heldTickets_ = TicketSet::atStart(plan);
  return absl::OkStatus();
}

void ChiefCluster::beginTickets(const cluster::RunPlan &plan, TicketDesk::NewTicket newTicket) {
  TicketDesk::Options options;
  options.stallTimeout = setup_.stallTimeout;
  options.peers = peers_.get();
  options.self = taskName(setup_.config.self.role, setup_.config.self.index);
  desk_ = std::make_unique<TicketDesk>(plan, std::move(newTicket), options);
  tickets_ = TicketSource::ofDesk(*desk_, options.self);
  coordinator_.begin(plan, desk_.get());
  follower_ = std::thread([this] { follow(); });
}

/// Learns which tickets are applied, which tells the server, too, that the chief lives.
void ChiefCluster::follow() {
  constexpr std::chrono::milliseconds kWhileTickets{200}, kAtEnd{10};
  std::unique_lock<std::mutex> lock(followMutex_);
  while (!followEnds_) {
    lock.unlock();
    absl::StatusOr<TicketSet> applied = async_->progress();
    if (applied.ok()) {
      desk_->applied(*applied);
      desk_->tick();
    } else {
      desk_->fail(applied.status());
    }
    lock.lock();
    if (!applied.ok())
      return;
    followChanged_.wait_for(lock, desk_->isOut() ? kAtEnd : kWhileTickets, [this] { return followEnds_; });
  }
}

void ChiefCluster::stopFollowing() {
  {
    std::lock_guard<std::mutex> lock(followMutex_);
    followEnds_ = true;
  }
  followChanged_.notify_all();
  if (follower_.joinable())
    follower_.join();
}

absl::StatusOr<std::optional<BatchRange>> ChiefCluster::nextBatch() {
  absl::StatusOr<std::optional<cluster::Ticket>> ticket = tickets_->next([this] { return context_.stop.isStopped(); });
  if (!ticket.ok())
    return clusterError(ticket.status());
  if (!*ticket)
    return std::nullopt;
  return batchOf(**ticket);
}

TicketDesk::Rest ChiefCluster::rest() const { return desk_->restOf(heldTickets_); }

} // namespace mlcrt
