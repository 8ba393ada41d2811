// The timeline and the metrics endpoint of a task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Observability.h"

#include "runtime/src/checkpoint/StatusMessage.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace mlcrt {

using mlc::common::makeError;
using mlc::common::Message;

static absl::Status valueError(const std::string &flag, const std::string &value, std::string expected) {
  Message message = makeError("E0203", "--" + flag + " " + value);
  message.expected = std::move(expected);
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

//===----------------------------------------------------------------------===//
// Timeline
//===----------------------------------------------------------------------===//

/// Numbers of tasks in a trace: roles apart, so that timelines of one cluster can be put together.
static int64_t processNumber(const std::string &role, int64_t index) {
  constexpr int64_t kRole = 1'000'000;
  return 1 + index + kRole * (role == "chief" ? 0 : role == "worker" ? 1 : role == "evaluator" ? 2 : 3);
}

absl::Status Observability::openTimeline(const RunContext &context, const std::string &role, int64_t index) {
  const std::string directory = context.options.observation.timeline;
  if (directory.empty()) {
    if (!context.options.observation.timelineSteps.empty())
      return messageStatus(absl::StatusCode::kInvalidArgument,
                           makeError("E0206", "--timeline_steps without --timeline", "--timeline DIRECTORY"));
    return absl::OkStatus();
  }
  TimelineOptions options;
  if (const std::string steps = context.options.observation.timelineSteps; !steps.empty()) {
    const std::vector<std::string> ends = absl::StrSplit(steps, ':');
    if (ends.size() != 2 || !absl::SimpleAtoi(ends[0], &options.firstStep) ||
        !absl::SimpleAtoi(ends[1], &options.lastStep) || options.firstStep < 0 || options.lastStep <= options.firstStep)
      return valueError("timeline_steps", steps, "FIRST:END, steps from FIRST on and before END");
  }
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  options.path = directory + "/" + role + "-" + std::to_string(index) + ".json";
  options.process = role + " " + std::to_string(index);
  options.number = processNumber(role, index);
  if (absl::Status begun = run_->beginTimeline(options); !begun.ok())
    return messageStatus(absl::StatusCode::kInvalidArgument,
                         makeError("E0405", std::string(begun.message()), "another --timeline"));
  hasTimeline_ = true;
  run_->timeline()->nameThread(role == "ps" ? "serve" : role == "evaluator" ? "evaluate" : "train");
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Metrics
//===----------------------------------------------------------------------===//

/// What the system knows of this process, by the names that other exporters use.
static void updateProcessMetrics(MetricRegistry &registry) {
  constexpr auto kGauge = MetricRegistry::Kind::Gauge;
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  registry.value(kGauge, "process_resident_memory_bytes", "Resident memory size in bytes.")
      .set(resident * ::sysconf(_SC_PAGESIZE));
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  auto micros = [](const timeval &time) { return int64_t(time.tv_sec) * 1'000'000 + time.tv_usec; };
  registry
      .value(MetricRegistry::Kind::Counter, "process_cpu_seconds_total",
             "Total user and system CPU time spent in seconds.", {}, 1e-6)
      .set(micros(usage.ru_utime) + micros(usage.ru_stime));
}

absl::Status Observability::openMetrics(RunContext &context, const std::string &role, int64_t index) {
  const std::string text = context.options.observation.metricsPort;
  if (text.empty())
    return absl::OkStatus();
  MetricsServerOptions options;
  if (text != "auto" && (!absl::SimpleAtoi(text, &options.port) || options.port < 1 || options.port > 65535))
    return valueError("metrics_port", text, "1 to 65535, or auto");
  options.everywhere = context.options.cluster.insecure;
  MetricRegistry &registry = run_->metrics().registry;
  registry
      .value(MetricRegistry::Kind::Gauge, "mlc_task_info", "1; its labels say what this task is.",
             {{"role", role}, {"index", std::to_string(index)}, {"version", MLC_VERSION}})
      .set(1);
  registry
      .value(MetricRegistry::Kind::Gauge, "process_start_time_seconds",
             "Start time of the process since unix epoch in seconds.")
      .set(static_cast<int64_t>(std::time(nullptr)));
  auto metrics = [&registry] {
    updateProcessMetrics(registry);
    return registry.text();
  };
  auto problem = [&run = *run_] { return run.problem(); };
  absl::StatusOr<std::unique_ptr<MetricsServer>> server = MetricsServer::start(options, {metrics, problem});
  if (!server.ok())
    return messageStatus(absl::StatusCode::kInvalidArgument,
                         makeError("E0412", std::string(server.status().message()), "--metrics_port auto"));
  server_ = *std::move(server);
  const std::string host = options.everywhere ? "0.0.0.0" : "127.0.0.1";
  context.reporter.line("metrics  http://" + host + ":" + std::to_string(server_->port()) + "/metrics");
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Observability>> Observability::open(RunContext &context, const std::string &role,
                                                                   int64_t index) {
  std::unique_ptr<Observability> made(new Observability(context.observation));
  absl::Status status = made->openTimeline(context, role, index);
  if (status.ok())
    status = made->openMetrics(context, role, index);
  if (!status.ok())
    return status;
  return made;
}

Observability::~Observability() {
  // Threads of the run have ended; those of the transport that still answer see none.
  if (hasTimeline_)
    run_->endTimeline();
}

} // namespace mlcrt
