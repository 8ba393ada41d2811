// The verb run of a program that is placed on the tasks of a cluster.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/PlacedRun.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/cluster/ChannelExchange.h"
#include "runtime/src/train/Cluster.h"

#include "absl/strings/numbers.h"

#include <algorithm>
#include <cstdlib>

namespace mlcrt {

using mlc::common::ClusterTask;
using mlc::common::makeError;

/// "ps 1" of "/job:ps/task:1/device:CPU:0"; empty of a device within one process.
static std::string taskOfDevice(std::string_view device) {
  constexpr std::string_view kJob = "/job:", kTask = "/task:";
  if (device.substr(0, kJob.size()) != kJob)
    return {};
  device.remove_prefix(kJob.size());
  const std::string job(device.substr(0, device.find('/')));
  const size_t task = device.find(kTask);
  int64_t index = 0;
  if (task != std::string_view::npos) {
    const std::string_view rest = device.substr(task + kTask.size());
    if (!absl::SimpleAtoi(std::string(rest.substr(0, rest.find('/'))), &index))
      return {};
  }
  return taskName(job, index);
}

static std::vector<std::string> tasksOf(const mlcrt_artifact &table) {
  std::vector<std::string> tasks;
  for (int64_t d = 0; d < table.num_devices; ++d)
    tasks.push_back(taskOfDevice(table.devices[d].name));
  return tasks;
}

bool isPlacedRun(const RunContext &context) {
  if (context.options.cluster.tfConfig.empty())
    return false;
  const std::vector<std::string> tasks = tasksOf(context.artifact->table());
  return std::any_of(tasks.begin(), tasks.end(), [](const std::string &task) { return !task.empty(); });
}

namespace {
/// One task's run.
class PlacedRun {
public:
  PlacedRun(RunContext &context, const ClusterSetup &setup, Program &program, bool isRestored)
      : context_(context), setup_(setup), program_(program), isRestored_(isRestored),
        tasks_(tasksOf(context.artifact->table())), self_(taskName(setup.config.self.role, setup.config.self.index)),
        peers_(makePeerTable(context, setup)), heartbeats_(*peers_, setup.heartbeat) {}

  absl::StatusOr<std::string> run(RunRequest request);

private:
  absl::Status checkTasks() const;
  absl::StatusOr<ChannelExchange::Options> exchangeOptions(const EntryCalls &calls) const;
  absl::Status reachPeers(const ChannelExchange &exchange, const cluster::HelloRequest &self);
  absl::Status runParts(EntryCalls &calls);

  RunContext &context_;
  const ClusterSetup &setup_;
  Program &program_;
  const bool isRestored_;
  const std::vector<std::string> tasks_; ///< of the devices
  const std::string self_;
  const std::unique_ptr<PeerTable> peers_;
  std::map<std::string, std::unique_ptr<PeerLink>> links_;
  Heartbeats heartbeats_; // after what it pings
};
} // namespace

static const ClusterTask *findTask(const ClusterSetup &setup, const std::string &name) {
  for (const ClusterTask &task : setup.config.tasks)
    if (taskName(task.role, task.index) == name)
      return &task;
  return nullptr;
}

absl::Status PlacedRun::checkTasks() const {
  const mlcrt_artifact &table = context_.artifact->table();
  for (size_t d = 0; d < tasks_.size(); ++d)
    if (!findTask(setup_, tasks_[d])) {
      mlc::common::Message message =
          makeError("E0222", "the program is placed on " + std::string(table.devices[d].name) +
                                 ", but TF_CONFIG has no " + (tasks_[d].empty() ? "such task" : tasks_[d]));
      message.expected = "a task for each device of the program";
      return messageStatus(absl::StatusCode::kInvalidArgument, message);
    }
  return absl::OkStatus();
}

absl::StatusOr<ChannelExchange::Options> PlacedRun::exchangeOptions(const EntryCalls &calls) const {
  ChannelExchange::Options options;
  options.tasks = tasks_;
  options.self = self_;
  absl::StatusOr<std::map<int32_t, Symbols>> symbols = calls.symbols();
  if (!symbols.ok())
    return symbols.status();
  options.entries = *std::move(symbols);
  const mlcrt_artifact &table = context_.artifact->table();
  if (const mlcrt_entry *init = context_.artifact->entry(MLCRT_ROLE_INIT))
    options.entries.emplace(static_cast<int32_t>(init - table.entries), Symbols(context_.artifact->symbolCount()));
  options.peers = peers_.get();
  options.isInterrupted = [this] { return context_.stop.isStopped(); };
  return options;
}

absl::Status PlacedRun::reachPeers(const ChannelExchange &exchange, const cluster::HelloRequest &self) {
  for (const std::string &name : exchange.peers()) {
    const ClusterTask &task = *findTask(setup_, name);
    absl::StatusOr<std::unique_ptr<PeerLink>> link =
        PeerLink::open(*setup_.transport, task.address, name, self, setup_.startTimeout);
    if (!link.ok())
      return link.status();
    heartbeats_.add(name, **link);
    links_[name] = *std::move(link);
  }
  return absl::OkStatus();
}

absl::Status PlacedRun::runParts(EntryCalls &calls) {
  auto isHere = [this](int32_t device) { return tasks_[device] == self_; };
  if (!isRestored_ && context_.artifact->entry(MLCRT_ROLE_INIT)) {
    RunRequest first;
    first.entries = {context_.artifact->entry(MLCRT_ROLE_INIT)->name};
    first.threads = context_.threads();
    first.seed = calls.request().seed;
    absl::StatusOr<EntryCalls> init = EntryCalls::prepare(program_, first);
    if (!init.ok())
      return init.status();
    if (absl::Status status = init->run(isHere); !status.ok())
      return status;
  }
  return calls.run(isHere);
}

absl::StatusOr<std::string> PlacedRun::run(RunRequest request) {
  if (absl::Status status = checkTasks(); !status.ok())
    return status;
  program_.runPartsAlone();
  absl::StatusOr<EntryCalls> calls = EntryCalls::prepare(program_, std::move(request));
  if (!calls.ok())
    return calls.status();
  absl::StatusOr<ChannelExchange::Options> options = exchangeOptions(*calls);
  if (!options.ok())
    return options.status();
  cluster::HelloRequest self = helloOf(context_, setup_);
  std::string names;
  for (const std::string &name : calls->request().entries)
    names += (names.empty() ? "" : ",") + name;
  self.add_settings("--entry " + names);
  Sessions sessions(self, setup_.config, setup_.knowsPeers);
  ChannelExchange exchange(program_, sessions, *std::move(options));
  HeartbeatService service(exchange, sessions, *peers_);
  absl::StatusOr<std::unique_ptr<Listener>> listener = listenAs(setup_, service);
  if (!listener.ok())
    return listener.status();
  if (absl::Status status = reachPeers(exchange, self); !status.ok())
    return clusterError(status);
  context_.reporter.line(self_ + "     runs its parts with " + std::to_string(links_.size()) + " other tasks");
  std::map<std::string, PeerLink *> links;
  for (const auto &[name, link] : links_)
    links[name] = link.get();
  exchange.start(std::move(links));
  absl::Status status = exchange.finish(runParts(*calls));
  heartbeats_.stop();
  // To this task the end of another one is an error.
  if (absl::IsCancelled(status) && !context_.stop.isStopped())
    status = absl::UnavailableError(status.message());
  if (!status.ok())
    return clusterError(status);
  return calls->results();
}

absl::StatusOr<std::string> runPlaced(RunContext &context, Program &program, RunRequest request, bool isRestored) {
  absl::StatusOr<ClusterSetup> setup = readTasks(context);
  if (!setup.ok())
    return setup.status();
  if (absl::Status status = openTransport(context, *setup); !status.ok())
    return status;
  return PlacedRun(context, *setup, program, isRestored).run(std::move(request));
}

} // namespace mlcrt
